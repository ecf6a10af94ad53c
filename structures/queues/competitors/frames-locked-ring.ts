import { formatFrames, framesReceiver, framesSender, framesWords } from "../parts/frames.ts";
import { behindRobustFutex, type GuardedRing } from "../parts/guarded.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring of frames behind a mutex that names its holder, for any number of producers and consumers.
 *
 * Promise: all frames in one order, each in one piece. A worker that dies inside stops the others until its seat is freed.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: an uncontended lock and unlock around the call of frames-ring, and two atomic loads; contended, a trip through the
 *   kernel.
 * Memory: that of frames-ring, and a stride.
 * Limits: those of frames-ring. A seat that is not freed leaves the queue taken.
 * Bet: the plainest queue of frames; a rival has to be faster where several threads meet.
 * Source: as robust-locked-ring, with the ring of frames-ring, which changes one counter as its last step.
 *
 *     see parts/guarded.ts and parts/frames.ts
 */
const ring: GuardedRing = {
  words: framesWords,
  format: formatFrames,
  sender(memory, setup, mutex) {
    const { refresh, trySend } = framesSender(memory, setup);
    return {
      trySend(frame) {
        mutex.lock();
        refresh();
        const isSent = trySend(frame);
        mutex.unlock();
        return isSent;
      },
    };
  },
  receiver(memory, setup, mutex) {
    const { refresh, tryReceive } = framesReceiver(memory, setup);
    return {
      tryReceive(into) {
        mutex.lock();
        refresh();
        const length = tryReceive(into);
        mutex.unlock();
        return length;
      },
    };
  },
};

export default {
  ...behindRobustFutex(ring),
  summary: "ring of frames behind a futex mutex that is freed when its holder's death is reported",
  source: "OneToOneRingBuffer (Agrona); Linux robust futexes",
  messages: "frames",
  exactFull: false,
} satisfies QueuesCompetitor;
