import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { CONFINEMENT, confinedTo } from "../measure/machine/confinement.ts";
import { losePatience } from "../measure/machine/patience.ts";
import { killDescendants } from "../measure/machine/process-status.ts";
import { messageOf } from "../measure/plan/failures.ts";
import type { FileImport } from "./address.ts";
import { endlessReason, IMPORT_LIMIT_S } from "./import-file.ts";
import { endStarted } from "./processes.ts";
import { labelOfFile } from "./reason.ts";
import { labelOf, type TaskKey, textOfKey } from "./task.ts";
import { tasklessReason } from "./taskless.ts";
import type { PerOperation } from "./throughput.ts";

/** What a file describes, without the functions. */
export interface Listed extends FileImport {
  /** One or more. */
  readonly tasks: readonly ListedTask[];
  /** Numbers of workers that share memory; undefined where each task runs alone. */
  readonly workerCounts?: readonly number[];
  /** Whether `workers` has a law. */
  readonly hasLaw?: boolean;
  /** How long an import takes, in ms. */
  readonly importMs: number;
  /** A hash of each file that was loaded, by its URL. */
  readonly files: Readonly<Record<string, string>>;
  /** The file that each package was resolved to, by how the project's files name it. */
  readonly packages: Readonly<Record<string, string>>;
}

export interface ListedTask extends TaskKey {
  readonly isBaseline: boolean;
  readonly refused?: string;
  readonly perOperation?: PerOperation;
}

/** Why a file gives no tasks, in one line that is ready to print. */
export interface Unlisted {
  readonly refused: string;
  /** Whether that comes after a run, and made-up results do not explain it. */
  readonly isAfterRun?: boolean;
}

/** What the thread of one import found. */
export type Found = Unlisted | (Listed & { readonly hasRun: boolean; readonly hasThreads: boolean });

/** What a thread says: that it has loaded a file, that the file knows a harness, and at last what it found. */
export type ListMessage = "loaded" | "stood in" | Found;

/**
 * For a `CallJob`: lists the tasks of the file at an address, in threads of their own, as they are raced. `run` of its harness
 * ends as more tasks need it. The list is made with two seeds and has to be the same, because races have others.
 */
export default async function list({ file }: Pick<FileImport, "file">): Promise<Listed | Unlisted> {
  endStarted();
  const path = fileURLToPath(file);
  if (!existsSync(path)) return { refused: `${labelOfFile(file)} does not exist` };
  if (!statSync(path).isFile()) return { refused: `${labelOfFile(file)} is a folder: name a file in it` };
  const paused = await find({ file, ending: "pause" });
  if ("refused" in paused) return paused;
  if (paused.tasks.length === 0 && !paused.hasRun) return { refused: emptyReason(paused) };
  const [again, wentOn] = await Promise.all([
    find(paused, 1),
    paused.hasRun ? find({ file, ending: "go-on" }) : paused,
  ]);
  if ("refused" in wentOn && wentOn.isAfterRun === true) return wentOn;
  const goesOn = lengthOf(wentOn) > lengthOf(paused);
  const first = goesOn ? wentOn : paused;
  if ("refused" in first) return first;
  if (first.tasks.length === 0) return { refused: emptyReason(first) };
  const second = goesOn ? await find(first, 1) : again;
  if ("refused" in second) return second;
  const difference = differenceOf(first.tasks, second.tasks);
  if (difference !== undefined) {
    const reason = `the list of tasks differs from import to import: ${difference}`;
    return { refused: `${labelOfFile(file)}: ${reason}` };
  }
  const { hasRun: _, hasThreads: __, ...listed } = first;
  return listed;
}

function lengthOf(found: Found): number {
  return "refused" in found ? 0 : found.tasks.length;
}

function emptyReason({ file, hasThreads }: Extract<Found, Listed>): string {
  return hasThreads
    ? `${labelOfFile(file)} starts workers that hold its tasks; race needs them in the file itself`
    : tasklessReason(file, "has no task");
}

/** How two lists differ, by the first task that only one of them has. */
function differenceOf(first: readonly TaskKey[], second: readonly TaskKey[]): string | undefined {
  const lost = missingFrom(second, first);
  if (lost !== undefined) return `'${labelOf(lost)}' is missing in the second`;
  const gained = missingFrom(first, second);
  return gained && `'${labelOf(gained)}' is missing in the first`;
}

function missingFrom(keys: readonly TaskKey[], others: readonly TaskKey[]): TaskKey | undefined {
  const labels = new Set(keys.map(textOfKey));
  return others.find((key) => !labels.has(textOfKey(key)));
}

/** What the thread of one import is started with. */
export interface ListRequest extends FileImport {
  /** As `importFile` gets it. */
  readonly seed: number;
}

/** Imports the file in a thread of its own, for as long as the limit. */
function find({ file, ending }: FileImport, seed = 0): Promise<Found> {
  // It goes on to what it does with results, which are made up.
  const confinement = CONFINEMENT.length === 0 && ending === "go-on" ? confinedTo([]) : CONFINEMENT;
  const { promise, resolve } = Promise.withResolvers<Found>();
  const endless = () => resolve({ refused: endlessReason(file) });
  let hasHarness = false;
  let patience = losePatience(1000 * IMPORT_LIMIT_S, endless);
  const worker = new Worker(new URL("./list-thread.ts", import.meta.url), {
    workerData: { file, ending, seed } satisfies ListRequest,
    execArgv: [...confinement],
  })
    .on("message", (message: ListMessage) => {
      patience.end();
      if (typeof message === "object") return resolve(message);
      hasHarness ||= message === "stood in";
      patience = hasHarness
        ? losePatience(1000 * IMPORT_LIMIT_S, endless)
        : loseInterest(() => resolve(silenceOf(file)));
    })
    .once("error", (error) => resolve({ refused: `${labelOfFile(file)}: ${messageOf(error)}` }))
    .once("exit", (code) => resolve({ refused: `${labelOfFile(file)} ended its thread with code ${code}` }));
  return promise.finally(() => {
    patience.end();
    return worker.terminate();
  });
}

/** A file that knows no harness, and has loaded nothing more for this long, runs one of its own; in ms. */
const SILENCE_MS = 5_000;
/** Where the process has had less of a core meanwhile, in us, on a busy machine, a file has the time once more. */
const LEAST_CPU_US = 2e6;

function loseInterest(lost: () => void, isLast = false): { end(): void } {
  const before = process.cpuUsage();
  let patience = losePatience(SILENCE_MS, () => {
    const { user, system } = process.cpuUsage(before);
    if (user + system >= LEAST_CPU_US || isLast) return lost();
    patience = loseInterest(lost, true);
  });
  return { end: () => patience.end() };
}

function silenceOf(file: string): Unlisted {
  // A thread that waits for a process ends after it.
  killDescendants("self");
  return {
    refused: tasklessReason(
      file,
      `runs for over ${SILENCE_MS / 1000} s while it is imported, and describes no task`,
    ),
  };
}
