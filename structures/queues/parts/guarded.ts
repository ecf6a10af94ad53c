import futex from "../../locks/competitors/futex-three-state.ts";
import robustFutex from "../../locks/competitors/robust-futex.ts";
import type { Lock } from "../../locks/locks.contract.ts";
import type { HolderWords } from "../../shared/holder-words.ts";
import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import type { QueueSetup, QueuesCompetitor, Receiver, Sender } from "../queues.contract.ts";

export type Mutex = Pick<Lock, "lock" | "unlock">;

/** A ring whose handles hold a lock for each call. */
export interface GuardedRing {
  words(setup: QueueSetup): number;
  format(memory: Region): void;
  sender(memory: Region, setup: QueueSetup, mutex: Mutex): Sender;
  receiver(memory: Region, setup: QueueSetup, mutex: Mutex): Receiver;
}

interface Guard {
  readonly holderWords?: HolderWords;
  format(memory: Region): void;
  attach(memory: Region, worker: WorkerIdentity): Mutex;
}

/** Freed with its holder's seat. Each call changes one word of the ring as its last step: there is nothing to mend. */
const robust: Guard = {
  holderWords: robustFutex.holderWords,
  format: robustFutex.format,
  attach(memory, worker) {
    const lock = robustFutex.attach(memory, worker);
    return {
      lock() {
        lock.lock();
        if (lock.ownerDied) lock.markConsistent();
      },
      unlock: lock.unlock,
    };
  },
};

/**
 * A queue of a ring behind one lock, for any number of producers and consumers.
 *
 *     word 0       lock   see locks/futex-three-state, or locks/robust-futex
 *     words 32 ..  ring
 */
function guarded({ format, attach, holderWords }: Guard, ring: GuardedRing) {
  const ringIn = (memory: Region) => memory.subarray(STRIDE_WORDS);
  const outlived = holderWords === undefined ? "fatal" : "freed";
  return {
    progress: "blocking",
    sleepWord: 0,
    producers: "many",
    consumers: "many",
    full: "refuses",
    order: "global",
    exactEmpty: true,
    stoppedSender: outlived,
    stoppedReceiver: outlived,
    words: (setup) => STRIDE_WORDS + ring.words(setup),
    format(memory) {
      format(memory);
      ring.format(ringIn(memory));
    },
    ...(holderWords && { holders: () => holderWords }),
    sender: (memory, setup, worker) => ring.sender(ringIn(memory), setup, attach(memory, worker)),
    receiver: (memory, setup, worker) => ring.receiver(ringIn(memory), setup, attach(memory, worker)),
  } as const satisfies Partial<QueuesCompetitor>;
}

/** A worker that dies inside keeps all others out for good. */
export const behindFutex = (ring: GuardedRing) => guarded(futex, ring);
export const behindRobustFutex = (ring: GuardedRing) => guarded(robust, ring);
