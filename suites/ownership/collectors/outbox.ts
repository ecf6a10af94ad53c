import { setTimeout as wait } from "node:timers/promises";
import { NotKept, type Transport } from "./transport.ts";

/** The most messages on the way; a sender with more waits. */
const MOST_IN_FLIGHT = 256;
/** The most messages that wait to be sent again: a broker that is away for long must not take all memory. */
const MOST_WAITING = 65_536;
const AGAIN_AFTER_MS = 50;

/** What the transport has not yet promised to keep. Each message is sent again until it has, or gives way to later ones. */
export class Outbox {
  /** Messages that are never acknowledged: the transport does not keep them, or they gave way to later ones. */
  givenUp = 0;
  /** How often a message was sent again. */
  repeated = 0;
  readonly #transport: Transport;
  /** Messages of each step that are not acknowledged; steps in the order of their first message. */
  readonly #open = new Map<number, number>();
  readonly #waiting: Message[] = [];
  /** All messages of all steps before this one have been sent. */
  #postedBefore = 0;
  #inFlight = 0;
  #isRetrying = false;
  #isClosed = false;
  #changed = Promise.withResolvers<void>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Steps are sent in their order, each ending with its last message. */
  post(step: number, bytes: Uint8Array, isLast: boolean): void {
    this.#open.set(step, (this.#open.get(step) ?? 0) + 1);
    if (isLast) this.#postedBefore = step + 1;
    void this.#send({ step, bytes });
  }

  /** All messages of earlier steps are acknowledged. */
  get acknowledgedBefore(): number {
    const [first] = this.#open.keys();
    return first ?? this.#postedBefore;
  }

  /** Resolves when another message may be sent. Nothing waits for a transport that is away. */
  async ready(): Promise<void> {
    while (this.#inFlight >= MOST_IN_FLIGHT && this.#transport.isThere) await this.#changed.promise;
  }

  /** Resolves when all is acknowledged or given up. */
  async empty(): Promise<void> {
    while (this.#inFlight + this.#waiting.length > 0) await this.#changed.promise;
  }

  /** Gives up what waits. */
  close(): void {
    this.#isClosed = true;
    this.givenUp += this.#waiting.length;
    this.#waiting.length = 0;
    this.#change();
  }

  async #send(message: Message): Promise<void> {
    this.#inFlight++;
    try {
      await this.#transport.broadcast(message.bytes);
      this.#acknowledge(message.step);
    } catch (error) {
      if (error instanceof NotKept) this.givenUp++;
      else this.#keep(message);
    } finally {
      this.#inFlight--;
      this.#change();
    }
  }

  #acknowledge(step: number): void {
    const open = this.#open.get(step)! - 1;
    if (open === 0) this.#open.delete(step);
    else this.#open.set(step, open);
  }

  #keep(message: Message): void {
    if (this.#isClosed || this.#waiting.length === MOST_WAITING) this.givenUp++;
    if (this.#isClosed) return;
    if (this.#waiting.length === MOST_WAITING) this.#waiting.shift();
    this.#waiting.push(message);
    void this.#retry();
  }

  async #retry(): Promise<void> {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    while (this.#waiting.length > 0) {
      await wait(AGAIN_AFTER_MS);
      if (!this.#transport.isThere) continue;
      const again = this.#waiting.splice(0, MOST_IN_FLIGHT);
      this.repeated += again.length;
      for (const message of again) void this.#send(message);
    }
    this.#isRetrying = false;
  }

  #change(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

interface Message {
  readonly step: number;
  readonly bytes: Uint8Array;
}
