import { spawnSync } from "node:child_process";

/** Environment variables by which a git hook points its children to another repository or index than the folder's. */
const OF_HOOKS = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"];

/** Runs git in a folder and returns what it prints, trimmed. Throws an Error whose message is the line that says why. */
export type Git = (folder: string, ...args: readonly string[]) => string;

/** Whatever repository a git hook points to, that of the folder. */
export const git: Git = (folder, ...args) => {
  const inherited = Object.entries(process.env).filter(([name]) => !OF_HOOKS.includes(name));
  return runGit(folder, args, Object.fromEntries(inherited));
};

/** The repository that the environment names, if it names one. */
export const gitOfEnvironment: Git = (folder, ...args) => runGit(folder, args, process.env);

function runGit(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  // No hook of the repository has any business with a worktree that is gone in a minute.
  const { status, stdout, stderr, error } = spawnSync("git", ["-c", "core.hooksPath=/dev/null", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...env, LC_ALL: "C" },
    maxBuffer: MOST_BYTES,
  });
  if (error !== undefined) throw new Error(`git cannot be run (${error.message})`);
  if (status === 0) return stdout.trim();
  const lines = stderr.trim().split("\n");
  const line = lines.find((text) => text.startsWith("fatal: ")) ?? lines.at(-1)!;
  throw new Error(line.replace(/^fatal: /, "") || `git ${args[0]} failed`);
}

/** The names of all folders of a large repository fit. */
const MOST_BYTES = 2 ** 28;

/** Why git knows of no commit in a folder, and what mends it. */
export function reasonAgainst(folder: string, run: Git = git): string {
  try {
    run(folder, "rev-parse", "--verify", "HEAD^{commit}");
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

/** The git repository that a folder is in: read here; worktrees of it are made in worktrees.ts. */
export interface Repository {
  /** The folder. */
  readonly root: string;
  /** Where in the repository that is: empty, or a path that ends with a slash. */
  readonly prefix: string;
}

export interface Commit {
  readonly hash: string;
  /** The first digits of it: as many as distinguish it from all others, and at least seven. */
  readonly short: string;
}

/** Throws an Error with git's reason where there is no git or no repository. */
export function repositoryOf(root: string): Repository {
  return { root, prefix: git(root, "rev-parse", "--show-prefix") };
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

/** Why `commitOf` knows no commit of this name. */
export function whyUnknown({ root }: Repository, revision: string): string {
  try {
    // Unlike `rev-parse --verify`, which only says that it needs one.
    git(root, "log", "-1", "--end-of-options", revision, "--");
    return "it is no commit";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Names of branches, also of other clones, and of tags. */
export function branchesOf({ root }: Repository): string[] {
  return git(root, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags")
    .split("\n")
    .filter((name) => name !== "");
}

/** Whether it is a clone without its history. */
export function isShallow({ root }: Repository): boolean {
  return git(root, "rev-parse", "--is-shallow-repository") === "true";
}
