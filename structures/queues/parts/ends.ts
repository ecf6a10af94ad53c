import { Turns } from "../../keyed/parts/turns.ts";
import { assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import { CLOSED, type ParkedReceiver, type ParkedSender } from "./handles.ts";

/** What the messages of a queue are: as many words each, or bytes of any number. */
export type MessageKind = "words" | "frames";
/** What a program sends: the words of a message, or the bytes of a frame, of which a string is the UTF-8. */
export type Outgoing<Kind extends MessageKind> = Kind extends "words" ? Int32Array : Uint8Array | string;
/** What it receives: an array of its own, which nothing else uses. */
export type Incoming<Kind extends MessageKind> = Kind extends "words" ? Int32Array : Uint8Array;

export interface Waiting {
  /** Ends the wait: the promise rejects with the signal's reason, and nothing is sent or taken. */
  readonly signal?: AbortSignal | undefined;
}

const WAITING: OptionKinds<Waiting> = { signal: "signal" };
/** All sends that find room return this one: a promise for each would cost more than the send. */
const SENT = Promise.resolve();

/** One producer's handle. Not to be passed to another thread. */
export class Producer<Kind extends MessageKind> {
  readonly #sender: ParkedSender;
  readonly #Plain: ReturnType<typeof plainOf>;
  /** Where strings are encoded; each call uses it anew. */
  readonly #encoding: Uint8Array;
  readonly #turns = new Turns();
  readonly #encoder = new TextEncoder();

  constructor(sender: ParkedSender, messages: Kind, longest: number) {
    this.#sender = sender;
    this.#Plain = plainOf(messages);
    this.#encoding = new Uint8Array(messages === "frames" ? longest : 0);
  }

  /** Whether it sends no more, by its own `close` or by `closeQueue`. */
  get isClosed(): boolean {
    return this.#sender.isClosed;
  }

  /**
   * Sends the message, or returns false where the queue is full. Returns false as well while a `send` of this producer
   * waits for room, so that none goes ahead of it. The array may be used again at once. Throws an Error once the producer
   * is closed. Throws a RangeError for a frame longer than the longest, and for fewer words than a message has.
   */
  trySend(message: Outgoing<Kind>): boolean {
    return this.#isSent(message, "trySend");
  }

  /**
   * Sends the message, and resolves once it is in the queue: at once where there is room. Await it, and a full queue slows
   * its producer down. Messages are sent in the order of the calls. An array must not be changed before. Rejects where
   * trySend throws, and with the reason of a signal that aborts before the message is sent.
   */
  send(message: Outgoing<Kind>, options?: Waiting): Promise<void> {
    try {
      if (options !== undefined) assertOptions("send", options, WAITING);
      options?.signal?.throwIfAborted();
      return this.#isSent(message, "send") ? SENT : this.#sendLater(message, options?.signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Sends the message, and blocks the thread while the queue is full. Returns false, and has sent nothing, where that took
   * `limitMs`. A browser's main thread must not call it. Throws where trySend throws, and while a `send` of this producer waits.
   */
  sendSync(message: Outgoing<Kind>, limitMs = Number.POSITIVE_INFINITY): boolean {
    assertLimit("sendSync", limitMs);
    if (this.#turns.isTaken) throw overtaking("sendSync", "send");
    const ended = this.#sender.send(this.#bytesOf(message), limitMs);
    if (ended === "closed") throw closed("sendSync");
    return ended === "sent";
  }

  /** Sends no more. Consumers receive what is left, and end once all producers are closed. Sends that wait reject. */
  close(): void {
    this.#sender.close();
  }

  #isSent(message: Outgoing<Kind>, caller: string): boolean {
    if (!this.#turns.isTaken && this.#sender.trySend(this.#bytesOf(message))) return true;
    if (this.#sender.isClosed) throw closed(caller);
    return false;
  }

  async #sendLater(message: Outgoing<Kind>, signal: AbortSignal | undefined): Promise<void> {
    const own = typeof message === "string" ? this.#bytesOf(message).slice() : this.#bytesOf(message);
    if (!this.#turns.tryTake()) await this.#turns.take(signal);
    try {
      if ((await aliveUntil(this.#sender.sendAsync(own, signal))) === "closed") throw closed("send");
    } finally {
      this.#turns.pass();
    }
  }

  #bytesOf(message: Outgoing<Kind>): Int32Array | Uint8Array {
    if (message instanceof this.#Plain) return message;
    if (typeof message !== "string" || this.#Plain !== Uint8Array)
      throw new TypeError(
        `a message ${shown(message)} is no ${this.#Plain === Uint8Array ? "Uint8Array or string" : "Int32Array"}`,
      );
    const { read, written } = this.#encoder.encodeInto(message, this.#encoding);
    if (read < message.length)
      throw new RangeError(`a string is longer than the longest frame, ${this.#encoding.length} bytes`);
    return this.#encoding.subarray(0, written);
  }
}

/** One consumer's handle. Not to be passed to another thread. */
export class Consumer<Kind extends MessageKind> {
  readonly #receiver: ParkedReceiver;
  /** Has room for any message, and belongs to the receive whose turn it is. */
  readonly #into: Int32Array | Uint8Array;
  readonly #turns = new Turns();
  #isDone = false;

  constructor(receiver: ParkedReceiver, messages: Kind, longest: number) {
    this.#receiver = receiver;
    this.#into = new (plainOf(messages))(longest);
  }

  /** Whether a receive has found all producers closed and nothing left. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /**
   * The next message, or undefined where there is none. Returns undefined as well while a `receive` of this consumer waits,
   * so that none goes ahead of it.
   */
  tryReceive(): Incoming<Kind> | undefined {
    return this.#turns.isTaken ? undefined : this.#taken(this.#receiver.tryReceive(this.#into));
  }

  /**
   * The next message. Blocks the thread while there is none. Returns undefined once all producers are closed and nothing is
   * left, and where `limitMs` are over; `isDone` tells them apart. A browser's main thread must not call it. Throws an Error
   * while a `receive` of this consumer waits.
   */
  receiveSync(limitMs = Number.POSITIVE_INFINITY): Incoming<Kind> | undefined {
    assertLimit("receiveSync", limitMs);
    if (this.#turns.isTaken) throw overtaking("receiveSync", "receive");
    return this.#taken(this.#receiver.receive(this.#into, limitMs));
  }

  /**
   * The next message, without blocking the thread; undefined once all producers are closed and nothing is left. Calls
   * receive in the order in which they were made. Rejects with the reason of a signal that aborts before. A process lives
   * for as long as it waits.
   */
  async receive(options: Waiting = {}): Promise<Incoming<Kind> | undefined> {
    assertOptions("receive", options, WAITING);
    options.signal?.throwIfAborted();
    return this.tryReceive() ?? this.#receiveLater(options.signal);
  }

  /**
   * The messages from now on, until all producers are closed and nothing is left; `for await (const message of consumer)`
   * is the same. Throws the reason of a signal that aborts; each message that was taken was passed on. The event loop has
   * a turn after 128 messages at the latest.
   */
  async *messages(options: Waiting = {}): AsyncGenerator<Incoming<Kind>, void, undefined> {
    assertOptions("messages", options, WAITING);
    const { signal } = options;
    for (let taken = 1; ; taken++) {
      signal?.throwIfAborted();
      const message = this.tryReceive() ?? (await this.#receiveLater(signal));
      if (message === undefined) return;
      yield message;
      if (taken % TURN_AFTER === 0) await new Promise(setImmediate);
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<Incoming<Kind>, void, undefined> {
    return this.messages();
  }

  async #receiveLater(signal: AbortSignal | undefined): Promise<Incoming<Kind> | undefined> {
    if (!this.#turns.tryTake()) await this.#turns.take(signal);
    try {
      return this.#taken(await aliveUntil(this.#receiver.receiveAsync(this.#into, signal)));
    } finally {
      this.#turns.pass();
    }
  }

  #taken(length: number): Incoming<Kind> | undefined {
    if (length >= 0) return this.#into.slice(0, length) as Incoming<Kind>;
    if (length === CLOSED) this.#isDone = true;
    return undefined;
  }
}

function plainOf(messages: MessageKind) {
  return messages === "words" ? Int32Array : Uint8Array;
}

/** Messages: a turn of the event loop takes some microseconds, about as many as they do. */
const TURN_AFTER = 128;

function assertLimit(caller: string, limitMs: unknown): void {
  if (!(typeof limitMs === "number" && limitMs >= 0))
    throw new RangeError(`${caller}: limitMs ${shown(limitMs)} is not a number from 0 on`);
}

function overtaking(caller: string, waiting: string): Error {
  return new Error(
    `${caller}: a ${waiting} of this thread waits, and this would overtake it: use ${waiting}`,
  );
}

function closed(caller: string): Error {
  return new Error(`${caller}: this producer is closed, and sends no more`);
}

/** The same promise: Atomics.waitAsync alone does not keep a process alive. */
async function aliveUntil<Result>(settled: Promise<Result>): Promise<Result> {
  const alive = setInterval(() => {}, LONGEST_INTERVAL_MS);
  try {
    return await settled;
  } finally {
    clearInterval(alive);
  }
}

/** Runtimes take a longer one for 1. */
const LONGEST_INTERVAL_MS = 2 ** 31 - 1;
