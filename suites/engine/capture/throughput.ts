import { entriesOf, isGroup } from "./exported.ts";
import { Fault } from "./reason.ts";
import type { Task } from "./task.ts";

/** What one operation of a task works on, by its file: `export const throughput = { bytes: 4096 }`. */
export interface PerOperation {
  readonly unit: "bytes" | "items";
  readonly amount: number;
}

/** The name under which a file exports that: of all its tasks, or of each by its name. */
const THROUGHPUT = "throughput";

/** What an operation of each of these tasks works on, in their order. Throws a Fault where the export is not well-formed. */
export function perOperationOf(
  module: Readonly<Record<string, unknown>>,
  tasks: readonly Pick<Task, "name">[],
): (PerOperation | undefined)[] {
  const exported = entriesOf(module).find(([name]) => name === THROUGHPUT)?.[1];
  // A group of tasks may be called so.
  if (!isGroup(exported) || Object.values(exported).some((one) => typeof one === "function"))
    return tasks.map(() => undefined);
  const ofAll = amountIn(exported);
  if (ofAll !== undefined) return tasks.map(() => ofAll);
  const named = new Map(Object.entries(exported).map(([name, one]) => [name, amountIn(one)]));
  for (const [name, amount] of named) {
    if (amount === undefined)
      throw new Fault(
        `its export 'throughput' has '${name}': write { bytes: 4096 } or { items: 100 }, for all or by task`,
      );
    if (!tasks.some((task) => task.name === name))
      throw new Fault(`its export 'throughput' names '${name}', which is no task`);
  }
  return tasks.map(({ name }) => named.get(name));
}

function amountIn(value: unknown): PerOperation | undefined {
  if (!isGroup(value)) return undefined;
  const [[unit, amount] = [], ...others] = Object.entries(value);
  const isUnit = unit === "bytes" || unit === "items";
  return isUnit && others.length === 0 && typeof amount === "number" && amount > 0
    ? { unit, amount }
    : undefined;
}
