import { allocateRegion } from "../../structures/shared/layout.ts";
import { nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../../structures/shared/sfc32.ts";
import { placeMask } from "../../structures/timers/parts/handles.ts";
import type { TimerSet, TimersCompetitor } from "../../structures/timers/timers.contract.ts";
import type { Runner, WorkDone } from "../engine/race.ts";
import { type Account, accountLaw } from "./account.ts";
import { START_TICK } from "./messages.ts";

/**
 * The workload of a client that sends many requests: each has a timeout, and nearly all are answered long before. One
 * operation is one answer and the next request: the clock moves, one timer is cancelled, another is set.
 */
export interface RequestParams {
  /** Requests in flight. */
  readonly requests: number;
  /** One request in this many is never answered; a power of two. */
  readonly lostOneIn: number;
  /** Timeouts that pass before anything is measured. */
  readonly settledTimeouts: number;
}

/** A tick is 1 ms of virtual time. */
const TIMEOUT_TICKS = 30_000;
/** Mean time until an answer, which is drawn from all requests in flight. */
const ANSWER_TICKS = 5_000;
/** Handles taken from one call of `advance`, and operations of one call while the population settles. */
const BATCH = 1024;
/** Each account looks at one part in this many for timers overdue. */
const AUDIT_PARTS = 16;

/**
 * Timers alive at most: for the requests in flight, and the requests lost within the last timeout. Their number is as
 *   good as
 * Poisson's, which stays within eight standard deviations of its mean, even where the mean is small.
 */
export function requestCapacity({ requests, lostOneIn }: RequestParams): number {
  const lost = ((requests / ANSWER_TICKS) * TIMEOUT_TICKS) / lostOneIn;
  return Math.ceil(requests + lost + 8 * Math.sqrt(lost) + 8);
}

export class Requests implements Runner {
  readonly #timers: TimerSet;
  readonly #requests: number;
  readonly #lostMask: number;
  /** The handle of each request in flight. */
  readonly #underWay: Int32Array;
  readonly #placeMask: number;
  /** By place: the handle that stands there and its deadline; 0 once it is cancelled or reported. */
  readonly #live: Int32Array;
  readonly #deadline: Int32Array;
  readonly #random = new Int32Array(SFC32_WORDS);
  readonly #expired = new Int32Array(BATCH);
  readonly #ticksPerOperation: number;
  #owed = 0;
  #now = START_TICK;
  #added = 0;
  #cancelled = 0;
  #refused = 0;
  #expiredCount = 0;
  #strays = 0;
  #earlyBy = 0;
  #lateBy = 0;
  #audited = 0;

  constructor(timers: TimerSet, params: RequestParams, seed: number) {
    const { requests, lostOneIn, settledTimeouts } = params;
    const capacity = requestCapacity(params);
    this.#timers = timers;
    this.#requests = requests;
    this.#lostMask = lostOneIn - 1;
    this.#underWay = allocateRegion(requests);
    this.#placeMask = placeMask(capacity);
    this.#live = allocateRegion(capacity);
    this.#deadline = allocateRegion(capacity);
    this.#ticksPerOperation = ANSWER_TICKS / requests;
    seedSfc32(this.#random, 0, seed, 1);
    timers.advance(START_TICK, this.#expired, BATCH);
    const random = new Random(seed);
    for (let request = 0; request < requests; request++) {
      // Its age is that of a request, drawn from all, whose answer has not come yet.
      const age = Math.floor(-ANSWER_TICKS * Math.log(1 - random.fraction()));
      this.#send(request, (START_TICK + Math.max(1, TIMEOUT_TICKS - age)) | 0);
    }
    const operations = (settledTimeouts * TIMEOUT_TICKS) / this.#ticksPerOperation;
    // In parts, so that the measured loop is entered often and compiled like one that is.
    for (let left = operations; left > 0; left -= BATCH) this.run(Math.min(left, BATCH));
  }

  /** The checksum is the number of timers cancelled. */
  run(operations: number): number {
    const timers = this.#timers;
    let cancelled = 0;
    for (let operation = 0; operation < operations; operation++) {
      this.#owed += this.#ticksPerOperation;
      if (this.#owed >= 1) {
        const ticks = Math.floor(this.#owed);
        this.#owed -= ticks;
        this.#now = (this.#now + ticks) | 0;
        this.#expire();
      }
      const bits = nextSfc32(this.#random, 0);
      const request = Math.floor(((bits >>> 0) / 2 ** 32) * this.#requests);
      const handle = this.#underWay[request]!;
      const place = handle & this.#placeMask;
      // Which request comes from the high bits, so whether it is lost from the low ones. A lost one's timer stays until
      // it is due, but its turn goes to the next request. One whose timer has fired meanwhile is answered too late.
      if (this.#live[place] === handle && (bits & this.#lostMask) !== 0) {
        this.#live[place] = 0;
        if (timers.cancel(handle)) cancelled++;
        else this.#refused++;
      }
      this.#send(request, (this.#now + TIMEOUT_TICKS) | 0);
    }
    this.#cancelled += cancelled;
    return cancelled;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      added: this.#added,
      cancelled: this.#cancelled,
      refused: this.#refused,
      expired: this.#expiredCount,
      live: this.#timers.size,
      strays: this.#strays,
      earlyBy: this.#earlyBy,
      lateBy: this.#audit(),
    };
  }

  /** The worst lateness yet. A timer that should have been reported and was not is as late as if it were reported next. */
  #audit(): number {
    for (let place = this.#audited; place < this.#live.length; place += AUDIT_PARTS) {
      if (this.#live[place] !== 0) {
        this.#lateBy = Math.max(this.#lateBy, (this.#now - this.#deadline[place]! + 1) | 0);
      }
    }
    this.#audited = (this.#audited + 1) % AUDIT_PARTS;
    return this.#lateBy;
  }

  #send(request: number, deadline: number): void {
    const handle = this.#timers.add(deadline);
    const place = handle & this.#placeMask;
    this.#live[place] = handle;
    this.#deadline[place] = deadline;
    this.#underWay[request] = handle;
    this.#added++;
  }

  #expire(): void {
    const expired = this.#expired;
    let count: number;
    do {
      count = this.#timers.advance(this.#now, expired, BATCH);
      for (let index = 0; index < count; index++) {
        const place = expired[index]! & this.#placeMask;
        if (this.#live[place] !== expired[index]) {
          this.#strays++;
          continue;
        }
        this.#live[place] = 0;
        this.#expiredCount++;
        const lateBy = (this.#now - this.#deadline[place]!) | 0;
        this.#lateBy = Math.max(this.#lateBy, lateBy);
        this.#earlyBy = Math.max(this.#earlyBy, -lateBy);
      }
    } while (count === BATCH);
  }
}

/** What a worker's account must say; undefined or the law that broke. */
export function requestLaw(
  competitor: TimersCompetitor,
  { requests }: RequestParams,
  { counters }: Pick<WorkDone, "counters">,
): string | undefined {
  const account = counters as Account & { readonly refused: number };
  return (
    accountLaw(competitor, account, TIMEOUT_TICKS, Math.ceil(ANSWER_TICKS / requests) - 1) ??
    (account.refused === 0 ? undefined : `${account.refused} live timers could not be cancelled`)
  );
}
