import { copyFileSync, cpSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { isAbandoned, withScratch } from "../../suites/engine/measure/machine/scratch.ts";
import { git, type Repository } from "./repository.ts";

/** Where revisions race: a temporary folder with a worktree or a copy of the lab for each side. */
export class Checkouts {
  readonly #repository: Repository;
  readonly #folder: string;
  readonly #worktrees: string[] = [];

  constructor(repository: Repository, folder: string) {
    this.#repository = repository;
    this.#folder = folder;
  }

  /** Checks a commit out and returns the lab's folder in it. `name` is new among this process's checkouts. */
  worktree(name: string, hash: string): string {
    const { root, prefix } = this.#repository;
    const path = join(this.#folder, name);
    // Before git has made it: a git that is interrupted leaves a part behind.
    this.#worktrees.push(path);
    git(root, "worktree", "add", "--quiet", "--detach", path, hash);
    const lab = join(path, prefix);
    this.#linkPackages(lab);
    return lab;
  }

  /**
   * Copies the structures as they are now, and returns the folder they are in. A copy, because every fork imports anew:
   * a user who goes on editing would race two states of the tree as one. Also because the suites import bricks from the
   * tree itself. Code that shared them would share what the compiler learnt of them, and the other side would not.
   */
  snapshot(name: string): string {
    const { root } = this.#repository;
    const lab = join(this.#folder, name);
    mkdirSync(lab);
    cpSync(join(root, "structures"), join(lab, "structures"), { recursive: true });
    copyFileSync(join(root, "package.json"), join(lab, "package.json"));
    this.#linkPackages(lab);
    return lab;
  }

  /** Takes all worktrees off git's list. */
  release(): void {
    for (const path of this.#worktrees.splice(0)) forget(this.#repository, path);
  }

  #linkPackages(lab: string): void {
    symlinkSync(join(this.#repository.root, "node_modules"), join(lab, "node_modules"), "junction");
  }
}

/** Runs `action` with checkouts that are gone afterwards, as temporary folders are. */
export async function withCheckouts<T>(
  repository: Repository,
  action: (checkouts: Checkouts) => Promise<T>,
  place = tmpdir(),
): Promise<T> {
  forgetAbandoned(repository, place);
  let checkouts: Checkouts | undefined;
  const work = async (folder: string) => {
    checkouts = new Checkouts(repository, folder);
    return await action(checkouts);
  };
  return await withScratch("compare", work, { place, release: () => checkouts?.release() });
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
