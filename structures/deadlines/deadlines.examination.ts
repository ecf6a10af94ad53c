import { setImmediate as nextTurn } from "node:timers/promises";
import type { Examination } from "../shared/contract.ts";
import { examined } from "../shared/examination.ts";
import { Random } from "../shared/sfc32.ts";
import { World } from "../timers/parts/world.synthetic.ts";
import { contract, type Deadline, type Deadlines, type DeadlinesCompetitor } from "./deadlines.contract.ts";
import {
  abortsInTime,
  cancelledStays,
  followsCaller,
  leavesNothing,
  letsProcessEnd,
  neverEarly,
  reasonIsTimeout,
} from "./deadlines.laws.ts";

/** Every law applied to one competitor; each mutant must fail. */
export const examination = {
  tries: "2,000 requests at random on a virtual loop where one can be given, and 40 on the runtime's",
  examine: (url) =>
    examined(url, contract, async (competitor: DeadlinesCompetitor) =>
      competitor.clock === "given"
        ? [...virtualLaws(competitor), ...(await realLaws(competitor))]
        : await realLaws(competitor),
    ),
} satisfies Examination;

const REQUESTS = 2_000;
const CALLERS = 10;
/** Below a second and above, because some mechanisms differ there. */
const DELAYS_MS = [0, 1, 7, 100, 999, 1_000, 1_001, 1_500, 5_000];
/** From one request to the next, in ms, so that hundreds are pending at a time. */
const GAP_MS = 5;
/** No whole number, so that what counts from the clock's millisecond shows. */
const START_MS = 1_000.25;
/** After the last deadline is over: long enough for a scan that sweeps up what was cancelled. */
const SWEPT_MS = 1_000;
const DISTANT_MS = 60_000;
const SEED = 1;
const REASON = "the caller has gone";

/** A caller's signal, and the listeners that it has. */
class Caller {
  listeners = 0;
  isGone = false;
  readonly #controller = new AbortController();

  constructor() {
    const { signal } = this.#controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    const present = new Set<unknown>();
    const counted = () => (this.listeners = present.size);
    Object.assign(signal, {
      addEventListener: (type: string, listener: () => void) => {
        present.add(listener);
        counted();
        add(type, listener);
      },
      removeEventListener: (type: string, listener: () => void) => {
        present.delete(listener);
        counted();
        remove(type, listener);
      },
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  leave(): void {
    this.isGone = true;
    this.#controller.abort(REASON);
  }
}

interface Request {
  readonly deadline: Deadline;
  readonly delayMs: number;
  readonly madeMs: number;
  readonly caller: Caller | undefined;
  abortedMs: number;
  /** When it was cancelled, or its caller left. */
  endedMs: number;
  isCancelled: boolean;
}

/** Requests with deadlines, some ended and some left by their callers, in a time that is made. */
class Run {
  readonly world = new World(START_MS);
  readonly callers = Array.from({ length: CALLERS }, () => new Caller());
  readonly requests: Request[] = [];
  /** Deadlines that did not abort when, or as, their caller did. */
  notFollowed = 0;
  /** How often the process was kept alive. */
  keptAlive = 0;
  readonly #deadlines: Deadlines;
  readonly #random = new Random(SEED);

  constructor(competitor: DeadlinesCompetitor) {
    this.#deadlines = competitor.create({ ...this.world.native, now: this.world.clock });
  }

  play(): void {
    const random = this.#random;
    let laggards = 0;
    for (let count = 0; count < REQUESTS; count++) {
      this.#begin();
      if (random.below(2) === 0) this.#end(this.requests[random.below(this.requests.length)]!);
      if (count % (REQUESTS / CALLERS / 2) === 0 && count > REQUESTS / 2)
        this.#leave(this.callers[laggards++]!);
      if (this.world.keepsAlive) this.keptAlive++;
      this.world.pass(GAP_MS * random.fraction());
    }
  }

  #begin(): void {
    const { world } = this;
    const delayMs = DELAYS_MS[this.#random.below(DELAYS_MS.length)]!;
    const caller = this.#random.below(2) === 0 ? this.callers[this.#random.below(CALLERS)] : undefined;
    const deadline = this.#deadlines.make(delayMs, caller?.signal);
    const isTooLate = caller?.isGone === true;
    const request: Request = {
      deadline,
      delayMs,
      madeMs: world.now,
      caller,
      abortedMs: deadline.signal.aborted ? world.now : Number.POSITIVE_INFINITY,
      endedMs: isTooLate ? world.now : Number.POSITIVE_INFINITY,
      isCancelled: false,
    };
    if (isTooLate && deadline.signal.reason !== REASON) this.notFollowed++;
    deadline.signal.addEventListener("abort", () => (request.abortedMs = world.now));
    this.requests.push(request);
  }

  #end(request: Request): void {
    request.deadline.cancel();
    // Twice, as a request may that fails while it is ended.
    request.deadline.cancel();
    if (request.abortedMs < Number.POSITIVE_INFINITY) return;
    request.isCancelled = true;
    request.endedMs = Math.min(request.endedMs, this.world.now);
  }

  #leave(caller: Caller): void {
    const { now } = this.world;
    const pending = this.requests.filter(
      (request) => request.caller === caller && request.endedMs > now && request.abortedMs > now,
    );
    caller.leave();
    for (const request of pending) {
      request.endedMs = now;
      if (request.deadline.signal.reason !== REASON) this.notFollowed++;
    }
  }
}

function virtualLaws(competitor: DeadlinesCompetitor): (string | undefined)[] {
  const run = new Run(competitor);
  run.play();
  const { world, callers, requests, notFollowed, keptAlive } = run;
  const longestMs = Math.max(...DELAYS_MS);
  world.pass(longestMs + competitor.lateness(longestMs) + SWEPT_MS);

  const passed = requests.filter(({ endedMs }) => endedMs === Number.POSITIVE_INFINITY);
  const overMs = ({ madeMs, delayMs, abortedMs }: Request) => abortedMs - madeMs - Math.max(1, delayMs);
  const lateness = passed.map((request) => [overMs(request), competitor.lateness(request.delayMs)] as const);
  // Of those whose own promise is kept the least.
  const [lateMs, latenessMs] = lateness.reduce((worst, each) =>
    each[0] - each[1] > worst[0] - worst[1] ? each : worst,
  );
  const wereAborted = requests.filter(
    ({ isCancelled, deadline: { signal } }) => isCancelled && signal.aborted && signal.reason !== REASON,
  );
  return [
    neverEarly(-Math.min(...passed.map(overMs))),
    abortsInTime(lateMs, latenessMs),
    cancelledStays(wereAborted.length),
    reasonIsTimeout(passed.filter(({ deadline }) => !isTimeout(deadline.signal.reason)).length),
    followsCaller(notFollowed),
    leavesNothing(
      world.size,
      callers.reduce((sum, { listeners }) => sum + listeners, 0),
    ),
    letsProcessEnd(keptAlive),
    leftBy(competitor, "cancelled"),
    leftBy(competitor, "followed"),
  ];
}

/** The run above ends when every timer has fired, whether its deadline was over or not. Here nothing is due for a minute. */
function leftBy(competitor: DeadlinesCompetitor, end: "cancelled" | "followed"): string | undefined {
  const world = new World(START_MS);
  const deadlines = competitor.create({ ...world.native, now: world.clock });
  const caller = new Caller();
  const made = Array.from({ length: CALLERS }, (_, index) =>
    deadlines.make(DISTANT_MS + index, end === "followed" || index % 2 === 0 ? caller.signal : undefined),
  );
  world.pass(GAP_MS);
  if (end === "followed") caller.leave();
  else for (const deadline of made) deadline.cancel();
  world.pass(SWEPT_MS);
  return leavesNothing(world.size, caller.listeners);
}

const REAL_REQUESTS = 40;
/** A deadline that has not passed by then counts as one that never does, in ms. */
const PATIENCE_MS = 10_000;

/** What can be said without a clock of its own: each is aborted at last, none at once, and for the right reason. */
async function realLaws(competitor: DeadlinesCompetitor): Promise<(string | undefined)[]> {
  const deadlines: Deadlines = competitor.create();
  const caller = new AbortController();
  const made = Array.from({ length: REAL_REQUESTS }, (_, index) =>
    deadlines.make(index % 10, index % 2 === 0 ? caller.signal : undefined),
  );
  const cancelled = deadlines.make(1);
  cancelled.cancel();
  const long = deadlines.make(PATIENCE_MS, caller.signal);
  const atOnce = made.filter(({ signal }) => signal.aborted).length;
  const untilMs = performance.now() + PATIENCE_MS / 2;
  while (made.some(({ signal }) => !signal.aborted) && performance.now() < untilMs) await nextTurn();
  caller.abort(REASON);
  const late = deadlines.make(PATIENCE_MS, caller.signal);
  return [
    neverEarly(atOnce),
    abortsInTime(made.every(({ signal }) => signal.aborted) ? 0 : Number.POSITIVE_INFINITY, PATIENCE_MS),
    reasonIsTimeout(made.filter(({ signal }) => !isTimeout(signal.reason)).length),
    // Those that began before it, and later ones that took longer, have all passed.
    cancelledStays(competitor.cancels && cancelled.signal.aborted ? 1 : 0),
    followsCaller([long, late].filter(({ signal }) => signal.reason !== REASON).length),
  ];
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
