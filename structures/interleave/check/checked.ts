import { type Bounds, ProgramError } from "../search/program.ts";

/** Threads that share memory, and what they promise. */
export interface Checked<Shared, Own = Shared> {
  /**
   * A SharedArrayBuffer, a typed array or DataView over one, or a plain object or array of such: formatted, as threads
   * find it. It stays as it is.
   */
  readonly shared: Shared;
  /** Of the elements of a typed array, or of the 32-bit words of anything else, in order; for tables. */
  readonly names?: readonly string[];
  /**
   * What a thread makes of the shared memory before its operations; with `checkAsync` it may be a promise. Without it they
   * are given the shared memory.
   */
  readonly attach?: (shared: Shared, thread: number) => Own | Promise<Own>;
  /** What each thread does: one operation, or several in order. */
  readonly threads: readonly (Operation<Own> | readonly Operation<Own>[])[];
  /** Throws where it is broken. It is asked in every state, so also in the middle of operations. */
  readonly invariant?: (shared: Shared, seen: Seen) => void;
  /** The same for states in which every thread is done or has died. */
  readonly end?: (shared: Shared, seen: Seen) => void;
  /** What must be true in some end, by name: else a program could keep its promises by doing nothing. */
  readonly sometimes?: Readonly<Record<string, (shared: Shared, seen: Seen) => boolean>>;
  /** Threads that may stop for ever before any of their accesses, and while they sleep. */
  readonly dies?: number | readonly number[];
  /** What another part of the program does, sooner or later, once a thread has died. `attach` is given that thread. */
  readonly afterDeath?: Operation<Own>;
}

/**
 * Runs many times, and must do the same whenever it reads the same from shared memory. What it returns is a result:
 * undefined, null, a boolean, number, bigint, string or typed array, or an array or plain object of such. With
 * `checkAsync` it may be a promise of such, which follows from Atomics.waitAsync and from no timer or I/O.
 */
export type Operation<Own> = (own: Own) => unknown;

/**
 * The threads of a state, by number, until the function that is given it returns. Threads that are left out to find a
 * smaller program that fails are done and have no results.
 */
export interface Seen {
  /** What the operations of a thread have returned, as far as they have ended. */
  readonly results: readonly (readonly unknown[])[];
  /** Whether a thread has ended all its operations. */
  readonly done: readonly boolean[];
  /** Whether a thread sleeps until another one wakes it. */
  readonly asleep: readonly boolean[];
  readonly died: readonly boolean[];
}

export interface Limits extends Bounds {
  /** Repeats one schedule only, as an InterleavingError names it. */
  readonly replay?: string;
  /**
   * Whether a failure is looked for in smaller parts of the program, too; true if absent. This visits at most 200,000
   * states more, and each smaller part breaks the same promise and keeps all of them in some schedule.
   */
  readonly shrink?: boolean;
}

const KEYS_OF_PROGRAMS: readonly (keyof Checked<unknown>)[] = [
  "shared",
  "names",
  "attach",
  "threads",
  "invariant",
  "end",
  "sometimes",
  "dies",
  "afterDeath",
];
const KEYS_OF_LIMITS: readonly (keyof Limits)[] = [
  "preemptions",
  "weak",
  "shortestFirst",
  "random",
  "timeLimitMs",
  "maxStates",
  "progress",
  "replay",
  "shrink",
];
const KEYS_OF_RANDOM: readonly (keyof NonNullable<Bounds["random"]>)[] = ["schedules", "seed", "depth"];

/** The explorer keeps the threads that use a word in the bits of a number. */
const MOST_THREADS = 31;

/** Throws a ProgramError for what is wrong with a program, as far as that is seen before it runs. */
export function validateProgram<Shared, Own>(program: Checked<Shared, Own>, isAsync: boolean): void {
  refuseOtherKeys("program", program, KEYS_OF_PROGRAMS);
  const { shared, names, attach, threads, invariant, end, sometimes, dies, afterDeath } = program;
  if (typeof shared !== "object" || shared === null)
    throw new ProgramError(`shared is ${String(shared)}: give the memory that the threads share`);
  if (!Array.isArray(threads) || threads.length === 0)
    throw new ProgramError("threads is empty: give an array with an operation, or several, for each thread");
  if (threads.length > MOST_THREADS)
    throw new ProgramError(`there are ${threads.length} threads: at most ${MOST_THREADS} can be explored`);
  for (const [thread, given] of threads.entries()) {
    const operations: readonly unknown[] = [given].flat();
    if (operations.length === 0)
      throw new ProgramError(`thread ${thread} has no operation: give it one, or leave it out`);
    for (const [operation, one] of operations.entries())
      refuseUnlessFunction(`operation ${operation} of thread ${thread}`, one, isAsync);
  }
  for (const [name, one] of Object.entries({ attach, afterDeath }))
    if (one !== undefined) refuseUnlessFunction(name, one, isAsync);
  for (const [name, one] of Object.entries({ invariant, end }))
    if (one !== undefined) refuseUnlessFunction(name, one);
  for (const [name, one] of Object.entries(sometimes ?? {})) refuseUnlessFunction(`sometimes "${name}"`, one);
  for (const thread of [dies ?? []].flat())
    if (!(Number.isInteger(thread) && thread >= 0 && thread < threads.length))
      throw new ProgramError(`dies names thread ${thread}: the threads are 0 .. ${threads.length - 1}`);
  if (afterDeath !== undefined && [dies ?? []].flat().length === 0)
    throw new ProgramError("afterDeath is given, but no thread may die: name it in dies");
  if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === "string")))
    throw new ProgramError("names is not an array of strings");
}

/** The same for limits. */
export function validateLimits(limits: Limits): void {
  refuseOtherKeys("limits", limits, KEYS_OF_LIMITS);
  const { preemptions = 0, random, timeLimitMs = 1, maxStates = 1, progress, replay } = limits;
  refuseUnlessInteger("preemptions", preemptions, 0);
  refuseUnlessInteger("maxStates", maxStates, 1);
  if (!(timeLimitMs > 0)) throw new ProgramError(`timeLimitMs is ${timeLimitMs}: give more than 0 ms`);
  if (progress !== undefined) refuseUnlessFunction("progress", progress);
  for (const flag of ["weak", "shortestFirst", "shrink"] as const)
    if (limits[flag] !== undefined && typeof limits[flag] !== "boolean")
      throw new ProgramError(`${flag} is ${String(limits[flag])}: give true or false`);
  if (random !== undefined) {
    refuseOtherKeys("random", random, KEYS_OF_RANDOM);
    if (random.schedules === undefined || random.seed === undefined)
      throw new ProgramError("random has two numbers: how many schedules, and the seed they are drawn from");
    refuseUnlessInteger("random.schedules", random.schedules, 1);
    refuseUnlessInteger("random.seed", random.seed, Number.MIN_SAFE_INTEGER);
    refuseUnlessInteger("random.depth", random.depth ?? 1, 1);
  }
  if (replay !== undefined && typeof replay !== "string")
    throw new ProgramError(`replay is ${String(replay)}: give the string that an InterleavingError names`);
}

export function refuseOtherKeys(what: string, given: object, known: readonly string[]): void {
  if (typeof given !== "object" || given === null) throw new ProgramError(`${what} is not an object`);
  const other = Object.keys(given).find((key) => !known.includes(key));
  if (other !== undefined) throw new ProgramError(`${what} has no "${other}": it has ${known.join(", ")}`);
}

export function refuseUnlessInteger(
  what: string,
  value: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const from = least < 0 ? "" : ` of at least ${least}`;
  const range = most < Number.MAX_SAFE_INTEGER ? `, ${least} .. ${most}` : from;
  throw new ProgramError(`${what} is ${String(value)}: give an integer${range}`);
}

/** With `mayAwait` it may be async. */
function refuseUnlessFunction(what: string, value: unknown, mayAwait?: boolean): void {
  if (typeof value !== "function") throw new ProgramError(`${what} is ${String(value)}: give a function`);
  const kind = Object.prototype.toString.call(value);
  if (kind === "[object AsyncFunction]") {
    if (mayAwait === undefined) throw new ProgramError(`${what} is an async function: ${RETURN_AT_ONCE}`);
    if (!mayAwait) throw new ProgramError(`${what} is an async function: ${USE_ASYNC}`);
  } else if (kind !== "[object Function]")
    throw new ProgramError(`${what} is a generator: give a plain function`);
}

export const USE_ASYNC = "await checkAsync instead";
export const RETURN_AT_ONCE = "give one that returns at once";
