import { Fired } from "../parts/fired.ts";
import { Handles } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import { transplant } from "../parts/transplant.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * undici's own fast timers, the ones behind its timeouts, with the clock that its tests move.
 *
 * Promise: everything the contract asks; order none; up to 1,994 ticks late. The package counts a delay from its last
 *   scan, up to 997 ticks before the timer was set. Each delay asked of it is therefore longer by these 997; the rest
 *   is the distance between two scans.
 * Progress: wait-free.
 * Threads: one. The package has one list of timers, and so one set, per thread. Here every set runs a copy of its file,
 *   with a real timeout that never fires. The package starts one beside the clock of its tests.
 * Cost: add makes an object and appends it. refresh with the timer's own delay, and cancel, are stores; another delay
 *   makes a new object. Each 998 ticks advance has the package scan its list twice, as it would in real time.
 * Memory: an object and two pointers per timer, private; a cancelled one keeps its object until the next scan.
 * Limits: the package's setTimeout hands delays up to a second to Node's; these too are fast timers here. Before a
 *   jump over scans that would find nothing it looks at the package's private fields for the nearest timer.
 * Bet: it costs what flag-and-scan does, for it is the same mechanism with a few states more.
 * Source: npm undici 7.30.2, lib/util/timers.js.
 */
export default {
  ...privateToThread,
  summary: "undici's fast timers, driven by the clock of its tests",
  source: "npm undici",
  variantOf: "flag-and-scan",
  order: "none",
  emulates: "never early by longer delays; reports by a list of what has fired",
  lateness: () => SINCE_SCAN + (PERIOD - 1),
  attach: (_memory, capacity) => new UndiciTimers(capacity),
} satisfies TimersCompetitor;

/** What this file uses of lib/util/timers.js, which has no types. */
interface FastTimers {
  setFastTimeout(callback: (handle: number) => void, delayMs: number, handle: number): FastTimer;
  clearFastTimeout(timer: FastTimer): void;
  now(): number;
  /** Moves the package's clock by `delayMs - 1` and scans twice, half a second less a millisecond apart. */
  tick(delayMs: number): void;
}

interface FastTimer {
  refresh(): void;
  readonly _idleStart: number;
  readonly _idleTimeout: number;
}

/** Ticks between two calls of `tick`: what its two scans take in real time, 499 ms each. */
const PERIOD = 998;
/** The most ticks that the clock can be past the package's last scan when a timer is set. */
const SINCE_SCAN = PERIOD - 1;
/** To move the package's clock by some ticks, add one. */
const TOLD = 1;

class UndiciTimers implements TimerSet {
  readonly #fast: FastTimers;
  readonly #handles: Handles;
  readonly #fired: Fired;
  /** By place; undefined where no timer is live. */
  readonly #timers: (FastTimer | undefined)[];
  /** By place: the delay that its timer was set with. */
  readonly #delays: Int32Array;
  #size = 0;
  #clock = 0;
  #nextTick = PERIOD;
  readonly #fire = (handle: number) => this.#fired.push(handle);

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#fired = new Fired(this.#handles, capacity);
    this.#timers = new Array<FastTimer | undefined>(capacity).fill(undefined);
    this.#delays = new Int32Array(capacity);
    this.#fast = transplant("undici/lib/util/timers.js", {
      setTimeout: () => ({ refresh() {}, unref() {} }),
      clearTimeout() {},
    }) as FastTimers;
  }

  add(deadline: number): number {
    const delay = this.#delayOf(deadline);
    const handle = this.#handles.take();
    this.#set(handle, delay);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    const place = this.#handles.placeOf(handle);
    if (!this.#fired.withdraw(handle)) this.#fast.clearFastTimeout(this.#timers[place]!);
    this.#timers[place] = undefined;
    this.#handles.release(handle);
    this.#size--;
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const delay = this.#delayOf(deadline);
    if (!this.#handles.isLive(handle)) return false;
    const place = this.#handles.placeOf(handle);
    const fired = this.#fired.withdraw(handle);
    if (delay === this.#delays[place]) {
      this.#timers[place]!.refresh();
      return true;
    }
    if (!fired) this.#fast.clearFastTimeout(this.#timers[place]!);
    this.#set(handle, delay);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    let count = this.#handOver(out, 0, limit);
    while (count < limit && ((now - this.#clock) | 0) > 0) {
      if (((now - this.#nextTick) | 0) < 0) {
        this.#clock = now | 0;
        break;
      }
      this.#tick();
      count = this.#handOver(out, count, limit);
      if (count < limit) this.#skip(Math.floor(((now - this.#clock) | 0) / PERIOD));
    }
    return count;
  }

  nextExpiry(): number | undefined {
    if (this.#size === 0) return undefined;
    return this.#fired.size > 0 ? this.#clock : this.#nextTick;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#clock;
  }

  #delayOf(deadline: number): number {
    return (deadlineTick(this.#clock, deadline) - this.#clock) | 0;
  }

  #set(handle: number, delay: number): void {
    const place = this.#handles.placeOf(handle);
    this.#delays[place] = delay;
    this.#timers[place] = this.#fast.setFastTimeout(this.#fire, delay + SINCE_SCAN, handle);
  }

  #handOver(out: Int32Array, count: number, limit: number): number {
    const end = this.#fired.handOver(out, count, limit);
    this.#size -= end - count;
    for (; count < end; count++) this.#timers[this.#handles.placeOf(out[count]!)] = undefined;
    return end;
  }

  #tick(): void {
    this.#clock = this.#nextTick;
    this.#nextTick = (this.#nextTick + PERIOD) | 0;
    this.#fast.tick(PERIOD + TOLD);
  }

  /**
   * Leaves out those of the next `periods` in which nothing would fire. For right after a tick, because that is what
   * gives each timer its start.
   */
  #skip(periods: number): void {
    if (periods <= 1) return;
    const now = this.#fast.now();
    let idle = periods;
    for (const timer of this.#timers) {
      if (timer === undefined) continue;
      const wait = timer._idleStart + timer._idleTimeout - now;
      idle = Math.min(idle, Math.ceil(wait / PERIOD) - 1);
    }
    if (idle <= 0) return;
    this.#clock = (this.#clock + idle * PERIOD) | 0;
    this.#nextTick = (this.#clock + PERIOD) | 0;
    this.#fast.tick(idle * PERIOD + TOLD);
  }
}
