import { replay, replayAsync, search, searchAsync } from "../search/explore.ts";
import {
  type Bounds,
  type Exploration,
  type Failure,
  type Found,
  type Glimpse,
  type Program,
  ProgramError,
  type TracedStep,
  type Watcher,
} from "../search/program.ts";
import { read } from "../search/schedule.ts";
import { type Checked, type Limits, validateLimits, validateProgram } from "./checked.ts";
import { Coverage, counted } from "./coverage.ts";
import { kindOf } from "./kind.ts";
import { AFTER_DEATH, ATTACHING, labelOf, Model, namesOf, type Promises } from "./model.ts";
import { isWaiting, messageOf, oneLine, type Story, tableOf } from "./report.ts";
import { isWhole, type Kept, readPart, shrinking, wholeOf, writtenPart } from "./shrink.ts";

/** Which promise is broken. `thrown`: an operation threw. */
export type BrokenPromise = "invariant" | "end" | "sometimes" | "thrown" | "deadlock" | "livelock";

/** A promise is broken. The message shows the schedule as a table; `cause` is what was thrown, if anything was. */
export class InterleavingError extends Error {
  override readonly name = "InterleavingError";
  readonly promise: BrokenPromise;
  /** For `check(program, { replay })`; undefined where no one schedule breaks the promise. */
  readonly replay: string | undefined;

  constructor(promise: BrokenPromise, message: string, replay?: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.promise = promise;
    this.replay = replay;
    // The frames of the search say nothing: the first one is that of its caller.
    Error.captureStackTrace?.(this, check);
  }
}

/**
 * Runs threads in every order of their accesses to shared memory, and asks whether they keep their promises. For example:
 *
 *     check({
 *       shared: new Int32Array(new SharedArrayBuffer(4)),
 *       names: ["count"],
 *       threads: [(words) => Atomics.add(words, 0, 1), (words) => words[0]++],
 *       end: (words) => assert.equal(words[0], 2),
 *     });
 *
 * Throws an InterleavingError where a promise is broken, with the shortest schedule that breaks it. Every program also
 * promises that no operation throws, and that each thread can always finish. Throws an Error in one line where `program`
 * or `limits` is none, and where the program has too many states to visit without a limit.
 */
export function check<Shared, Own = Shared>(program: Checked<Shared, Own>, limits: Limits = {}): Coverage {
  return checked(checkingOf(program, limits, false));
}

/** How a program is shown that another one was made into. */
export interface Guise {
  /** The empty name is of words that are not shown. */
  readonly nameOf: (word: number, lane: number) => string;
  readonly resultOf: (result: unknown) => unknown;
  /** What stands for an error of `end`. */
  readonly saidOf: (error: unknown) => string;
  /** Accesses of its own in each operation. */
  readonly accesses: number;
  /** Comes before a schedule in `replay`. */
  readonly prefix: string;
}

/** `check` of such a program. Where `maxStates` ends it, or no thread makes an access, the coverage says so. */
export function checkInGuise<Shared, Own>(
  program: Checked<Shared, Own>,
  limits: Limits,
  guise: Guise,
): Coverage {
  return checked(checkingOf(program, limits, false, guise));
}

function checked<Shared>(checking: Checking<Shared, Coverage>): Coverage {
  let asked = checking.next();
  while (asked.done !== true) {
    const { program: model, watcher, bounds, schedule } = asked.value;
    const found =
      schedule === undefined ? search(model, watcher, bounds) : replay(model, schedule, watcher, bounds);
    asked = checking.next(found);
  }
  return asked.value;
}

/**
 * The same for operations that may return promises, as code does that waits with Atomics.waitAsync. One at a time in a
 * JavaScript thread; see exploreAsync.
 */
export async function checkAsync<Shared, Own = Shared>(
  program: Checked<Shared, Own>,
  limits: Limits = {},
): Promise<Coverage> {
  // Its caller is on the stack until the first search is awaited.
  const called = { stack: "" };
  Error.captureStackTrace?.(called, checkAsync);
  try {
    const checking = checkingOf(program, limits, true);
    let asked = checking.next();
    while (asked.done !== true) {
      const { program: model, watcher, bounds, schedule } = asked.value;
      const found =
        schedule === undefined
          ? await searchAsync(model, watcher, bounds)
          : await replayAsync(model, schedule, watcher, bounds);
      asked = checking.next(found);
    }
    return asked.value;
  } catch (error) {
    if (error instanceof InterleavingError) error.stack = `${error}${called.stack.replace(/^.*/, "")}`;
    throw error;
  }
}

/** A search that is wanted, or with `schedule` a replay. */
interface Asked<Shared> {
  readonly program: Program<Shared>;
  readonly watcher: Watcher<Shared>;
  readonly bounds: Bounds;
  readonly schedule?: string;
}

/** Asks for one search after another. Whether threads return promises makes no difference to it. */
type Checking<Shared, Result> = Generator<Asked<Shared>, Result, Found>;

function checkingOf<Shared, Own>(
  program: Checked<Shared, Own>,
  limits: Limits,
  isAsync: boolean,
  guise?: Guise,
): Checking<Shared, Coverage> {
  validateProgram(program, isAsync);
  validateLimits(limits);
  const nameOf = guise?.nameOf ?? namesOf(program.shared, program.names ?? []);
  const { replay: schedule, shrink = true, ...bounds } = limits;
  const checker = new Checker(new Model(program, isAsync, guise?.accesses), nameOf, bounds, guise);
  return schedule === undefined ? checker.run(shrink) : checker.repeat(schedule);
}

/** States that are visited, at most, to find a smaller part that fails, and then the shortest schedule. */
const MOST_STATES_TO_SHRINK = 200_000;
const MOST_STATES_TO_SHORTEN = 500_000;
/** Schedules without preemptions in which a part may keep its promises, and as many with any. */
const TRIES_TO_KEEP = 8;
/** A longer message of an assertion stands below the table. */
const LONGEST_CAUSE = 100;

interface Broken {
  readonly promise: Exclude<BrokenPromise, "sometimes">;
  /** Equal for failures that count as the same. */
  readonly kind: string;
  readonly failure: Failure;
}

class Checker<Shared, Own> {
  readonly #model: Model<Shared, Own>;
  readonly #nameOf: Story["nameOf"];
  readonly #bounds: Bounds;
  readonly #guise: Guise | undefined;
  readonly #weak: Pick<Bounds, "weak">;
  readonly #lengths: readonly number[];
  readonly #whole: readonly Kept[];
  readonly #began = performance.now();

  constructor(model: Model<Shared, Own>, nameOf: Story["nameOf"], bounds: Bounds, guise?: Guise) {
    this.#model = model;
    this.#guise = guise;
    this.#nameOf = nameOf;
    this.#bounds = bounds;
    this.#weak = bounds.weak === undefined ? {} : { weak: bounds.weak };
    this.#lengths = model.operations.map(({ length }) => length);
    this.#whole = wholeOf(this.#lengths);
  }

  *run(shrink: boolean): Checking<Shared, Coverage> {
    const promises = this.#model.promisesOf(this.#whole);
    const whole = this.#model.programOf(this.#whole);
    const { exploration, failure } = yield { program: whole, watcher: promises, bounds: this.#bounds };
    if (failure !== undefined) {
      const broken = brokenBy(failure, promises);
      if (broken.promise === "end") this.#refuseWithoutAccess();
      throw yield* this.#shortened(broken, shrink);
    }
    if (exploration.ends > 0 && this.#guise === undefined) this.#refuseWithoutAccess();
    const { preemptions, random, timeLimitMs } = this.#bounds;
    const isBounded = preemptions !== undefined || random !== undefined || timeLimitMs !== undefined;
    if (exploration.cut === "states" && !isBounded && this.#guise === undefined)
      throw new ProgramError(
        `not every schedule was visited: the program has at least ${counted(exploration.states, "state")}; ` +
          "make it smaller, or set preemptions, random or timeLimitMs",
      );
    const unmet = [...promises.unmet];
    if (exploration.cut === undefined && unmet.length > 0) throw neverTrue(unmet, exploration.ends);
    return this.#coverage(this.#whole, exploration, unmet);
  }

  /** Known where an end was met, in which each thread has done all that it does. */
  #refuseWithoutAccess(): void {
    if (this.#model.accessing.size === 0) throw withoutAccess();
  }

  /** Repeats one schedule, as `#errorOf` writes them. */
  *repeat(replay: string): Checking<Shared, Coverage> {
    const colon = replay.indexOf(":");
    const part = colon < 0 ? this.#whole : readPart(replay.slice(0, colon), this.#lengths);
    const schedule = replay.slice(colon + 1);
    const promises = this.#model.promisesOf(part);
    const program = this.#model.programOf(part);
    const { exploration, failure } = yield { program, watcher: promises, bounds: this.#weak, schedule };
    if (failure !== undefined) throw yield* this.#errorOf(part, brokenBy(failure, promises), []);
    // That threads cannot finish is not seen in one schedule.
    const bounds = { maxStates: MOST_STATES_TO_SHORTEN };
    const livelock =
      exploration.ends > 0
        ? undefined
        : (yield* this.#search(part, { promise: "livelock", kind: "livelock" }, bounds)).broken;
    if (livelock === undefined) return this.#coverage(part, exploration, []);
    throw yield* this.#errorOf(part, { ...livelock, failure: { ...livelock.failure, schedule } }, []);
  }

  /** Looks for a smaller part of the program that fails, and for its shortest schedule. */
  *#shortened(found: Broken, shrink: boolean): Checking<Shared, InterleavingError> {
    const { preemptions, random } = this.#bounds;
    const bounds = { ...this.#weak, ...(preemptions !== undefined && { preemptions }) };
    let best = { part: this.#whole, broken: found };
    let left = MOST_STATES_TO_SHRINK;
    const parts = shrink && (yield* this.#keeps(this.#whole)) ? shrinking(this.#whole) : undefined;
    for (let asked = parts?.next(); asked !== undefined && asked.done !== true; ) {
      const part = asked.value;
      let counts = false;
      if (left > 0 && (yield* this.#keeps(part))) {
        const sample = random === undefined ? {} : { random };
        const tried = yield* this.#search(part, found, { ...bounds, ...sample, maxStates: left });
        left -= tried.states;
        if (tried.broken !== undefined) best = { part, broken: tried.broken };
        counts = tried.broken !== undefined;
      }
      asked = parts!.next(counts);
    }
    const shortening = { ...bounds, shortestFirst: true, maxStates: MOST_STATES_TO_SHORTEN };
    const isShortest = this.#bounds.shortestFirst === true && random === undefined && best.broken === found;
    const shortest = isShortest ? found : (yield* this.#search(best.part, found, shortening)).broken;
    const limit = preemptions === undefined ? "" : ` with at most ${counted(preemptions, "preemption")}`;
    return yield* this.#errorOf(best.part, shortest ?? best.broken, [
      shortest === undefined
        ? "A shorter schedule may break it too."
        : `No schedule${limit} breaks it in fewer steps.`,
    ]);
  }

  /** Whether a part keeps all promises in some schedule. If in none, they are promises about the whole. */
  *#keeps(part: readonly Kept[]): Checking<Shared, boolean> {
    for (const bound of [{ preemptions: 0 }, {}])
      for (let seed = 1; seed <= TRIES_TO_KEEP; seed++) {
        const bounds = { ...this.#weak, ...bound, random: { schedules: 1, seed } };
        const promises = this.#model.promisesOf(part);
        const program = this.#model.programOf(part);
        const { exploration, failure } = yield { program, watcher: promises, bounds };
        if (failure === undefined && exploration.ends > 0) return true;
      }
    return false;
  }

  /** For the same failure. No other promise is asked, as it might be broken sooner. */
  *#search(
    part: readonly Kept[],
    sought: Pick<Broken, "promise" | "kind">,
    bounds: Bounds,
  ): Checking<Shared, { readonly states: number; readonly broken?: Broken }> {
    const watcher = this.#model.promisesOf(part, sought);
    const { exploration, failure } = yield { program: this.#model.programOf(part), watcher, bounds };
    const { states } = exploration;
    const broken = failure === undefined ? undefined : brokenBy(failure, watcher);
    return broken?.kind === sought.kind ? { states, broken } : { states };
  }

  *#errorOf(
    part: readonly Kept[],
    broken: Broken,
    remarks: readonly string[],
  ): Checking<Shared, InterleavingError> {
    const { promise, failure } = broken;
    const shown = yield* this.#shown(part, broken);
    const { story } = shown;
    const [sentence, details] = this.#said(part, broken, shown);
    const isPart = !isWhole(part, this.#lengths);
    const schedule = isPart ? `${writtenPart(part)}:${failure.schedule}` : failure.schedule;
    const replay = `${this.#guise?.prefix ?? ""}${schedule}`;
    const report = {
      broken: sentence,
      ...(details !== undefined && { details }),
      table: tableOf(story),
      remarks: [...(isPart ? [this.#sizeOf(part)] : []), ...remarks],
      call: this.#model.isAsync ? "await checkAsync" : "check",
      limits: { replay, ...this.#weak },
    };
    return new InterleavingError(promise, messageOf(report), replay, failure.error);
  }

  /** Repeats a schedule, and keeps what happened. */
  *#shown(part: readonly Kept[], { promise, failure }: Broken): Checking<Shared, Shown> {
    const { length } = read(failure.schedule);
    const places: number[] = [];
    const notes: (readonly number[])[][] = [];
    let states = 0;
    let isDone: readonly boolean[] = [];
    const watcher = {
      state({ threads }: Glimpse<Shared>) {
        if (states > 0) notes.push(threads.map((thread) => thread.notes));
        isDone = threads.map(({ done }) => done);
        // Only of a failure the steps are known.
        if (states++ === length) throw new Error("the schedule ends here");
      },
    };
    const program = this.#model.programOf(part, places);
    const repeated = yield { program, watcher, bounds: this.#weak, schedule: failure.schedule };
    const thrown = promise === "thrown" && { thrown: { thread: failure.thread!, error: failure.error } };
    const story = {
      steps: repeated.failure?.steps ?? [],
      notes,
      threads: part.map((kept) => this.#model.shownThread(kept)),
      nameOf: this.#nameOf,
      resultOf: (note: number) => {
        const kept = this.#model.resultOf(note);
        return kept && this.#guise ? { result: this.#guise.resultOf(kept.result) } : kept;
      },
      ...thrown,
    };
    return { story, places, isDone };
  }

  /** What is broken, in one sentence, and what an assertion says in several lines. */
  #said(
    part: readonly Kept[],
    { promise, failure }: Broken,
    { story, places, isDone }: Shown,
  ): [string, string?] {
    const unfinished = [...part.entries()].filter(([at]) => isDone[at] !== true);
    if (promise === "deadlock") {
      const waits = unfinished.map(
        ([at, { thread }]) => `thread ${thread} waits for ${this.#awaited(story, at)}`,
      );
      return [
        `deadlock: ${waits.join(", ")}, and no thread is left to wake ${waits.length === 1 ? "it" : "them"}`,
      ];
    }
    if (promise === "livelock") {
      const died = new Set(story.steps.filter(({ event }) => event === "stops").map(({ thread }) => thread));
      const names = unfinished.filter(([at]) => !died.has(at)).map(([, { thread }]) => `thread ${thread}`);
      return [`livelock: from here on no schedule lets ${names.join(" and ")} finish`];
    }
    if (promise === "end" && this.#guise !== undefined) return [this.#guise.saidOf(failure.error)];
    const what = {
      invariant: "the invariant is broken",
      end: "the end is not as promised",
      thrown: promise === "thrown" ? `${this.#placeOf(part, failure.thread!, places)} threw` : "",
    }[promise];
    const cause = oneLine(failure.error);
    const full = failure.error instanceof Error ? failure.error.message.trim() : "";
    if (cause.length <= LONGEST_CAUSE || !full.includes("\n")) return [`${what}: ${cause}`];
    const [first, ...rest] = full.split("\n");
    return [`${what}: ${first}`, rest.join("\n").trim()];
  }

  #awaited({ steps }: Story, at: number): string {
    const waits = ({ thread, access }: TracedStep) =>
      thread === at && access !== undefined && isWaiting(access);
    const { word, lane } = steps.findLast(waits)!.access!;
    return this.#nameOf(word, lane);
  }

  #placeOf(part: readonly Kept[], at: number, places: readonly number[]): string {
    const { thread } = part[at]!;
    const place = places[at]!;
    if (place === ATTACHING) return `attach of thread ${thread}`;
    if (place === AFTER_DEATH) return `afterDeath of thread ${thread}`;
    const name = labelOf(this.#model.operations[thread]![place]!);
    const label = name === undefined ? "" : ` (${name})`;
    return `operation ${place} of thread ${thread}${label}`;
  }

  #sizeOf(part: readonly Kept[]): string {
    const sum = (kept: readonly Kept[]) =>
      kept.reduce((total, { operations }) => total + operations.length, 0);
    const threads = `${part.length} of ${counted(this.#whole.length, "thread")}`;
    return `Smallest failing part found: ${threads}, ${sum(part)} of ${counted(sum(this.#whole), "operation")}.`;
  }

  #coverage(part: readonly Kept[], exploration: Exploration, unmet: readonly string[]): Coverage {
    const isWithoutAccess = (thread: number) => exploration.ends > 0 && !this.#model.accessing.has(thread);
    const withoutAccess = part.map(({ thread }) => thread).filter(isWithoutAccess);
    const seconds = (performance.now() - this.#began) / 1000;
    return new Coverage(exploration, this.#bounds, seconds, { unmet, withoutAccess });
  }
}

export function withoutAccess(): ProgramError {
  return new ProgramError(
    "no thread accesses the shared memory: let operations use what they are given; WebAssembly, native functions " +
      "and views from outside are not seen",
  );
}

interface Shown {
  readonly story: Story;
  /** By thread of the part: where its last run ended, as Model has it. */
  readonly places: readonly number[];
  /** The same: whether it is done where the schedule ends. */
  readonly isDone: readonly boolean[];
}

/** Throws what a function threw that makes no promise. */
function brokenBy<Shared>(failure: Failure, { broken }: Promises<Shared>): Broken {
  const { kind, error, thread } = failure;
  if (kind !== "thrown") return { promise: kind, kind, failure };
  if (error instanceof ProgramError) throw error;
  const promise = thread === undefined ? broken : "thrown";
  if (promise === undefined) throw error;
  return { promise, kind: kindOf(promise, error), failure };
}

function neverTrue(names: readonly string[], ends: number): InterleavingError {
  const quoted = names.map((name) => JSON.stringify(name)).join(" and ");
  const where = `no end of any schedule (${counted(ends, "end")})`;
  return new InterleavingError("sometimes", `sometimes is broken: ${quoted} is true in ${where}`);
}
