import { ringEach } from "../parts/in-turn.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";
import framesRing from "./frames-ring.ts";

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
export default {
  ...ringEach(framesRing),
  summary: "a ring of frames for each producer, which one consumer looks at in turn",
  source: "per-producer sub-queues of moodycamel::ConcurrentQueue; OneToOneRingBuffer (Agrona)",
  messages: "frames",
  exactFull: false,
} satisfies QueuesCompetitor;
