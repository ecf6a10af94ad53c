import type { Lock, RobustLock } from "../../locks/locks.contract.ts";
import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { EMPTY, type QueueSetup, type Receiver, type Sender } from "../queues.contract.ts";
import { copyIn, copyOut } from "./places.ts";

/**
 * A ring of messages of words between two counters, for workers that hold a lock: its accesses are plain, and each call
 * changes one counter as its last step. A worker that stops anywhere leaves the ring as it was before the call or after.
 *
 *     word 0       head   messages received, modulo 2^32
 *     word 1       tail   messages sent, modulo 2^32
 *     words 32 ..  the messages
 */
export const ringWords = ({ capacity, longest }: QueueSetup) => PLACES + capacity * longest;

export function formatRing(memory: Region): void {
  memory[HEAD] = 0;
  memory[TAIL] = 0;
}

export function lockedSender(
  memory: Region,
  { capacity, longest }: QueueSetup,
  lock: Pick<Lock, "lock" | "unlock">,
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

export function lockedReceiver(
  memory: Region,
  { capacity, longest }: QueueSetup,
  lock: Pick<Lock, "lock" | "unlock">,
): Receiver {
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

/** A lock whose every holder finds the ring consistent, also after one that died. */
export function recovered(robust: RobustLock): Pick<Lock, "lock" | "unlock"> {
  return {
    lock() {
      robust.lock();
      if (robust.ownerDied) robust.markConsistent();
    },
    unlock: robust.unlock,
  };
}

const HEAD = 0;
const TAIL = 1;
const PLACES = STRIDE_WORDS;
