import type { Collection } from "../collection.ts";
import type { Task } from "../task.ts";

/** Of a file's text, that it describes its tasks by a global of Deno's. */
export const DENO_BENCH = /\bDeno\.bench\b/;

/**
 * Stands in for the global `Deno` of a file that calls `Deno.bench`, of any version. Tasks without a group are one group, as
 * there. How often to run a task, and what it may do, is ignored.
 */
export function denoOf(collection: Collection): object {
  let hasOnly = false;
  /** Tasks to be taken back when another is the only one. */
  const others: Task[] = [];

  function bench(...given: readonly (string | Body | Partial<Definition>)[]): void {
    const { name, fn, group, baseline, ignore, only } = definitionIn(given);
    if (ignore === true || (hasOnly && only !== true)) return;
    if (only === true) {
      hasOnly = true;
      for (const task of others.splice(0)) collection.remove(task);
    }
    const refused = fn.length > 0 && /\.(?:start|end)\b/.test(String(fn)) ? PARTLY : undefined;
    const context = { name, origin: "", start() {}, end() {} };
    const task = {
      name,
      open: () => ({ run: fn.length === 0 ? fn : () => fn(context) }),
      ...(baseline === true && { isBaseline: true }),
      ...(refused !== undefined && { refused }),
    };
    const added = collection.add(task, group ? [group] : []);
    if (only !== true) others.push(added);
  }

  const { platform: os, arch, env, versions } = process;
  return {
    args: [],
    bench,
    build: { os, arch },
    env: { get: (name: string) => env[name] },
    test() {},
    version: { v8: versions.v8 },
  };
}

const PARTLY = "times a part of itself, by start() and end(): make the rest another task, or do it before";

// biome-ignore lint/suspicious/noExplicitAny: what a file gives.
type Body = (...given: any[]) => any;

interface Definition extends Partial<Record<"ignore" | "only" | "baseline", boolean>> {
  readonly name: string;
  readonly fn: Body;
  readonly group?: string;
}

/** From a name, options and a function, each of which may be left out where another has what it would say. */
function definitionIn(given: readonly (string | Body | Partial<Definition>)[]): Definition {
  const name = given.find((one) => typeof one === "string");
  const options = given.find((one) => typeof one === "object");
  const fn = given.find((one) => typeof one === "function") ?? options?.fn;
  const named = name ?? options?.name ?? fn?.name;
  if (fn === undefined) throw new TypeError("Missing bench function");
  if (!named) throw new TypeError("The bench name can't be empty");
  return { ...options, fn, name: named };
}
