import { allocateRegion } from "../../shared/layout.ts";
import { type DispatchList, NOBODY } from "../dispatch.contract.ts";
import { linkBefore, makeHead, NEXT, UNLISTED, unlink } from "./links.ts";
import { alreadyListed, assertSetup, clockAfter, deadlineSecond, isClient, lastSecond } from "./seconds.ts";

/**
 * One list of all clients, taken from the front while the front is due. Where a client is entered is what the
 * competitors made of it differ in.
 *
 *     4 words per client, and as many for the head behind them, so that a record lies within one line of the cache
 *       +0  next, +1  previous      see parts/links.ts
 *       +2  due                     second; before all others at the head, so that a search from the back ends there
 *       +3  unused
 */
export class DispatchQueue implements DispatchList {
  readonly #memory: Int32Array;
  readonly #clients: number;
  readonly #reach: number;
  readonly #head: number;
  readonly #placeOf: PlaceOf;
  readonly #last: number;
  /** 0 until the constructor sets it, so that V8 knows it for a small integer from the beginning. */
  #clock = 0;

  constructor(placeOf: PlaceOf, clients: number, reach: number, start: number) {
    assertSetup(clients, reach, start);
    this.#clock = start;
    this.#last = lastSecond(start);
    this.#clients = clients;
    this.#reach = reach;
    this.#head = clients << RECORD_SHIFT;
    this.#placeOf = placeOf;
    this.#memory = allocateRegion((clients + 1) << RECORD_SHIFT).fill(UNLISTED);
    makeHead(this.#memory, this.#head);
    this.#memory[this.#head + DEADLINE] = BEFORE_ALL;
  }

  enter(client: number, deadline: number): void {
    const memory = this.#memory;
    const second = deadlineSecond(client, deadline, this.#clients, this.#clock, this.#reach);
    const record = client << RECORD_SHIFT;
    if (memory[record + NEXT] !== UNLISTED) throw alreadyListed(client);
    memory[record + DEADLINE] = second;
    linkBefore(memory, record, this.#placeOf(memory, this.#head, second));
  }

  remove(client: number): boolean {
    const memory = this.#memory;
    const record = client << RECORD_SHIFT;
    if (!isClient(client, this.#clients) || memory[record + NEXT] === UNLISTED) return false;
    unlink(memory, record);
    return true;
  }

  take(now: number): number {
    const memory = this.#memory;
    if (now !== this.#clock) this.#clock = clockAfter(now, this.#clock, this.#last);
    const record = memory[this.#head + NEXT]!;
    if (record === this.#head || memory[record + DEADLINE]! > this.#clock) return NOBODY;
    unlink(memory, record);
    return record >>> RECORD_SHIFT;
  }
}

/** The record before which a client due at `second` goes: the head stands for the back. */
export type PlaceOf = (memory: Int32Array, head: number, second: number) => number;

export const DEADLINE = 2;
const RECORD_SHIFT = 2;
const BEFORE_ALL = -1;
