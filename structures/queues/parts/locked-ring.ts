import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { EMPTY, type QueueSetup, type Receiver, type Sender } from "../queues.contract.ts";
import type { GuardedRing, Mutex } from "./guarded.ts";
import { copyIn, copyOut } from "./places.ts";

/**
 * A ring of messages of words between two counters, for workers that hold a lock: its accesses are plain, and each call
 * changes one counter as its last step. A worker that stops anywhere leaves the ring as it was before the call or after.
 *
 *     word 0       head   messages received, modulo 2^32
 *     word 1       tail   messages sent, modulo 2^32
 *     words 32 ..  the messages
 */
const ringWords = ({ capacity, longest }: QueueSetup) => PLACES + capacity * longest;

function formatRing(memory: Region): void {
  memory[HEAD] = 0;
  memory[TAIL] = 0;
}

function lockedSender(
  memory: Region,
  { capacity, longest }: QueueSetup,
  lock: Mutex,
  ring: { readonly dropsOldest: boolean },
): Sender {
  return {
    trySend(message) {
      lock.lock();
      const tail = memory[TAIL]!;
      const isFull = ((tail - memory[HEAD]!) | 0) === capacity;
      if (isFull && ring.dropsOldest) memory[HEAD]!++;
      const hasRoom = !isFull || ring.dropsOldest;
      if (hasRoom) {
        copyIn(memory, PLACES + (tail & (capacity - 1)) * longest, message, longest);
        memory[TAIL] = tail + 1;
      }
      lock.unlock();
      return hasRoom;
    },
  };
}

function lockedReceiver(memory: Region, { capacity, longest }: QueueSetup, lock: Mutex): Receiver {
  return {
    tryReceive(into) {
      lock.lock();
      const head = memory[HEAD]!;
      const isEmpty = head === memory[TAIL];
      if (!isEmpty) {
        copyOut(memory, PLACES + (head & (capacity - 1)) * longest, into, longest);
        memory[HEAD] = head + 1;
      }
      lock.unlock();
      return isEmpty ? EMPTY : longest;
    },
  };
}

/** Rings that refuse a message where they are full, and that drop the oldest. */
export const refusing = lockedRing(false);
export const overwriting = lockedRing(true);

function lockedRing(dropsOldest: boolean): GuardedRing {
  return {
    words: ringWords,
    format: formatRing,
    sender: (memory, setup, mutex) => lockedSender(memory, setup, mutex, { dropsOldest }),
    receiver: lockedReceiver,
  };
}

const HEAD = 0;
const TAIL = 1;
const PLACES = STRIDE_WORDS;
