import { checkInGuise, type Guise, InterleavingError, withoutAccess } from "../check/check.ts";
import type { Checked, Operation, Seen } from "../check/checked.ts";
import { type Coverage, counted } from "../check/coverage.ts";
import { namesOf } from "../check/model.ts";
import { keyOf } from "../check/results.ts";
import { wordsOf } from "../memory/memory.ts";
import { type Bounds, ProgramError } from "../search/program.ts";
import { explanationOf } from "./history.ts";
import { labelOf, pictureOf, svgOf } from "./picture.ts";
import { type Call, type Order, type Promised, type PromisedLimits, validate, WAITS } from "./promised.ts";
import { refuseHiddenState, type Scenario, scenarioOf, textOf } from "./scenarios.ts";

/** No order of the calls explains what they returned: the cause of an InterleavingError. */
export class UnexplainedCalls extends Error {
  override readonly name = "UnexplainedCalls";
  readonly calls: readonly Call[];

  constructor(order: Order, calls: readonly Call[]) {
    super(`not ${order}: no order of the calls explains what they returned`);
    this.calls = calls;
  }

  /** A row for each thread, with its calls from their beginning to their end. */
  get svg(): string {
    return svgOf(this.calls);
  }
}

const SCENARIOS = 30;
const MOST_STATES = 20_000;
const PREEMPTIONS = 2;
const SCHEDULES = 200;
/** Most faults depend on the order of two pairs of accesses or fewer. */
const DEPTH = 3;

/**
 * Makes scenarios of a few threads with a few calls each, and visits their schedules: all of them where these have no more
 * than `maxStates` states, else those with at most two preemptions, else some at random. Throws an InterleavingError where
 * no order of the calls explains what they returned, as the model has it, or where a promise of every program is broken:
 * that no call throws, and that each thread can always finish.
 */
export function check<Shared, Own = Shared>(
  promised: Promised<Shared, Own>,
  limits: PromisedLimits = {},
): ModelCoverage {
  validate(promised, limits);
  const { seed = 1, scenarios = SCENARIOS, timeLimitMs, replay } = limits;
  const coverage = new ModelCoverage(promised);
  const isOver = () => timeLimitMs !== undefined && coverage.ms() >= timeLimitMs;
  const checked = new Set<string>();
  try {
    if (replay !== undefined) return repeated(promised, limits, replay);
    for (let number = 0; number < scenarios && coverage.cut === undefined; number++) {
      const scenario = scenarioOf(promised, seed, number);
      if (scenario === undefined || checked.has(textOf(scenario))) continue;
      checked.add(textOf(scenario));
      refuseHiddenState(promised.model, scenario);
      if (isOver()) coverage.cut = "time";
      else visit(new Trial(promised, scenario, `${seed}.${number}/`), limits, coverage);
    }
  } catch (error) {
    // The frames of the search say nothing: the first one is that of its caller.
    if (error instanceof InterleavingError) Error.captureStackTrace?.(error, check);
    throw error;
  }
  if (checked.size === 0)
    throw new ProgramError(
      "no scenario was made in which no thread may wait for ever: let other operations wake it",
    );
  if (!coverage.accesses && coverage.cut === undefined) throw withoutAccess();
  return coverage;
}

function visit<Shared, Own>(
  trial: Trial<Shared, Own>,
  limits: PromisedLimits,
  coverage: ModelCoverage,
): void {
  const { maxStates = MOST_STATES, timeLimitMs, weak = false, seed = 1 } = limits;
  const bounds: readonly Bounds[] = [
    { maxStates },
    { maxStates, preemptions: PREEMPTIONS },
    { random: { schedules: SCHEDULES, seed, depth: DEPTH } },
  ];
  for (const bound of bounds) {
    const time = timeLimitMs === undefined ? {} : { timeLimitMs: Math.max(1, timeLimitMs - coverage.ms()) };
    const visited = trial.check({ ...bound, ...time, ...(weak && { weak }) });
    coverage.add(visited);
    coverage.accesses ||= visited.withoutAccess.length < trial.threads;
    if (visited.cut !== "states") return;
  }
}

function repeated<Shared, Own>(
  promised: Promised<Shared, Own>,
  limits: PromisedLimits,
  replay: string,
): ModelCoverage {
  const [, seed, number, schedule] = /^(-?\d+)\.(\d+)\/(.*)$/.exec(replay) ?? [];
  const scenario = seed === undefined ? undefined : scenarioOf(promised, Number(seed), Number(number));
  if (scenario === undefined)
    throw new ProgramError(
      `"${replay}" is no schedule of a scenario: give the string that an InterleavingError names`,
    );
  const coverage = new ModelCoverage(promised);
  const trial = new Trial(promised, scenario, `${seed}.${number}/`);
  coverage.add(trial.check({ replay: schedule!, ...(limits.weak && { weak: true }) }));
  return coverage;
}

/** In the count of calls that have ended: 4 bits for each thread. */
const BITS = 4;
const LOWEST = 15;

/** What a thread keeps of a call. */
interface Kept {
  /** Its number among those of the thread in the scenario. */
  readonly at: number;
  /** How many calls had ended when it began, in the bits of each thread. */
  readonly before: number;
  readonly value: unknown;
}

interface SharedToo<Shared> {
  readonly shared: Shared;
  /** How many calls have ended. A call reads it before its first access, and adds to it after its last one. */
  readonly ended: Int32Array;
}

/** A scenario as a program. */
class Trial<Shared, Own> {
  readonly #promised: Promised<Shared, Own>;
  readonly #scenario: Scenario;
  readonly #prefix: string;
  readonly #order: Order;
  /** Histories that were met, and whether an order explains them. */
  readonly #met = new Map<string, boolean>();

  constructor(promised: Promised<Shared, Own>, scenario: Scenario, prefix: string) {
    this.#promised = promised;
    this.#scenario = scenario;
    this.#prefix = prefix;
    this.#order = promised.order ?? "linearizable";
  }

  get threads(): number {
    return this.#scenario.length;
  }

  /** Whether calls find out which others have ended. */
  get #isTimed(): boolean {
    return this.#order !== "sequentially consistent";
  }

  check(limits: Bounds & { readonly replay?: string }): Coverage {
    const { shared, names = [] } = this.#promised;
    const { length } = wordsOf(shared);
    const nameOf = namesOf(shared, names);
    const guise: Guise = {
      nameOf: (word, lane) => (word === length ? "" : nameOf(word, lane)),
      resultOf: (kept) => (kept as Kept).value,
      saidOf: (error) => this.#said((error as UnexplainedCalls).calls, (error as Error).message),
      accesses: this.#isTimed ? 2 : 0,
      prefix: this.#prefix,
    };
    return checkInGuise(this.#program(), limits, guise);
  }

  #program(): Checked<SharedToo<Shared>, SharedToo<Own>> {
    const { shared, attach, dies, afterDeath } = this.#promised;
    const mortal = [dies ?? []].flat().filter((thread) => thread < this.#scenario.length);
    return {
      shared: { shared, ended: new Int32Array(new SharedArrayBuffer(4)) },
      attach: (memory, thread) => ({
        shared: attach === undefined ? (memory.shared as unknown as Own) : attach(memory.shared, thread),
        ended: memory.ended,
      }),
      threads: this.#scenario.map((calls, thread) => calls.map((_, at) => this.#operation(thread, at))),
      end: (_, seen) => this.#ask(this.#callsIn(seen)),
      ...(mortal.length > 0 && { dies: mortal }),
      ...(mortal.length > 0 && afterDeath && { afterDeath: (own: SharedToo<Own>) => afterDeath(own.shared) }),
    };
  }

  #operation(thread: number, at: number): Operation<SharedToo<Own>> {
    const { name, given } = this.#scenario[thread]![at]!;
    const { call } = this.#promised.operations[name]!;
    const isTimed = this.#isTimed;
    const operation = ({ shared, ended }: SharedToo<Own>): Kept => {
      const before = isTimed ? Atomics.load(ended, 0) : 0;
      const value =
        call === undefined ? methodOf(shared, name)(...given) : call(shared, ...(given as never[]));
      if (isTimed) Atomics.add(ended, 0, 1 << (BITS * thread));
      return { at, before, value };
    };
    const label = labelOf({ thread, name, given, returned: { value: undefined }, before: [] });
    return Object.defineProperty(operation, "name", { value: label });
  }

  #callsIn({ results, died }: Seen): Call[] {
    return this.#scenario.flatMap((planned, thread) => {
      const kept = (results[thread] ?? []) as readonly Kept[];
      const made = kept.map(({ at, before, value }, nth): Call => {
        const counts = this.#scenario.map((_, of) => (before >> (BITS * of)) & LOWEST);
        return { thread, ...planned[at]!, returned: { value }, before: counts.with(thread, nth) };
      });
      const begun = (kept.at(-1)?.at ?? -1) + 1;
      const counts = this.#scenario.map((_, of) => (of === thread ? kept.length : 0));
      const last = died[thread]
        ? planned.slice(begun).map((call) => ({ thread, ...call, before: counts }))
        : [];
      return [...made, ...last];
    });
  }

  #ask(calls: readonly Call[]): void {
    const key = keyOf(calls);
    let isExplained = this.#met.get(key);
    if (isExplained === undefined) {
      isExplained = this.#explain(calls).isWhole;
      this.#met.set(key, isExplained);
    }
    if (!isExplained) throw new UnexplainedCalls(this.#order, calls);
  }

  #explain(calls: readonly Call[]) {
    const { model, operations } = this.#promised;
    const vain = (name: string, value: unknown) =>
      operations[name]!.inVain?.some((one) => keyOf(one) === keyOf(value)) === true;
    return explanationOf(calls, model, this.#order, vain);
  }

  #said(calls: readonly Call[], message: string): string {
    const { explained, next } = this.#explain(calls);
    const before = explained.length === 0 ? "At first" : `After ${explained.map(labelOf).join(", ")}`;
    const wanted = next.map(({ call, expected }) => {
      const does = expected === WAITS ? "has to wait" : labelOf({ ...call, returned: { value: expected } });
      return `${expected === WAITS ? `${call.name} ` : ""}${does} in thread ${call.thread}`;
    });
    return [message, "", ...pictureOf(calls), "", `${before} the model has: ${wanted.join("; ")}.`].join(
      "\n",
    );
  }
}

function methodOf(own: unknown, name: string): (...given: readonly unknown[]) => unknown {
  const method: unknown = Reflect.get(own as object, name);
  if (typeof method !== "function")
    throw new ProgramError(`what attach returned has no method ${name}: give the operation a call`);
  return method.bind(own) as (...given: readonly unknown[]) => unknown;
}

/** What was visited of the scenarios of a model without finding a broken promise. As a string it is one sentence. */
export class ModelCoverage {
  /** Scenarios of which every schedule was visited. */
  complete = 0;
  /** Scenarios of which those with at most two preemptions were visited. */
  preempted = 0;
  /** Scenarios of which some schedules were visited at random. */
  sampled = 0;
  /** The most that the probability may be with which a sample misses a fault of depth 3; 0 without samples, 1 if not known. */
  missed = 0;
  /** Scenarios with a thread that was not followed to its end. */
  unfollowed = 0;
  states = 0;
  /** Whether a thread accessed the shared memory. */
  accesses = false;
  cut?: "time";
  readonly #of: Pick<Promised<never>, "threads" | "calls" | "order">;
  readonly #began = performance.now();
  #seconds = 0;

  constructor(of: Pick<Promised<never>, "threads" | "calls" | "order">) {
    this.#of = of;
  }

  ms(): number {
    return performance.now() - this.#began;
  }

  add({ cut, states, complete, missed = 1 }: Coverage): void {
    this.states += states;
    this.#seconds = this.ms() / 1000;
    if (complete) this.complete++;
    else if (cut === "preemptions") this.preempted++;
    else if (cut === "turns") this.unfollowed++;
    else if (cut === "time") this.cut = cut;
    else if (cut === "random") {
      this.sampled++;
      this.missed = Math.max(this.missed, missed);
    }
  }

  toString(): string {
    const { complete, preempted, sampled, unfollowed, states } = this;
    const { threads, calls, order = "linearizable" } = this.#of;
    const misses =
      this.missed === 1
        ? ""
        : `, which miss a fault of depth ${DEPTH} with a probability of at most ${this.missed.toPrecision(2)}`;
    const parts = [
      [complete, "in every schedule"],
      [preempted, `with at most ${PREEMPTIONS} preemptions`],
      [sampled, `in ${SCHEDULES} schedules at random${misses}`],
      [unfollowed, "not to their end"],
    ] as const;
    const visited = parts.filter(([count]) => count > 0).map(([count, how]) => `${count} ${how}`);
    const sum = complete + preempted + sampled + unfollowed;
    const cut = this.cut === undefined ? "" : "Not every scenario was visited before the time was over. ";
    if (sum === 0) return cut.trimEnd();
    const size = `${counted(sum, "scenario")} of up to ${threads} threads with up to ${counted(calls, "call")} each`;
    const counts = `${counted(states, "state")}, ${this.#seconds.toFixed(1)} s`;
    return `${cut}${size} ${sum === 1 ? "is" : "are"} ${[order, ...visited].join(", ")}: ${counts}.`;
  }
}
