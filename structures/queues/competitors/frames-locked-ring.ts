import robustFutex from "../../locks/competitors/robust-futex.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import { formatFrames, framesReceiver, framesSender, framesWords } from "../parts/frames.ts";
import { recovered } from "../parts/locked-ring.ts";
import { assertSetup, type QueuesCompetitor } from "../queues.contract.ts";

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
 *     word 0       lock   see locks/robust-futex
 *     words 32 ..  ring   see parts/frames.ts
 */
const competitor = {
  summary: "ring of frames behind a futex mutex that is freed when its holder's death is reported",
  source: "OneToOneRingBuffer (Agrona); Linux robust futexes",
  progress: "blocking",
  sleepWord: 0,
  messages: "frames",
  producers: "many",
  consumers: "many",
  full: "refuses",
  order: "global",
  exactEmpty: true,
  exactFull: false,
  stoppedSender: "freed",
  stoppedReceiver: "freed",

  words(setup) {
    assertSetup(competitor, setup);
    return STRIDE_WORDS + framesWords(setup);
  },

  format(memory) {
    robustFutex.format(memory);
    formatFrames(memory.subarray(STRIDE_WORDS));
  },

  holders: () => robustFutex.holderWords,

  sender(memory, setup, worker) {
    const lock = recovered(robustFutex.attach(memory, worker));
    const ring = framesSender(memory.subarray(STRIDE_WORDS), setup);
    return {
      trySend(frame) {
        lock.lock();
        ring.refresh();
        const isSent = ring.trySend(frame);
        lock.unlock();
        return isSent;
      },
    };
  },

  receiver(memory, setup, worker) {
    const lock = recovered(robustFutex.attach(memory, worker));
    const ring = framesReceiver(memory.subarray(STRIDE_WORDS), setup);
    return {
      tryReceive(into) {
        lock.lock();
        ring.refresh();
        const length = ring.tryReceive(into);
        lock.unlock();
        return length;
      },
    };
  },
} satisfies QueuesCompetitor;

export default competitor;
