import type { Collection } from "../collection.ts";
import type { Harness } from "../harness.ts";
import { madeUp } from "../made-up.ts";
import { Refusal } from "../reason.ts";
import type { Operation, Task } from "../task.ts";

/** What the thread collects. */
let collection: Collection;

/**
 * Has the surface of mitata from version 0.1 to 1. Each run of a benchmark with arguments is a task. What only changes how
 * mitata shows or samples a benchmark is ignored.
 */
export const mitata: Harness = {
  package: "mitata",
  surface(given) {
    collection = given;
    const block = (kind: string) => (first: unknown, second?: Fn) =>
      collection.group(second && titleOf(first), kind, second ?? (first as Fn));

    return {
      B,
      barplot: block("barplot"),
      baseline: (name: string | Fn, fn: Fn) => bench(name, fn).baseline(),
      bench,
      boxplot: block("boxplot"),
      clear: () => {},
      compact: (body: () => unknown) => body(),
      do_not_optimize,
      flags: FLAGS,
      group: block("group"),
      lineplot: block("lineplot"),
      measure: () => asLibrary("measure()"),
      run: () => collection.ran(() => madeUp),
      summary: block("summary"),
    };
  },
};

class B {
  readonly #fn: Fn;
  #name: string;
  #isBaseline = false;
  readonly #args = new Map<string, readonly unknown[]>();
  /** Its tasks in the collection; undefined where the file runs it by itself. */
  #tasks: Task[] | undefined;

  constructor(name: string, fn: Fn) {
    if (typeof fn !== "function") throw new TypeError("expected iterator, generator or one-shot function");
    this.#name = name;
    this.#fn = fn;
  }

  name(name: string): this {
    this.#name = name;
    return this.#changed();
  }

  baseline(isBaseline = true): this {
    this.#isBaseline = isBaseline;
    return this.#changed();
  }

  args(name: unknown, values?: unknown): this {
    const given =
      typeof name === "string" ? { [name]: values } : isList(name) ? { x: name } : (name ?? { x: null });
    for (const [key, list] of Object.entries(given)) {
      if (isList(list)) this.#args.set(key, list);
      else this.#args.delete(key);
    }
    return this.#changed();
  }

  range(name: string, from: number, to: number, factor = 8): this {
    return this.args(
      name,
      pointsOf(from, to, (point) => point * factor),
    );
  }

  dense_range(name: string, from: number, to: number, step = 1): this {
    return this.args(
      name,
      pointsOf(from, to, (point) => point + step),
    );
  }

  compact(): this {
    return this;
  }

  gc(): this {
    return this;
  }

  highlight(): this {
    return this;
  }

  run(): Promise<unknown> {
    return asLibrary("B.run()");
  }

  collect(): void {
    this.#tasks = this.#runs().map((task) => collection.add(task));
  }

  /** What is chained to `bench` stands where that stands. */
  #changed(): this {
    if (this.#tasks === undefined) return this;
    for (const task of this.#tasks) collection.remove(task);
    this.collect();
    return this;
  }

  /** What a name lacks that would tell its runs apart. */
  #besides(key: string, value: unknown): string {
    const isTold = this.#name.includes(`$${key}`) || this.#args.get(key)!.length === 1;
    return isTold || !PRIMITIVE.has(typeof value) ? "" : ` ${key}=${value}`;
  }

  #runs(): Omit<Task, "groups">[] {
    return combinationsOf(this.#args).map((args) => {
      const name = Object.entries(args).reduce(
        (text, [key, value]) => text.replaceAll(`$${key}`, () => String(value)) + this.#besides(key, value),
        this.#name,
      );
      return { name, ...(this.#isBaseline && { isBaseline: true }), ...bodyOf(this.#fn, args) };
    });
  }
}

const PRIMITIVE = new Set(["number", "string", "boolean", "bigint"]);

function asLibrary(call: string): Promise<unknown> {
  collection.refuse(`uses mitata's ${call}, which gives no task`);
  return collection.ran(() => madeUp);
}

function bench(name: string | Fn, fn: Fn): B {
  const added = typeof name === "function" ? new B(name.name || "anonymous", name) : new B(name, fn);
  added.collect();
  return added;
}

// biome-ignore lint/suspicious/noExplicitAny: what a file gives.
type Fn = (...given: any[]) => any;
interface Args {
  readonly concurrency?: unknown;
  readonly [name: string]: unknown;
}

const FLAGS = { compact: 1, baseline: 2 };

const sink: { value: unknown } = { value: undefined };

function do_not_optimize(value: unknown): void {
  sink.value = value;
}

/** A group's name; in version 0.1 among its options. */
function titleOf(given: unknown): string | undefined {
  const name: unknown =
    typeof given === "object" ? (given as { readonly name?: unknown } | null)?.name : given;
  return name === undefined ? undefined : String(name);
}

/** How mitata calls a function: a generator once for its set-up, one with a parameter with a loop to run, others each time. */
function bodyOf(fn: Fn, args: Args): Pick<Task, "open" | "refused"> {
  const get = (name: string) => args[name];
  if (/^\[object (Async)?GeneratorFunction\]$/.test(Object.prototype.toString.call(fn))) {
    return {
      open() {
        const first = fn({ get }).next();
        return first instanceof Promise
          ? first.then((yielded) => operationOf(yielded, args))
          : operationOf(first, args);
      },
    };
  }
  const open = () => ({ run: fn });
  return fn.length === 0
    ? { open }
    : { open, refused: "loops over mitata's state itself, which only mitata can time" };
}

/** The operation that a generator yields: a function, or one with what makes its arguments. */
function operationOf({ value, done }: IteratorResult<Yielded, unknown>, args: Args): Operation {
  if (done === true) throw new Refusal("its generator yields nothing to run");
  const concurrency: unknown = value?.concurrency ?? args.concurrency ?? 1;
  if (concurrency !== 1) throw new Refusal(`runs ${concurrency} operations at a time (concurrency)`);
  if (typeof value === "function" && value.length === 0) return { run: value };
  if (value?.manual !== undefined) throw new Refusal("times itself (manual)");
  const run = value?.bench;
  if (typeof run !== "function") throw new Refusal("its generator yields no function to run");
  return {
    run,
    parameters: Array.from({ length: run.length }, (_, index) => () => {
      const made: unknown = value[index]();
      if (made instanceof Promise) throw new Refusal("makes its arguments asynchronously");
      return made;
    }),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: checked above.
type Yielded = any;

/** From the first to the last, which is always among them. */
function pointsOf(from: number, to: number, next: (point: number) => number): number[] {
  const points: number[] = [];
  for (let point = from; point <= to; point = next(point)) points.push(point);
  return points.includes(to) ? points : [...points, to];
}

/** Each with each; the first argument changes fastest. */
function combinationsOf(args: ReadonlyMap<string, readonly unknown[]>): Args[] {
  let combinations: Args[] = [{}];
  for (const [key, values] of args) {
    combinations = values.flatMap((value) => combinations.map((one) => ({ ...one, [key]: value })));
  }
  return combinations;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
