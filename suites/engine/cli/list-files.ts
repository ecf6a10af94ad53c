import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { IMPORT_LIMIT_S } from "../capture/import-file.ts";
import type { Listed, ListedTask, Unlisted } from "../capture/list.ts";
import { packageRootOf } from "../capture/package-root.ts";
import { labelOf } from "../capture/task.ts";
import { assertWritable, withScratch } from "../measure/machine/scratch.ts";
import { askFork } from "../measure/run/process.ts";
import type { Request } from "./arguments.ts";
import { orUsageError, UsageError } from "./usage.ts";

const LIST = new URL("../capture/list.ts", import.meta.url).href;
/** A list takes four imports at most, each of which has a limit of its own; in ms. */
const LIST_MS = 4 * 1000 * IMPORT_LIMIT_S;

/** A bench file with the tasks in it. */
export interface ListedFile {
  /** As it was found. */
  readonly path: string;
  readonly listed: Listed;
}

/** A file that gives no tasks. */
export interface FailedFile {
  readonly path: string;
  /** Why, in one line that names the file. */
  readonly reason: string;
}

/** How processes are kept apart that run what a file describes. */
export interface Isolation {
  /** See `Surroundings`. */
  readonly confinedTo?: string | undefined;
  readonly signal: AbortSignal;
}

/** Does some work whose processes may write to a folder of its own alone, or anywhere if `mayWrite`. */
export function confinedUnless<T>(
  mayWrite: boolean,
  work: (confinedTo: string | undefined) => Promise<T>,
): Promise<T> {
  if (mayWrite) return work(undefined);
  orUsageError(assertWritable);
  return withScratch("bench", work);
}

/** Imports a file in a process of its own and lists its tasks. */
export async function listFile(
  path: string,
  { confinedTo, signal }: Isolation,
): Promise<ListedFile | FailedFile> {
  const file = pathToFileURL(resolve(path)).href;
  const answer = await askFork(
    { kind: "call", module: LIST, argument: { file }, cwd: packageRootOf(resolve(path)), confinedTo },
    { estimateMs: LIST_MS, signal },
  );
  if (answer.kind !== "called") {
    const reason = answer.kind === "lost" ? answer.failure.reason : `its process answered "${answer.kind}"`;
    return { path, reason: `${path}: ${reason}` };
  }
  const listed = answer.value as Listed | Unlisted;
  if ("refused" in listed) return { path, reason: listed.refused };
  return { path, listed };
}

/** The path of groups that a task is in, as a reader knows it; empty for none. */
export function groupOf({ groups }: Pick<ListedTask, "groups">): string {
  return groups.join(" / ");
}

/**
 * The files with the tasks that were asked for, and no others. Throws a UsageError for a group, a task, a baseline or a
 * worker count that none of them has.
 */
export function narrowed(files: readonly ListedFile[], request: Request): ListedFile[] {
  const { groups, tasks, baseline, workers } = request;
  const all = files.flatMap(({ listed }) => listed.tasks);
  for (const text of groups)
    refuseUnless(
      all.some((task) => has(groupOf(task), text)),
      "group",
      text,
      all.map(groupOf),
    );
  const grouped = all.filter((task) => isAmong(groupOf(task), groups));
  const names = grouped.map(({ name }) => name);
  for (const text of tasks)
    refuseUnless(
      names.some((name) => has(name, text)),
      "task",
      text,
      names,
    );
  const left = files.flatMap(({ listed, ...file }) => {
    const kept = listed.tasks.filter((task) => isAsked(task, request));
    return kept.length === 0 ? [] : [{ ...file, listed: { ...listed, tasks: kept } }];
  });
  const kept = left.flatMap(({ listed }) => listed.tasks);
  if (kept.length === 0)
    throw new UsageError("no task is in these groups and has these names: give one of the two");
  if (baseline !== undefined)
    refuseUnless(
      kept.some((task) => isNamed(task, baseline)),
      "task to compare with",
      baseline,
      kept.map(({ name }) => name),
    );
  if (workers !== undefined && left.every(({ listed }) => listed.workerCounts === undefined))
    throw new UsageError(
      "--workers is for files that export `workers`, and none of these does: leave it out",
    );
  return left;
}

/** Whether a task is the one of this name, or of this whole label. */
export function isNamed(task: ListedTask, text: string): boolean {
  return task.name === text || labelOf(task) === text;
}

/** Whether a task is in a group, and has a name, that was asked for. */
export function isAsked(task: ListedTask, { groups, tasks }: Pick<Request, "groups" | "tasks">): boolean {
  return isAmong(groupOf(task), groups) && isAmong(task.name, tasks);
}

function isAmong(name: string, texts: readonly string[]): boolean {
  return texts.length === 0 || texts.some((text) => has(name, text));
}

function has(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase());
}

/** Names in a line that is to be read; there may be hundreds. */
const MOST_NAMES = 12;

function refuseUnless(is: boolean, what: string, text: string, names: readonly string[]): void {
  if (is) return;
  const known = [...new Set(names)].map((name) => (name === "" ? "(none)" : name));
  const more = known.length > MOST_NAMES ? ` and ${known.length - MOST_NAMES} more, see --list` : "";
  throw new UsageError(
    `there is no ${what} ${text}; there are: ${known.slice(0, MOST_NAMES).join(", ")}${more}`,
  );
}
