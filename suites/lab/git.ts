import { spawnSync } from "node:child_process";
import type { BenchRecord } from "../engine/schema/record.ts";
import { ROOT } from "./command/npm.ts";
import { UsageError } from "./command/usage.ts";

/** What git knows of the lab's folder. */

/** Runs git in a folder and returns what it prints, trimmed. Throws an Error whose message is the line that says why. */
export function git(folder: string, args: readonly string[], env = process.env): string {
  const { status, stdout, stderr, error } = spawnSync("git", args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...env, LC_ALL: "C" },
  });
  if (error !== undefined) throw new Error(`git cannot be run (${error.message})`);
  if (status === 0) return stdout.trim();
  const lines = stderr.trim().split("\n");
  const line = lines.find((text) => text.startsWith("fatal: ")) ?? lines.at(-1)!;
  throw new Error(line.replace(/^fatal: /, "") || `git ${args[0]} failed`);
}

/**
 * The commit that is checked out, and whether anything but results differs from it, which a run that publishes changes.
 * Null where git knows no commit.
 */
export function currentCommit(folder = ROOT): BenchRecord["commit"] {
  try {
    const changes = git(folder, ["status", "--porcelain", "--", ".", ":!results"]);
    return { hash: git(folder, ["rev-parse", "HEAD"]), dirty: changes !== "" };
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
  if (commit === null) throw new UsageError(`${what} needs a commit: ${reasonAgainst(folder)}`);
  if (!commit.dirty) return;
  throw new UsageError(
    `${what} needs a git work tree without uncommitted changes: commit or stash them first`,
  );
}

/** Why git knows of no commit in a folder, and what mends it. */
export function reasonAgainst(folder: string): string {
  try {
    git(folder, ["rev-parse", "--verify", "HEAD^{commit}"]);
    return `git cannot read ${folder}`;
  } catch (error) {
    const { message } = error as Error;
    const [, owned] = /dubious ownership in repository at '(.*)'/.exec(message) ?? [];
    if (owned !== undefined) {
      return `${owned} belongs to another user, so git does not read it: git config --global --add safe.directory '${owned}'`;
    }
    if (message.startsWith("not a git repository"))
      return `${folder} is no git work tree: clone the repository`;
    return `git says: ${message}`;
  }
}
