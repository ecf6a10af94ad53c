import { formatFrames, framesReceiver, framesSender, framesWords } from "../parts/frames.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";

/**
 * A ring of frames of any length from one producer to one consumer.
 *
 * Promise: frames in their order, each in one piece.
 * Progress: wait-free.
 * Threads: one producer and one consumer.
 * Cost: the copy, a word with the length and one atomic store for each call; one atomic load where the remembered counter
 *   of the other side leaves nothing to do.
 * Memory: the capacity and two strides. A frame takes its bytes and 4, in whole words.
 * Limits: a frame is at most half of the ring. Full is not exact: the end of the ring may be left unused.
 * Bet: bytes that are copied once are cheaper than a structured clone, up to the size where the copy is all there is.
 * Source: OneToOneRingBuffer of Agrona; BipBuffer (Cooke 2003).
 *
 *     see parts/frames.ts
 */
export default {
  summary: "ring of frames of one producer and one consumer, each frame in one piece",
  source: "OneToOneRingBuffer (Agrona)",
  progress: "wait-free",
  messages: "frames",
  producers: "one",
  consumers: "one",
  full: "refuses",
  order: "global",
  exactEmpty: true,
  exactFull: false,
  stoppedSender: "harmless",
  stoppedReceiver: "harmless",

  words: (setup) => framesWords(setup),

  format: formatFrames,
  sender: framesSender,
  receiver: framesReceiver,
} satisfies QueuesCompetitor;
