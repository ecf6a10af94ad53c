import type { AsyncRunner, Runner } from "../race.ts";
import type { Operation } from "./task.ts";

/**
 * The loops that call a task. V8 never compiles the task as part of its loop. It would leave out work that comes to the
 * same in each pass: a task that does nothing was seen to take 0.24 ns. Called out of line, each call is made, and costs
 * the same for all tasks. What that is, `EMPTY_TASK` shows.
 */

/** Runs a task that returns no promises. A call that does return one is found at the end of its batch, mostly. */
export function runnerOf(operation: Operation): Runner {
  const task = new LoadedCall(operation);
  return {
    ...task.runner,
    ...(task.isPrepared && {
      prepare(operations) {
        refusePromise(task.finish());
        refusePromise(task.begin());
        task.makeArguments(operations);
      },
    }),
    run(operations) {
      task.calls += callMany(task.place, operations);
      refusePromise(sink.value);
      return 0;
    },
  };
}

/** Runs a task that returns promises, or whose hooks do. */
export function asyncRunnerOf(operation: Operation): AsyncRunner {
  const task = new LoadedCall(operation);
  return {
    ...task.runner,
    ...(task.isPrepared && {
      async prepare(operations) {
        await task.finish();
        await task.begin();
        task.makeArguments(operations);
      },
    }),
    async runAsync(operations) {
      task.calls += await awaitMany(task.place, operations);
      return 0;
    },
  };
}

/** Runs one operation with its arguments and hooks, each awaited; `note` hears what they return and what that comes to. */
export async function runOnce(
  { run, parameters = [], beforeEach, afterEach }: Operation,
  note: (result: unknown, settled: unknown) => void = () => {},
): Promise<void> {
  const given = parameters.map((make) => make());
  for (const step of [beforeEach, () => run(...given), afterEach]) {
    const result = step?.();
    note(result, isPromise(result) ? await result : result);
  }
}

/** Checks the work of a task on what its runners counted: undefined, or one sentence. */
export function countsCalls(
  work: readonly { readonly operations: number; readonly counters: Readonly<Record<string, number>> }[],
): string | undefined {
  for (const { operations, counters } of work) {
    const calls = counters[CALLS];
    if (calls !== operations)
      return `countsCalls: ${operations} operations are counted, and ${calls} calls were made`;
  }
  return undefined;
}

export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}

/** What a synchronous runner throws where a promise turns up. */
export class UnexpectedPromise extends Error {}

function refusePromise(value: unknown): void {
  if (isPromise(value))
    throw new UnexpectedPromise("it returned a promise, which not all of its operations do");
}

/** Name of the counter. */
const CALLS = "calls";

/** Batches of more would hold more arguments than caches do, where an operation takes a few ns. */
const MOST_ARGUMENTS = 4096;

/** A task with its arguments and hooks. */
class LoadedCall {
  calls = 0;
  /** Among `called`. */
  readonly place: number;
  /** Whether something has to be done before each batch. */
  readonly isPrepared: boolean;
  readonly #operation: Operation;
  readonly #parameters: readonly (() => unknown)[];
  /** Of the operations of a batch, in order. */
  readonly #arguments: unknown[][] = [];
  #next = 0;
  /** Whether an operation has begun, after which something may have to be run. */
  #isBegun = false;

  constructor(operation: Operation) {
    const { parameters = [], beforeEach, afterEach } = operation;
    this.#operation = operation;
    this.#parameters = parameters;
    this.isPrepared = parameters.length > 0 || beforeEach !== undefined || afterEach !== undefined;
    this.place = called.push(this.#call()) - 1;
  }

  /** What both kinds of runners have. */
  get runner(): Pick<Runner, "mostOperations" | "counters"> {
    const { beforeEach, afterEach } = this.#operation;
    const hasHooks = beforeEach !== undefined || afterEach !== undefined;
    return {
      ...(hasHooks ? { mostOperations: 1 } : this.isPrepared ? { mostOperations: MOST_ARGUMENTS } : {}),
      counters: () => ({ [CALLS]: this.calls }),
    };
  }

  /** Runs what comes after the operation before. */
  finish(): unknown {
    return this.#isBegun ? this.#operation.afterEach?.() : undefined;
  }

  /** Runs what comes before the next operation. */
  begin(): unknown {
    this.#isBegun = true;
    return this.#operation.beforeEach?.();
  }

  makeArguments(operations: number): void {
    this.#next = 0;
    for (let index = 0; index < operations; index++) {
      this.#arguments[index] = this.#parameters.map((make) => make());
    }
    this.#arguments.length = operations;
  }

  #call(): () => unknown {
    const { run } = this.#operation;
    switch (this.#parameters.length) {
      case 0:
        return run as () => unknown;
      case 1:
        return () => run(this.#arguments[this.#next++]![0]);
      default:
        return () => run(...this.#arguments[this.#next++]!);
    }
  }
}

/**
 * The last result of a batch, so that no engine may leave the work out. It has held values of several kinds before it is
 * used, and therefore keeps any of them without converting it.
 */
const sink: { value: unknown } = { value: undefined };
for (const value of [1, 1.5, "", {}, undefined]) sink.value = value;

/**
 * What loops call, by place. V8 takes what a closure holds for a constant, and compiles a call of a constant as part of its
 * caller. It does not do so with an element of an array.
 */
const called: (() => unknown)[] = [() => undefined, () => 1, () => "", () => sink];

/** Calls one of `called` this often; returns how often it has. */
function callMany(place: number, operations: number): number {
  const call = called[place]!;
  let result: unknown;
  let calls = 0;
  for (; calls < operations; calls++) result = callOutOfLine(call);
  sink.value = result;
  return calls;
}

/** As `callMany`, and awaits each before the next. */
async function awaitMany(place: number, operations: number): Promise<number> {
  const call = called[place]!;
  let result: unknown;
  let calls = 0;
  for (; calls < operations; calls++) result = await callOutOfLine(call);
  sink.value = result;
  return calls;
}

/** As worker.ts calls batches: V8 inlines no call whose site has met several targets. */
function callOutOfLine(call: () => unknown): unknown {
  return call();
}
/** Far beyond what V8 lets pass before it collects feedback. */
const SHOWN_CALLS = 3000;
for (let shown = 0, others = called.length; shown < SHOWN_CALLS; shown++) callMany(shown % others, 1);
