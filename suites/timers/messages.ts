import { allocateRegion } from "../../structures/shared/layout.ts";
import { nextSfc32, type Random, SFC32_WORDS, seedSfc32 } from "../../structures/shared/sfc32.ts";

/** Each connection sends a message once in this number of ticks of 1 ms. */
export const BEAT_TICKS = 10_000;
/**
 * Where virtual time starts: 2 s before ticks wrap. From the first message a timer is moved past the wrap while silent
 * connections are still due before it. The clock follows after 20,000 messages at 100,000 connections. 50 million
 * messages a second would pass all 2^32 ticks in 14 minutes, and nothing here or in the contract minds.
 */
export const START_TICK = 2 ** 31 - 2000;
/**
 * The share of connections whose message is in flight at any time, before it is rounded down to a power of two. One of
 * them, at random, is the next to arrive, so delays are exponential, with a mean of 0.4 s at 100,000. Timers that were
 * set in one tick are not moved in one tick: a fixed order would keep list neighbours in the cache together.
 */
const UNDER_WAY = 1 / 16;

/** How far back the latest message of a connection lies, where the fleet has been going on for long. */
export interface Past {
  readonly connection: number;
  /** Beats that it has missed since it fell silent; 0 if it has not. */
  readonly missed: number;
  /** Ticks since its latest message: less than a beat, and the beats it has missed. */
  readonly silentTicks: number;
}

/**
 * The messages of one worker's connections, in the order in which they arrive, and the time that passes between.
 * `crew`: workers that count their ticks together; each then counts a part.
 */
export class Messages {
  /** Random bits of the latest message that its connection does not depend on: the high 12 of an int32. */
  bits = 0;
  readonly #connections: number;
  /** Connections in the order of their next messages, a ring. */
  readonly #ring: Int32Array;
  #turn = 0;
  readonly #underWayMask: number;
  readonly #state = new Int32Array(SFC32_WORDS);

  // A message comes each BEAT_TICKS / connections ticks: whole ticks, and a remainder that is carried from message to
  // message until it makes a tick. A beat is thus exactly BEAT_TICKS whatever the number of connections.
  readonly #divisor: number;
  readonly #wholeTicks: number;
  readonly #carryPerMessage: number;
  #carry = 0;

  constructor(connections: number, random: Random, seed: number, crew = 1) {
    this.#connections = connections;
    this.#ring = allocateRegion(connections);
    for (let connection = 0; connection < connections; connection++) this.#ring[connection] = connection;
    random.shuffle(this.#ring);
    this.#underWayMask = 2 ** Math.floor(Math.log2(connections * UNDER_WAY)) - 1;
    this.#divisor = connections * crew;
    this.#wholeTicks = Math.floor(BEAT_TICKS / this.#divisor);
    this.#carryPerMessage = BEAT_TICKS % this.#divisor;
    seedSfc32(this.#state, 0, seed, 1);
  }

  get bytes(): number {
    return this.#ring.byteLength + this.#state.byteLength;
  }

  /**
   * As if all had gone on like this for long. The message that was each connection's turn one beat ago was its last
   * before silence, with a chance of one in `silentOneIn`. The same holds for the `most` messages before it. The
   * connections that have been silent for longest come first. That is the order of their deadlines, in which every
   * structure is built fast.
   */
  past(silentOneIn: number, most: number, random: Random): Past[] {
    const missed = Uint8Array.from({ length: this.#connections }, () => {
      for (let beats = most; beats > 0; beats--) if (random.below(silentOneIn) === 0) return beats;
      return 0;
    });
    const past: Past[] = [];
    for (let beats = most; beats >= 0; beats--) {
      for (let turn = 0; turn < this.#connections; turn++) {
        if (missed[turn] !== beats) continue;
        // Rounded down, so that what would have fired by now does not occur.
        const sinceTurn = Math.floor(BEAT_TICKS - ((turn + 1) * BEAT_TICKS) / this.#connections);
        const silentTicks = sinceTurn + beats * BEAT_TICKS;
        past.push({ connection: this.#ring[turn]!, missed: beats, silentTicks });
      }
    }
    return past;
  }

  /** Ticks that pass before the next message. */
  ticks(): number {
    this.#carry += this.#carryPerMessage;
    if (this.#carry < this.#divisor) return this.#wholeTicks;
    this.#carry -= this.#divisor;
    return this.#wholeTicks + 1;
  }

  /** The connection whose message arrives next. */
  next(): number {
    const ring = this.#ring;
    const turn = this.#turn;
    const bits = nextSfc32(this.#state, 0);
    let drawn = turn + (bits & this.#underWayMask);
    if (drawn >= this.#connections) drawn -= this.#connections;
    const connection = ring[drawn]!;
    ring[drawn] = ring[turn]!;
    ring[turn] = connection;
    this.#turn = turn + 1 === this.#connections ? 0 : turn + 1;
    this.bits = bits;
    return connection;
  }
}
