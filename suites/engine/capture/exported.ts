import { Fault, Refusal } from "./reason.ts";
import type { Operation, SharedWork, Task } from "./task.ts";

type Exports = Readonly<Record<string, unknown>>;

/** The name under which a file exports how its workers share memory. */
const WORKERS = "workers";

/**
 * The tasks that a module without a harness exports: each function is one, and each object a group of them. Those of
 * the default export have no group. Promises are awaited; classes and other values are no tasks. Functions that run on
 * several workers take what they share, and return the operation.
 */
export async function exportedTasks(module: Exports): Promise<Task[]> {
  const isShared = sharedWorkOf(module) !== undefined;
  const tasks: Task[] = [];
  async function add(exported: unknown, name: string, groups: readonly string[], around: readonly unknown[]) {
    const value = exported instanceof Promise ? await exported : exported;
    if (isTask(value)) tasks.push(taskOf(value, name, groups, isShared));
    if (!isGroup(value) || around.includes(value)) return;
    refuseDescription(value);
    const inner = name === DEFAULT && groups.length === 0 ? groups : [...groups, name];
    for (const [key, one] of Object.entries(value)) await add(one, key, inner, [...around, value]);
  }
  const entries = entriesOf(module);
  refuseDescription(Object.fromEntries(entries));
  for (const [name, value] of entries) if (name !== WORKERS) await add(value, name, [], []);
  return tasks;
}

/** Throws a Fault for an object by which another harness is told of one test: its parts are no rivals. */
function refuseDescription({ fn, name, ...others }: Exports): void {
  if (typeof fn !== "function" && !isGroup(fn)) return;
  const part = Object.keys(others).find((key) => PARTS.test(key) && typeof others[key] === "function");
  if (part === undefined && typeof name !== "string") return;
  throw new Fault(
    `it exports 'fn' beside '${part ?? "name"}', as for another harness: export functions alone`,
  );
}

/** What a harness calls around a test, in the names of benchmark.js and of others. */
const PARTS = /^(?:setup|teardown|on[A-Z]\w*|(?:before|after)(?:All|Each)?)$/;

/** How the workers of a module's tasks share memory, if they do. Throws a Fault where that is not well-formed. */
export function sharedWorkOf(module: Exports): SharedWork | undefined {
  const workers = entriesOf(module).find(([name]) => name === WORKERS)?.[1];
  if (workers === undefined) return undefined;
  const wrong = wrongIn(workers);
  if (wrong !== undefined) throw new Fault(`its export 'workers' ${wrong}`);
  return workers as SharedWork;
}

function wrongIn(workers: unknown): string | undefined {
  if (!isGroup(workers)) return "is no object: write { counts: [1, 4] }";
  const { counts, ...others } = workers;
  const isCount = (count: unknown) => Number.isSafeInteger(count) && (count as number) >= 1;
  if (!Array.isArray(counts) || counts.length === 0 || !counts.every(isCount)) {
    return "needs counts, a list of whole numbers from 1 up, such as [1, 4]";
  }
  if (new Set(counts).size < counts.length) return "repeats one of its counts: write each once";
  for (const [name, value] of Object.entries(others)) {
    if (name !== "shared" && name !== "law") return `has '${name}': it takes counts, shared and law`;
    if (value !== undefined && typeof value !== "function") return `has a ${name} that is no function`;
  }
  return undefined;
}

const DEFAULT = "default";
const COMMON_JS = "module.exports";

/**
 * What a module exports, once each. The members of an object that is its default export are its own. That of a CommonJS
 * module is its whole, which an import finds under two names, and of which it finds some members by name. A transpiled one has
 * its default export within that.
 */
export function entriesOf(module: Exports): [string, unknown][] {
  const whole = module[COMMON_JS] ?? module[DEFAULT];
  if (!isGroup(whole)) return Object.entries(module).filter(([name]) => name !== COMMON_JS);
  const { __esModule: isTranspiled, ...members } = whole;
  if (isTranspiled === true) return entriesOf(members);
  const others = Object.entries(module).filter(
    ([name, value]) => name !== DEFAULT && name !== COMMON_JS && members[name] !== value,
  );
  return [...Object.entries(members), ...others];
}

type Exported = (...given: readonly unknown[]) => unknown;

function taskOf(exported: Exported, name: string, groups: readonly string[], isShared: boolean): Task {
  const open: Task["open"] = isShared
    ? (place) => ({ run: operationOf(exported(place?.shared, place?.worker)) })
    : () => ({ run: exported as Operation["run"] });
  return { groups, name: name === DEFAULT ? exported.name || name : name, open };
}

function operationOf(made: unknown): Operation["run"] {
  if (typeof made === "function") return made as Operation["run"];
  throw new Refusal(
    "it returns no function: where a file exports workers, its functions return the operation",
  );
}

function isTask(value: unknown): value is Exported {
  return typeof value === "function" && !/^class\b/.test(Function.prototype.toString.call(value));
}

/** Whether it is an object that is nothing else: no list, no instance of a class. */
export function isGroup(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
