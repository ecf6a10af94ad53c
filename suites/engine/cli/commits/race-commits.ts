import { existsSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { TaskAddress } from "../../capture/address.ts";
import type { ListedTask } from "../../capture/list.ts";
import { packageRootOf } from "../../capture/package-root.ts";
import { labelOf } from "../../capture/task.ts";
import { FEWEST_FORKS } from "../../measure/plan/timing.ts";
import { readableTime } from "../../table/progress.ts";
import { Deadline } from "../deadline.ts";
import { lookedAt } from "../look.ts";
import { longestNsIn, type PlannedRace, type ProbedTask, planRaces } from "../plan-races.ts";
import { costOf, type RacingTasks, raceTasks } from "../race-tasks.ts";
import { withoutFloor } from "../report.ts";
import type { TaskGroup } from "../task-groups.ts";
import { counted, EXIT, UsageError } from "../usage.ts";
import { buildIn, giveDependencies, type Trees } from "./dependencies.ts";
import {
  type Commit,
  commitOf,
  git,
  isShallow,
  type Repository,
  reasonAgainst,
  repositoryOf,
  whyUnknown,
} from "./git.ts";
import { type CommitsOutcome, countsOf, exitCodeOf, mendings, type TaskRow } from "./outcome.ts";
import { racePairs, type Turn } from "./race-pairs.ts";
import { runCommand } from "./run-command.ts";
import { type ComparedSides, compareSides, loadedIn, ownNamesIn, type Side, whyForeign } from "./sides.ts";
import { BASE, HEAD, IN_BASE, type Seen, seenOf } from "./verdicts.ts";
import { refusalOf, type Split, whyTooLong, withoutRace } from "./without-race.ts";
import { withWorktrees } from "./worktrees.ts";

/** How two commits are raced; the rest is as in any race of tasks. */
export interface CommitsOptions extends Omit<RacingTasks, "progress" | "raced"> {
  /** A git revision. */
  readonly base: string;
  /** The user's folder. */
  readonly folder: string;
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
  readonly failOn: "slower" | "never";
  /** See `TaskAddress`. */
  readonly isTogether?: boolean;
  /** Time for imports, looks and races together, in ms: what git, a package manager and `build` take comes on top. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  /** Hears what is being done, and which share of the budget is over. */
  doing?(what: string, share?: number, leftMs?: number): void;
  /** Hears what will be raced, in one line, before it is. */
  announced?(line: string): void;
}

/**
 * Races each task of bench files as it is at `base` against itself as it is now, in the same processes. What both commits load
 * alike is not raced. Leaves nothing behind, but what `build` makes in the user's folder.
 *
 * Rejects with a UsageError where the two cannot be compared at all: no repository, no such revision, a failure of the
 * package manager or of `build`. What these printed is its `cause`.
 */
export async function raceCommits(options: CommitsOptions): Promise<CommitsOutcome> {
  const { signal, doing } = options;
  const { repository, top, base, head } = openBoth(options);
  const common = { base: { ref: options.base, commit: base.hash }, head };
  if (base.hash === head.commit && !head.isDirty) {
    const remarks = ["nothing differs: the base is the commit that is checked out"];
    return { ...common, remarks, rows: [], refused: [], exitCode: 0 };
  }
  return await withWorktrees(repository, "commits", async (worktrees) => {
    doing?.(`checking out ${base.short}`);
    const trees: Trees = { head: top, base: realpathSync(worktrees.add("base", base.hash)) };
    const files = options.files.map((file) => fileIn(top, file));
    const remarks = [...remarksOn(repository, base)];
    doing?.("the base's packages");
    const folders = [repository.prefix, ...files.map(folderOf)].map((path) => path.replace(/\/$/, ""));
    remarks.push(...(await giveDependencies(trees, folders, signal)));
    if (options.build !== undefined) {
      for (const tree of [trees.head, trees.base]) {
        doing?.(options.build);
        const folder = join(tree, repository.prefix);
        if (!existsSync(folder))
          throw new UsageError(
            `--build runs in ${repository.prefix} of both commits, and the base has no such folder: call it from one that both have`,
          );
        await runCommand(options.build, folder, signal);
      }
      remarks.push(`both sides were built with: ${options.build}`);
    }
    const deadline = new Deadline(options.budgetMs, signal);
    const listed = await listAll(trees, files, { ...options, signal: deadline.ending });
    deadline.refuseOverdue("importing the files of both commits");
    const { rows, changed } = await raceAll(listed, options, deadline);
    const all = [...listed.rows, ...rows].toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file));
    remarks.push(...listed.remarks, ...goneFrom(trees, repository, files, options));
    const { refused } = listed;
    const exitCode = exitCodeOf(all, refused, options.failOn);
    if (exitCode === EXIT.usage)
      remarks.push(
        ...mendings(
          all,
          options.build === undefined ? (buildIn(join(top, repository.prefix)) ?? "CMD") : undefined,
        ),
      );
    if (changed === undefined) return { ...common, remarks, rows: all, refused, exitCode };
    const path = relative(top, changed).split(sep).join("/");
    remarks.push(
      `${path} was changed while it raced, so figures may be of either state: start again, and leave it alone meanwhile`,
    );
    return { ...common, remarks, rows: all, refused, exitCode: EXIT.failed };
  });
}

function openBoth({ base: ref, folder }: CommitsOptions) {
  const repository = opened(folder);
  const base = commitOf(repository, ref);
  if (base === undefined) throw unknownBase(repository, ref);
  return {
    repository,
    top: realpathSync(git(repository.root, "rev-parse", "--show-toplevel")),
    base,
    head: {
      commit: git(repository.root, "rev-parse", "HEAD"),
      isDirty: git(repository.root, "status", "--porcelain", "--untracked-files=normal") !== "",
    },
  };
}

function opened(folder: string): Repository {
  try {
    return repositoryOf(realpathSync(folder));
  } catch {
    throw new UsageError(`--base compares commits in a git work tree: ${reasonAgainst(folder)}`);
  }
}

function unknownBase(repository: Repository, ref: string): UsageError {
  const mend = isShallow(repository)
    ? "this clone is shallow: check out with fetch-depth: 0, or git fetch --unshallow"
    : "git branch --all lists what there is, git fetch brings what is missing";
  return new UsageError(
    `--base ${ref} is no commit of this repository (git: ${whyUnknown(repository, ref)}): ${mend}`,
  );
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
function goneFrom(
  { base }: Trees,
  { prefix }: Repository,
  files: readonly string[],
  { folder, paths = [], filesIn }: CommitsOptions,
): string[] {
  const found = paths.flatMap((path) => {
    const within = relative(folder, resolve(folder, path));
    try {
      return filesIn?.(join(base, prefix, within)).map((file) => fileIn(base, file)) ?? [];
    } catch (error) {
      if (error instanceof UsageError) return [];
      throw error;
    }
  });
  return [...new Set(found)]
    .filter((file) => !files.includes(file))
    .map((file) => `${file} is gone: only the base has it`);
}

/** What the base has that the head lacks would count as the head's doing. */
function remarksOn({ root }: Repository, { hash, short }: Commit): string[] {
  const missing = Number(git(root, "rev-list", "--count", hash, "^HEAD"));
  if (missing === 0) return [];
  return [
    `${short} has ${counted(missing, "commit")} that this one lacks; what they changed counts too: give the merge base to see this branch alone`,
  ];
}

/** A task to race, at one number of workers. */
interface Pair {
  readonly file: string;
  readonly task: string;
  /** Its two commits, as if they were rivals. */
  readonly group: TaskGroup;
}

/** What is known of all files before anything races. */
interface ListedPairs {
  readonly pairs: readonly Pair[];
  /** Of tasks that do not race. */
  readonly rows: readonly TaskRow[];
  readonly refused: CommitsOutcome["refused"];
  readonly remarks: readonly string[];
  /** Paths of the files of the working tree that race. */
  readonly loaded: ReadonlySet<string>;
}

async function listAll(
  trees: Trees,
  files: readonly string[],
  options: CommitsOptions,
): Promise<ListedPairs> {
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
  options: CommitsOptions,
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
  { list, signal }: CommitsOptions,
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

function asked(tasks: readonly ListedTask[], { isAsked }: CommitsOptions): readonly ListedTask[] {
  return isAsked === undefined ? tasks : tasks.filter(isAsked);
}

/** The tasks of a file: what races, and what is said of the others. */
function sortedOut(
  file: string,
  { differing, pairs, added, gone }: ComparedSides,
  head: Side,
  base: Side,
  options: CommitsOptions,
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
  { isTogether }: CommitsOptions,
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
  { group }: Pair,
  turn: Turn,
  split: Split,
  options: CommitsOptions,
  { ending, overdue }: Deadline,
): Promise<Seen> {
  const begunMs = performance.now();
  const longestNs = longestNsIn(turn.leftMs);
  const { tasks } = await lookedAt(group, { ...options, seed: turn.seed, longestNs, signal: ending });
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
  let seen: Seen | undefined;
  await raceTasks([race], {
    ...options,
    seed: turn.seed,
    overdue,
    budgetMs: Math.max(0, turn.budgetMs - lookMs),
    cwd: packageRootOf(fileURLToPath(group.file)),
    raced: (raced) => {
      seen = seenOf(withoutFloor(raced), group.hasLaw);
    },
  });
  if (overdue.aborted && (seen?.processes ?? 0) < FEWEST_FORKS) return OVERDUE;
  return seen ?? { verdict: "no number", processes: 0, reason: "it was interrupted" };
}

/** Of a race that the end of the run has cut off. */
const OVERDUE: Seen = { verdict: "not raced", processes: 0 };

/** Races all pairs within the budget. `changed` is a file of the working tree that was edited meanwhile. */
async function raceAll(
  { pairs, rows, loaded }: ListedPairs,
  options: CommitsOptions,
  deadline: Deadline,
): Promise<{ rows: TaskRow[]; changed: string | undefined }> {
  const before = statesOf(loaded);
  const { budgetMs, seed } = options;
  const racingMs = deadline.leftMs;
  const split = { importsMs: budgetMs - racingMs, racingMs };
  if (pairs.length > 0)
    options.announced?.(
      `${[`${counted(pairs.length, "task")} to race`, countsOf(rows)].filter(Boolean).join(", ")}; up to ${readableTime(budgetMs)}`,
    );
  const concluded = await racePairs(pairs, {
    budgetMs: racingMs,
    seed,
    signal: deadline.ending,
    race(pair, turn) {
      options.doing?.(`${pair.task} (${turn.turn})`, 1 - turn.leftMs / budgetMs, turn.leftMs);
      return racePair(pair, turn, split, options, deadline);
    },
  });
  const after = statesOf(loaded);
  return {
    changed: [...loaded].find((path) => before.get(path) !== after.get(path)),
    rows: concluded.map((one, place) => {
      const { file, task } = pairs[place]!;
      if (one === undefined) return { file, task, verdict: "not raced" };
      const { remark } = one;
      return { file, task, ...one.seen, ...(remark === undefined ? {} : { remark }) };
    }),
  };
}

/** What changes when a file does. */
function statesOf(paths: Iterable<string>): ReadonlyMap<string, string> {
  return new Map(
    [...paths].map((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return [path, `${found?.mtimeMs} ${found?.size}`];
    }),
  );
}
