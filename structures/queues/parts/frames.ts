import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import {
  EMPTY,
  FRAME_HEADER,
  type Message,
  type QueueSetup,
  type Receiver,
  type Sender,
} from "../queues.contract.ts";

/**
 * A ring of frames from one producer to one consumer. A frame is a word with its length and its bytes, in whole words. It
 * lies in one piece: where it does not fit in front of the ring's end, the rest is left unused.
 *
 *     word 0       head   bytes received, modulo 2^32; written by the consumer, atomically
 *     word 32      tail   bytes sent, modulo 2^32; written by the producer, atomically
 *     words 64 ..  the frames, plain: a store of the counter behind them hands them over
 */
export const framesWords = ({ capacity }: QueueSetup) => FRAMES + capacity / BYTES;

export function formatFrames(memory: Region): void {
  Atomics.store(memory, HEAD, 0);
  Atomics.store(memory, TAIL, 0);
}

/** The bytes of the frames. */
function bytesOf(memory: Region, { capacity }: QueueSetup): Uint8Array {
  return new Uint8Array(memory.buffer, memory.byteOffset + FRAMES * BYTES, capacity);
}

export interface Frames {
  /** Looks at the counters anew, for workers that take turns behind a lock. */
  refresh(): void;
}

export function framesSender(memory: Region, setup: QueueSetup): Sender & Frames {
  const { capacity } = setup;
  const bytes = bytesOf(memory, setup);
  let tail = Atomics.load(memory, TAIL);
  // May be old: then the ring seems fuller than it is, and is looked at.
  let head = Atomics.load(memory, HEAD);
  const isThereRoom = (size: number) => ((tail - head) | 0) + size <= capacity;
  return {
    refresh() {
      tail = Atomics.load(memory, TAIL);
      // Others may have sent 2^31 bytes since.
      head = Atomics.load(memory, HEAD);
    },
    trySend(frame) {
      const size = sizeOf(frame.length);
      const unused = unusedFor(size, tail, capacity);
      if (!isThereRoom(unused + size)) {
        head = Atomics.load(memory, HEAD);
        if (!isThereRoom(unused + size)) return false;
      }
      if (unused > 0) {
        memory[wordOf(tail, capacity)] = UNUSED;
        tail = (tail + unused) | 0;
      }
      memory[wordOf(tail, capacity)] = frame.length;
      copyBytesIn(bytes, (tail & (capacity - 1)) + FRAME_HEADER, frame);
      tail = (tail + size) | 0;
      Atomics.store(memory, TAIL, tail);
      return true;
    },
  };
}

export function framesReceiver(memory: Region, setup: QueueSetup): Receiver & Frames {
  const { capacity } = setup;
  const bytes = bytesOf(memory, setup);
  let head = Atomics.load(memory, HEAD);
  // May be old: then the ring seems emptier than it is, and is looked at.
  let tail = head;
  return {
    refresh() {
      head = Atomics.load(memory, HEAD);
      tail = head;
    },
    tryReceive(into) {
      if (head === tail) {
        tail = Atomics.load(memory, TAIL);
        if (head === tail) return EMPTY;
      }
      if (memory[wordOf(head, capacity)] === UNUSED) head = (head | (capacity - 1)) + 1;
      const length = memory[wordOf(head, capacity)]!;
      copyBytesOut(bytes, (head & (capacity - 1)) + FRAME_HEADER, into, length);
      head = (head + sizeOf(length)) | 0;
      Atomics.store(memory, HEAD, head);
      return length;
    },
  };
}

/** Bytes of a frame with its length, in whole words. */
const sizeOf = (length: number) => (length + FRAME_HEADER + BYTES - 1) & ~(BYTES - 1);

/** Bytes left at the end of the ring where the frame does not fit in front of it. */
function unusedFor(size: number, tail: number, capacity: number): number {
  const left = capacity - (tail & (capacity - 1));
  return size > left ? left : 0;
}

/** The word at this count of bytes. */
const wordOf = (count: number, capacity: number) => FRAMES + (count & (capacity - 1)) / BYTES;

/** Up to these bytes a loop is faster than a call of `set`, and a view to copy from. */
const FEW = 32;

function copyBytesIn(bytes: Uint8Array, at: number, frame: Message): void {
  if (frame.length > FEW) bytes.set(frame, at);
  else for (let byte = 0; byte < frame.length; byte++) bytes[at + byte] = frame[byte]!;
}

function copyBytesOut(bytes: Uint8Array, at: number, into: Message, length: number): void {
  if (length > FEW) into.set(bytes.subarray(at, at + length));
  else for (let byte = 0; byte < length; byte++) into[byte] = bytes[at + byte]!;
}

const HEAD = 0;
const TAIL = STRIDE_WORDS;
const FRAMES = 2 * STRIDE_WORDS;
const BYTES = Int32Array.BYTES_PER_ELEMENT;
/** In place of a length. */
const UNUSED = -1;
