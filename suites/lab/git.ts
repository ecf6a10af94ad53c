import { gitOfEnvironment as git, reasonAgainst } from "../engine/cli/commits/git.ts";
import { ROOT } from "./command/npm.ts";
import { UsageError } from "./command/usage.ts";
import type { BenchRecord } from "./schema/record.ts";

/** What git knows of the lab's folder. */

/**
 * The commit that is checked out, and whether anything but results differs from it, which a run that publishes changes.
 * Null where git knows no commit.
 */
export function currentCommit(folder = ROOT): BenchRecord["commit"] {
  try {
    const changes = git(folder, "status", "--porcelain", "--", ".", ":!results");
    return { hash: git(folder, "rev-parse", "HEAD"), dirty: changes !== "" };
  } catch {
    return null;
  }
}

/** Refuses what is not made by a commit: `what` ("--publish") has to be of one, without changes. */
export function checkCommitted(
  commit: BenchRecord["commit"],
  what: string,
  folder = ROOT,
): asserts commit is NonNullable<BenchRecord["commit"]> {
  if (commit === null) throw new UsageError(`${what} needs a commit: ${reasonAgainst(folder, git)}`);
  if (!commit.dirty) return;
  throw new UsageError(
    `${what} needs a git work tree without uncommitted changes: commit or stash them first`,
  );
}
