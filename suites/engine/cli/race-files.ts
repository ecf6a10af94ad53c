import { randomInt } from "node:crypto";
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { packageRootOf } from "../capture/package-root.ts";
import { writeWhole } from "../measure/machine/write-whole.ts";
import { PROFILES, type Profile } from "../measure/plan/plan.ts";
import { plainLine } from "../schema/lines.ts";
import { progressLine } from "../table/progress.ts";
import { present } from "../words/present.ts";
import { derivedSeed } from "../words/random.ts";
import type { Request } from "./arguments.ts";
import { Budget } from "./budget.ts";
import { Deadline } from "./deadline.ts";
import { filesAt } from "./find-files.ts";
import {
  confinedUnless,
  type FailedFile,
  type Isolation,
  type ListedFile,
  listFile,
  narrowed,
} from "./list-files.ts";
import { listJson, listText } from "./list-text.ts";
import { type PlannedRaces, planRaces } from "./plan-races.ts";
import { probed } from "./probed.ts";
import { raceTasks, type TaskRace, titleOf, unracedText } from "./race-tasks.ts";
import {
  emptyReport,
  type RefusedFile,
  type Report,
  type ReportedRace,
  reportedRace,
  withoutEmpty,
} from "./report.ts";
import { appendReport, markdownOf, raceTextOf, shownPath, textOptionsFor, unproved } from "./report-text.ts";
import { runtimesAsked } from "./runtimes/asked-runtimes.ts";
import { onRuntimes } from "./runtimes/on-runtimes.ts";
import { growthsOf } from "./scaling/growth-rows.ts";
import { growthsText } from "./scaling/growth-text.ts";
import { type TaskGroup, taskGroups } from "./task-groups.ts";
import { counted, EXIT, UsageError } from "./usage.ts";
import { besideIn, explained, refuseUnknown } from "./why/why.ts";

/** Where a command writes. */
export interface Output {
  readonly out: NodeJS.WriteStream;
  /** Progress and remarks. */
  readonly err: NodeJS.WriteStream;
  /** As `hotpath-race 0.1.0`. */
  readonly tool: string;
  /** When the command began, by the clock of its process. */
  readonly startedMs: number;
  readonly signal: AbortSignal;
}

/**
 * Lists bench files, races their tasks group by group, and prints a table of each. Returns an exit code. Throws a UsageError,
 * before anything is raced, for a request that does not fit the files. `exactly`: see `Profile`.
 */
export async function raceFiles(
  request: Request,
  output: Output,
  exactly?: Profile["exactly"],
): Promise<number> {
  return confinedUnless(request.mayWrite, (folder) => raceConfined(request, output, exactly, folder));
}

async function raceConfined(
  request: Request,
  output: Output,
  exactly: Profile["exactly"],
  confinedTo: string | undefined,
): Promise<number> {
  const { out, err, signal, startedMs } = output;
  const deadline = new Deadline(request.list ? undefined : request.budgetMs, signal, startedMs);
  for (const path of [request.json, request.markdown]) if (path !== undefined) refuseUnwritable(path);
  const runtimes = runtimesAsked(request);
  const { files, remarks } = filesAt(request.paths);
  const say = (line: string) => void err.write(`${plainLine(line)}\n`);
  remarks.forEach(say);

  const { listed, failed } = await listAll(files, { confinedTo, signal: deadline.ending }, err);
  deadline.refuseOverdue("importing the files");
  if (signal.aborted) {
    say("interrupted: nothing has raced");
    return EXIT.interrupted;
  }
  // What a folder has besides is no failure.
  const named = new Set(request.paths.map((path) => resolve(path)));
  const isWhole = failed.every(({ path }) => !named.has(resolve(path)));
  if (request.list) {
    const asked = listed.length === 0 ? [] : narrowed(listed, request);
    const { json } = request;
    if (json !== "-") out.write(listText(asked, failed));
    writeJson(listJson(asked, failed, output.tool), json, out);
    return asked.length === 0 ? EXIT.usage : isWhole ? EXIT.ok : EXIT.failed;
  }
  for (const { reason } of failed) say(reason);
  if (listed.length === 0) return EXIT.usage;

  const seed = request.seed ?? randomInt(2 ** 32);
  const profile = { ...profileOf(request), ...present({ exactly }) };
  const grouped = narrowed(listed, request).flatMap((file) => taskGroups(file, request));
  const groups = grouped.flatMap((group) => onRuntimes(group, runtimes, confinedTo));
  if (request.why !== undefined) refuseUnknown(request.why, groups);
  const raced = await raceGroups(groups, { request, output, profile, seed, deadline, confinedTo, say });
  const { reported } = raced;
  const report: Report = {
    ...emptyReport(output.tool, seed),
    races: reported,
    growth: growthsOf(reported),
    refused: [
      ...failed.map(({ path, reason }) => ({ file: pathToFileURL(resolve(path)).href, reason })),
      ...raced.refused,
    ],
  };
  if (request.json !== "-" && reported.length > 0)
    out.write(
      `${growthsText(report.growth, textOptionsFor(out))}${[...unproved(reported), `Seed ${seed}.`].join("\n")}\n`,
    );
  if (signal.aborted) {
    say(`interrupted: ${counted(reported.length, "table")} decided`);
    return EXIT.interrupted;
  }
  if (reported.length === 0) return EXIT.usage;
  write(report, request, out);
  appendReport(report);
  const hasNumbers = reported.every(({ rows }) => rows.every(({ ns }) => ns !== null));
  return isWhole && hasNumbers && raced.failures === 0 ? EXIT.ok : EXIT.failed;
}

/** How groups are raced. */
interface RacingGroups {
  readonly request: Request;
  readonly output: Output;
  readonly profile: Profile;
  readonly seed: number;
  readonly deadline: Deadline;
  readonly confinedTo: string | undefined;
  readonly say: (line: string) => void;
}

/**
 * Looks at groups and races them, one after the other, and prints each table. Where there is a budget, all are looked at before
 * any races, and a UsageError says that it is too small.
 */
async function raceGroups(groups: readonly TaskGroup[], racing: RacingGroups) {
  const { request, output, profile, seed, deadline, confinedTo, say } = racing;
  const { out, err, signal } = output;
  const budget = new Budget(groups, profile, deadline);
  say(budget.announcement);
  const reported: ReportedRace[] = [];
  const refused: RefusedFile[] = [];
  let failures = 0;
  const live = progressLine(err);
  const placeOf = (index: number) => (groups.length === 1 ? "" : `group ${index + 1} of ${groups.length}, `);
  const planOf = (index: number) => {
    const group = groups[index]!;
    live.show(0, undefined, `${placeOf(index)}looking at ${titleOf(group)}`);
    return planned(group, racing, derivedSeed(seed, index), budget.longestNs).finally(live.clear);
  };
  const plans: PlannedRaces[] = [];
  while (budget.isAsked && plans.length < groups.length && !signal.aborted) {
    plans.push(await planOf(plans.length));
    if (!signal.aborted) budget.looked(plans);
  }
  for (const [index, group] of groups.entries()) {
    if (signal.aborted) break;
    const planned = plans[index] ?? (await planOf(index));
    if (signal.aborted) break;
    failures += planned.failures.length;
    const refuse = (why: string) => {
      const reason = plainLine(`${groupName(group)}${why}`);
      refused.push({ file: group.file, reason });
      say(reason);
    };
    planned.refusals.forEach(refuse);
    planned.remarks.forEach(say);
    const longer = budget.longer(index, planned);
    if (longer !== undefined) say(longer);
    const unraced = new Set<TaskRace>(planned.races);
    let toExplain: readonly string[] = [];
    await raceTasks(planned.races, {
      profile,
      budgetMs: budget.shareMs(index, planned),
      seed: derivedSeed(seed, index),
      cwd: packageRootOf(fileURLToPath(group.file)),
      confinedTo,
      signal,
      overdue: deadline.overdue,
      progress: (share, leftMs, race, open) =>
        live.show(share, leftMs, `${placeOf(index)}${nameOf(race)}${openText(open)}`),
      raced: (raced) => {
        live.clear();
        unraced.delete(raced.race);
        const race = reportedRace(withoutEmpty(raced), group.hasLaw);
        reported.push(race);
        if (request.why !== undefined) toExplain = [...toExplain, ...besideIn(race, request.why)];
        if (request.json !== "-")
          out.write(raceTextOf(race, { ...textOptionsFor(out), histogram: request.histogram }));
      },
    });
    live.clear();
    if (signal.aborted) break;
    (request.json === "-" ? err : out).write(
      await explained(group, toExplain, { seed, signal, folder: process.cwd() }),
    );
    for (const race of unraced) refuse(unracedText(race));
    failures += unraced.size;
  }
  return { reported, refused, failures };
}

/** Looks at each task of a group. Throws a UsageError where that takes all the time there is. */
async function planned(group: TaskGroup, racing: RacingGroups, seed: number, longestNs?: number) {
  const { deadline, confinedTo } = racing;
  const { tasks } = await probed(group, { seed, longestNs, confinedTo, signal: deadline.ending });
  deadline.refuseOverdue("a look at each task");
  return planRaces(tasks, group);
}

async function listAll(files: readonly string[], isolation: Isolation, err: Output["err"]) {
  const live = progressLine(err);
  const listed: ListedFile[] = [];
  const failed: FailedFile[] = [];
  for (const [index, path] of files.entries()) {
    if (isolation.signal.aborted) break;
    live.show(index / files.length, undefined, `listing ${path}`);
    const file = await listFile(path, isolation);
    if ("listed" in file) listed.push(file);
    else failed.push(file);
  }
  live.clear();
  return { listed, failed };
}

export function profileOf({ isQuick, precision }: Pick<Request, "isQuick" | "precision">): Profile {
  const profile = isQuick ? PROFILES.quick : PROFILES.standard;
  return { ...profile, precision: precision ?? profile.precision };
}

/** "; deciding twice and 3 more" */
function openText(open: readonly string[]): string {
  const [first, ...others] = open;
  if (first === undefined) return "";
  return `; deciding ${first}${others.length > 0 ? ` and ${others.length} more` : ""}`;
}

function nameOf(race: TaskRace): string {
  const { workers } = race;
  return `${titleOf(race)}${workers === 1 ? "" : `, ${workers} workers`}`;
}

/** What a task's label begins with where several groups, or numbers of workers, may have it. */
function groupName({ file, title, workers }: TaskGroup): string {
  const within = title === "" ? "" : `${title} / `;
  return `${shownPath(file)}${workers === 1 ? "" : `, ${workers} workers`}: ${within}`;
}

/** Throws a UsageError for a file that nothing can be written to. */
export function refuseUnwritable(path: string): void {
  if (path === "-") return;
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (/[\\/]$/.test(path) || there?.isDirectory()) throw new UsageError(`${path} is a folder: give a file`);
    // A file is written beside it first.
    accessSync(there?.isFile() === false ? path : dirname(path), constants.W_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${path} cannot be written (${code}): give another file`);
  }
}

function writeJson(value: object, json: string | undefined, out: NodeJS.WriteStream): void {
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  if (json === "-") out.write(text);
  else if (json !== undefined) writeWhole(json, text);
}

function write(report: Report, { json, markdown }: Request, out: NodeJS.WriteStream): void {
  writeJson(report, json, out);
  if (markdown !== undefined) writeWhole(markdown, markdownOf(report));
}
