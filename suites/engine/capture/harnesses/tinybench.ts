import type { Collection } from "../collection.ts";
import type { Harness } from "../harness.ts";
import type { Task as Collected, Operation } from "../task.ts";

/** What the thread collects. */
let collection: Collection;

/**
 * Has the surface of tinybench, of versions 2 to 6. Each Bench is a group of its own. Names may repeat in it: version 2 keeps
 * the last, and later ones reject that. Options that say how long and how often to measure are kept and ignored.
 */
export const tinybench: Harness = {
  package: "tinybench",
  surface(given) {
    collection = given;
    return { Bench, Task, ...FUNCTIONS };
  },
};

const started = new WeakSet<EventTarget>();
const start = (target: EventTarget, task: Task): void => {
  if (started.has(target)) return;
  started.add(target);
  target.dispatchEvent(new BenchEvent("start", task));
};

class Task extends EventTarget {
  readonly name: string;
  result: object = { state: "not-started" };
  runs = 0;

  /** One that is made by hand is no task of its Bench, which makes its own with `isAdded`. */
  constructor(bench: Bench, name: string, fn: Fn, options?: TaskOptions, isAdded = false) {
    super();
    this.name = name;
    if (isAdded) return;
    collection.add({
      ...collected(bench, this, fn, options),
      refused: "is a Task that no Bench has added",
    });
  }

  run(): Promise<this> {
    return collection.ran(() => this.runSync());
  }

  runSync(): this {
    this.setResult(madeUp());
    this.runs = 1;
    return this;
  }

  setResult(result: object): void {
    this.result = { ...this.result, ...result };
  }

  async warmup(): Promise<void> {}
  warmupSync(): void {}
  reset(): void {}
}

function collected(bench: Bench, task: Task, fn: Fn, hooks: TaskOptions = {}): Omit<Collected, "groups"> {
  const { beforeAll, beforeEach, afterEach } = hooks;
  /** Sets up as before the measurement, and not once more as before a warm-up. */
  async function open(): Promise<Operation> {
    start(bench, task);
    start(task, task);
    await bench.setup?.(task, "run");
    await beforeAll?.call(task, "run");
    return {
      run: () => fn.call(task),
      ...(beforeEach && { beforeEach: () => beforeEach.call(task, "run") }),
      ...(afterEach && { afterEach: () => afterEach.call(task, "run") }),
    };
  }
  const refused = String(fn).includes(OVERRIDDEN) ? `times itself (${OVERRIDDEN})` : undefined;
  return { name: task.name, open, ...(refused && { refused }) };
}

class Bench extends EventTarget {
  readonly opts: BenchOptions;
  declare readonly name?: string;
  declare readonly setup?: (task: Task, mode: Mode) => unknown;
  readonly #tasks = new Map<Task, Collected>();
  #groups: readonly string[] | undefined;

  constructor(options: BenchOptions = {}) {
    super();
    this.opts = options;
    // The name of a method in version 2, and of an option since.
    const { warmup: _, ...fields } = options;
    Object.assign(this, { now, ...RUNTIME, ...fields });
  }

  get tasks(): Task[] {
    return [...this.#tasks.keys()];
  }

  get results(): object[] {
    return this.tasks.map(({ result }) => result);
  }

  add(name: string, fn: Fn, options?: TaskOptions): this {
    this.#groups ??= collection.apart(this.name, "bench");
    const task = new Task(this, name, fn, options, true);
    this.#tasks.set(task, collection.add(collected(this, task, fn, options), this.#groups));
    this.dispatchEvent(new BenchEvent("add", task));
    return this;
  }

  todo(): this {
    return this;
  }

  getTask(name: string): Task | undefined {
    return this.tasks.findLast((task) => task.name === name);
  }

  remove(name: string): this {
    for (const [task, entry] of this.#tasks) {
      if (task.name !== name) continue;
      collection.remove(entry);
      this.#tasks.delete(task);
      this.dispatchEvent(new BenchEvent("remove", task));
    }
    return this;
  }

  run(): Promise<Task[]> {
    return collection.ran(() => this.runSync());
  }

  runConcurrently(): Promise<Task[]> {
    return this.run();
  }

  /** Cannot wait, and therefore returns made-up results in either ending. */
  runSync(): Task[] {
    const isHeard = collection.ending === "go-on";
    for (const task of this.tasks) {
      task.runSync();
      if (!isHeard) continue;
      start(this, task);
      start(task, task);
      task.dispatchEvent(new BenchEvent("cycle", task));
      this.dispatchEvent(new BenchEvent("cycle", task));
      task.dispatchEvent(new BenchEvent("complete", task));
    }
    if (isHeard) this.dispatchEvent(new BenchEvent("complete"));
    return this.tasks;
  }

  async warmup(): Promise<void> {}
  reset(): void {}

  table(convert: (task: Task) => unknown = rowOf): unknown[] {
    return this.tasks.map(convert);
  }
}

/** Whether an operation that returns this has measured its own time, which tinybench then takes for that of the operation. */
export function timesItself(result: unknown): boolean {
  if (typeof result !== "object" || result === null || !(OVERRIDDEN in result)) return false;
  const duration = result[OVERRIDDEN];
  return Number.isFinite(duration) && (duration as number) >= 0;
}

const OVERRIDDEN = "overriddenDuration";

type Mode = "run" | "warmup";
type Fn = () => unknown;
type Hook = (mode: Mode) => unknown;
type TaskOptions = { readonly [hook in "beforeAll" | "beforeEach" | "afterEach" | "afterAll"]?: Hook };
type BenchOptions = Readonly<Record<string, unknown>>;

class BenchEvent extends Event {
  readonly task: unknown;

  constructor(type: string, task?: unknown) {
    super(type);
    this.task = task;
  }
}

const now = (): number => performance.now();
const hrtimeNow = (): number => Number(process.hrtime.bigint()) / 1e6;
const same = (ms: number): number => ms;

const RUNTIME = { runtime: "node", runtimeVersion: process.versions.node };

const FUNCTIONS = {
  formatNumber: (value: number) => value.toFixed(2),
  hrtimeNow,
  hrtimeNowTimestampProvider: { fn: hrtimeNow, fromMs: same, name: "hrtimeNow", toMs: same },
  mToNs: (ms: number) => ms * 1e6,
  nToMs: (ns: number) => ns / 1e6,
  now,
  performanceNowTimestampProvider: { fn: now, fromMs: same, name: "performanceNow", toMs: same },
};

/** A result in which each operation took 1 us, with the statistics where any version keeps them. Times are in ms. */
function madeUp(): object {
  const latency = statistics(0.001);
  const throughput = statistics(1e6);
  const rates = { hz: throughput.mean, period: latency.mean, totalTime: latency.mean };
  return { ...latency, ...rates, latency, throughput, ...RUNTIME, state: "completed", aborted: false };
}

function statistics(mean: number) {
  const at = { mean, min: mean, max: mean, p50: mean, p75: mean, p99: mean, p995: mean, p999: mean };
  const spread = { aad: 0, critical: 0, df: 0, mad: 0, moe: 0, rme: 0, sd: 0, sem: 0, variance: 0 };
  return { ...at, ...spread, samples: [mean], samplesCount: 1 };
}

function rowOf({ name }: { readonly name: string }): object {
  return {
    "Task name": name,
    "Latency avg (ns)": "1000.00 ± 0.00%",
    "Throughput avg (ops/s)": "1000000 ± 0.00%",
  };
}
