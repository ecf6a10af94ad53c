import { allocateRegion } from "../../shared/layout.ts";
import { placeMask } from "../../timers/parts/handles.ts";
import { privateTimers, type TimerSet, type TimersCompetitor } from "../../timers/timers.contract.ts";
import { type DispatchList, NOBODY } from "../dispatch.contract.ts";
import { alreadyListed, assertSetup, clockAfter, deadlineSecond, isClient, lastSecond } from "./seconds.ts";

/**
 * A list made of a set of timers that are never late: one timer per client, a tick a second.
 *
 * Timers know no due at the clock: one set for it is due at the next tick. So clients that are due when they are
 * entered do not become timers; they wait on a stack of their own. A server that chooses deadlines ahead of it has none.
 *
 * Timers are reported one at a time, as clients are taken. A reported timer is dead to its set, but a client that is
 * not yet taken can still be removed. Meanwhile the set's clock stands at the last timer reported, at or before the
 * list's clock.
 *
 * Beside the timers, 12 bytes per client.
 */
export class TimersList implements DispatchList {
  readonly #timers: TimerSet;
  readonly #clients: number;
  readonly #reach: number;
  readonly #placeMask: number;
  /** By client: the handle of its timer; UNLISTED; or, while it waits on the stack, ~index there. */
  readonly #entries: Int32Array;
  /** By place of a handle: the client whose timer it is. */
  readonly #owners: Int32Array;
  readonly #stack: Int32Array;
  readonly #reported = new Int32Array(1);
  #stacked = 0;
  readonly #last: number;
  #clock: number;

  constructor(competitor: TimersCompetitor, clients: number, reach: number, start: number) {
    assertSetup(clients, reach, start);
    this.#timers = privateTimers(competitor, clients);
    this.#timers.advance(start, this.#reported, 1);
    this.#clock = start;
    this.#last = lastSecond(start);
    this.#clients = clients;
    this.#reach = reach;
    this.#placeMask = placeMask(clients);
    this.#entries = allocateRegion(clients);
    this.#owners = allocateRegion(clients);
    this.#stack = allocateRegion(clients);
  }

  enter(client: number, deadline: number): void {
    const second = deadlineSecond(client, deadline, this.#clients, this.#clock, this.#reach);
    if (this.#entries[client] !== UNLISTED) throw alreadyListed(client);
    if (second === this.#clock) {
      this.#stackAt(this.#stacked++, client);
      return;
    }
    const handle = this.#timers.add(second);
    this.#entries[client] = handle;
    this.#owners[handle & this.#placeMask] = client;
  }

  remove(client: number): boolean {
    if (!isClient(client, this.#clients)) return false;
    const entry = this.#entries[client]!;
    if (entry === UNLISTED) return false;
    if (entry > UNLISTED) this.#timers.cancel(entry);
    else this.#stackAt(~entry, this.#stack[--this.#stacked]!);
    // After the stack was closed up, because the client may have been its last itself.
    this.#entries[client] = UNLISTED;
    return true;
  }

  take(now: number): number {
    if (now !== this.#clock) this.#clock = clockAfter(now, this.#clock, this.#last);
    let client: number;
    if (this.#stacked > 0) client = this.#stack[--this.#stacked]!;
    else if (this.#timers.advance(this.#clock, this.#reported, 1) === 0) return NOBODY;
    else client = this.#owners[this.#reported[0]! & this.#placeMask]!;
    this.#entries[client] = UNLISTED;
    return client;
  }

  #stackAt(index: number, client: number): void {
    this.#stack[index] = client;
    this.#entries[client] = ~index;
  }
}

/** Handles are positive, and an inverted index is negative. */
const UNLISTED = 0;
