import { allocateRegion } from "../../shared/layout.ts";
import { type DispatchCompetitor, type DispatchList, NOBODY } from "../dispatch.contract.ts";
import { linkBefore, makeHead, moveAll, NEXT, UNLISTED, unlink } from "../parts/links.ts";
import {
  alreadyListed,
  assertSetup,
  clockAfter,
  deadlineSecond,
  isClient,
  lastSecond,
} from "../parts/seconds.ts";

/**
 * A list for every second within reach, in a ring that the clock goes round, and one for the clients that are due.
 *
 * Promise: everything the contract asks. Clients are taken in the order of their deadlines, and clients of the same
 *   second in the order in which they were entered.
 * Progress: wait-free.
 * Threads: one; every list is private.
 * Cost: O(1) for enter, remove and take; a clock that moves looks at each second it passes, at most `reach` of them.
 *   enter touches the client's record, its second's head and the record at the back. take touches the record at the
 *   front and the one behind it, which is taken next.
 * Memory: 8 bytes per client, and 8 for each second of the reach, rounded up to a power of two.
 * Limits: the reach is fixed and costs memory whether it is used or not.
 * Bet: with slots of one second in a ring longer than the interval, nothing has to be sorted. A connect then costs what
 *   a beat costs, at any number of clients.
 * Source: Varghese & Lauck, "Hashed and Hierarchical Timing Wheels" (1987), scheme 4.
 *
 *     RECORDS   2 words per client, the links of parts/links.ts and nothing else: which list a record is in says
 *               when it is due, and records of half the size miss the cache half as often
 *     slots     2 words each, the head of those due at second s, where s & mask is the slot
 *     due       2 words, the head of those due at or before the clock
 */
export default {
  summary: "ring of one linked list per second, 8-byte records",
  source: 'Varghese & Lauck, "Hashed and Hierarchical Timing Wheels" (1987), scheme 4',
  progress: "wait-free",
  order: "any",
  create: (clients, reach, start = 0) => new RingOfSlots(clients, reach, start),
} satisfies DispatchCompetitor;

const RECORD_SHIFT = 1;

class RingOfSlots implements DispatchList {
  readonly #memory: Int32Array;
  readonly #clients: number;
  readonly #reach: number;
  readonly #slots: number;
  readonly #slotMask: number;
  readonly #deadline: number;
  readonly #last: number;
  /** 0 until the constructor sets it, so that V8 knows it for a small integer from the beginning. */
  #clock = 0;

  constructor(clients: number, reach: number, start: number) {
    assertSetup(clients, reach, start);
    // Seconds clock + 1 .. clock + reach have a slot each; the clock's own is empty, as its clients are due.
    const slots = 2 ** (32 - Math.clz32(reach - 1));
    this.#clock = start;
    this.#last = lastSecond(start);
    this.#clients = clients;
    this.#reach = reach;
    this.#slots = clients << RECORD_SHIFT;
    this.#slotMask = slots - 1;
    this.#deadline = (clients + slots) << RECORD_SHIFT;
    this.#memory = allocateRegion((clients + slots + 1) << RECORD_SHIFT).fill(UNLISTED);
    for (let head = this.#slots; head <= this.#deadline; head += 1 << RECORD_SHIFT)
      makeHead(this.#memory, head);
  }

  enter(client: number, deadline: number): void {
    const memory = this.#memory;
    const second = deadlineSecond(client, deadline, this.#clients, this.#clock, this.#reach);
    const record = client << RECORD_SHIFT;
    if (memory[record + NEXT] !== UNLISTED) throw alreadyListed(client);
    linkBefore(memory, record, second === this.#clock ? this.#deadline : this.#headOf(second));
  }

  remove(client: number): boolean {
    const memory = this.#memory;
    const record = client << RECORD_SHIFT;
    if (!isClient(client, this.#clients) || memory[record + NEXT] === UNLISTED) return false;
    unlink(memory, record);
    return true;
  }

  take(now: number): number {
    if (now !== this.#clock) this.#moveTo(now);
    const memory = this.#memory;
    const record = memory[this.#deadline + NEXT]!;
    if (record === this.#deadline) return NOBODY;
    unlink(memory, record);
    return record >>> RECORD_SHIFT;
  }

  /**
   * Whole lists change hands, so no client is in a slot that the clock has passed, however far it jumps and however few
   * are taken then. A slot therefore stands for one second only.
   */
  #moveTo(now: number): void {
    const clock = clockAfter(now, this.#clock, this.#last);
    const last = Math.min(clock, this.#clock + this.#reach);
    for (let second = this.#clock + 1; second <= last; second++)
      moveAll(this.#memory, this.#headOf(second), this.#deadline);
    this.#clock = clock;
  }

  #headOf(second: number): number {
    return this.#slots + ((second & this.#slotMask) << RECORD_SHIFT);
  }
}
