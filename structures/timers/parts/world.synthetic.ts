import assert from "node:assert/strict";
import type { NativeTimer } from "./callbacks.ts";

class FakeTimer implements NativeTimer {
  refed = true;
  readonly at: number;
  readonly wake: () => void;

  constructor(at: number, wake: () => void) {
    this.at = at;
    this.wake = wake;
  }

  ref(): void {
    this.refed = true;
  }

  unref(): void {
    this.refed = false;
  }
}

/** A clock and the runtime's timers, any number of them, which hold still until time passes. */
export class World {
  now: number;
  protected readonly timers = new Set<FakeTimer>();

  constructor(start = 0) {
    this.now = start;
  }

  readonly clock = () => this.now;

  readonly native = {
    setTimeout: (wake: () => void, delayMs: number) => {
      assert.ok(Number.isInteger(delayMs) && delayMs >= 0 && delayMs < 2 ** 31, `${delayMs} would be 1`);
      return this.arm(this.now + Math.max(1, delayMs), wake);
    },
    clearTimeout: (timer: NativeTimer) => this.drop(timer as FakeTimer),
    setImmediate: (wake: () => void) => this.arm(IMMEDIATE, wake),
    clearImmediate: (timer: NativeTimer) => this.drop(timer as FakeTimer),
  };

  protected arm(at: number, wake: () => void): FakeTimer {
    const timer = new FakeTimer(at, wake);
    this.timers.add(timer);
    return timer;
  }

  protected drop(timer: FakeTimer): void {
    this.timers.delete(timer);
  }

  /** Native timers that are pending. */
  get size(): number {
    return this.timers.size;
  }

  get keepsAlive(): boolean {
    return [...this.timers].some(({ refed }) => refed);
  }

  /** Lets time pass, with native timers on time. An immediate that is unref'd wakes no loop, and nothing else here does. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (let turns = 0; ; turns++) {
      assert.ok(turns < 100_000, "it never rests");
      const [next] = [...this.timers]
        .filter(({ at, refed }) => refed || at !== IMMEDIATE)
        .sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > until) break;
      this.wake(next);
    }
    this.now = until;
  }

  protected wake(timer: FakeTimer): void {
    this.timers.delete(timer);
    this.now = Math.max(this.now, timer.at);
    timer.wake();
  }
}

/** When an immediate is due. */
export const IMMEDIATE = Number.NEGATIVE_INFINITY;
