import { allocateBytes, allocateRegion } from "../../shared/layout.ts";
import { MOST_CLIENTS } from "../heartbeats.contract.ts";

/**
 * Which clients are connected: a byte for each. What a scheduler without slots keeps, so that a call for a client in the
 * wrong state can be refused.
 */
export class Roster {
  #present = allocateBytes(FIRST_CLIENTS);

  /** Throws an Error unless `client` can be admitted: a client's number, and not connected. */
  admit(client: number): void {
    assertClient(client);
    if (this.#present[client] === 1) throw alreadyConnected(client);
    if (client >= this.#present.length) {
      const grown = allocateBytes(roomFor(client));
      grown.set(this.#present);
      this.#present = grown;
    }
    this.#present[client] = 1;
  }

  /** Throws an Error unless the client is connected. */
  assertPresent(client: number): void {
    if (this.#present[client] !== 1) throw notConnected(client);
  }

  /** Throws an Error unless the client is connected. */
  dismiss(client: number): void {
    this.assertPresent(client);
    this.#present[client] = 0;
  }
}

/**
 * Which slot of the interval each connected client has. What schedulers that give a client one slot and keep it differ
 * in is only how they choose the slot.
 *
 * Slot s is the second s x interval / slots of the interval. A client's heartbeats are due whenever the time has that
 * remainder modulo the interval. Lateness is not carried on, so the slots stay what they were.
 */
export class SlotBook {
  readonly #interval: number;
  /** Seconds from one slot to the next. */
  readonly #width: number;
  /** By client; VACANT for one that is not connected. */
  #slots = allocateRegion(FIRST_CLIENTS).fill(VACANT);

  constructor(interval: number, slots: number) {
    this.#interval = interval;
    this.#width = interval / slots;
  }

  /**
   * Makes room for a client that is not connected, so that giving it a slot cannot fail. Throws an Error unless it can
   * be admitted: a client's number, and not connected.
   */
  expect(client: number): void {
    assertClient(client);
    if ((this.#slots[client] ?? VACANT) !== VACANT) throw alreadyConnected(client);
    if (client < this.#slots.length) return;
    const grown = allocateRegion(roomFor(client)).fill(VACANT, this.#slots.length);
    grown.set(this.#slots);
    this.#slots = grown;
  }

  /** Gives a client that was expected `slot`, 0 .. slots - 1. Returns the first time of it from `now` on. */
  assign(client: number, slot: number, now: number): number {
    this.#slots[client] = slot;
    return now + this.#secondsTo(slot, now);
  }

  /** When the next heartbeat of a connected client is due after `now`. Throws an Error if it is not connected. */
  next(client: number, now: number): number {
    return now + (this.#secondsTo(this.slotOf(client), now) || this.#interval);
  }

  /** Gives a connected client another slot and returns the time of that slot that is nearest to one interval ahead. */
  move(client: number, slot: number, now: number): number {
    this.#slots[client] = slot;
    const beyond = this.#secondsTo(slot, now);
    return now + (2 * beyond > this.#interval ? beyond : this.#interval + beyond);
  }

  /** Throws an Error if the client is not connected. */
  slotOf(client: number): number {
    const slot = this.#slots[client] ?? VACANT;
    if (slot === VACANT) throw notConnected(client);
    return slot;
  }

  /** Takes the slot back and returns it. Throws an Error if the client is not connected. */
  release(client: number): number {
    const slot = this.slotOf(client);
    this.#slots[client] = VACANT;
    return slot;
  }

  /** From `now` until the time is `slot` modulo the interval: 0 .. interval - 1. */
  #secondsTo(slot: number, now: number): number {
    const since = (now - slot * this.#width) % this.#interval;
    return since > 0 ? this.#interval - since : -since;
  }
}

const VACANT = -1;
const FIRST_CLIENTS = 64;

/** Room for this client and half as many again, so that growing costs each client O(1) on average. */
function roomFor(client: number): number {
  return Math.ceil(1.5 * (client + 1));
}

function assertClient(client: number): void {
  if (!(Number.isInteger(client) && client >= 0 && client < MOST_CLIENTS))
    throw new RangeError(`client ${client} is not an integer in 0 .. ${MOST_CLIENTS - 1}`);
}

function alreadyConnected(client: number): Error {
  return new Error(`client ${client} is already connected`);
}

function notConnected(client: number): Error {
  return new Error(`client ${client} is not connected`);
}
