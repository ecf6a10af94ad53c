import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { EMPTY, type QueueSetup, type Receiver, type Sender } from "../queues.contract.ts";
import { copyIn, copyOut } from "./places.ts";

/**
 * A ring from one producer to one consumer. Each has its own counter, and looks at the other's only where the last look
 * leaves it nothing to do.
 *
 *     word 0       head   messages received, modulo 2^32; written by the consumer, read by the producer, atomically
 *     word 32      tail   messages sent, modulo 2^32; written by the producer, read by the consumer, atomically
 *     words 64 ..  the messages, plain: a store of the counter behind them hands them over
 */
export const oneToOneWords = ({ capacity, longest }: QueueSetup) => PLACES + capacity * longest;

export function formatOneToOne(memory: Region): void {
  Atomics.store(memory, HEAD, 0);
  Atomics.store(memory, TAIL, 0);
}

/** `batch`: messages that are made visible together, 1 or more. */
export function oneToOneSender(
  memory: Region,
  { capacity, longest }: QueueSetup,
  batch: number,
): Required<Sender> {
  let tail = Atomics.load(memory, TAIL);
  let published = tail;
  // May be old: then the ring seems fuller than it is, and is looked at.
  let head = Atomics.load(memory, HEAD);
  const flush = () => {
    if (published === tail) return;
    published = tail;
    Atomics.store(memory, TAIL, tail);
  };
  return {
    trySend(message) {
      if (((tail - head) | 0) === capacity) {
        head = Atomics.load(memory, HEAD);
        if (((tail - head) | 0) === capacity) {
          flush();
          return false;
        }
      }
      copyIn(memory, PLACES + (tail & (capacity - 1)) * longest, message, longest);
      tail = (tail + 1) | 0;
      if (((tail - published) | 0) >= batch) flush();
      return true;
    },
    flush,
  };
}

export function oneToOneReceiver(memory: Region, { capacity, longest }: QueueSetup): Receiver {
  let head = Atomics.load(memory, HEAD);
  // May be old: then the ring seems emptier than it is, and is looked at.
  let tail = head;
  return {
    tryReceive(into) {
      if (head === tail) {
        tail = Atomics.load(memory, TAIL);
        if (head === tail) return EMPTY;
      }
      copyOut(memory, PLACES + (head & (capacity - 1)) * longest, into, longest);
      head = (head + 1) | 0;
      Atomics.store(memory, HEAD, head);
      return longest;
    },
  };
}

export const HEAD = 0;
export const TAIL = STRIDE_WORDS;
export const PLACES = 2 * STRIDE_WORDS;
