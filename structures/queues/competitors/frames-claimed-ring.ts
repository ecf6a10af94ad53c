import {
  bytesOf,
  copyBytesIn,
  copyBytesOut,
  formatFrames,
  framesWords,
  HEAD,
  sizeOf,
  TAIL,
  UNUSED,
  unusedFor,
  wordOf,
} from "../parts/frames.ts";
import { EMPTY, FRAME_HEADER, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * One ring of frames for any number of producers, each of which claims its stretch first and writes it then.
 *
 * Promise: all frames in one order, each in one piece.
 * Progress: blocking: a producer that claimed a stretch and stops keeps the consumer from what comes after it.
 * Threads: any number of producers and one consumer.
 * Cost: a load, a compareExchange, the copy and a store for each send, and more where another claims at the same time. A
 *   receive copies, and clears what it read.
 * Memory: that of frames-ring.
 * Limits: those of frames-ring. Empty is not exact: behind a frame that is being written there may be others. A producer
 *   terminated there ends the queue.
 * Bet: one ring that all producers share has the room of all, and the consumer looks at one place.
 * Source: ManyToOneRingBuffer of Agrona.
 *
 *     as parts/frames.ts, but for
 *     word 1       next   what the head is to be once the consumer has cleared what it read; it alone uses it, plainly
 *     word 32      tail   bytes claimed by producers, modulo 2^32; atomically
 *     words 64 ..  the frames; in front of each its length and one more, or 0 until it is written: by a store that hands it
 *                  over. All else is 0, cleared by the consumer before it moves the head
 */
export default {
  summary: "ring of frames whose producers claim a stretch each, for one consumer",
  source: "ManyToOneRingBuffer (Agrona)",
  progress: "blocking",
  messages: "frames",
  producers: "many",
  consumers: "one",
  full: "refuses",
  order: "global",
  exactEmpty: false,
  exactFull: false,
  stoppedSender: "fatal",
  stoppedReceiver: "harmless",

  words: (setup) => framesWords(setup),

  format(memory) {
    memory.fill(0);
    formatFrames(memory);
  },

  sender(memory, setup) {
    const { capacity } = setup;
    const bytes = bytesOf(memory, setup);
    // May be old: then the ring seems fuller than it is, and is looked at.
    let head = Atomics.load(memory, HEAD);
    /** Where the stretch begins that was claimed for a frame of this size; undefined where there is no room. */
    const claim = (size: number): number | undefined => {
      for (let tail = Atomics.load(memory, TAIL); ; ) {
        const unused = unusedFor(size, tail, capacity);
        const isThereRoom = () => ((tail - head) | 0) + unused + size <= capacity;
        if (!isThereRoom()) {
          head = Atomics.load(memory, HEAD);
          if (!isThereRoom()) return undefined;
        }
        const found = Atomics.compareExchange(memory, TAIL, tail, (tail + unused + size) | 0);
        if (found === tail) {
          if (unused > 0) Atomics.store(memory, wordOf(tail, capacity), UNUSED);
          return (tail + unused) | 0;
        }
        tail = found;
      }
    };
    return {
      trySend(frame) {
        const at = claim(sizeOf(frame.length));
        if (at === undefined) return false;
        copyBytesIn(bytes, (at & (capacity - 1)) + FRAME_HEADER, frame);
        Atomics.store(memory, wordOf(at, capacity), frame.length + 1);
        return true;
      },
    };
  },

  receiver(memory, setup) {
    const { capacity } = setup;
    const bytes = bytesOf(memory, setup);
    let head = Atomics.load(memory, HEAD);
    const pass = (size: number) => {
      memory[NEXT] = head + size;
      const at = wordOf(head, capacity);
      memory.fill(0, at, at + size / Int32Array.BYTES_PER_ELEMENT);
      head = (head + size) | 0;
      Atomics.store(memory, HEAD, head);
    };
    // What a consumer before this one had begun to clear when it was terminated.
    if (memory[NEXT] !== head) pass((memory[NEXT]! - head) | 0);
    return {
      tryReceive(into) {
        let header = Atomics.load(memory, wordOf(head, capacity));
        if (header === UNUSED) {
          pass(capacity - (head & (capacity - 1)));
          header = Atomics.load(memory, wordOf(head, capacity));
        }
        if (header === 0) return EMPTY;
        copyBytesOut(bytes, (head & (capacity - 1)) + FRAME_HEADER, into, header - 1);
        pass(sizeOf(header - 1));
        return header - 1;
      },
    };
  },
} satisfies QueuesCompetitor;

/** Beside the head. */
const NEXT = HEAD + 1;
