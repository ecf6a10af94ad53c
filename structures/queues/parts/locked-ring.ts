import { STRIDE_WORDS } from "../../shared/layout.ts";
import { EMPTY } from "../queues.contract.ts";
import type { GuardedRing } from "./guarded.ts";
import { copyIn, copyOut } from "./places.ts";

/**
 * A ring of messages of words between two counters, for workers that hold a lock: its accesses are plain, and each call
 * changes one counter as its last step. A worker that stops anywhere leaves the ring as it was before the call or after.
 *
 *     word 0       head   messages received, modulo 2^32
 *     word 1       tail   messages sent, modulo 2^32
 *     words 32 ..  the messages
 *
 * Refuses a message where it is full, or drops the oldest.
 */
export function lockedRing({ dropsOldest = false } = {}): GuardedRing {
  return {
    words: ({ capacity, longest }) => PLACES + capacity * longest,

    format(memory) {
      memory[HEAD] = 0;
      memory[TAIL] = 0;
    },

    sender: (memory, { capacity, longest }, mutex) => ({
      trySend(message) {
        mutex.lock();
        const tail = memory[TAIL]!;
        const isFull = ((tail - memory[HEAD]!) | 0) === capacity;
        if (isFull && dropsOldest) memory[HEAD]!++;
        const hasRoom = !isFull || dropsOldest;
        if (hasRoom) {
          copyIn(memory, PLACES + (tail & (capacity - 1)) * longest, message, longest);
          memory[TAIL] = tail + 1;
        }
        mutex.unlock();
        return hasRoom;
      },
    }),

    receiver: (memory, { capacity, longest }, mutex) => ({
      tryReceive(into) {
        mutex.lock();
        const head = memory[HEAD]!;
        const isEmpty = head === memory[TAIL];
        if (!isEmpty) {
          copyOut(memory, PLACES + (head & (capacity - 1)) * longest, into, longest);
          memory[HEAD] = head + 1;
        }
        mutex.unlock();
        return isEmpty ? EMPTY : longest;
      },
    }),
  };
}

const HEAD = 0;
const TAIL = 1;
const PLACES = STRIDE_WORDS;
