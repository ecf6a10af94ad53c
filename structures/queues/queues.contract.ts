import { assertInteger, shown } from "../shared/arguments.ts";
import type { Contract } from "../shared/contract.ts";
import type { HolderWords } from "../shared/holder-words.ts";
import type { LinearMemory, Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import { MOST_WORKERS, type WorkerIdentity } from "../shared/worker-identity.ts";

/**
 * A bounded queue between threads. Producers send messages, consumers receive each of them once.
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then every worker attaches and
 * uses a handle of its own. Workers 0 .. producers - 1 send, and the `consumers` after them receive. A thread that does
 * both has two seats. A worker may take over the seat of one that ended (shared/instance.ts).
 *
 * A competitor only tries, and never sleeps. Waiting, closing and waking are parts/parking.ts for all of them, so that
 * races compare queues and not ways to sleep. `attachSender` and `attachReceiver` (queues.instance.ts) join the two. A ring
 * whose places are tickets of a fetch-and-add is none of them: a worker that has a ticket waits for its place, as nobody can
 * refuse it any more.
 *
 * Nothing is lost, doubled or torn: each message whose send returned true is received once, as it was sent. Exceptions
 * are said: `full: "drops-oldest"`, and what a terminated worker was handed. A worker terminated in the middle of a call
 * loses at most the message of that call, and what it has not flushed.
 */
export interface QueuesCompetitor extends Traits {
  /** `words`: every message is as many int32 words. `frames`: a message is any number of bytes up to a limit. */
  readonly messages: "words" | "frames";
  readonly producers: "one" | "many";
  readonly consumers: "one" | "many";
  /**
   * What a full queue does with a message. `refuses`: trySend returns false. `drops-oldest`: the oldest message gives
   * way, and trySend returns true. `grows`: it is never full.
   */
  readonly full: "refuses" | "drops-oldest" | "grows";
  /**
   * In which order messages are received. `global`: a send that returned before another began comes first. `producer`:
   * each consumer receives the messages of one producer in the order in which they were sent. `none`: in any order.
   */
  readonly order: "global" | "producer" | "none";
  /** Whether tryReceive returns EMPTY only if no message was there at some moment of the call. */
  readonly exactEmpty: boolean;
  /** Whether trySend returns false only if the queue held its capacity at some moment of the call. */
  readonly exactFull: boolean;
  /** What follows where a producer stops for good in a call. One that stops as it wakes others is always `freed`. */
  readonly stoppedSender: Stopped;
  /** The same for a consumer. */
  readonly stoppedReceiver: Stopped;
  /** Messages that it holds, whatever its capacity; absent where its capacity is that. */
  readonly holds?: number;
  /** Calls Atomics.notify by itself, also where nobody sleeps. */
  readonly notifies?: true;
  /** Size in int32 words, for a setup that `assertSetup` accepts. */
  words(setup: QueueSetup): number;
  format(memory: Region, setup: QueueSetup): void;
  /** Words that name their holders, as offsets in its memory: see `Traits.holderWords`. Absent where none do. */
  holders?(setup: QueueSetup): HolderWords;
  /** Makes what the workers share besides words: one End for each worker. Absent where the words are everything. */
  share?(setup: QueueSetup): readonly End[];
  /** The handle of producer `worker.index`. `end` is what `share` made for it, as received in its thread. */
  sender(memory: Region, setup: QueueSetup, worker: WorkerIdentity, end?: unknown): Sender;
  /** The handle of consumer `worker.index - setup.producers`. */
  receiver(memory: Region, setup: QueueSetup, worker: WorkerIdentity, end?: unknown): Receiver;
}

/**
 * `harmless`: all others go on, and lose nothing. `freed`: they do once its seat is freed. `fatal`: they may never
 * receive again what was sent after it, or never have room again.
 */
export type Stopped = "harmless" | "freed" | "fatal";

export interface QueueSetup {
  /** Messages of words, or bytes of frames with 4 for the length of each: a power of two, 2 .. MOST_CAPACITY. */
  readonly capacity: number;
  /** Words of each message, 1 .. MOST_WIDTH; or bytes of the longest frame, 1 .. `longestFrame(capacity)`. */
  readonly longest: number;
  readonly producers: number;
  readonly consumers: number;
  /** The Memory that the words view, where the queue `needsLinear`. */
  readonly linear?: LinearMemory;
}

/** What a worker is handed besides the words. `transfer` are the objects in `value` that move to its thread. */
export interface End {
  readonly value: unknown;
  readonly transfer: readonly object[];
}

/** An Int32Array where messages are words, a Uint8Array where they are frames. */
export type Message = Int32Array | Uint8Array;

/** One producer's handle. Not to be passed to another thread. */
export interface Sender {
  /**
   * Sends the first `longest` words of the message, or all bytes of the frame. Returns false, and has done nothing,
   * where the queue refuses it. The caller may use the array again at once.
   */
  trySend(message: Message): boolean;
  /** Makes visible what was sent. Absent where each send does; otherwise call it before waiting for anything. */
  flush?(): void;
}

/** One consumer's handle. Not to be passed to another thread. */
export interface Receiver {
  /**
   * Copies the next message to the beginning of `into`, and returns its words or bytes; EMPTY where there is none.
   * `into` has room for `longest`.
   */
  tryReceive(into: Message): number;
  /**
   * Where its runtime delivers messages by its event loop: calls `take` for each from now on, and returns a function
   * that ends it. Not together with tryReceive.
   */
  subscribe?(take: (message: Message) => void): () => void;
}

/** What tryReceive returns where there is no message. A frame may have length 0. */
export const EMPTY = -1;

export const MOST_CAPACITY = 2 ** 28;
/** Words: a cache line. */
export const MOST_WIDTH = 16;
/** Bytes in front of each frame. */
export const FRAME_HEADER = 4;

/** Half of the ring: a frame does not wrap, so that up to its length may be left unused at the end. */
export const longestFrame = (capacity: number) => capacity / 2 - FRAME_HEADER;

/** Throws a RangeError, in one line, for a setup that a queue of this kind cannot have. */
export function assertSetup(
  { messages, producers, consumers }: Pick<QueuesCompetitor, "messages" | "producers" | "consumers">,
  setup: QueueSetup,
): void {
  assertPowerOfTwo("capacity", setup.capacity, messages === "words" ? 2 : 16, MOST_CAPACITY);
  assertInteger(
    "longest",
    setup.longest,
    1,
    messages === "words" ? MOST_WIDTH : longestFrame(setup.capacity),
  );
  assertInteger("producers", setup.producers, 1, producers === "one" ? 1 : MOST_WORKERS / 2);
  assertInteger("consumers", setup.consumers, 1, consumers === "one" ? 1 : MOST_WORKERS / 2);
}

function assertPowerOfTwo(name: string, value: unknown, least: number, most: number): void {
  const isInRange = Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  if (!isInRange || ((value as number) & ((value as number) - 1)) !== 0)
    throw new RangeError(`${name} ${shown(value)} is not a power of two in ${least} .. ${most}`);
}

const STOPPED = { harmless: true, freed: true, fatal: true } as const;

export const contract = {
  question: "Which queue hands messages from thread to thread at the least cost to both sides?",
  oracle: "locked-ring",
  fields: {
    messages: { words: true, frames: true },
    producers: { one: true, many: true },
    consumers: { one: true, many: true },
    full: { refuses: true, "drops-oldest": true, grows: true },
    order: { global: true, producer: true, none: true },
    exactEmpty: "boolean",
    exactFull: "boolean",
    stoppedSender: STOPPED,
    stoppedReceiver: STOPPED,
    words: "function",
    format: "function",
    sender: "function",
    receiver: "function",
  },
  optional: { holds: "number", notifies: "true", holders: "function", share: "function" },
  footprint(competitor) {
    const { messages, producers, consumers } = competitor;
    const many = (count: "one" | "many") => (count === "one" ? 1 : 4);
    const setup = { producers: many(producers), consumers: many(consumers), capacity: 1024, longest: 1 };
    const words = competitor.words(setup);
    if (words === 0) return "memory of its own";
    const what = messages === "words" ? "1,024 words" : "1,024 bytes of frames";
    return `${words * Int32Array.BYTES_PER_ELEMENT} B for ${what}, ${setup.producers} to ${setup.consumers}`;
  },
} satisfies Contract<QueuesCompetitor>;
