import type { RunEnding } from "./collection.ts";
import type { TaskKey } from "./task.ts";

/** How a file is imported, alike in all isolates that import it. */
export interface FileImport {
  /** URL of the bench file. */
  readonly file: string;
  readonly ending: RunEnding;
}

/** Where a task is found. */
export interface TaskAddress extends FileImport {
  readonly key: TaskKey;
  /** Whether its operations return promises, as probe.ts saw it. */
  readonly isAsync?: boolean;
  /** Whether its workers share memory, by the file's `workers`. */
  readonly isShared?: boolean;
  /** Whether the isolate runs all tasks of its groups first, so that code which they share is compiled for all of them. */
  readonly isTogether?: boolean;
}

const SCHEME = "hotpath-task:";

/** The URL by which plans and crews know a task. */
export function urlOf(address: TaskAddress): string {
  return SCHEME + encodeURIComponent(JSON.stringify(address));
}

/** Of a task that does nothing: what the loop that calls tasks costs by itself. */
export const EMPTY_TASK = `${SCHEME}empty`;

/** The same of the loop that awaits each operation, and of an `async` function. */
export const EMPTY_ASYNC_TASK = `${SCHEME}empty-async`;

/** Undefined for the empty tasks. */
export function addressAt(url: string): TaskAddress | undefined {
  if (url === EMPTY_TASK || url === EMPTY_ASYNC_TASK) return undefined;
  return JSON.parse(decodeURIComponent(url.slice(SCHEME.length))) as TaskAddress;
}
