import { nearestFirst, UsageError } from "../../suites/lab/command/usage.ts";
import { reasonAgainst, git as runGit } from "../../suites/lab/git.ts";

/** The git repository that a lab's folder is in: read here; worktrees of it are made in checkouts.ts. */
export interface Repository {
  /** The lab's folder. */
  readonly root: string;
  /** Where in the repository that is: empty, or a path that ends with a slash. */
  readonly prefix: string;
}

export interface Commit {
  readonly hash: string;
  /** The first digits of it: as many as distinguish it from all others, and at least seven. */
  readonly short: string;
}

/** Throws a UsageError where there is no git or no repository. */
export function openRepository(root: string): Repository {
  try {
    return { root, prefix: git(root, "rev-parse", "--show-prefix") };
  } catch {
    throw new UsageError(`revisions can be compared in a git work tree only: ${reasonAgainst(root)}`);
  }
}

/** The commit that a revision (`main~3`, a tag, a hash) stands for; undefined for a revision that git does not know. */
export function commitOf({ root }: Repository, revision: string): Commit | undefined {
  try {
    const hash = git(root, "rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`)
      .split("\n")
      .at(-1)!;
    return { hash, short: git(root, "rev-parse", "--short=7", hash) };
  } catch {
    return undefined;
  }
}

/** As `commitOf`, but throws a UsageError with git's reason and the branches most like it. */
export function knownCommitOf(repository: Repository, revision: string): Commit {
  const commit = commitOf(repository, revision);
  if (commit !== undefined) return commit;
  const reason = whyUnknown(repository, revision);
  const nearest = nearestFirst(branchesOf(repository), revision).slice(0, 6).join(", ");
  throw new UsageError(
    `${revision} is not a revision of this repository (git: ${reason})${unshallow(repository)}; branches, nearest first: ${nearest || "none"}`,
  );
}

/** A clone without its history has few of the revisions that there are. */
function unshallow({ root }: Repository): string {
  if (git(root, "rev-parse", "--is-shallow-repository") === "false") return "";
  return ", which is a shallow clone: git fetch --unshallow brings the others";
}

function whyUnknown({ root }: Repository, revision: string): string {
  try {
    // Unlike `rev-parse --verify`, which only says that it needs one.
    git(root, "log", "-1", "--end-of-options", revision, "--");
    return "it is no commit";
  } catch (error) {
    return (error as Error).message;
  }
}

function branchesOf({ root }: Repository): string[] {
  return git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
    .split("\n")
    .filter((name) => name !== "");
}

/** Whether the lab's folder differs from the commit that is checked out; results do not count. */
export function isDirty({ root }: Repository): boolean {
  // Said, because a configuration may hide new files.
  return git(root, "status", "--porcelain", "--untracked-files=normal", "--", ".", ":!results") !== "";
}

/** Environment variables by which a git hook points its children to another repository or index than the folder's. */
const OF_HOOKS = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"];

/** Runs git in a folder and returns what it prints, trimmed. Throws an Error whose message is the line that says why. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_HOOKS.includes(name)));
  // No hook of the repository has any business with a worktree that is gone in a minute.
  return runGit(folder, ["-c", "core.hooksPath=/dev/null", ...args], env);
}
