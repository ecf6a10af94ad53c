import { existsSync, realpathSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { TaskAddress } from "../../capture/address.ts";
import type { ListedTask } from "../../capture/list.ts";
import { packageRootOf } from "../../capture/package-root.ts";
import { labelOf } from "../../capture/task.ts";
import { FEWEST_FORKS } from "../../measure/plan/timing.ts";
import { present } from "../../words/present.ts";
import { isNamed } from "../find-files.ts";
import { longestNsIn, type PlannedRace, type ProbedTask, planRaces } from "../plan-races.ts";
import { probed } from "../probed.ts";
import { costOf, type RacingTasks, raceTasks } from "../race-tasks.ts";
import { withoutEmpty } from "../report.ts";
import type { TaskGroup } from "../task-groups.ts";
import { counted, UsageError } from "../usage.ts";
import { buildIn, giveDependencies, type Trees } from "./dependencies.ts";
import { git } from "./git.ts";
import { mendings, type TaskRow } from "./outcome.ts";
import type { CommitsOptions, ListedPairs, Named, RacingTime, Sides } from "./race-commits.ts";
import type { Turn } from "./race-pairs.ts";
import { runCommand } from "./run-command.ts";
import { type ComparedSides, compareSides, loadedIn, ownNamesIn, type Side, whyForeign } from "./sides.ts";
import { BASE, HEAD, IN_BASE, type SeenRace, seenOf } from "./verdicts.ts";
import { refusalOf, whyTooLong, withoutRace } from "./without-race.ts";
import type { Worktrees } from "./worktrees.ts";

/** Tasks of bench files, as sides of a comparison of two commits. */
export interface FilesOptions
  extends Omit<RacingTasks, "progress" | "raced" | "signal" | "budgetMs">,
    Pick<CommitsOptions, "folder" | "signal" | "doing"> {
  /** Bench files of the working tree. */
  readonly files: readonly string[];
  /** Files and folders that `files` come from; none if absent. */
  readonly paths?: readonly string[];
  /** Bench files that a path stands for. A UsageError means that there are none. */
  filesIn?(path: string): readonly string[];
  /** Imports the file at a path and lists its tasks; or says in one line why it cannot be raced. */
  list(path: string, signal: AbortSignal): Promise<{ readonly listed: Side } | { readonly reason: string }>;
  /** Whether a task was asked for; each is if absent. */
  readonly isAsked?: (task: ListedTask) => boolean;
  /** Hears all that either commit lists, before anything races. Throws a UsageError where nothing is what was asked for. */
  check?(listed: readonly { readonly path: string; readonly listed: Side }[]): void;
  /** Run in the user's folder, and in the same folder of the base, before anything is imported. */
  readonly build?: string | undefined;
  /** See `TaskAddress`. */
  readonly isTogether?: boolean;
}

/** A task to race, at one number of workers. */
interface Pair extends Named {
  /** Its two commits, as if they were rivals. */
  readonly group: TaskGroup;
}

/** What a failed package manager or build printed is the `cause` of its UsageError. */
export function sidesOfFiles(options: FilesOptions): Sides<Pair> {
  const { folder, build } = options;
  return {
    checkOut: (worktrees, { base }, remarks) => checkOut(worktrees, base.hash, remarks, options),
    async list(trees, { ending }) {
      const files = filesIn(trees.head, options);
      const listed = await listAll(trees, files, { ...options, signal: ending });
      const gone = goneFrom(trees, files, options);
      const isFirst = gone.length === 0 && hasNone(trees.base, files, options);
      return { ...listed, remarks: [...listed.remarks, ...gone], isFirst };
    },
    race: async (pair, turn, time) => [await racePair(pair, turn, time, options)],
    mendings: (rows) => mendings(rows, build === undefined ? (buildIn(folder) ?? "CMD") : undefined),
  };
}

async function checkOut(
  worktrees: Worktrees,
  hash: string,
  remarks: string[],
  { build, doing, signal, ...options }: FilesOptions,
): Promise<Trees> {
  const { root, prefix } = worktrees.repository;
  const head = realpathSync(git(root, "rev-parse", "--show-toplevel"));
  const folders = [prefix, ...filesIn(head, options).map(folderOf)];
  const trees = { head, base: realpathSync(worktrees.add("base", hash)) };
  doing?.("the base's packages");
  remarks.push(
    ...(await giveDependencies(
      trees,
      folders.map((path) => path.replace(/\/$/, "")),
      signal,
    )),
  );
  if (build === undefined) return trees;
  for (const tree of [trees.head, trees.base]) {
    doing?.(build);
    const folder = join(tree, prefix);
    if (!existsSync(folder))
      throw new UsageError(
        `--build runs in ${prefix} of both commits, and the base has no such folder: call it from one that both have`,
      );
    await runCommand(build, folder, signal);
  }
  remarks.push(`both sides were built with: ${build}`);
  return trees;
}

/** As git has them. */
function filesIn(top: string, { files }: Pick<FilesOptions, "files">): string[] {
  return files.map((file) => fileIn(top, file));
}

/** A path of the working tree as git has it. */
function fileIn(top: string, file: string): string {
  const path = relative(top, realpathSync(resolve(file)));
  if (path.startsWith(".."))
    throw new UsageError(
      `${file} is outside of the repository ${top}, so it has no other commit: leave it out`,
    );
  return path.split(sep).join("/");
}

function folderOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "";
}

/** The bench files that only the base has. */
function goneFrom({ head, base }: Trees, files: readonly string[], options: FilesOptions): string[] {
  const { folder, paths = [] } = options;
  const prefix = relative(head, realpathSync(folder));
  const found = paths.flatMap((path) => {
    const within = relative(folder, resolve(folder, path));
    return benchesAt(join(base, prefix, within), options).map((file) => fileIn(base, file));
  });
  return [...new Set(found)]
    .filter((file) => !files.includes(file))
    .map((file) => `${file} is gone: only the base has it`);
}

/** Whether the base has none of these files, and none that is named like a benchmark: what was renamed is not the first. */
function hasNone(base: string, files: readonly string[], options: FilesOptions): boolean {
  return files.every((file) => !existsSync(join(base, file))) && !benchesAt(base, options).some(isNamed);
}

function benchesAt(path: string, { filesIn }: FilesOptions): readonly string[] {
  try {
    return filesIn?.(path) ?? [];
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

async function listAll(
  trees: Trees,
  files: readonly string[],
  options: FilesOptions,
): Promise<ListedPairs<Pair>> {
  const found: { readonly file: string; readonly sorted: SortedFile }[] = [];
  const all: { path: string; listed: Side }[] = [];
  const manifests = git(trees.head, "ls-files", "-z", "--", "package.json", "**/package.json").split("\0");
  for (const file of files) {
    if (options.signal.aborted) break;
    options.doing?.(`importing ${file}`);
    const isNew = !existsSync(join(trees.base, file));
    const ownNames = ownNamesIn(trees.head, folderOf(file), manifests);
    const head = await listedAt(trees.head, file, ownNames, options);
    const base = isNew ? undefined : await listedAt(trees.base, file, ownNames, options);
    for (const side of [head, base])
      if (side?.listed !== undefined) all.push({ path: file, listed: side.listed });
    found.push({ file, sorted: sortedBy(file, head, base, trees, options) });
  }
  if (all.length > 0) options.check?.(all);
  return {
    files,
    pairs: found.flatMap(({ sorted: { pairs = [] } }) => pairs),
    rows: found.flatMap(({ sorted: { rows = [] } }) => rows),
    refused: found.flatMap(({ file, sorted: { refusal } }) =>
      refusal === undefined ? [] : [{ file, reason: refusal }],
    ),
    remarks: found.flatMap(({ file, sorted: { remark } }) => (remark === undefined ? [] : [file + remark])),
    loaded: new Set(found.flatMap(({ sorted: { loaded = [] } }) => loaded)),
  };
}

/** What a file of both commits comes to: pairs that race and rows of what does not, or why it has neither. */
interface SortedFile {
  readonly pairs?: readonly Pair[];
  readonly rows?: readonly TaskRow[];
  readonly refusal?: string;
  /** What is to be said of it, behind its name. */
  readonly remark?: string;
  /** Paths of what the head has loaded, where it races. */
  readonly loaded?: readonly string[];
}

function sortedBy(
  file: string,
  head: SideOrNot,
  base: SideOrNot | undefined,
  trees: Trees,
  options: FilesOptions,
): SortedFile {
  const rowsOf = ({ listed }: SideOrNot, row: Omit<TaskRow, "task" | "file">) =>
    rowsAs(asked(listed!.tasks, options), { file, ...row });
  if (base === undefined)
    return head.listed === undefined
      ? { refusal: head.reason! }
      : { rows: rowsOf(head, { verdict: "new" }), remark: " is new: the base does not have it" };
  if (head.reason !== undefined)
    return base.reason === undefined
      ? { rows: rowsOf(base, { verdict: "failed", reason: head.reason }) }
      : { refusal: head.reason };
  if (base.reason !== undefined)
    return { rows: rowsOf(head, { verdict: "no base", reason: IN_BASE + base.reason }) };
  const [ours, theirs] = [head.listed!, base.listed!];
  try {
    const compared = compareSides(trees, ours, theirs);
    const sorted = sortedOut(file, compared, ours, theirs, options);
    return {
      ...sorted,
      ...(compared.differing.includes(file)
        ? { remark: " is itself another in the base: its tasks may do different work" }
        : {}),
      loaded: sorted.pairs.length > 0 ? loadedIn(trees.head, ours) : [],
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { refusal: error.message };
  }
}

/** What one commit has of a file, and in one line why it cannot be raced: one of them, or both. */
interface SideOrNot {
  readonly listed?: Side;
  readonly reason?: string | undefined;
}

async function listedAt(
  tree: string,
  file: string,
  ownNames: ReadonlySet<string>,
  { list, signal }: FilesOptions,
): Promise<SideOrNot> {
  const found = await list(join(tree, file), signal);
  if ("listed" in found) return { ...found, reason: whyForeign(found.listed, ownNames) };
  // By paths in the repository: the folder of the base is gone when this is read.
  const reason = [tree, relative(process.cwd(), tree)]
    .filter((path) => path !== "")
    .reduce((text, path) => text.replaceAll(path + sep, ""), found.reason);
  return { reason: reason.startsWith(`${file}: `) ? reason.slice(file.length + 2) : reason };
}

function rowsAs(tasks: readonly ListedTask[], row: Omit<TaskRow, "task">): TaskRow[] {
  return tasks.map((task) => ({ ...row, task: labelOf(task) }));
}

function asked(tasks: readonly ListedTask[], { isAsked }: FilesOptions): readonly ListedTask[] {
  return isAsked === undefined ? tasks : tasks.filter(isAsked);
}

/** The tasks of a file: what races, and what is said of the others. */
function sortedOut(
  file: string,
  { differing, pairs, added, gone }: ComparedSides,
  head: Side,
  base: Side,
  options: FilesOptions,
): { pairs: Pair[]; rows: TaskRow[] } {
  const rowsOf = (tasks: readonly ListedTask[], verdict: string) =>
    rowsAs(asked(tasks, options), { file, verdict });
  const rows = [...rowsOf(added, "new"), ...rowsOf(gone, "gone")];
  const both = pairs.filter((pair) => asked([pair.head], options).length > 0);
  if (differing.length === 0) {
    const unchanged = both.map((pair) => pair.head);
    return { pairs: [], rows: [...rows, ...rowsOf(unchanged, "unchanged")] };
  }
  const racing: Pair[] = [];
  const isShared = head.workerCounts !== undefined;
  for (const pair of both) {
    const task = labelOf(pair.head);
    const refusal =
      refusalOf(pair.head.refused, pair.base.refused) ??
      (isShared === (base.workerCounts !== undefined)
        ? undefined
        : { verdict: "refused", reason: "only one commit exports `workers`" });
    if (refusal !== undefined) {
      rows.push({ file, task, ...refusal });
      continue;
    }
    const tasks = [
      { label: BASE, address: addressOf(base, pair.base, options), isBaseline: true },
      { label: HEAD, address: addressOf(head, pair.head, options), isBaseline: false },
    ];
    for (const workers of head.workerCounts ?? [1]) {
      const { file: url, importMs, hasLaw = false } = head;
      const group = { file: url, title: task, workers, tasks, baseline: BASE, importMs, hasLaw };
      racing.push({ file, task: isShared ? `${task}, ${counted(workers, "worker")}` : task, group });
    }
  }
  return { pairs: racing, rows };
}

function addressOf(
  { file, ending, workerCounts }: Side,
  { groups, name, ordinal }: ListedTask,
  { isTogether }: FilesOptions,
): TaskAddress {
  return {
    file,
    ending,
    key: { groups, name, ordinal },
    ...(workerCounts === undefined ? {} : { isShared: true }),
    ...(isTogether === true ? { isTogether } : {}),
  };
}

/** Looks at both commits of a task, and races them if a race can say something about them. */
async function racePair(
  pair: Pair,
  turn: Turn,
  { deadline: { ending, overdue }, ...split }: RacingTime,
  options: FilesOptions,
): Promise<SeenRace> {
  const group = { ...pair.group, ...present({ isCompiledAlike: turn.isCompiledAlike }) };
  const begunMs = performance.now();
  const longestNs = longestNsIn(turn.leftMs);
  const { tasks } = await probed(group, { ...options, seed: turn.seed, longestNs, signal: ending });
  if (overdue.aborted) return OVERDUE;
  const lookMs = performance.now() - begunMs;
  const [base, head] = tasks as [ProbedTask, ProbedTask];
  const without = withoutRace(base, head, group);
  if (without !== undefined) return without;
  // None was refused, so both are in the first.
  const [race] = planRaces(tasks, group).races as [PlannedRace];
  const { leastMs: raceMs } = costOf([race], options.profile);
  const tooLong = whyTooLong({ ...race, raceMs, lookMs }, turn, split);
  if (tooLong !== undefined) return { verdict: "not raced", processes: 0, reason: tooLong };
  let seen: SeenRace | undefined;
  await raceTasks([race], {
    ...options,
    seed: turn.seed,
    overdue,
    budgetMs: Math.max(0, turn.budgetMs - lookMs),
    cwd: packageRootOf(fileURLToPath(group.file)),
    raced: (raced) => {
      seen = seenOf(withoutEmpty(raced), group.hasLaw);
    },
  });
  if (overdue.aborted && (seen?.processes ?? 0) < FEWEST_FORKS) return OVERDUE;
  return seen ?? { verdict: "no number", processes: 0, reason: "it was interrupted" };
}

/** Of a race that the end of the run has cut off. */
const OVERDUE: SeenRace = { verdict: "not raced", processes: 0 };
