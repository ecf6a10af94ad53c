/**
 * The book of a slotted scheduler: which second of the interval each connected client has. What schedulers that give
 * a client one slot and keep it differ in is only how they choose the slot.
 *
 * A client's heartbeats are due whenever the time is its slot modulo the interval, whatever the lateness of the one
 * before: lateness is not carried on, so the slots stay what they were.
 */
export class SlotBook {
  readonly #interval: number;
  /** By client; VACANT for one that is not connected. */
  readonly #slots: number[] = [];

  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Throws an Error unless `client` can be admitted: an integer from 0, and not connected. */
  assertAbsent(client: number): void {
    if (!(Number.isInteger(client) && client >= 0))
      throw new RangeError(`client ${client} is not an integer from 0`);
    if ((this.#slots[client] ?? VACANT) !== VACANT) throw new Error(`client ${client} is already connected`);
  }

  /** Gives an absent client `slot`, 0 .. interval - 1, and returns when its first heartbeat is due. */
  assign(client: number, slot: number, now: number): number {
    // Filled up, so that the array stays dense when clients do not come in order.
    while (this.#slots.length < client) this.#slots.push(VACANT);
    this.#slots[client] = slot;
    return this.#nextAt(slot, now);
  }

  /** When the next heartbeat of a connected client is due. Throws an Error if it is not connected. */
  next(client: number, now: number): number {
    return this.#nextAt(this.#slotOf(client), now);
  }

  /** Takes the slot back and returns it. Throws an Error if the client is not connected. */
  release(client: number): number {
    const slot = this.#slotOf(client);
    this.#slots[client] = VACANT;
    return slot;
  }

  #slotOf(client: number): number {
    const slot = this.#slots[client] ?? VACANT;
    if (slot === VACANT) throw new Error(`client ${client} is not connected`);
    return slot;
  }

  /** The first time after `now` that is `slot` modulo the interval. */
  #nextAt(slot: number, now: number): number {
    const sinceSlot = (((now - slot) % this.#interval) + this.#interval) % this.#interval;
    return now + this.#interval - sinceSlot;
  }
}

const VACANT = -1;
