import { wholeStrides } from "../../shared/layout.ts";
import { formatFrames, framesReceiver, framesSender, framesWords } from "../parts/frames.ts";
import { inTurn } from "../parts/in-turn.ts";
import { assertSetup, type QueueSetup, type QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring of frames for each producer, which one consumer looks at in turn.
 *
 * Promise: the frames of each producer in their order, each in one piece. Each producer has all of the capacity to itself.
 * Progress: wait-free.
 * Threads: any number of producers and one consumer.
 * Cost: a send is that of frames-ring, whatever the other producers do. A receive looks at the rings from the last one on,
 *   until one has a frame.
 * Memory: that of frames-ring for each producer.
 * Limits: those of frames-ring. Frames of two producers may be received in another order than that in which they were sent.
 * Bet: producers that share nothing are worth the consumer's round.
 * Source: as per-producer-rings, with the ring of frames-ring.
 *
 *     a ring for each producer in whole strides, each as in parts/frames.ts
 */
const competitor = {
  summary: "a ring of frames for each producer, which one consumer looks at in turn",
  source: "per-producer sub-queues of moodycamel::ConcurrentQueue; OneToOneRingBuffer (Agrona)",
  progress: "wait-free",
  messages: "frames",
  producers: "many",
  consumers: "one",
  full: "refuses",
  order: "producer",
  exactEmpty: true,
  exactFull: false,
  stoppedSender: "harmless",
  stoppedReceiver: "harmless",

  words(setup) {
    assertSetup(competitor, setup);
    return setup.producers * ringWords(setup);
  },

  format(memory, setup) {
    for (let producer = 0; producer < setup.producers; producer++)
      formatFrames(memory.subarray(producer * ringWords(setup)));
  },

  sender: (memory, setup, { index }) => framesSender(memory.subarray(index * ringWords(setup)), setup),

  receiver: (memory, setup) =>
    inTurn(setup.producers, (producer) =>
      framesReceiver(memory.subarray(producer * ringWords(setup)), setup),
    ),
} satisfies QueuesCompetitor;

const ringWords = (setup: QueueSetup) => wholeStrides(framesWords(setup));

export default competitor;
