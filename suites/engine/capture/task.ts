import type { WorkerIdentity } from "../race.ts";

/** A task as a bench file describes it to its harness, or exports it. */
export interface Task {
  /** Names of the groups around it, the outermost first. */
  readonly groups: readonly string[];
  /** As the file has it; it may repeat, and contain any character. */
  readonly name: string;
  /** Whether the file itself names it as the one to compare with. */
  readonly isBaseline?: boolean;
  /** Why it cannot be raced, in one line without its name; undefined where nothing speaks against it. */
  readonly refused?: string;
  /**
   * Makes it ready in this isolate: runs its set-up, once, before its first operation. Where workers share memory it gets
   * that and the worker, and must not return a promise. Throws what the file throws.
   */
  open(place?: TaskPlace): Operation | Promise<Operation>;
}

/** Where an operation of several workers runs. */
export interface TaskPlace {
  /** What the file's `workers.shared` returned. */
  readonly shared: unknown;
  readonly worker: WorkerIdentity;
}

/** A task that is ready to run. */
export interface Operation {
  /** One operation, with a value of each of its `parameters`. A promise that it returns is awaited. */
  run(...parameters: readonly unknown[]): unknown;
  /** Makes the arguments of one operation. They are called anew for each, and not timed. */
  readonly parameters?: readonly (() => unknown)[];
  /** Run around each operation, and not timed. Promises that they return are awaited. */
  beforeEach?(): unknown;
  afterEach?(): unknown;
}

/** An added export of a bench file, by which its tasks run on several workers that share memory. */
export interface SharedWork {
  /** Numbers of workers, each a table of its own. */
  readonly counts: readonly number[];
  /** Allocates and formats what the workers of one task share, of plain data and views of SharedArrayBuffers. */
  shared?(): unknown;
  /** As `Race.law`: undefined, or one sentence that says which law is broken. */
  law?(shared: unknown, work: readonly { readonly operations: number }[]): string | undefined;
}

/** Identifies a task in each import of its file. */
export interface TaskKey {
  readonly groups: readonly string[];
  readonly name: string;
  /** How many tasks of the same groups and name the file has before it. */
  readonly ordinal: number;
}

/** The keys of tasks in their order. */
export function keysOf(tasks: readonly Pick<Task, "groups" | "name">[]): TaskKey[] {
  const seen = new Map<string, number>();
  return tasks.map(({ groups, name }) => {
    const text = JSON.stringify([groups, name]);
    const ordinal = seen.get(text) ?? 0;
    seen.set(text, ordinal + 1);
    return { groups: [...groups], name, ordinal };
  });
}

/** A key as text, the same for equal keys alone. */
export function textOfKey({ groups, name, ordinal }: TaskKey): string {
  return JSON.stringify([groups, name, ordinal]);
}

/** A key as a reader knows it: "parse / small", and "parse / small (2)" for the second of this name. */
export function labelOf({ groups, name, ordinal }: TaskKey): string {
  return [...groups, name].join(" / ") + (ordinal === 0 ? "" : ` (${ordinal + 1})`);
}
