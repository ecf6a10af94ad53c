import { EMPTY, type Message, type Receiver, type Sender } from "../queues.contract.ts";
import { CONSUMER, type Parking, PRODUCER } from "./parking.ts";

/** How a send ended. */
export type Sent = "sent" | "closed" | "timed-out";

/** What a receive returns once the queue is closed and everything was received. */
export const CLOSED = -2;

/** A producer's handle that waits, wakes and closes. Not to be passed to another thread. */
export class ParkedSender {
  readonly #core: Sender;
  readonly #parking: Parking;
  readonly #producer: number;
  readonly #fewest: number;
  readonly #most: number;

  constructor(core: Sender, parking: Parking, producer: number, [fewest, most]: readonly [number, number]) {
    this.#core = core;
    this.#parking = parking;
    this.#producer = producer;
    this.#fewest = fewest;
    this.#most = most;
  }

  /** Whether this producer sends no more. */
  get isClosed(): boolean {
    return this.#parking.isClosed(this.#producer);
  }

  /**
   * Sends the message, or returns false where the queue is full or closed. Throws a RangeError for a message that is
   * longer than the longest frame, or has fewer words than messages have.
   */
  trySend(message: Message): boolean {
    if (message.length < this.#fewest || message.length > this.#most)
      throw new RangeError(
        `a message of ${message.length} elements is not in ${this.#fewest} .. ${this.#most}`,
      );
    return !this.isClosed && this.#sent(message);
  }

  /**
   * Sends the message. Where the queue is full, blocks the thread until there is room, the queue is closed or `limitMs`
   * are over. A browser's main thread must not call it.
   */
  send(message: Message, limitMs = Number.POSITIVE_INFINITY): Sent {
    const untilMs = timeIn(limitMs);
    for (;;) {
      if (this.trySend(message)) return "sent";
      if (this.isClosed) return "closed";
      const leftMs = leftOf(untilMs);
      if (leftMs <= 0) return "timed-out";
      this.flush();
      const value = this.#parking.announce(PRODUCER);
      if (this.trySend(message)) return "sent";
      if (!this.isClosed) this.#parking.sleep(value, leftMs);
    }
  }

  /**
   * The same without blocking the thread. Rejects with the reason of `signal` if that aborts first; the message is then
   * not sent. Calls of one handle that wait are not in order: await each before the next.
   */
  async sendAsync(message: Message, signal?: AbortSignal): Promise<Exclude<Sent, "timed-out">> {
    for (;;) {
      signal?.throwIfAborted();
      if (this.trySend(message)) return "sent";
      if (this.isClosed) return "closed";
      this.flush();
      const value = this.#parking.announce(PRODUCER);
      if (this.trySend(message)) return "sent";
      if (!this.isClosed) await this.#parking.sleepAsync(value, signal);
    }
  }

  /** Makes visible what was sent. Does nothing where each send does it. */
  flush(): void {
    if (this.#core.flush === undefined) return;
    this.#core.flush();
    this.#parking.wake(CONSUMER);
  }

  /** This producer sends no more. Once all have closed and everything was received, receivers get CLOSED. */
  close(): void {
    this.#core.flush?.();
    this.#parking.close(this.#producer);
  }

  #sent(message: Message): boolean {
    if (!this.#core.trySend(message)) return false;
    this.#parking.wake(CONSUMER);
    // Where it was closed from outside meanwhile, consumers may have gone before the message came.
    return !this.isClosed;
  }
}

/** A consumer's handle that waits and wakes. Not to be passed to another thread. */
export class ParkedReceiver {
  readonly #core: Receiver;
  readonly #parking: Parking;
  readonly #longest: number;

  constructor(core: Receiver, parking: Parking, longest: number) {
    this.#core = core;
    this.#parking = parking;
    this.#longest = longest;
  }

  /**
   * Copies the next message to the beginning of `into`, and returns its words or bytes. Returns EMPTY where there is none,
   * and CLOSED where none will come. Throws a RangeError, and takes nothing, where `into` has no room for the longest.
   */
  tryReceive(into: Message): number {
    const length = this.#received(into);
    if (length !== EMPTY || !this.#parking.areAllClosed) return length;
    // What was sent before the last producer closed is there by now.
    const last = this.#received(into);
    return last === EMPTY ? CLOSED : last;
  }

  /** The same, but blocks the thread while there is none. Returns EMPTY where that took `limitMs`. */
  receive(into: Message, limitMs = Number.POSITIVE_INFINITY): number {
    const untilMs = timeIn(limitMs);
    for (;;) {
      const first = this.tryReceive(into);
      if (first !== EMPTY) return first;
      const leftMs = leftOf(untilMs);
      if (leftMs <= 0) return EMPTY;
      const value = this.#parking.announce(CONSUMER);
      const second = this.tryReceive(into);
      if (second !== EMPTY) return second;
      this.#parking.sleep(value, leftMs);
    }
  }

  /** The same without blocking the thread. Rejects with the reason of `signal` if that aborts first; nothing is then taken. */
  async receiveAsync(into: Message, signal?: AbortSignal): Promise<number> {
    for (;;) {
      signal?.throwIfAborted();
      const first = this.tryReceive(into);
      if (first !== EMPTY) return first;
      const value = this.#parking.announce(CONSUMER);
      const second = this.tryReceive(into);
      if (second !== EMPTY) return second;
      await this.#parking.sleepAsync(value, signal);
    }
  }

  /**
   * Where the runtime delivers messages by its event loop: calls `take` for each from now on, and returns a function that
   * ends it. Not together with the others. Undefined where it does not.
   */
  subscribe(take: (message: Message) => void): (() => void) | undefined {
    return this.#core.subscribe?.(take);
  }

  #received(into: Message): number {
    if (into.length < this.#longest)
      throw new RangeError(`${into.length} elements are no room for a message of up to ${this.#longest}`);
    const length = this.#core.tryReceive(into);
    if (length !== EMPTY) this.#parking.wake(PRODUCER);
    return length;
  }
}

/** When these ms are over. The clock is not read where there is no limit. */
function timeIn(limitMs: number): number {
  return limitMs === Number.POSITIVE_INFINITY ? limitMs : performance.now() + limitMs;
}

function leftOf(untilMs: number): number {
  return untilMs === Number.POSITIVE_INFINITY ? untilMs : untilMs - performance.now();
}
