import { Handles } from "../parts/handles.ts";
import { NOTHING_NEAR, scanFor } from "../parts/scans.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * An array of timer objects in no order. Cancel only flags. Every 499 ticks a scan over all of them reports what is
 * due, and moves the last timer into the place of each that goes.
 *
 * Promise: everything the contract asks; order none; up to 498 ticks late.
 * Progress: wait-free.
 * Threads: one; every attach is a set of its own.
 * Cost: add makes an object and appends it; refresh and cancel are a store each. Each 499 ticks advance reads every
 *   object, wherever the heap has put it.
 * Memory: an object and two pointers per timer, private; a cancelled one keeps its object until the next scan.
 * Limits: a scan is one pause as long as the list; between two scans the list grows with whatever is added, live or
 *   not. Scans come at fixed ticks from the start; undici's begin anew when its list was empty.
 * Bet: objects make this sweep several times as expensive as one over an array of numbers, and its cheap cancel does
 *   not make up for it.
 * Source: undici lib/util/timers.js ("fast timers").
 */
export default {
  ...privateToThread,
  summary: "an array of timer objects, cancelled by a flag, all scanned each 499 ticks",
  source: "undici lib/util/timers.js",
  variantOf: "sweep",
  order: "none",
  emulates: "exact deadlines: undici counts a delay from the scan before, which may make it early by a scan",
  lateness: () => PERIOD - 1,
  attach: (_memory, capacity) => new FlagAndScan(capacity),
} satisfies TimersCompetitor;

/** Ticks between two scans: undici's TICK_MS, half a second less a millisecond for the event loop. */
const PERIOD = 499;

interface Timer {
  readonly handle: number;
  deadline: number;
  cleared: boolean;
}

export class FlagAndScan implements TimerSet {
  readonly #handles: Handles;
  /** By place; what is not live is stale. */
  readonly #timers: Timer[];
  #list: Timer[] = [];
  #size = 0;
  #clock = 0;
  #nextScan = PERIOD;
  /** Where in the list the scan of this tick goes on, where a budget interrupted it; else NOT_SCANNING. */
  #resume = NOT_SCANNING;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#timers = new Array(capacity);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.#clock, deadline);
    const handle = this.#handles.take();
    const timer = { handle, deadline: tick, cleared: false };
    this.#timers[this.#handles.placeOf(handle)] = timer;
    this.#list.push(timer);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#timers[this.#handles.placeOf(handle)]!.cleared = true;
    this.#handles.release(handle);
    this.#size--;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.#clock, deadline);
    if (!this.#handles.isLive(handle)) return false;
    this.#timers[this.#handles.placeOf(handle)]!.deadline = tick;
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    let count = 0;
    if (this.#resume !== NOT_SCANNING) count = this.#scan(this.#resume, out, count, limit).count;
    while (count < limit && ((now - this.#clock) | 0) > 0) {
      const next = this.#nextScan;
      if (((now - next) | 0) < 0) {
        this.#clock = now | 0;
        break;
      }
      // The clock moves before the scan: whatever is set while a budget interrupts the scan is due after it.
      this.#clock = next;
      this.#nextScan = (next + PERIOD) | 0;
      const scan = this.#scan(0, out, count, limit);
      count = scan.count;
      if (count < limit) this.#nextScan = scanFor(this.#nextScan, PERIOD, now, next + scan.nearest);
    }
    return count;
  }

  nextExpiry(): number | undefined {
    if (this.#size === 0) return undefined;
    this.#skipToDue();
    return this.#resume === NOT_SCANNING ? this.#nextScan : this.#clock;
  }

  /** Passes by what a budget left over and was cancelled or refreshed since. The scan is over if that is all. */
  #skipToDue(): void {
    if (this.#resume === NOT_SCANNING) return;
    const isDue = ({ cleared, deadline }: Timer) => !cleared && ((deadline - this.#clock) | 0) <= 0;
    while (this.#resume < this.#list.length && !isDue(this.#list[this.#resume]!)) this.#resume++;
    if (this.#resume === this.#list.length) this.#resume = NOT_SCANNING;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  /**
   * Reports what is due from `index` on, and notes where it stopped if the limit does not allow all of it. Returns the
   * new count, and the ticks to the nearest due of what it left alone.
   */
  #scan(index: number, out: Int32Array, count: number, limit: number): { count: number; nearest: number } {
    const list = this.#list;
    let length = list.length;
    let nearest = NOTHING_NEAR;
    this.#resume = NOT_SCANNING;
    while (index < length) {
      const timer = list[index]!;
      if (!timer.cleared) {
        const wait = (timer.deadline - this.#clock) | 0;
        if (wait > 0) {
          if (wait < nearest) nearest = wait;
          index++;
          continue;
        }
        if (count === limit) {
          this.#resume = index;
          break;
        }
        this.#handles.release(timer.handle);
        this.#size--;
        out[count++] = timer.handle;
      }
      list[index] = list[--length]!;
    }
    list.length = length;
    return { count, nearest };
  }
}

const NOT_SCANNING = -1;
