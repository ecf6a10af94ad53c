import { copyFileSync, cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "../../suites/engine/cli/commits/git.ts";
import { type Worktrees, withWorktrees } from "../../suites/engine/cli/commits/worktrees.ts";

/** Where revisions race: a temporary folder with a worktree or a copy of the lab for each side. */
export class Checkouts {
  readonly #worktrees: Worktrees;

  constructor(worktrees: Worktrees) {
    this.#worktrees = worktrees;
  }

  /** Checks a commit out and returns the lab's folder in it. `name` is new among this process's checkouts. */
  worktree(name: string, hash: string): string {
    const lab = join(this.#worktrees.add(name, hash), this.#worktrees.repository.prefix);
    this.#linkPackages(lab);
    return lab;
  }

  /**
   * Copies the structures as they are now, and returns the folder they are in. A copy, because every fork imports anew:
   * a user who goes on editing would race two states of the tree as one. Also because the suites import bricks from the
   * tree itself. Code that shared them would share what the compiler learnt of them, and the other side would not.
   */
  snapshot(name: string): string {
    const { root } = this.#worktrees.repository;
    const lab = join(this.#worktrees.folder, name);
    mkdirSync(lab);
    cpSync(join(root, "structures"), join(lab, "structures"), { recursive: true });
    copyFileSync(join(root, "package.json"), join(lab, "package.json"));
    this.#linkPackages(lab);
    return lab;
  }

  #linkPackages(lab: string): void {
    const { root } = this.#worktrees.repository;
    symlinkSync(join(root, "node_modules"), join(lab, "node_modules"), "junction");
  }
}

/** Runs `action` with checkouts that are gone afterwards, as temporary folders are. */
export async function withCheckouts<T>(
  repository: Repository,
  action: (checkouts: Checkouts) => Promise<T>,
  place?: string,
): Promise<T> {
  return await withWorktrees(repository, "compare", (worktrees) => action(new Checkouts(worktrees)), place);
}
