import {
  type Commit,
  commitOf,
  git,
  isShallow,
  type Repository,
  reasonAgainst,
  repositoryOf,
  whyUnknown,
} from "../../suites/engine/cli/commits/git.ts";
import { nearestFirst, UsageError } from "../../suites/lab/command/usage.ts";

/** Throws a UsageError where there is no git or no repository. */
export function openRepository(root: string): Repository {
  try {
    return repositoryOf(root);
  } catch {
    throw new UsageError(`revisions can be compared in a git work tree only: ${reasonAgainst(root)}`);
  }
}

/** As `commitOf`, but throws a UsageError with git's reason and the branches most like it. */
export function knownCommitOf(repository: Repository, revision: string): Commit {
  const commit = commitOf(repository, revision);
  if (commit !== undefined) return commit;
  const reason = whyUnknown(repository, revision);
  const nearest = nearestFirst(branchesOf(repository), revision).slice(0, 6).join(", ");
  // A clone without its history has few of the revisions that there are.
  const unshallow = isShallow(repository)
    ? ", which is a shallow clone: git fetch --unshallow brings the others"
    : "";
  throw new UsageError(
    `${revision} is not a revision of this repository (git: ${reason})${unshallow}; branches, nearest first: ${nearest || "none"}`,
  );
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
