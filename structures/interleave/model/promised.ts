import { refuseOtherKeys, refuseUnlessInteger, validateLimits } from "../check/checked.ts";
import { ProgramError } from "../search/program.ts";

/** A call, as its thread knows it. */
export interface Call {
  readonly thread: number;
  /** Of the operation. */
  readonly name: string;
  readonly given: readonly unknown[];
  /** Undefined where its thread died: then it has happened or not. */
  readonly returned?: { readonly value: unknown };
  /** By thread: how many of its calls had ended when this one began. */
  readonly before: readonly number[];
}

/** What a method of the model returns where a call has to wait. It has changed nothing then. */
export const WAITS: unique symbol = Symbol("waits");

/**
 * Which orders may explain the calls. `linearizable`: a call that ended before another began comes before it (Herlihy &
 * Wing, 1990). `sequentially consistent`: calls of one thread keep their order (Lamport, 1979). `quiescently consistent`:
 * a call comes before another if no call was under way at some moment between them (Aspnes, Herlihy & Shavit, 1994).
 */
export const ORDERS = ["linearizable", "sequentially consistent", "quiescently consistent"] as const;
export type Order = (typeof ORDERS)[number];

/** Code whose threads share memory, and the sequential object that it promises to be. */
export interface Promised<Shared, Own = Shared> {
  /**
   * The promise: an object with a method for each operation, called as it is, one call after another. What it remembers
   * stands in its own properties: numbers, strings, plain objects and arrays of such, Maps and Sets. A method returns
   * WAITS, and changes nothing, where the call has to wait.
   */
  // biome-ignore lint/suspicious/noExplicitAny: within its methods it is what it is
  readonly model: object & ThisType<any>;
  /** As of `check`: the memory as threads find it. */
  readonly shared: Shared;
  readonly names?: readonly string[];
  /** What a thread makes of the shared memory before its calls. Its methods are the operations. */
  readonly attach?: (shared: Shared, thread: number) => Own;
  /** By name. */
  readonly operations: Readonly<Record<string, Generated<Own>>>;
  /** The most threads of a scenario, 2 .. 7. */
  readonly threads: number;
  /** The most calls of each, 1 .. 15; 30 in all. */
  readonly calls: number;
  /** `linearizable` if absent. */
  readonly order?: Order;
  /** As of `check`: threads that may die. Their last call has happened or not. */
  readonly dies?: number | readonly number[];
  readonly afterDeath?: (own: Own) => unknown;
}

export interface Generated<Own> {
  /** The arguments of a call; none if absent. */
  readonly args?: (drawing: Drawing) => readonly unknown[];
  /** Makes the call; if absent, the method of this name of what `attach` returned. Returns what `check` takes as a result. */
  readonly call?: (own: Own, ...given: never[]) => unknown;
  /** The threads that may call it; all if absent. */
  readonly by?: number | readonly number[];
  /** What it may return at any time, having changed nothing: when its time is up, or another was quicker. */
  readonly inVain?: readonly unknown[];
}

export interface Drawing {
  /** Number of the call in its scenario, from 1 on: for values that differ. */
  readonly nth: number;
  readonly thread: number;
  /** An integer at random, 0 .. below - 1. */
  readonly draw: (below: number) => number;
}

export interface PromisedLimits {
  /** From which scenarios are drawn; 1 if absent. */
  readonly seed?: number;
  /** How many are drawn; 30 if absent. Those that occur twice are checked once. */
  readonly scenarios?: number;
  /** Of each scenario; 20,000 if absent. One with more is checked within bounds. */
  readonly maxStates?: number;
  /** Of all, in ms; no limit if absent. */
  readonly timeLimitMs?: number;
  /** As of `check`. The order must be "sequentially consistent": looking at the order of calls would order plain accesses. */
  readonly weak?: boolean;
  /** Repeats one schedule of one scenario, as an InterleavingError names it. */
  readonly replay?: string;
}

const KEYS: readonly (keyof Promised<unknown>)[] = [
  ...(["model", "shared", "names", "attach", "operations", "threads", "calls", "order"] as const),
  ...(["dies", "afterDeath"] as const),
];
const KEYS_OF_LIMITS: readonly (keyof PromisedLimits)[] = [
  ...(["seed", "scenarios", "maxStates", "timeLimitMs", "weak", "replay"] as const),
];
const KEYS_OF_OPERATIONS: readonly (keyof Generated<unknown>)[] = ["args", "call", "by", "inVain"];

/** What the count of calls that have ended has room for: 4 bits for each thread of an int32, a bit for each call. */
const MOST_THREADS = 7;
const MOST_CALLS = 15;
const MOST_IN_ALL = 30;

/** Throws a ProgramError for what is wrong, as far as that is seen before a thread runs. */
export function validate<Shared, Own>(promised: Promised<Shared, Own>, limits: PromisedLimits): void {
  refuseOtherKeys("the program", promised, KEYS);
  refuseOtherKeys("limits", limits, KEYS_OF_LIMITS);
  const { model, operations, threads, calls, order = "linearizable" } = promised;
  if (typeof model !== "object" || model === null)
    throw new ProgramError(`model is ${String(model)}: give an object with a method for each operation`);
  refuseUnlessInteger("threads", threads, 2, MOST_THREADS);
  refuseUnlessInteger("calls", calls, 1, MOST_CALLS);
  if (threads * calls > MOST_IN_ALL)
    throw new ProgramError(`${threads} threads with ${calls} calls each make more than ${MOST_IN_ALL} calls`);
  if (!ORDERS.includes(order))
    throw new ProgramError(`order is ${String(order)}: give ${ORDERS.join(" or ")}`);
  if (typeof operations !== "object" || operations === null || Object.keys(operations).length === 0)
    throw new ProgramError("operations is empty: name a method of the model, as in { put: {} }");
  for (const [name, operation] of Object.entries(operations)) {
    refuseOtherKeys(`operation ${name}`, operation, KEYS_OF_OPERATIONS);
    if (typeof Reflect.get(model, name) !== "function")
      throw new ProgramError(`the model has no method ${name}: give it one, or leave out the operation`);
  }
  const { seed = 1, scenarios = 1, ...others } = limits;
  refuseUnlessInteger("seed", seed, Number.MIN_SAFE_INTEGER);
  refuseUnlessInteger("scenarios", scenarios, 1);
  validateLimits(others);
  if (limits.weak && order !== "sequentially consistent")
    throw new ProgramError('weak needs order: "sequentially consistent"');
}
