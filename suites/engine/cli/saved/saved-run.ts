import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { addressAt } from "../../capture/address.ts";
import { labelOf, type TaskKey } from "../../capture/task.ts";
import { describeMachine, describeRuntime } from "../../measure/machine/machine.ts";
import { writeWhole } from "../../measure/machine/write-whole.ts";
import { COMPILED_ALIKE } from "../../schema/flags.ts";
import { plainLine } from "../../schema/lines.ts";
import type { Conditions, JudgedMeasured, JudgedRow } from "../../schema/verdict.ts";
import { git } from "../commits/git.ts";
import { doubtsIn, type Raced } from "../report.ts";

/** Runs that a user keeps by name, in the package that their bench files are in. */

/** Of the form of a saved run; also another where figures of an older version of the package no longer compare. */
const VERSION = 1;

export interface SavedRun {
  readonly kind: "hotpath-race run";
  readonly version: typeof VERSION;
  /** When it was saved, ISO 8601. */
  readonly at: string;
  readonly seed: number;
  /** Null outside of a git repository. `dirty`: tracked files were changed. */
  readonly commit: { readonly hash: string; readonly dirty: boolean } | null;
  readonly machine: ReturnType<typeof describeMachine>;
  readonly runtime: ReturnType<typeof describeRuntime>;
  readonly tables: readonly SavedTable[];
  /** Labels of tasks that raced, but have no number or no verdict may rest on it. */
  readonly unjudged: readonly string[];
}

/** Tasks that raced together. */
export interface SavedTable {
  readonly workers: number;
  /** The state of the machine that most figures are of. */
  readonly state: Conditions["state"];
  /** The highest noise floor, as a share; null where none was measured. */
  readonly floor: number | null;
  /** What an operation of the control took, in ns; null where it failed. It is the same work in all runs. */
  readonly controlNs: number | null;
  /** The ones that were judged. */
  readonly tasks: readonly SavedTask[];
}

export interface SavedTask extends TaskKey {
  /** Path of its bench file from the package's folder, with slashes. */
  readonly file: string;
  /** What an operation took in each process, in ns. */
  readonly ns: readonly number[];
}

/** A task of one run, with the table it raced in. */
export interface TaskOfRun {
  readonly label: string;
  readonly task: SavedTask;
  readonly table: SavedTable;
}

/** The tasks of a run by what identifies them in any other: file, key and worker count. */
export function tasksOf({ tables }: SavedRun): Map<string, TaskOfRun> {
  return new Map(
    tables.flatMap((table) =>
      table.tasks.map((task) => {
        const { file, groups, name, ordinal } = task;
        const label = labelIn(task, table);
        const id = JSON.stringify([file, groups, name, ordinal, table.workers]);
        return [id, { label, task, table }] as const;
      }),
    ),
  );
}

function labelIn(task: Omit<SavedTask, "ns">, { workers }: Pick<SavedTable, "workers">): string {
  return `${task.file}: ${labelOf(task)}${workers === 1 ? "" : `, ${workers} workers`}`;
}

/** A run as it is saved. `folder` is the package's. */
export function savedRun(raced: readonly Raced[], seed: number, folder: string): SavedRun {
  return {
    kind: "hotpath-race run",
    version: VERSION,
    at: new Date().toISOString(),
    seed,
    commit: commitOf(folder),
    machine: describeMachine(),
    runtime: runtimeOf(raced),
    tables: raced.map((one) => savedTable(one, folder)),
    unjudged: raced.flatMap((one) => unjudgedOf(one, folder)),
  };
}

/** Times of processes that compiled alike are compared with others of their kind alone. */
function runtimeOf(raced: readonly Raced[]): SavedRun["runtime"] {
  const runtime = describeRuntime();
  const own = raced.some(({ race }) => race.isCompiledAlike) ? [COMPILED_ALIKE] : [];
  return { ...runtime, flags: [...runtime.flags, ...own] };
}

function isOfTask({ kind }: JudgedRow): boolean {
  return kind === "baseline" || kind === "rival";
}

/** Which task a row is of. */
function taskOf({ race }: Raced, { competitor }: JudgedRow, folder: string): Omit<SavedTask, "ns"> {
  const { file, key } = addressAt(race.contestants[Number(competitor.slice(1))]!.url)!;
  return { file: relative(folder, fileURLToPath(file)).split(sep).join("/"), ...key };
}

function unjudgedOf(raced: Raced, folder: string): string[] {
  const doubt = doubtsIn(raced);
  return raced.judged.rows
    .filter((row) => isOfTask(row) && (row.noNumber !== undefined || doubt(row) !== undefined))
    .map((row) => labelIn(taskOf(raced, row, folder), raced.race));
}

function savedTable(raced: Raced, folder: string): SavedTable {
  const { race, judged } = raced;
  const { state, floors, control } = judged.conditions[0]!;
  const doubt = doubtsIn(raced);
  const measured = judged.rows.filter(
    (row): row is JudgedMeasured => row.noNumber === undefined && isOfTask(row) && doubt(row) === undefined,
  );
  return {
    workers: race.workers,
    state,
    floor: floors.length === 0 ? null : Math.max(...floors),
    controlNs: Number.isFinite(control.value) ? control.value : null,
    tasks: measured.map((row) => ({
      ...taskOf(raced, row, folder),
      ns: row.processes.map(({ ns }) => Number(ns.toPrecision(6))),
    })),
  };
}

function commitOf(folder: string): SavedRun["commit"] {
  try {
    const hash = git(folder, "rev-parse", "HEAD");
    return { hash, dirty: git(folder, "status", "--porcelain", "-uno") !== "" };
  } catch {
    return null;
  }
}

function runsFolder(folder: string): string {
  const modules = join(folder, "node_modules");
  return existsSync(modules) ? join(modules, ".cache", "hotpath-race") : join(folder, ".hotpath-race");
}

/** Throws an Error with one line for a name that is none. To be called before anything is raced. */
export function checkRunName(name: string): void {
  // No capital letters: on some disks two names that differ by these alone are one file.
  if (!/^[a-z0-9][a-z0-9._-]{0,79}$/.test(name))
    throw new Error(
      `"${name}" cannot name a run: give 1 to 80 small letters, digits, dots, hyphens and underscores, a letter or digit first`,
    );
}

/** Saves a run under a name, in place of an older one of that name. Returns lines that say what was done. */
export function saveRun(run: SavedRun, name: string, folder: string): string {
  checkRunName(name);
  const place = runsFolder(folder);
  const path = join(place, `${name}.json`);
  const isThere = existsSync(path);
  writeWhole(path, `${JSON.stringify(run)}\n`);
  const { unjudged } = run;
  return [
    `Saved as ${name} in ${relative(folder, path)}${isThere ? ", in place of the run that had this name" : ""}.`,
    ...(unjudged.length === 0 ? [] : [`Not judged, so not saved: ${unjudged.join("; ")}.`]),
  ]
    .map(plainLine)
    .join("\n");
}

/** More is no saved run. */
const MOST_BYTES = 16 * 2 ** 20;

/** The run of this name. Throws an Error with one line if there is none. To be called before anything is raced. */
export function loadRun(name: string, folder: string): SavedRun {
  checkRunName(name);
  const place = runsFolder(folder);
  const names = existsSync(place)
    ? readdirSync(place).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []))
    : [];
  if (!names.includes(name)) {
    const known = names.length === 0 ? "there is none" : `the saved runs are ${names.join(", ")}`;
    throw new Error(`no run is saved as "${name}": ${known}; --save ${name} saves one`);
  }
  const path = join(place, `${name}.json`);
  const damaged = (what: string) => new Error(`${path} ${what}; save the run again with --save ${name}`);
  const run = parsed(path) as Partial<SavedRun> | undefined;
  if (run?.kind !== "hotpath-race run") throw damaged("is no saved run");
  if (run.version !== VERSION) throw damaged(`has version ${run.version}, and this reads ${VERSION}`);
  try {
    if (isWhole(run)) return run as SavedRun;
  } catch {
    // What should be a list or an object is none.
  }
  throw damaged("is damaged");
}

function parsed(path: string): unknown {
  try {
    return statSync(path).size > MOST_BYTES ? undefined : JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Whether all that a comparison reads is there. */
function isWhole({ at, machine, runtime, tables, unjudged }: Partial<SavedRun>): boolean {
  const isPositive = (value: unknown) => typeof value === "number" && value > 0;
  const isTask = ({ file, groups, name, ns }: Partial<SavedTask>) =>
    [file, name].every((text) => typeof text === "string") &&
    Array.isArray(groups) &&
    ns?.every(isPositive) === true;
  const isTable = ({ workers, floor, controlNs, tasks }: Partial<SavedTable>) =>
    isPositive(workers) &&
    [floor, controlNs].every((value) => value === null || isPositive(value)) &&
    tasks?.every(isTask) === true;
  return (
    [at, machine?.cpu, runtime?.version].every((text) => typeof text === "string") &&
    tables?.every(isTable) === true &&
    unjudged?.every((label) => typeof label === "string") === true
  );
}
