import type { Operation, SharedWork, Task } from "./task.ts";

/** The name under which a file exports how its workers share memory. */
const WORKERS = "workers";

/**
 * The tasks that a module without a harness exports: each function is one, and each object a group of them. The default
 * export is a group without a name. Functions that run on several workers take what they share, and return the operation.
 */
export function exportedTasks(module: Readonly<Record<string, unknown>>): Task[] {
  const isShared = sharedWorkOf(module) !== undefined;
  const tasks: Task[] = [];
  const add = (value: unknown, name: string, groups: readonly string[]): void => {
    if (typeof value === "function") tasks.push(taskOf(value as Exported, name, groups, isShared));
    else if (isPlain(value))
      for (const [inner, one] of Object.entries(value))
        add(one, inner, name === "" ? groups : [...groups, name]);
  };
  for (const [name, value] of Object.entries(module)) {
    if (name !== WORKERS && name !== "module.exports") add(value, name === "default" ? "" : name, []);
  }
  return tasks;
}

/** How the workers of a module's tasks share memory, if they do. */
export function sharedWorkOf(module: Readonly<Record<string, unknown>>): SharedWork | undefined {
  return module[WORKERS] as SharedWork | undefined;
}

type Exported = (...given: readonly unknown[]) => unknown;

function taskOf(exported: Exported, name: string, groups: readonly string[], isShared: boolean): Task {
  const open: Task["open"] = isShared
    ? (place) => ({ run: exported(place?.shared, place?.worker) as Operation["run"] })
    : () => ({ run: () => exported() });
  return { groups, name: name === "" ? exported.name : name, open };
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
