import { realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { isAbandoned, withScratch } from "../../measure/machine/scratch.ts";
import { git, type Repository } from "./git.ts";

/** Worktrees of a repository in a temporary folder. */
export class Worktrees {
  readonly repository: Repository;
  /** Where they are. */
  readonly folder: string;
  readonly #paths: string[] = [];

  constructor(repository: Repository, folder: string) {
    this.repository = repository;
    this.folder = folder;
  }

  /** Checks a commit out and returns the folder of the whole repository in it. `name` is new among this process's worktrees. */
  add(name: string, hash: string): string {
    const path = join(this.folder, name);
    // Before git has made it: a git that is interrupted leaves a part behind.
    this.#paths.push(path);
    git(this.repository.root, "worktree", "add", "--quiet", "--detach", path, hash);
    return path;
  }

  /** Takes all of them off git's list. */
  release(): void {
    for (const path of this.#paths.splice(0)) forget(this.repository, path);
  }
}

/**
 * Runs `action` with worktrees that are gone afterwards, as temporary folders are (see scratch.ts). `command` is the name of
 * these, in lower case.
 */
export async function withWorktrees<T>(
  repository: Repository,
  command: string,
  action: (worktrees: Worktrees) => Promise<T>,
  place = tmpdir(),
): Promise<T> {
  forgetAbandoned(repository, place);
  let worktrees: Worktrees | undefined;
  const work = async (folder: string) => {
    worktrees = new Worktrees(repository, folder);
    return await action(worktrees);
  };
  return await withScratch(command, work, { place, release: () => worktrees?.release() });
}

/** Takes the worktrees of processes that are no more off git's list, also where their folders are gone already. */
function forgetAbandoned(repository: Repository, place: string): void {
  const folder = realpathSync(place);
  for (const line of git(repository.root, "worktree", "list", "--porcelain").split("\n")) {
    const path = /^worktree (.*)$/.exec(line)?.[1];
    if (path !== undefined && isAbandoned(relative(folder, path).split(sep)[0]!)) forget(repository, path);
  }
}

/** Takes a worktree off git's list, its files too, however far git was with making it. */
function forget({ root }: Repository, path: string): void {
  const remove = () => {
    try {
      // Twice: also where it is locked, as it is while it is being made.
      git(root, "worktree", "remove", "--force", "--force", path);
      return true;
    } catch {
      return false;
    }
  };
  if (remove()) return;
  // Git removes no half of a worktree, but does take one off its list that is no longer there.
  rmSync(path, { recursive: true, force: true });
  remove();
}
