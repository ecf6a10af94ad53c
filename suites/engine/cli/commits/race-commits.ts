import { statSync } from "node:fs";
import { relative, sep } from "node:path";
import { readableTime } from "../../table/progress.ts";
import { present } from "../../words/present.ts";
import type { FailOn } from "../arguments.ts";
import { Deadline } from "../deadline.ts";
import { counted, EXIT, likely, UsageError } from "../usage.ts";
import type { Trees } from "./dependencies.ts";
import {
  branchesOf,
  type Commit,
  commitOf,
  git,
  isShallow,
  type Repository,
  reasonAgainst,
  repositoryOf,
  whyUnknown,
} from "./git.ts";
import { type CommitsOutcome, countsOf, exitCodeOf, type TaskRow } from "./outcome.ts";
import { racePairs, type Turn } from "./race-pairs.ts";
import type { SeenRace } from "./verdicts.ts";
import { type Worktrees, withWorktrees } from "./worktrees.ts";

/**
 * The machine that compares two commits. It checks them out, has both listed, races what differs, and once more what came out
 * slower or failed. What it compares is described by `Sides`, of which there are two kinds: tasks of bench files (files.ts), and
 * a lab's competitors.
 */
export interface Sides<Pair extends Named> {
  /** Pathspecs of git: which changes make the working tree another than its commit. All of the repository's if absent. */
  readonly counting?: readonly string[];
  /** Whether a commit may race against itself. */
  readonly mayBeOne?: boolean;
  /** Checks both out. What is said of it goes into `remarks`. */
  checkOut(worktrees: Worktrees, commits: BothCommits, remarks: string[]): Promise<Trees>;
  /** What both trees have, before anything races. Throws a UsageError where the two cannot be compared at all. */
  list(trees: Trees, deadline: Deadline): Promise<ListedPairs<Pair>>;
  /** What one race of a pair shows: of each role, where its workers have several. */
  race(pair: Pair, turn: Turn, time: RacingTime): Promise<readonly SeenRace[]>;
  /** What to do where nothing was compared, a line each. */
  mendings?(rows: readonly TaskRow[]): readonly string[];
}

/** What a row is called. */
export interface Named {
  readonly file: string;
  readonly task: string;
}

export interface BothCommits {
  readonly base: Commit;
  /** What is checked out, where `isTree`. */
  readonly head: Commit;
  /** Whether the head is the working tree. */
  readonly isTree: boolean;
}

export interface ListedPairs<Pair> {
  /** Of rows, in the order of a table; none where all have one. */
  readonly files: readonly string[];
  readonly pairs: readonly Pair[];
  /** Of what does not race. */
  readonly rows: readonly TaskRow[];
  readonly refused: CommitsOutcome["refused"];
  readonly remarks: readonly string[];
  /** Whether the base has nothing of this kind at all, so that there is nothing to compare with. */
  readonly isFirst?: boolean;
  /** Paths of files of the working tree that races read. */
  readonly loaded: ReadonlySet<string>;
}

/** How the budget is divided, in ms: what went for imports, and what all looks and races have. */
export interface RacingTime {
  readonly deadline: Deadline;
  readonly importsMs: number;
  readonly racingMs: number;
}

export interface CommitsOptions {
  /** A git revision. */
  readonly base: string;
  /** Another; the working tree if absent. */
  readonly head?: string | undefined;
  /** The user's folder. */
  readonly folder: string;
  readonly failOn: FailOn;
  /** Time for imports, looks and races together, in ms; what git, a package manager and a build take comes on top. */
  readonly budgetMs: number | undefined;
  readonly seed: number;
  readonly signal: AbortSignal;
  /** Hears what is being done, and which share of the budget is over. */
  doing?(what: string, share?: number, leftMs?: number): void;
  /** Hears what will be raced, in one line, before it is. */
  announced?(line: string): void;
}

/**
 * Races what two commits have against each other, in the same processes. What both have alike is not raced. Leaves nothing
 * behind, but what a build makes in the user's folder. Rejects with a UsageError where the two cannot be compared at all.
 */
export async function raceCommits<Pair extends Named>(
  options: CommitsOptions,
  sides: Sides<Pair>,
): Promise<CommitsOutcome> {
  const repository = opened(options.folder);
  const { commits, isDirty } = bothIn(repository, options, sides.counting);
  const { base, head } = commits;
  const common = {
    base: { ref: options.base, commit: base.hash },
    head: { commit: head.hash, isDirty },
  };
  if (base.hash === head.hash && !isDirty && sides.mayBeOne !== true) {
    const both = commits.isTree ? "the base is the commit that is checked out" : "they are one commit";
    return { ...common, remarks: [`nothing differs: ${both}`], rows: [], refused: [], exitCode: EXIT.ok };
  }
  return await withWorktrees(repository, "commits", async (worktrees) => {
    options.doing?.(`checking out ${base.short}`);
    const remarks = remarksOn(repository, commits);
    const trees = await sides.checkOut(worktrees, commits, remarks);
    const deadline = new Deadline(options.budgetMs, options.signal);
    const listed = await sides.list(trees, deadline);
    deadline.refuseOverdue("importing the files of both commits");
    const { rows, changed } = await raceAll(listed, sides, options, deadline);
    const { refused } = listed;
    const exitCode = changed === undefined ? exitCodeOf(rows, refused, options.failOn) : EXIT.failed;
    remarks.push(...listed.remarks);
    if (exitCode === EXIT.usage) remarks.push(...(sides.mendings?.(rows) ?? []));
    if (changed !== undefined)
      remarks.push(
        `${relative(trees.head, changed).split(sep).join("/")} was changed while it raced, so figures may be of either state: start again, and leave it alone meanwhile`,
      );
    return { ...common, remarks, rows, refused, exitCode, ...(listed.isFirst === true && { isFirst: true }) };
  });
}

function opened(folder: string): Repository {
  try {
    return repositoryOf(folder);
  } catch {
    throw new UsageError(`commits are compared in a git work tree only: ${reasonAgainst(folder)}`);
  }
}

function bothIn(
  repository: Repository,
  options: CommitsOptions,
  counting: readonly string[] = [],
): { commits: BothCommits; isDirty: boolean } {
  const isTree = options.head === undefined;
  const commits = {
    base: known(repository, options.base),
    head: known(repository, options.head ?? "HEAD"),
    isTree,
  };
  // Said, because a configuration may hide new files.
  const changes = () =>
    git(repository.root, "status", "--porcelain", "--untracked-files=normal", "--", ...counting);
  return { commits, isDirty: isTree && changes() !== "" };
}

function known(repository: Repository, ref: string): Commit {
  const commit = commitOf(repository, ref);
  if (commit !== undefined) return commit;
  const names = likely(branchesOf(repository), ref);
  const guess = names.length === 0 ? "" : `, did you mean ${names.join(" or ")}?`;
  const mend = isShallow(repository)
    ? "this clone is shallow: check out with fetch-depth: 0, or git fetch --unshallow"
    : "git branch --all lists what there is, git fetch brings what is missing";
  throw new UsageError(
    `${ref} is no commit of this repository (git: ${whyUnknown(repository, ref)})${guess || ":"} ${mend}`,
  );
}

/** What the base has that the head lacks would count as the head's doing. */
function remarksOn({ root }: Repository, { base, head }: BothCommits): string[] {
  const missing = Number(git(root, "rev-list", "--count", base.hash, `^${head.hash}`));
  if (missing === 0) return [];
  return [
    `${base.short} has ${counted(missing, "commit")} that this one lacks; what they changed counts too: give the merge base to see this branch alone`,
  ];
}

/** Races all pairs within the budget. `changed` is a file of the working tree that was edited meanwhile. */
async function raceAll<Pair extends Named>(
  { files, pairs, rows, loaded }: ListedPairs<Pair>,
  sides: Sides<Pair>,
  { budgetMs, seed, doing, announced }: CommitsOptions,
  deadline: Deadline,
): Promise<{ rows: TaskRow[]; changed: string | undefined }> {
  const before = statesOf(loaded);
  const racingMs = deadline.leftMs;
  const time = { deadline, importsMs: budgetMs === undefined ? 0 : budgetMs - racingMs, racingMs };
  const limit = budgetMs === undefined ? "" : `; up to ${readableTime(budgetMs)}`;
  if (pairs.length > 0)
    announced?.(
      `${[`${counted(pairs.length, "task")} to race`, countsOf(rows)].filter(Boolean).join(", ")}${limit}`,
    );
  const concluded = await racePairs(pairs, {
    budgetMs: racingMs,
    seed,
    signal: deadline.ending,
    race(pair, turn) {
      if (budgetMs !== undefined)
        doing?.(`${pair.task} (${turn.turn})`, 1 - turn.leftMs / budgetMs, turn.leftMs);
      return sides.race(pair, turn, time);
    },
  });
  const after = statesOf(loaded);
  const raced = concluded.flatMap((all, place): TaskRow[] => {
    const { file, task } = pairs[place]!;
    if (all === undefined) return [{ file, task, verdict: "not raced" }];
    return all.map(({ seen: { role, ...seen }, remark }) => ({
      file,
      task: role === undefined ? task : `${task}/${role}`,
      ...seen,
      ...present({ remark }),
    }));
  });
  return {
    changed: [...loaded].find((path) => before.get(path) !== after.get(path)),
    rows: [...rows, ...raced].toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file)),
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
