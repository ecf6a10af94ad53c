import type { Collection } from "../collection.ts";
import type { Harness } from "../harness.ts";
import type { Operation, Task } from "../task.ts";
import { refusalOf } from "./decompiled.ts";

/** What the thread collects. */
let collection: Collection;

type Fn = (...given: readonly unknown[]) => unknown;
type Options = Readonly<Record<string, unknown>>;
type Wanted<T> = string | ((one: T, index: number) => boolean);
type By<T> = string | ((one: T, index: number) => unknown);

class Emitter {
  readonly events: Record<string, Fn[]> = {};
  readonly options: Options;
  #isStarted = false;

  constructor(options: Options) {
    this.options = options;
    for (const [key, value] of Object.entries(options)) {
      if (value === undefined || value === null) continue;
      if (/^on[A-Z]/.test(key)) this.on(key.slice(2).toLowerCase(), value as Fn);
      else Reflect.set(this, key, value);
    }
  }

  listeners(type: string): Fn[] {
    this.events[type] ??= [];
    return this.events[type];
  }

  on(types: string, listener: Fn): this {
    for (const type of types.split(" ")) this.listeners(type).push(listener);
    return this;
  }

  /** Takes away one registration of `listener`, or all without one. */
  off(types: string, listener?: Fn): this {
    for (const type of types.split(" ")) {
      const listeners = this.listeners(type);
      const index = listener === undefined ? 0 : listeners.indexOf(listener);
      if (index !== -1) listeners.splice(index, listener === undefined ? listeners.length : 1);
    }
    return this;
  }

  emit(type: string, target: object = this): void {
    const event = { type, target, currentTarget: this, timeStamp: Date.now() };
    for (const listener of [...this.listeners(type)]) listener.call(this, event);
  }

  /** Lets the listeners of `start` set up what they need, once. */
  start(target: object): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.emit("start", target);
  }

  abort(): this {
    return this;
  }

  reset(): this {
    return this;
  }
}

let outside: readonly string[] | undefined;
let count = 0;

/** Lets a file hear that a run has ended: before `run` returns, unless that is asynchronous. */
function ran(hear: () => void, isAsync: boolean): void {
  if (collection.ending === "go-on" && !isAsync) hear();
  void collection.ran(() => isAsync && hear());
}

class Benchmark extends Emitter {
  static readonly options: Options = {};
  declare readonly name?: string;
  declare readonly fn: Fn;
  declare readonly defer?: boolean;
  declare readonly setup?: Fn;
  declare readonly teardown?: Fn;
  readonly id = this.options.id ?? ++count;
  #suite: Suite | undefined;
  #task: Task | undefined;

  constructor(name?: unknown, fn?: unknown, options?: Options) {
    super({ ...Benchmark.options, ...optionsOf(name, fn, options) });
    Object.assign(this, UNMEASURED);
  }

  get #label(): string {
    return String(this.name ?? `<Test #${this.id}>`);
  }

  /** Puts it into a group, out of the one that it may be in. */
  join(groups: readonly string[], suite?: Suite): this {
    if (this.#task !== undefined) collection.remove(this.#task);
    const refused = refusalOf(this);
    const task = { name: this.#label, open: () => this.#open(), ...(refused && { refused }) };
    this.#task = collection.add(task, groups);
    this.#suite = suite;
    return this;
  }

  #open(): Operation {
    this.#suite?.start(this);
    this.start(this);
    this.setup?.();
    const { fn, defer } = this;
    if (defer !== true) return { run: () => fn.call(this) };
    return { run: () => new Promise<void>((resolve) => fn.call(this, { benchmark: this, resolve })) };
  }

  run(options?: Options): this {
    this.measured();
    const isAsync = this.defer === true || options?.async === true;
    ran(() => {
      this.start(this);
      this.emit("cycle");
      this.emit("complete");
    }, isAsync);
    return this;
  }

  /** Makes up that each operation took 1 us. Times are in seconds. */
  measured(): void {
    const stats = { ...UNMEASURED.stats, mean: 1e-6, sample: Array(5).fill(1e-6) };
    const times = { cycle: 1e-6, elapsed: 1e-6, period: 1e-6, timeStamp: Date.now() };
    Object.assign(this, { count: 1, cycles: 1, hz: 1e6, stats, times });
  }

  clone(options?: Options): Benchmark {
    return alone(new Benchmark({ ...this.options, ...options }));
  }

  compare(): number {
    return 0;
  }

  override toString(): string {
    return `${this.#label} x 1,000,000 ops/sec ±0.00% (5 runs sampled)`;
  }
}

/** For a benchmark that the file makes outside of suites. */
function alone(benchmark: Benchmark): Benchmark {
  outside ??= collection.apart(undefined, "suite");
  return benchmark.join(outside);
}

/** Has indices and a length as an array, and is none, as in benchmark.js. */
class Suite extends Emitter implements ArrayLike<Benchmark> {
  static readonly options: Options = {};
  declare readonly name?: string;
  readonly [index: number]: Benchmark;
  length = 0;
  #groups: readonly string[] | undefined;

  constructor(name?: unknown, options?: Options) {
    super({ ...Suite.options, ...(isObject(name) ? name : { ...options, name }) });
  }

  add(name: unknown, fn?: unknown, options?: Options): this {
    const target = new Benchmark(name, fn, options);
    this.emit("add", target);
    this.push(target);
    return this;
  }

  push(...added: Benchmark[]): number {
    this.#groups ??= collection.apart(this.name, "suite");
    for (const one of added) one.join(this.#groups, this);
    return Array.prototype.push.apply(this, added);
  }

  run(options?: Options): this {
    const all = Array.from(this);
    for (const one of all) one.measured();
    const isAsync = options?.async === true || all.some(({ defer }) => defer === true);
    ran(() => {
      for (const one of all) {
        this.start(one);
        this.emit("cycle", one);
      }
      this.emit("complete", all.at(-1));
    }, isAsync);
    return this;
  }

  filter(wanted: Wanted<Benchmark>): Suite {
    const kept = new Suite(this.options);
    Array.prototype.push.apply(kept, filter(this, wanted));
    return kept;
  }

  map(by: By<Benchmark>): unknown[] {
    return map(this, by);
  }
}
for (const method of "forEach indexOf join pop reduce reverse shift slice sort splice".split(" ")) {
  Reflect.set(Suite.prototype, method, Reflect.get(Array.prototype, method));
}
Reflect.set(Suite.prototype, "each", Array.prototype.forEach);

/**
 * Has the surface of benchmark.js 2. Each Suite is a group of its own, and so are all benchmarks outside of suites together.
 * Listeners of `start` are set-up: they run before a task, as `setup` does, and once. Those of `cycle` and `complete` run only
 * where a file goes on.
 */
export const benchmarkJs: Harness = {
  package: "benchmark",
  surface(given) {
    collection = given;
    const surface: object = callable(Benchmark, alone);
    const runInContext = () => surface;
    return Object.assign(surface, STATICS, { Benchmark: surface, Suite: callable(Suite), runInContext });
  },
};

/** From the forms in which benchmark.js takes a test. */
function optionsOf(name: unknown, fn: unknown, options: Options | undefined): Options {
  if (isObject(name)) return name;
  if (typeof name === "function") return { ...(fn as Options | undefined), fn: name };
  return isObject(fn) ? { ...fn, name } : { fn, ...options, name };
}

function isObject(value: unknown): value is Options {
  return typeof value === "object" && value !== null;
}

/** A class that may be called without `new`; `then` gets what a file makes of it. */
function callable<C extends new (...given: never[]) => object>(
  made: C,
  then: (one: InstanceType<C>) => object = (one) => one,
): C {
  return new Proxy(made, {
    apply: (target, _self, given) => then(Reflect.construct(target, given)),
    construct: (target, given, subclass) => then(Reflect.construct(target, given, subclass)),
  });
}

const UNMEASURED = {
  aborted: false,
  count: 0,
  cycles: 0,
  hz: 0,
  running: false,
  stats: { deviation: 0, mean: 0, moe: 0, rme: 0, sample: [] as number[], sem: 0, variance: 0 },
  times: { cycle: 0, elapsed: 0, period: 0, timeStamp: 0 },
};

const VERSION = process.versions.node;
const DESCRIPTION = `Node.js ${VERSION}`;
const STATICS = {
  filter,
  formatNumber: (value: number) => value.toLocaleString("en-US"),
  invoke: (benches: ArrayLike<object>, method: string) =>
    map(benches, (one) => (Reflect.get(one, method) as Fn).call(one)),
  map,
  platform: { description: DESCRIPTION, name: "Node.js", toString: () => DESCRIPTION, version: VERSION },
  support: { browser: false, decompilation: true, timeout: true },
  version: "2.1.4",
};

/** By a function, or by "fastest", "slowest" or "successful", which all are. */
function filter<T extends object>(benches: ArrayLike<T>, wanted: Wanted<T>): T[] {
  return Array.from(benches).filter(typeof wanted === "function" ? wanted : Boolean);
}

function map<T extends object>(benches: ArrayLike<T>, by: By<T>): unknown[] {
  return Array.from(benches, (one, index) =>
    typeof by === "function" ? by(one, index) : Reflect.get(one, by),
  );
}
