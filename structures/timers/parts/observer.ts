import assert from "node:assert/strict";
import { privateTimers, type TimerSet, type TimersCompetitor } from "../timers.contract.ts";
import * as laws from "../timers.laws.ts";
import { placeMask } from "./handles.ts";

export type Law = keyof typeof laws;

/** What is done to a set. Delays and steps are ticks from its clock; `which` picks among all handles ever given. */
export type Act =
  | { readonly kind: "add"; readonly delay: number }
  | { readonly kind: "cancel"; readonly which: number }
  | { readonly kind: "refresh"; readonly which: number; readonly delay: number }
  | { readonly kind: "advance"; readonly step: number; readonly budget: number };

export const EVERYTHING = 0x7fff_ffff;
export const add = (delay: number): Act => ({ kind: "add", delay });
export const advance = (step: number, budget = EVERYTHING): Act => ({ kind: "advance", step, budget });

/** Sets whose timers keep the process alive, each with the handles it gave out. */
const keepingAlive = new Map<TimerSet, number[]>();

/** A private set for a test. The timers that the event loop would wait for are let go by `releaseTimers`. */
export function testTimers(competitor: TimersCompetitor, capacity: number): TimerSet {
  const set = privateTimers(competitor, capacity);
  if (competitor.expiry !== "event-loop") return set;
  const handles: number[] = [];
  const add = set.add.bind(set);
  set.add = (deadline) => {
    const handle = add(deadline);
    handles.push(handle);
    return handle;
  };
  keepingAlive.set(set, handles);
  return set;
}

export function releaseTimers(): void {
  for (const [set, handles] of keepingAlive) for (const handle of handles) set.cancel(handle);
  keepingAlive.clear();
}

/** Drives a set, keeps its own account of every timer, and holds what it sees against the laws. */
export class Observer {
  readonly set: TimerSet;
  readonly broken = new Map<Law, string>();
  /** Every answer in terms of timers numbered by first add, so that sets with other handles can be compared. */
  readonly transcript: unknown[] = [];
  readonly #competitor: TimersCompetitor;
  readonly #capacity: number;
  readonly #out: Int32Array;
  readonly #given: number[] = [];
  readonly #live = new Map<number, { serial: number; deadline: number; delay: number; rank: number }>();
  /** Handles of the timers that were due when the budget of the last advance ended it, and have not changed since. */
  readonly #leftOver = new Set<number>();
  #rank = 0;
  #added = 0;
  #expired = 0;
  #cancelled = 0;
  #last: { deadline: number; rank: number } | undefined;

  constructor(competitor: TimersCompetitor, capacity: number) {
    this.#competitor = competitor;
    this.#capacity = capacity;
    this.#out = new Int32Array(capacity + 1);
    this.set = testTimers(competitor, capacity);
  }

  run(acts: readonly Act[]): this {
    for (const act of acts) {
      if (act.kind === "add") this.#add(act.delay);
      else if (act.kind === "cancel") this.#cancel(this.#pick(act.which));
      else if (act.kind === "refresh") this.#refresh(this.#pick(act.which), act.delay);
      else this.#advance((this.set.clock + act.step) | 0, act.budget);
      this.#check();
    }
    return this;
  }

  assertLawful(): void {
    assert.deepEqual([...this.broken], []);
  }

  #judge(law: Law, finding: string | undefined): void {
    if (finding !== undefined) this.broken.set(law, finding);
  }

  #pick(which: number): number {
    return this.#given.length === 0 ? 0 : this.#given[which % this.#given.length]!;
  }

  #timer(serial: number, delay: number) {
    const ahead = Math.max(1, delay);
    return { serial, deadline: (this.set.clock + ahead) | 0, delay: ahead, rank: this.#rank++ };
  }

  #add(delay: number): void {
    if (this.#live.size === this.#capacity) {
      assert.throws(() => this.set.add(this.set.clock + delay), RangeError);
      return;
    }
    const timer = this.#timer(this.#added++, delay);
    const handle = this.set.add(this.set.clock + delay);
    const place = handle & placeMask(this.#capacity);
    assert.ok(handle > 0 && place < this.#capacity, `${handle} is no handle`);
    assert.ok(!this.#live.has(handle), `${handle} is in use`);
    this.#given.push(handle);
    this.#live.set(handle, timer);
  }

  #cancel(handle: number): void {
    const answer = this.set.cancel(handle);
    this.transcript.push(answer);
    this.#judge("answersTruly", laws.answersTruly(answer === this.#live.has(handle) ? 0 : 1));
    if (this.#live.delete(handle)) this.#cancelled++;
    this.#leftOver.delete(handle);
  }

  #refresh(handle: number, delay: number): void {
    const timer = this.#live.get(handle);
    const moved = this.#timer(timer?.serial ?? -1, delay);
    const answer = this.set.refresh(handle, this.set.clock + delay);
    this.transcript.push(answer);
    this.#judge("answersTruly", laws.answersTruly(answer === (timer !== undefined) ? 0 : 1));
    if (timer !== undefined) this.#live.set(handle, moved);
    this.#leftOver.delete(handle);
  }

  #advance(now: number, budget: number): void {
    const before = this.set.clock;
    const next = this.set.nextExpiry();
    const count = this.set.advance(now, this.#out, budget);
    const target = ((now - before) | 0) > 0 ? now : before;
    const isBeforeNext = next === undefined || ((target - before) | 0) < ((next - before) | 0);
    if (this.#competitor.expiry === "advance" && isBeforeNext)
      this.#judge("quietUntilExpiry", laws.quietUntilExpiry(count));
    for (const handle of this.#out.subarray(0, count)) {
      const timer = this.#live.get(handle);
      this.#judge("reportedOnce", laws.reportedOnce(timer === undefined ? 1 : 0));
      if (timer === undefined) continue;
      this.#live.delete(handle);
      this.#expired++;
      this.transcript.push(timer.serial);
      // Both from where the clock was: a timer that is late and a jump may lie further apart than ticks can
      // distinguish.
      const earlyBy = ((timer.deadline - before) | 0) - ((target - before) | 0);
      this.#judge("neverEarly", laws.neverEarly(earlyBy));
      if (this.#last !== undefined) {
        this.#judge("inOrder", laws.inOrder(this.#competitor.order, this.#last, timer));
      }
      this.#last = timer;
    }
    this.transcript.push(count);
    this.#leftOver.clear();
    for (const [handle, { deadline }] of this.#live)
      if (((deadline - this.set.clock) | 0) <= 0) this.#leftOver.add(handle);
    if (count === Math.min(budget, this.#out.length)) return;
    assert.equal(this.set.clock, target, "a complete advance leaves the clock at now");
    this.#leftOver.clear();
    // Whatever comes now was due later, or is late; and it may be too many ticks away to compare.
    this.#last = undefined;
    for (const { deadline, delay } of this.#live.values()) {
      const bound = this.#competitor.lateness(delay);
      const lateBy = ((target - before) | 0) - ((deadline - before) | 0) + 1;
      this.#judge("withinLateness", laws.withinLateness(lateBy, bound));
    }
  }

  #check(): void {
    const totals = { added: this.#added, expired: this.#expired, cancelled: this.#cancelled };
    this.#judge("conserved", laws.conserved({ ...totals, live: this.set.size }));
    let allowed: number | undefined;
    for (const { deadline, delay } of this.#live.values()) {
      const ahead = ((deadline - this.set.clock) | 0) + this.#competitor.lateness(delay);
      allowed = Math.min(allowed ?? ahead, ahead);
    }
    const next = this.set.nextExpiry();
    const wait = next === undefined ? undefined : (next - this.set.clock) | 0;
    this.#judge("wakesInTime", laws.wakesInTime(wait, allowed));
    assert.ok(wait === undefined || wait >= 0, "nextExpiry is before the clock");
    this.#judge("wakesForLeftovers", laws.wakesForLeftovers(wait, this.#leftOver.size));
  }
}
