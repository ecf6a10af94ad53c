import futex from "../../locks/competitors/futex-three-state.ts";
import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { EMPTY, type QueueSetup, type QueuesCompetitor } from "../queues.contract.ts";
import { copyIn, copyOut } from "./places.ts";

/** Where a queue with a lock for each side keeps its messages. */
interface Places {
  words(setup: QueueSetup): number;
  format(memory: Region, setup: QueueSetup): void;
  /**
   * The word from which this message, counted modulo 2^32 and so negative at times, is written, or read: called once for
   * each, in turn, by a lock's holder.
   */
  toWrite(memory: Region, setup: QueueSetup, message: number): number;
  toRead(memory: Region, setup: QueueSetup, message: number): number;
}

/**
 * A queue with one mutex for all producers and another for all consumers.
 *
 *     word 0        the consumers' lock   see locks/futex-three-state
 *     word 32       head   messages received, modulo 2^32; written by the holder of that lock, atomically
 *     word 33       a word of that holder
 *     word 64       the producers' lock
 *     word 96       tail   messages sent, modulo 2^32; written by the holder of that lock, atomically
 *     word 97       a word of that holder
 *     words 128 ..  the messages, plain: a store of the counter behind them hands them over
 */
export function behindTwoLocks({ words, format, toWrite, toRead }: Places) {
  return {
    progress: "blocking",
    sleepWord: 0,
    messages: "words",
    producers: "many",
    consumers: "many",
    full: "refuses",
    order: "global",
    exactEmpty: true,
    exactFull: true,
    stoppedSender: "fatal",
    stoppedReceiver: "fatal",

    words: (setup) => PLACES + words(setup),

    format(memory, setup) {
      futex.format(memory.subarray(RECEIVING));
      futex.format(memory.subarray(SENDING));
      Atomics.store(memory, HEAD, 0);
      Atomics.store(memory, TAIL, 0);
      format(memory, setup);
    },

    sender(memory, setup) {
      const lock = futex.attach(memory.subarray(SENDING));
      return {
        trySend(message) {
          lock.lock();
          // Only the holder writes it.
          const tail = memory[TAIL]!;
          const hasRoom = ((tail - Atomics.load(memory, HEAD)) | 0) < setup.capacity;
          if (hasRoom) {
            copyIn(memory, toWrite(memory, setup, tail), message, setup.longest);
            Atomics.store(memory, TAIL, tail + 1);
          }
          lock.unlock();
          return hasRoom;
        },
      };
    },

    receiver(memory, setup) {
      const lock = futex.attach(memory.subarray(RECEIVING));
      return {
        tryReceive(into) {
          lock.lock();
          // Only the holder writes it.
          const head = memory[HEAD]!;
          const isEmpty = head === Atomics.load(memory, TAIL);
          if (!isEmpty) {
            copyOut(memory, toRead(memory, setup, head), into, setup.longest);
            Atomics.store(memory, HEAD, head + 1);
          }
          lock.unlock();
          return isEmpty ? EMPTY : setup.longest;
        },
      };
    },
  } as const satisfies Partial<QueuesCompetitor>;
}

const RECEIVING = 0;
const HEAD = STRIDE_WORDS;
export const OF_RECEIVERS = HEAD + 1;
const SENDING = 2 * STRIDE_WORDS;
const TAIL = 3 * STRIDE_WORDS;
export const OF_SENDERS = TAIL + 1;
export const PLACES = 4 * STRIDE_WORDS;
