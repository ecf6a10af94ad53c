import { existsSync, realpathSync, statSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { TaskAddress } from "../../capture/address.ts";
import type { ListedTask } from "../../capture/list.ts";
import { packageRootOf } from "../../capture/package-root.ts";
import type { ProbedWork } from "../../capture/probe.ts";
import { labelOf } from "../../capture/task.ts";
import { UsageError } from "../arguments.ts";
import { lookedAt } from "../look.ts";
import { type PlannedRace, type ProbedTask, planRaces } from "../plan-races.ts";
import { type RacingTasks, raceTasks } from "../race-tasks.ts";
import { reportedRace, withoutFloor } from "../report.ts";
import type { TaskGroup } from "../task-groups.ts";
import { giveDependencies, type Trees } from "./dependencies.ts";
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
import { type CommitsOutcome, exitCodeOf, type TaskRow } from "./outcome.ts";
import { racePairs } from "./race-pairs.ts";
import { runCommand } from "./run-command.ts";
import { type ComparedSides, compareSides, ownNamesIn, type Side } from "./sides.ts";
import { BASE, HEAD, type Seen, seenIn } from "./verdicts.ts";
import { withWorktrees } from "./worktrees.ts";

/** How two commits are raced; the rest is as in any race of tasks. */
export interface CommitsOptions extends Omit<RacingTasks, "progress" | "raced"> {
  /** A git revision. */
  readonly base: string;
  /** The user's folder. */
  readonly folder: string;
  /** Bench files of the working tree. */
  readonly files: readonly string[];
  /** Bench files of a folder that stands for the user's in the base. A UsageError means that it has none. */
  filesIn?(folder: string): readonly string[];
  /** Imports the file at a path and lists its tasks; or says in one line why it cannot be raced. */
  list(path: string): Promise<{ readonly listed: Side } | { readonly reason: string }>;
  /** Whether a task was asked for; each is if absent. */
  readonly isAsked?: (task: ListedTask) => boolean;
  /** Run in the user's folder, and in the same folder of the base, before anything is imported. */
  readonly build?: string | undefined;
  readonly failOn: "slower" | "never";
  /** See `TaskAddress`. */
  readonly isTogether?: boolean;
  /** Numbers of workers; undefined for what the file says. */
  readonly workers?: readonly number[] | undefined;
  /** Time for all racing together, in ms. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  /** Hears what is being done. */
  doing?(what: string): void;
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
        await runCommand(options.build, join(tree, repository.prefix), signal);
      }
      remarks.push(`both sides were built with: ${options.build}`);
    }
    const listed = await listAll(trees, files, options);
    const rows = await raceAll(listed, options);
    const all = [...listed.rows, ...rows].toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file));
    remarks.push(...listed.remarks, ...goneFrom(trees, repository, files, options));
    const { refused } = listed;
    return { ...common, remarks, rows: all, refused, exitCode: exitCodeOf(all, refused, options.failOn) };
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
  { filesIn }: CommitsOptions,
): string[] {
  try {
    const found = filesIn?.(join(base, prefix)).map((file) => fileIn(base, file)) ?? [];
    return found
      .filter((file) => !files.includes(file))
      .map((file) => `${file} is gone: only the base has it`);
  } catch (error) {
    if (error instanceof UsageError) return [];
    throw error;
  }
}

/** What the base has that the head lacks would count as the head's doing. */
function remarksOn({ root }: Repository, { hash, short }: Commit): string[] {
  const missing = Number(git(root, "rev-list", "--count", hash, "^HEAD"));
  if (missing === 0) return [];
  return [
    `${short} has ${missing} commits that this one lacks; what they changed counts too: give the commit where both part for this one's alone`,
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
  const pairs: Pair[] = [];
  const rows: TaskRow[] = [];
  const refused: { file: string; reason: string }[] = [];
  const remarks: string[] = [];
  const loaded = new Set<string>();
  const manifests = git(trees.head, "ls-files", "-z", "--", "package.json", "**/package.json").split("\0");
  for (const file of files) {
    if (options.signal?.aborted === true) break;
    options.doing?.(`importing ${file}`);
    try {
      const head = await listedAt(trees.head, file, options);
      if (!existsSync(join(trees.base, file))) {
        remarks.push(`${file} is new: the base does not have it`);
        rows.push(
          ...asked(head.tasks, options).map((task) => ({ file, task: labelOf(task), verdict: "new" })),
        );
        continue;
      }
      const base = await listedAt(trees.base, file, options, IN_BASE);
      const compared = compareSides(trees, ownNamesIn(trees.head, folderOf(file), manifests), head, base);
      const found = sortedOut(file, compared, head, base, options);
      pairs.push(...found.pairs);
      rows.push(...found.rows);
      if (compared.differing.includes(file))
        remarks.push(`${file} is itself another in the base: its tasks may do different work`);
      if (found.pairs.length > 0)
        for (const url of Object.keys(head.files))
          if (url.startsWith("file:")) loaded.add(fileURLToPath(url));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      refused.push({ file, reason: error.message });
    }
  }
  if (rows.length > 0 && pairs.length === 0 && rows.every(({ verdict }) => verdict === "unchanged"))
    remarks.push("both sides load the same files; nothing of this commit is reached");
  return { pairs, rows, refused, remarks, loaded };
}

const IN_BASE = "in the base: ";

/** Throws a UsageError with the line that says why a file cannot be raced. */
async function listedAt(tree: string, file: string, { list }: CommitsOptions, where = ""): Promise<Side> {
  const found = await list(join(tree, file));
  if ("listed" in found) return found.listed;
  // By paths in the repository: the folder of the base is gone when this is read.
  const reason = [tree, relative(process.cwd(), tree)]
    .filter((path) => path !== "")
    .reduce((text, path) => text.replaceAll(path + sep, ""), found.reason);
  throw new UsageError(where + (reason.startsWith(`${file}: `) ? reason.slice(file.length + 2) : reason));
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
  const rowsOf = (tasks: readonly ListedTask[], verdict: string): TaskRow[] =>
    asked(tasks, options).map((task) => ({ file, task: labelOf(task), verdict }));
  const rows = [...rowsOf(added, "new"), ...rowsOf(gone, "gone")];
  const both = pairs.filter((pair) => asked([pair.head], options).length > 0);
  if (differing.length === 0)
    return {
      pairs: [],
      rows: [
        ...rows,
        ...rowsOf(
          both.map((pair) => pair.head),
          "unchanged",
        ),
      ],
    };
  const racing: Pair[] = [];
  const isShared = head.workerCounts !== undefined;
  const counts = isShared ? (options.workers ?? head.workerCounts) : [1];
  for (const pair of both) {
    const task = labelOf(pair.head);
    const reason =
      pair.head.refused ??
      (pair.base.refused === undefined ? undefined : IN_BASE + pair.base.refused) ??
      (isShared === (base.workerCounts !== undefined) ? undefined : "only one commit exports `workers`");
    if (reason !== undefined) {
      rows.push({ file, task, verdict: "refused", reason });
      continue;
    }
    const tasks = [
      { label: BASE, address: addressOf(base, pair.base, options), isBaseline: true },
      { label: HEAD, address: addressOf(head, pair.head, options), isBaseline: false },
    ];
    for (const workers of counts) {
      const { file: url, importMs, hasLaw = false } = head;
      const group = { file: url, title: task, workers, tasks, baseline: BASE, importMs, hasLaw };
      racing.push({ file, task: isShared ? `${task}, ${workers} workers` : task, group });
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
async function racePair({ group }: Pair, options: CommitsOptions): Promise<Seen> {
  const { tasks } = await lookedAt(group, options);
  const { races, refusals } = planRaces(tasks, group);
  const [refusal] = refusals;
  if (refusal !== undefined) {
    const reason = refusal.replace(`${BASE}: `, IN_BASE).replace(`${HEAD}: `, "");
    return { verdict: "refused", processes: 0, reason };
  }
  // Both are in it, or each is in one of its own.
  const [race] = races as [PlannedRace, PlannedRace?];
  if (races.length > 1) return seenApart(tasks);
  let seen: Seen | undefined;
  await raceTasks([race], {
    ...options,
    cwd: packageRootOf(fileURLToPath(group.file)),
    raced: (raced) => {
      seen = seenIn(reportedRace(withoutFloor(raced), group.hasLaw));
    },
  });
  return seen ?? { verdict: "no number", processes: 0, reason: "it was interrupted" };
}

/** What a look shows of two that cannot share slices. */
function seenApart(tasks: readonly ProbedTask[]): Seen {
  const [base, head] = tasks.map(({ probe }) => probe!.work!) as [ProbedWork, ProbedWork];
  if (base.isAsync !== head.isAsync)
    return { verdict: "refused", processes: 0, reason: "it returns promises in one commit alone" };
  const [baseNs, headNs] = [base.nsPerOperation, head.nsPerOperation];
  return {
    verdict: headNs > baseNs ? "slower" : "faster",
    baseNs,
    headNs,
    processes: 1,
    reason: "too far apart to share slices: these are the times of one look",
  };
}

/** Races all pairs within the budget. Throws a UsageError if a file of the working tree changed meanwhile. */
async function raceAll({ pairs, loaded }: ListedPairs, options: CommitsOptions): Promise<TaskRow[]> {
  const before = statesOf(loaded);
  const concluded = await racePairs(pairs, {
    budgetMs: options.budgetMs,
    seed: options.seed,
    signal: options.signal,
    race(pair, { turn, ...how }) {
      options.doing?.(`${pair.task} (${turn})`);
      return racePair(pair, { ...options, ...how });
    },
  });
  const after = statesOf(loaded);
  const changed = [...loaded].find((path) => before.get(path) !== after.get(path));
  if (changed !== undefined)
    throw new UsageError(`${changed} was changed while it raced: start again, and leave it alone meanwhile`);
  return concluded.map((one, place) => {
    const { file, task } = pairs[place]!;
    if (one === undefined) return { file, task, verdict: "not raced" };
    const { remark } = one;
    return { file, task, ...one.seen, ...(remark === undefined ? {} : { remark }) };
  });
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
