import { allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { placeMask } from "../../structures/timers/parts/handles.ts";
import type { TimerSet, TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import type { Runner, WorkDone } from "../engine/race.ts";
import { type Account, accountLaw } from "./account.ts";
import { START_TICK } from "./messages.ts";

/**
 * Workloads that do one thing at a time to a population of timers: set, cancel, let expire, or nothing at all. What
 * keeps the population as it was happens before each batch and is not timed.
 */
export interface PopulationParams {
  readonly timers: number;
}

/** Timers are due anywhere in the next minute, at a tick of 1 ms. */
const SPREAD_TICKS = 60_000;
/** How often the whole population is cancelled and set anew while the spread passes: few timers live to fire. */
const REPLACEMENTS = 2;
/** A batch may change this part of a population, so that all of it is still about as large as it is said to be. */
const BATCH_PART = 1 / 4;
/** Each account looks at one part in this many for timers overdue: all of a million would empty the cache. */
const AUDIT_PARTS = 16;
/** Where timers are that no run lives to see: further ahead than any run gets, and within the horizon. */
const FAR_TICKS = 2 ** 29;

/** Timers and an account of them: which are live, when each is due. */
class Population {
  readonly timers: TimerSet;
  readonly random: Random;
  now = START_TICK;
  readonly #placeMask: number;
  /** The live handles, in no order. */
  readonly #live: Int32Array;
  #count = 0;
  /** By place: where in `#live` its handle stands, and its deadline. */
  readonly #indexOf: Int32Array;
  readonly #deadline: Int32Array;
  readonly #out: Int32Array;
  #added = 0;
  #cancelled = 0;
  #expired = 0;
  #refused = 0;
  #strays = 0;
  #earlyBy = 0;
  #lateBy = 0;
  #audited = 0;
  /** The most ticks between two looks at the clock. */
  #gap = 0;

  constructor(timers: TimerSet, capacity: number, seed: number) {
    this.timers = timers;
    this.random = new Random(seed);
    this.#placeMask = placeMask(capacity);
    this.#live = allocateRegion(capacity);
    this.#indexOf = allocateRegion(capacity);
    this.#deadline = allocateRegion(capacity);
    this.#out = allocateRegion(capacity);
    timers.advance(START_TICK, this.#out, 1);
  }

  get size(): number {
    return this.#count;
  }

  /** A tick anywhere in the spread. */
  someDeadline(): number {
    return (this.now + 1 + this.random.below(SPREAD_TICKS)) | 0;
  }

  /** Enters a timer that has been added. */
  enter(handle: number, deadline: number): void {
    const place = handle & this.#placeMask;
    this.#live[this.#count] = handle;
    this.#indexOf[place] = this.#count++;
    this.#deadline[place] = deadline;
    this.#added++;
  }

  /** Takes any timer off the account; it is for the caller to cancel it. */
  draw(): number {
    const handle = this.#live[this.random.below(this.#count)]!;
    this.#remove(handle);
    return handle;
  }

  /** Notes how many of the drawn timers could be cancelled. */
  cancelled(drawn: number, accepted: number): void {
    this.#cancelled += accepted;
    this.#refused += drawn - accepted;
  }

  /** Judges a report made at `now` and takes the timer off the account. */
  reported(handle: number, now: number): void {
    const place = handle & this.#placeMask;
    if (this.#live[this.#indexOf[place]!] !== handle || this.#indexOf[place]! >= this.#count) {
      this.#strays++;
      return;
    }
    const lateBy = (now - this.#deadline[place]!) | 0;
    this.#lateBy = Math.max(this.#lateBy, lateBy);
    this.#earlyBy = Math.max(this.#earlyBy, -lateBy);
    this.#remove(handle);
    this.#expired++;
  }

  /** Lets time pass, and with it all that comes due. */
  pass(ticks: number): void {
    this.#gap = Math.max(this.#gap, ticks);
    this.now = (this.now + ticks) | 0;
    let count: number;
    do {
      count = this.timers.advance(this.now, this.#out, this.#out.length);
      for (let index = 0; index < count; index++) this.reported(this.#out[index]!, this.now);
    } while (count === this.#out.length);
  }

  /** Sets and cancels timers until there are `count`. */
  bringTo(count: number): void {
    while (this.#count < count) {
      const deadline = this.someDeadline();
      this.enter(this.timers.add(deadline), deadline);
    }
    while (this.#count > count) this.cancelled(1, this.timers.cancel(this.draw()) ? 1 : 0);
  }

  /**
   * Sets timers as if each had long been set anew whenever it expired. Each is met anywhere in its life, so more of the
   * live ones are due soon than late. The inverse of that distribution, 2 r / T - (r / T)^2.
   */
  fillMidway(count: number): void {
    while (this.#count < count) {
      const left = Math.ceil(SPREAD_TICKS * (1 - Math.sqrt(1 - this.random.fraction())));
      const deadline = (this.now + Math.max(1, left)) | 0;
      this.enter(this.timers.add(deadline), deadline);
    }
  }

  counters(): Readonly<Record<string, number>> {
    return {
      known: this.#count,
      live: this.timers.size,
      added: this.#added,
      cancelled: this.#cancelled,
      expired: this.#expired,
      refused: this.#refused,
      strays: this.#strays,
      earlyBy: this.#earlyBy,
      lateBy: this.#audit(),
      gap: this.#gap,
    };
  }

  /** The worst lateness yet. A timer that should have been reported and was not is as late as if it were reported next. */
  #audit(): number {
    for (let index = this.#audited; index < this.#count; index += AUDIT_PARTS) {
      const deadline = this.#deadline[this.#live[index]! & this.#placeMask]!;
      this.#lateBy = Math.max(this.#lateBy, (this.now - deadline + 1) | 0);
    }
    this.#audited = (this.#audited + 1) % AUDIT_PARTS;
    return this.#lateBy;
  }

  #remove(handle: number): void {
    const index = this.#indexOf[handle & this.#placeMask]!;
    const last = this.#live[--this.#count]!;
    this.#live[index] = last;
    this.#indexOf[last & this.#placeMask] = index;
  }
}

/** Ticks that pass while `operations` timers of `timers` are replaced, fractions carried over. */
class Passage {
  readonly #perOperation: number;
  #owed = 0;

  constructor(timers: number) {
    this.#perOperation = SPREAD_TICKS / (REPLACEMENTS * timers);
  }

  after(operations: number): number {
    this.#owed += operations * this.#perOperation;
    const ticks = Math.floor(this.#owed);
    this.#owed -= ticks;
    return ticks;
  }
}

function mostOperations(timers: number): number {
  return Math.max(1, Math.floor(timers * BATCH_PART));
}

/**
 * Does as many operations until as much time has passed as a timer may be set ahead. By then a structure keeps all that
 * it will keep of cancelled timers.
 */
function settle(runner: Setting | Cancelling, operations: number): void {
  for (let left = operations; left > 0; left -= runner.mostOperations) {
    const some = Math.min(left, runner.mostOperations);
    runner.prepare(some);
    runner.run(some);
  }
}

/** One operation: a timer is set, to anywhere in the next minute. The population grows up to its size. */
export class Setting implements Runner {
  readonly mostOperations: number;
  readonly #timers: TimerSet;
  readonly #population: Population;
  readonly #passage: Passage;
  readonly #size: number;
  readonly #deadlines: Int32Array;
  readonly #handles: Int32Array;
  #done = 0;

  constructor(timers: TimerSet, size: number, seed: number) {
    this.mostOperations = mostOperations(size);
    this.#timers = timers;
    this.#population = new Population(timers, size, seed);
    this.#passage = new Passage(size);
    this.#size = size;
    this.#deadlines = allocateRegion(this.mostOperations);
    this.#handles = allocateRegion(this.mostOperations);
    this.#population.bringTo(size);
    settle(this, REPLACEMENTS * size);
  }

  prepare(operations: number): void {
    this.#settle();
    this.#population.pass(this.#passage.after(operations));
    this.#population.bringTo(this.#size - operations);
    for (let index = 0; index < operations; index++) this.#deadlines[index] = this.#population.someDeadline();
  }

  /** The checksum is the sum of the handles. */
  run(operations: number): number {
    const timers = this.#timers;
    const deadlines = this.#deadlines;
    const handles = this.#handles;
    let sum = 0;
    for (let index = 0; index < operations; index++) {
      const handle = timers.add(deadlines[index]!);
      handles[index] = handle;
      sum = (sum + handle) | 0;
    }
    this.#done = operations;
    return sum;
  }

  counters(): Readonly<Record<string, number>> {
    this.#settle();
    return this.#population.counters();
  }

  #settle(): void {
    for (let index = 0; index < this.#done; index++) {
      this.#population.enter(this.#handles[index]!, this.#deadlines[index]!);
    }
    this.#done = 0;
  }
}

/** One operation: any timer is cancelled. The population shrinks from its size. */
export class Cancelling implements Runner {
  readonly mostOperations: number;
  readonly #timers: TimerSet;
  readonly #population: Population;
  readonly #passage: Passage;
  readonly #size: number;
  readonly #victims: Int32Array;
  #drawn = 0;
  #accepted = 0;

  constructor(timers: TimerSet, size: number, seed: number) {
    this.mostOperations = mostOperations(size);
    this.#timers = timers;
    this.#population = new Population(timers, size, seed);
    this.#passage = new Passage(size);
    this.#size = size;
    this.#victims = allocateRegion(this.mostOperations);
    this.#population.bringTo(size);
    settle(this, REPLACEMENTS * size);
  }

  prepare(operations: number): void {
    this.#settle();
    this.#population.pass(this.#passage.after(operations));
    this.#population.bringTo(this.#size);
    for (let index = 0; index < operations; index++) this.#victims[index] = this.#population.draw();
  }

  /** The checksum is the number of timers cancelled. */
  run(operations: number): number {
    const timers = this.#timers;
    const victims = this.#victims;
    let accepted = 0;
    for (let index = 0; index < operations; index++) if (timers.cancel(victims[index]!)) accepted++;
    this.#drawn = operations;
    this.#accepted = accepted;
    return accepted;
  }

  counters(): Readonly<Record<string, number>> {
    this.#settle();
    return this.#population.counters();
  }

  #settle(): void {
    this.#population.cancelled(this.#drawn, this.#accepted);
    this.#drawn = 0;
    this.#accepted = 0;
  }
}

/**
 * One operation: a timer expires. The clock moves as many ticks at a time as bring about one timer, or one tick where
 * that brings more. What has expired is set anew to anywhere in the next minute.
 */
export class Expiring implements Runner {
  readonly mostOperations: number;
  readonly #timers: TimerSet;
  readonly #population: Population;
  readonly #size: number;
  readonly #step: number;
  readonly #out: Int32Array;
  readonly #handles: Int32Array;
  readonly #reportedAt: Int32Array;
  #done = 0;

  constructor(timers: TimerSet, size: number, seed: number) {
    this.mostOperations = mostOperations(size);
    this.#timers = timers;
    this.#population = new Population(timers, size, seed);
    this.#size = size;
    this.#step = stepFor(size);
    this.#out = allocateRegion(size);
    this.#handles = allocateRegion(this.mostOperations);
    this.#reportedAt = allocateRegion(this.mostOperations);
    this.#population.fillMidway(size);
  }

  prepare(): void {
    this.#settle();
    this.#population.bringTo(this.#size);
  }

  /** The checksum is the sum of the handles. */
  run(operations: number): number {
    const timers = this.#timers;
    const out = this.#out;
    const handles = this.#handles;
    const reportedAt = this.#reportedAt;
    const step = this.#step;
    let now = this.#population.now;
    let done = 0;
    let sum = 0;
    while (done < operations) {
      now = (now + step) | 0;
      const left = operations - done;
      const count = timers.advance(now, out, left);
      for (let index = 0; index < count; index++) {
        const handle = out[index]!;
        handles[done] = handle;
        reportedAt[done++] = now;
        sum = (sum + handle) | 0;
      }
      // What a full batch left over is due at the same `now` for the next one.
      if (count === left) now = (now - step) | 0;
    }
    this.#population.now = now;
    this.#done = done;
    return sum;
  }

  counters(): Readonly<Record<string, number>> {
    this.#settle();
    // What a full batch left over is reported by the next, and what is set meanwhile may be due in its step already.
    return { ...this.#population.counters(), gap: 2 * this.#step };
  }

  #settle(): void {
    for (let index = 0; index < this.#done; index++) {
      this.#population.reported(this.#handles[index]!, this.#reportedAt[index]!);
    }
    this.#done = 0;
  }
}

/** One operation: the clock moves by a tick, and what is due is reported; it is set anew to anywhere in the next minute. */
export class Ticking implements Runner {
  readonly mostOperations = 1;
  readonly #timers: TimerSet;
  readonly #population: Population;
  readonly #size: number;
  readonly #out: Int32Array;
  #reports = 0;

  constructor(timers: TimerSet, size: number, seed: number) {
    this.#timers = timers;
    this.#population = new Population(timers, size, seed);
    this.#size = size;
    this.#out = allocateRegion(size);
    this.#population.fillMidway(size);
  }

  prepare(): void {
    this.#settle();
    this.#population.bringTo(this.#size);
  }

  /** The checksum is the number of timers reported. */
  run(): number {
    this.#population.now = (this.#population.now + 1) | 0;
    this.#reports = this.#timers.advance(this.#population.now, this.#out, this.#out.length);
    return this.#reports;
  }

  counters(): Readonly<Record<string, number>> {
    this.#settle();
    return { ...this.#population.counters(), gap: 1 };
  }

  #settle(): void {
    for (let index = 0; index < this.#reports; index++) {
      this.#population.reported(this.#out[index]!, this.#population.now);
    }
    this.#reports = 0;
  }
}

/** One operation: the clock moves by a tick at which nothing is due, nor for days. */
export class Idling implements Runner {
  readonly #timers: TimerSet;
  readonly #population: Population;
  readonly #out = new Int32Array(1);
  #reports = 0;

  constructor(timers: TimerSet, size: number, seed: number) {
    this.#timers = timers;
    this.#population = new Population(timers, size, seed);
    while (this.#population.size < size) {
      const deadline = (this.#population.now + FAR_TICKS + this.#population.random.below(FAR_TICKS)) | 0;
      this.#population.enter(timers.add(deadline), deadline);
    }
  }

  /** The checksum is the number of timers reported: none. */
  run(operations: number): number {
    const timers = this.#timers;
    const out = this.#out;
    let now = this.#population.now;
    let reports = 0;
    for (let operation = 0; operation < operations; operation++) {
      now = (now + 1) | 0;
      reports += timers.advance(now, out, 1);
    }
    this.#population.now = now;
    this.#reports += reports;
    return reports;
  }

  counters(): Readonly<Record<string, number>> {
    const behind = (this.#population.now - this.#timers.clock) | 0;
    return { ...this.#population.counters(), strays: this.#reports, behind };
  }
}

/**
 * Ticks that the clock moves at once: about one timer comes due in them, and they are at least one. A timer is due
 * after half the spread on average.
 */
function stepFor(timers: number): number {
  return Math.max(1, Math.floor(SPREAD_TICKS / 2 / timers));
}

/** What a population's account must say; undefined or the law that broke. */
export function populationLaw(
  competitor: TimersCompetitor,
  { counters }: Pick<WorkDone, "counters">,
): string | undefined {
  const account = counters as Account & Readonly<Record<"known" | "refused" | "gap" | "behind", number>>;
  const { known, live, refused, gap, behind = 0 } = account;
  return (
    accountLaw(competitor, account, SPREAD_TICKS, gap) ??
    (refused === 0 ? undefined : `${refused} live timers could not be cancelled`) ??
    (known === live ? undefined : `${live} timers where ${known} are accounted for`) ??
    (behind === 0 ? undefined : `the clock is ${behind} ticks behind`)
  );
}
