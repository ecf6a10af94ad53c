import { format, inspect } from "node:util";
import type { Collection } from "../collection.ts";
import type { Harness } from "../harness.ts";
import { madeUp, orMadeUp } from "../made-up.ts";
import type { Operation, Task } from "../task.ts";

/** What the thread collects. */
let collection: Collection;

/**
 * Has the surface of `vitest bench`: `bench` of versions 1 to 4, and of version 5 the `bench` that a test is given. Bodies of
 * groups and tests run when the file has been imported, in turn. Assertions do nothing, and no clean-up is done.
 *
 * As there, benchmarks of versions 1 to 4 run after `beforeAll` of the file, and no other hook. A test of version 5 runs after
 * all hooks around it.
 */
export const vitest: Harness = {
  package: "vitest",
  surface(given) {
    collection = given;
    const vi = orMadeUp({
      ...VI,
      mock: unsupported("vi.mock"),
      doMock: unsupported("vi.doMock"),
    });
    return {
      ...IGNORED,
      aroundAll: unsupported("aroundAll"),
      aroundEach: unsupported("aroundEach"),
      beforeAll: (hook: Body) => void suite.beforeAll.push(hook),
      beforeEach: (hook: Body) => void suite.beforeEach.push(hook),
      bench,
      describe,
      it: test,
      suite: describe,
      test,
      vi,
      vitest: vi,
    };
  },
};

/** No part of what is measured. */
const IGNORED = Object.fromEntries(
  (
    "EvaluatedModules Snapshots TestRunner afterAll afterEach assert assertType chai createExpect expect expectTypeOf " +
    "inject onTestFailed onTestFinished recordArtifact should"
  )
    .split(" ")
    .map((name) => [name, madeUp]),
);

/** What of `vi` a benchmark depends on. */
const VI = {
  fn: (body: Body = madeUp) => body,
  hoisted: (body: Body) => body(),
  stubEnv: (name: string, value: string) => Object.assign(process.env, { [name]: value }),
  stubGlobal: (name: string, value: unknown) => Object.assign(globalThis, { [name]: value }),
};

// biome-ignore lint/suspicious/noExplicitAny: what a file gives.
type Body = (...given: any[]) => any;

/** A group, or the file. */
interface Suite {
  readonly parent: Suite | undefined;
  /** Whether it, or one around it, is to be the only one. */
  readonly isOnly: boolean;
  readonly beforeAll: Body[];
  readonly beforeEach: Body[];
}

/** Hooks of the suites around a test, the outermost first. */
function around({ parent, ...suite }: Suite, kind: "beforeAll" | "beforeEach"): Body[] {
  return [...(parent === undefined ? [] : around(parent, kind)), ...suite[kind]];
}

/** What a test has handed to `compare` or `run`. */
interface Registration {
  readonly name: string;
  readonly fn: Body | undefined;
  readonly options: Options;
  readonly groups: readonly string[];
}

/** The `bench` of a test's context. */
function registering(registrations: Registration[]): object {
  const bench = (name: unknown, first: unknown, second: unknown) => {
    const { body: fn, options } = givenIn([first, second]);
    const registration = {
      name: nameOf(name),
      fn,
      options,
      groups: [],
      run: async (options?: { readonly name?: string }) => bench.compare(registration, options),
    };
    return registration;
  };
  bench.from = (name: unknown) => bench(name, undefined, undefined);
  bench.compare = async (...given: readonly (Registration | { readonly name?: string } | undefined)[]) => {
    const isRegistration = (one: unknown): one is Registration => one instanceof Object && "run" in one;
    const options = given.find((one) => one !== undefined && !isRegistration(one));
    for (const one of given) {
      // What `from` makes has been measured before.
      if (!isRegistration(one) || one.fn === undefined) continue;
      registrations.push({ ...one, groups: options?.name === undefined ? [] : [options.name] });
    }
    return madeUp;
  };
  return bench;
}

async function operationOf({ fn, options }: Registration): Promise<Operation> {
  const { beforeAll, beforeEach, afterEach } = options;
  await beforeAll?.call(madeUp, "run");
  return {
    run: fn!,
    ...(beforeEach && { beforeEach: () => beforeEach.call(madeUp, "run") }),
    ...(afterEach && { afterEach: () => afterEach.call(madeUp, "run") }),
  };
}

/** A call of `bench`, `describe` or `test`, in any of their forms. */
interface Call extends Given {
  readonly name: string;
  readonly modes: ReadonlySet<string>;
  readonly takesContext: boolean;
  readonly refused: string | undefined;
}

interface Given {
  readonly body: Body | undefined;
  readonly options: Options;
}

/** What counts of the options of a benchmark, a group or a test. */
interface Options {
  readonly only?: boolean;
  readonly skip?: boolean;
  readonly todo?: boolean;
  readonly setup?: Body;
  readonly beforeAll?: Body;
  readonly beforeEach?: Body;
  readonly afterEach?: Body;
}

/** Options come before the body or after it. */
function givenIn(given: readonly unknown[]): Given {
  const isOptions = (one: unknown) => typeof one === "object" && one !== null;
  return {
    body: given.find((one) => typeof one === "function") as Given["body"],
    options: (given.find(isOptions) ?? {}) as Given["options"],
  };
}

function nameOf(name: unknown): string {
  return typeof name === "function" ? name.name || "<anonymous>" : String(name);
}

const MODES = ["concurrent", "fails", "only", "sequential", "shuffle", "skip", "todo"];

/** A function with `skip`, `only`, `each` and so on, which calls `act` unless it is to be left out. */
function chained(act: (call: Call) => void, modes: ReadonlySet<string> = new Set(), refused?: string): Body {
  const isSkipped = modes.has("skip") || modes.has("todo");
  const call = (name: string, { body, options }: Given, takesContext: boolean) => {
    if (isSkipped || options.skip === true || options.todo === true) return;
    act({ name, body, options, modes, takesContext, refused });
  };
  const rows =
    (bind: (body: Body, row: unknown, isSpread: boolean) => Body, own: number) =>
    (cases: readonly unknown[], ...values: readonly unknown[]) =>
    (name: unknown, ...given: readonly unknown[]) => {
      const all = values.length === 0 ? cases : rowsOf(cases as readonly string[], values);
      const isSpread = all.every(Array.isArray);
      const { body, options } = givenIn(given);
      for (const [index, row] of all.entries()) {
        const bound = body && bind(body, row, isSpread);
        call(
          titleOf(nameOf(name), Array.isArray(row) ? row : [row], index),
          { body: bound, options },
          (body?.length ?? 0) > own,
        );
      }
    };
  const chain = (name: unknown, ...given: readonly unknown[]) => {
    const { body, options } = givenIn(given);
    call(nameOf(name), { body, options }, (body?.length ?? 0) > 0);
  };
  const other = (mode: string) => chained(act, new Set([...modes, mode]), refused);
  Object.assign(chain, {
    each: rows(
      (body, row, isSpread) => () => (isSpread ? body(...(row as unknown[])) : body(row)),
      Number.POSITIVE_INFINITY,
    ),
    for: rows((body, row) => (given: unknown) => body(row, given), 1),
    skipIf: (condition: unknown) => (condition ? other("skip") : chain),
    runIf: (condition: unknown) => (condition ? chain : other("skip")),
    extend: () => chained(act, modes, "takes what test.extend() makes, which only vitest can"),
    override: () => {},
    scoped: () => {},
  });
  for (const mode of MODES) Object.defineProperty(chain, mode, { get: () => other(mode) });
  return chain;
}

/** Rows of a tagged template: each with its values by the names in the first line. */
function rowsOf(texts: readonly string[], values: readonly unknown[]): object[] {
  const names = texts[0]!
    .trim()
    .split("\n", 1)[0]!
    .split("|")
    .map((name) => name.trim());
  const rows: object[] = [];
  for (let start = 0; start + names.length <= values.length; start += names.length) {
    rows.push(Object.fromEntries(names.map((name, place) => [name, values[start + place]])));
  }
  return rows;
}

/** Fills a row's values into a title: "%s" and the like in order, "%#" its index, "%$" its number, "$a.b" by name. */
function titleOf(template: string, row: readonly unknown[], index: number): string {
  const others: Readonly<Record<string, string>> = {
    "%%": "%",
    "%#": String(index),
    "%$": String(index + 1),
  };
  let next = 0;
  return template.replace(/%[%#$sdifjoOc]|\$([\w$.]+)/g, (found, path: string | undefined) => {
    if (path === undefined) return others[found] ?? (next < row.length ? format(found, row[next++]) : found);
    const isPlace = /^\d/.test(path);
    if (!isPlace && !(row[0] instanceof Object)) return found;
    const value = path
      .split(".")
      .reduce((at: Fields, key) => at?.[key] as Fields, (isPlace ? row : row[0]) as Fields);
    return typeof value === "string" ? value : inspect(value);
  });
}

type Fields = Readonly<Record<string, unknown>> | undefined;

const file: Suite = { parent: undefined, isOnly: false, beforeAll: [], beforeEach: [] };
let suite = file;
let hasOnly = false;
/** Tasks to be taken back when something else is the only one. */
const others: Task[] = [];
/** Why tasks from now on cannot be raced. */
let refused: string | undefined;

function add(task: Omit<Task, "groups">, isOnly: boolean, groups?: readonly string[]): void {
  if (hasOnly && !isOnly) return;
  const added = collection.add({ ...(refused !== undefined && { refused }), ...task }, groups);
  if (!isOnly) others.push(added);
}

function isOnlyNow({ modes, options }: Call): boolean {
  if (!modes.has("only") && options.only !== true) return suite.isOnly;
  hasOnly = true;
  for (const task of others.splice(0)) collection.remove(task);
  return true;
}

const called = new Set<Body>();
async function callBeforeAll(hooks: readonly Body[]): Promise<void> {
  for (const hook of hooks) {
    if (called.has(hook)) continue;
    called.add(hook);
    await hook(madeUp);
  }
}

const bench = chained((call) => {
  const { body, name, options } = call;
  const isOnly = isOnlyNow(call);
  if (body === undefined) return;
  const open = async (): Promise<Operation> => {
    await callBeforeAll(file.beforeAll);
    await options.setup?.(madeUp, "run");
    return { run: body };
  };
  add({ name, open }, isOnly);
});

const describe = chained((call) => {
  const { body, name } = call;
  const own: Suite = { parent: suite, isOnly: isOnlyNow(call), beforeAll: [], beforeEach: [] };
  if (body === undefined) return;
  collection.defer(name, "describe", () => {
    suite = own;
    return body(test);
  });
});

const test = chained((call) => {
  const { body, name } = call;
  const own = suite;
  const isOnly = isOnlyNow(call);
  // It has no use for a context, and hence for a benchmark.
  if (body === undefined || !call.takesContext) return;
  const register = async () => {
    await callBeforeAll(around(own, "beforeAll"));
    const registrations: Registration[] = [];
    const context = orMadeUp({ bench: registering(registrations) });
    for (const hook of around(own, "beforeEach")) await hook(context);
    await body(context);
    return registrations;
  };
  collection.defer(name, "test", async () => {
    if (hasOnly && !isOnly) return;
    for (const [index, { name, groups }] of (await register()).entries()) {
      // Calls the test again, as a retry would: later ones may have changed what it shares with them.
      const open = async () => operationOf((await register())[index]!);
      add({ name, open, ...(call.refused !== undefined && { refused: call.refused }) }, isOnly, groups);
    }
  });
});

const unsupported = (name: string) => () => {
  refused ??= `uses ${name}(), which only vitest can do`;
};
