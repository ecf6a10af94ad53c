import { allocateRegion, type Region } from "../../structures/shared/layout.ts";
import { nextSfc32, Random, SFC32_WORDS, seedSfc32 } from "../../structures/shared/sfc32.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import {
  privateTimers,
  type TimerSet,
  type TimersCompetitor,
} from "../../structures/timers/timers.contract.ts";
import type { Runner, Setup } from "../engine/race.ts";
import { type CrewShared, formatShared } from "./crew.ts";
import { START_TICK } from "./messages.ts";

/**
 * The requests of a crew, nearly all answered in the tick in which they are sent. One operation is a request and an
 * answer: the timers due are reported, one is set, one is cancelled. Each worker cancels its own.
 */
export interface CrewRequestParams {
  /** Requests of each worker that are in flight for longer. */
  readonly slow: number;
  /** One request in this many is slow; a power of two. */
  readonly slowOneIn: number;
  /** One slow request in this many is never answered; a power of two. */
  readonly lostOneIn: number;
}

/** A tick is 1 ms of virtual time. Timeouts differ, so that timers set in one tick lie in different slots of a wheel. */
const SHORTEST_TICKS = 10_000;
const LONGEST_TICKS = 30_000;
/** Mean time until a slow request is answered, which is drawn from all of them. */
const ANSWER_TICKS = 5_000;
/** Requests that a worker sends before the first of them is answered. */
const UNDER_WAY = 16;
const BATCH = 1024;
const NOW = 0;

/** Requests of one worker that were lost within the longest timeout. */
function lostTimers({ slow, lostOneIn }: CrewRequestParams): number {
  return Math.ceil(((slow / ANSWER_TICKS) * LONGEST_TICKS) / lostOneIn);
}

/**
 * Timers of one worker at most. Where it runs and the others do not, it loses as many requests for each tick as all of
 * them. Their number spreads less than eight standard deviations from the mean.
 */
export function requestsOfWorker(params: CrewRequestParams, workers: number): number {
  const lost = workers * lostTimers(params);
  return UNDER_WAY + params.slow + lost + Math.ceil(8 * Math.sqrt(lost));
}

export function prepareRequests(
  competitor: TimersCompetitor,
  { params, workers }: Setup<CrewRequestParams>,
): CrewShared {
  const common = allocateRegion(1);
  common[NOW] = START_TICK;
  return {
    memory: formatShared(competitor, workers * requestsOfWorker(params, workers), workers),
    common,
  };
}

export class CrewRequests implements Runner {
  readonly #timers: TimerSet;
  /** Word 0: virtual time, which each worker moves by its part; atomically. */
  readonly #common: Region;
  readonly #slow: number;
  readonly #slowMask: number;
  readonly #lostMask: number;
  /** Handles of the requests sent last, a ring. */
  readonly #underWay = allocateRegion(UNDER_WAY);
  #turn = 0;
  /** Handles of slow requests. */
  readonly #slowOnes: Int32Array;
  readonly #random = new Int32Array(SFC32_WORDS);
  readonly #expired = new Int32Array(BATCH);
  readonly #ticksPerOperation: number;
  #owed = 0;
  #seen = START_TICK;
  #added = 0;
  #cancelled = 0;
  #expiredCount = 0;

  constructor(
    competitor: TimersCompetitor,
    { params, workers }: Setup<CrewRequestParams>,
    { memory, common }: CrewShared,
    identity: WorkerIdentity,
  ) {
    const { slow, slowOneIn, lostOneIn } = params;
    const capacity = requestsOfWorker(params, workers);
    this.#timers =
      competitor.callers === "one"
        ? privateTimers(competitor, capacity)
        : competitor.attach(memory, workers * capacity, identity);
    this.#common = common;
    this.#slow = slow;
    this.#slowMask = slowOneIn - 1;
    this.#lostMask = (lostOneIn - 1) * slowOneIn;
    this.#ticksPerOperation = ANSWER_TICKS / (slow * slowOneIn) / workers;
    seedSfc32(this.#random, 0, identity.seed, 1);
    this.#timers.advance(START_TICK, this.#expired, BATCH);
    const random = new Random(identity.seed);
    const left = (ageTicks: number) =>
      START_TICK + Math.max(1, timeoutOf(nextSfc32(this.#random, 0)) - ageTicks);
    // As if all had gone on like this for long.
    for (let lost = lostTimers(params); lost > 0; lost--) this.#send(left(random.below(LONGEST_TICKS)));
    this.#slowOnes = allocateRegion(slow);
    for (let request = 0; request < slow; request++) {
      const ageTicks = Math.floor(-ANSWER_TICKS * Math.log(1 - random.fraction()));
      this.#slowOnes[request] = this.#send(left(ageTicks));
    }
    for (let turn = 0; turn < UNDER_WAY; turn++) this.#underWay[turn] = this.#send(left(0));
  }

  /** The checksum is the number of timers cancelled. */
  run(operations: number): number {
    const timers = this.#timers;
    const common = this.#common;
    const underWay = this.#underWay;
    let cancelled = 0;
    for (let operation = 0; operation < operations; operation++) {
      this.#owed += this.#ticksPerOperation;
      if (this.#owed >= 1) {
        const ticks = Math.floor(this.#owed);
        this.#owed -= ticks;
        Atomics.add(common, NOW, ticks);
      }
      const now = Atomics.load(common, NOW);
      if (now !== this.#seen) this.#expire(now);

      const bits = nextSfc32(this.#random, 0);
      const answered = underWay[this.#turn]!;
      underWay[this.#turn] = this.#send(now + timeoutOf(bits));
      this.#turn = (this.#turn + 1) % UNDER_WAY;
      if ((bits & this.#slowMask) !== 0) {
        if (timers.cancel(answered)) cancelled++;
        continue;
      }
      // Which slow one comes from the high bits, so whether it is lost from the low ones. A lost one's timer stays.
      const request = Math.floor(((bits >>> 0) / 2 ** 32) * this.#slow);
      const handle = this.#slowOnes[request]!;
      this.#slowOnes[request] = answered;
      if ((bits & this.#lostMask) !== 0 && timers.cancel(handle)) cancelled++;
    }
    this.#cancelled += cancelled;
    return cancelled;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      added: this.#added,
      cancelled: this.#cancelled,
      expired: this.#expiredCount,
      live: this.#timers.size,
    };
  }

  #send(deadline: number): number {
    this.#added++;
    return this.#timers.add(deadline | 0);
  }

  #expire(now: number): void {
    let count: number;
    do {
      count = this.#timers.advance(now, this.#expired, BATCH);
      this.#expiredCount += count;
    } while (count === BATCH);
    this.#seen = now;
  }
}

function timeoutOf(bits: number): number {
  return SHORTEST_TICKS + Math.floor(((bits >>> 0) / 2 ** 32) * (LONGEST_TICKS - SHORTEST_TICKS));
}
