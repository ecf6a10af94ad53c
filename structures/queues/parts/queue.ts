import { assertInteger, assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import framesLockedRing from "../competitors/frames-locked-ring.ts";
import framesRing from "../competitors/frames-ring.ts";
import robustLockedRing from "../competitors/robust-locked-ring.ts";
import spscRing from "../competitors/spsc-ring.ts";
import {
  FRAME_HEADER,
  MOST_CAPACITY,
  MOST_WIDTH,
  type QueueSetup,
  type QueuesCompetitor,
} from "../queues.contract.ts";
import { attachReceiver, attachSender, makeQueue, type QueueInstance } from "../queues.instance.ts";
import { Consumer, type MessageKind, Producer } from "./ends.ts";

/** A queue's memory and what it is for. It crosses to workers by structured clone, in `workerData` or a message. */
export interface Queue<Kind extends MessageKind = MessageKind> extends QueueInstance {
  readonly messages: Kind;
}

interface Common {
  /**
   * How much is in the queue at most: messages of words, or bytes of frames, each with 4 more and in whole words. 1 .. 2^27,
   * rounded up to a power of two, and to twice the longest frame at least.
   */
  readonly capacity: number;
  /** Threads that send, 1 by default. A thread that sends and receives counts twice. */
  readonly producers?: number | undefined;
  /** Threads that receive, 1 by default. Each message is received once, by any of them. */
  readonly consumers?: number | undefined;
}

export interface FramesOptions extends Common {
  /** Bytes of the longest frame, 1 .. 2^25. */
  readonly frames: number;
  readonly words?: undefined;
}

export interface WordsOptions extends Common {
  /** Words of 32 bits in each message, 1 .. 16. */
  readonly words: number;
  readonly frames?: undefined;
}

interface AnyOptions extends Common {
  readonly frames?: number | undefined;
  readonly words?: number | undefined;
}

const OPTIONS: OptionKinds<AnyOptions> = {
  frames: "any",
  words: "any",
  capacity: "any",
  producers: "any",
  consumers: "any",
};
const MOST_ASKED = MOST_CAPACITY / 2;
const LONGEST_FRAME = 2 ** 25;

/**
 * A bounded queue between threads. Each message that was sent is received once, whole, and those of a producer in their order
 * by each consumer. Where it is full, producers are refused or wait.
 *
 * A worker that is terminated loses at most the message that it was sending or receiving; the others go on once its seat is
 * free. Let the thread that starts workers `adopt` them: the seat of a consumer is `queue.producers` and its number.
 *
 * Throws a RangeError for counts outside their ranges, a TypeError for both of frames and words or neither, and for an option
 * that there is not.
 */
export function createQueue(options: FramesOptions): Queue<"frames">;
export function createQueue(options: WordsOptions): Queue<"words">;
export function createQueue(options: AnyOptions): Queue {
  assertOptions("createQueue", options, OPTIONS);
  const { frames, words, capacity, producers = 1, consumers = 1 } = options;
  if ((frames === undefined) === (words === undefined))
    throw new TypeError(
      "createQueue: give frames, the bytes of the longest, or words, the length of each message",
    );
  const messages = frames === undefined ? "words" : "frames";
  const longest = (frames ?? words)!;
  assertInteger(messages, longest, 1, messages === "words" ? MOST_WIDTH : LONGEST_FRAME);
  assertInteger("capacity", capacity, 1, MOST_ASKED);
  const least = messages === "words" ? 2 : 2 * (longest + FRAME_HEADER);
  const setup = { capacity: powerOfTwo(Math.max(capacity, least)), longest, producers, consumers };
  return { ...makeQueue(competitorOf(messages, setup), setup), messages };
}

/**
 * The handle of this producer, 0 .. producers - 1. Called in its thread. Throws, in one line, for a value that createQueue did not
 * return, for a number that is no producer's, and for one whose seat is taken: another attaches after `freeSeat`.
 */
export function attachProducer<Kind extends MessageKind>(
  queue: Queue<Kind>,
  producer: number,
): Producer<Kind> {
  const sender = attachSender(competitorOfQueue(queue), queue, producer);
  return new Producer(sender, queue.messages, queue.longest);
}

/** The same for this consumer, 0 .. consumers - 1. */
export function attachConsumer<Kind extends MessageKind>(
  queue: Queue<Kind>,
  consumer: number,
): Consumer<Kind> {
  const receiver = attachReceiver(competitorOfQueue(queue), queue, consumer);
  return new Consumer(receiver, queue.messages, queue.longest);
}

function competitorOfQueue(queue: Queue): QueuesCompetitor {
  const { messages } = Object(queue) as Partial<Queue>;
  if (messages === "words" || messages === "frames") return competitorOf(messages, queue);
  throw new TypeError(`${shown(queue)} is no queue: give what createQueue returned`);
}

/** The queue for as many threads. No death of a worker ends one of these. */
function competitorOf(messages: MessageKind, { producers, consumers }: Ends): QueuesCompetitor {
  const isPair = producers === 1 && consumers === 1;
  if (messages === "words") return isPair ? spscRing : robustLockedRing;
  return isPair ? framesRing : framesLockedRing;
}

type Ends = Pick<QueueSetup, "producers" | "consumers">;

function powerOfTwo(least: number): number {
  return 2 ** Math.ceil(Math.log2(least));
}
