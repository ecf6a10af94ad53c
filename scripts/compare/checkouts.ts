import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { EXIT } from "../../suites/engine/schema/usage.ts";
import { git, type Repository } from "./repository.ts";

/**
 * Where revisions are checked out while they race: one temporary folder for each process that compares, named after
 * the process, with a worktree or a copy of the lab for each side. It goes when the process ends in whatever way a
 * process can notice; what a killed one left behind goes when the next one begins.
 */
const NAME = /^hotpath-compare-(\d+)-/;

export class Checkouts {
  readonly #repository: Repository;
  readonly #folder: string;
  readonly #worktrees: string[] = [];

  constructor(repository: Repository, place: string) {
    this.#repository = repository;
    this.#folder = mkdtempSync(join(realpathSync(place), `hotpath-compare-${process.pid}-`));
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
   * whoever goes on editing would race two states of the tree as one. And because the suites import bricks from the
   * tree itself: code that shared them would share what the compiler learnt of them, and the other side would not.
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

  /** Removes all of it; does nothing the second time. */
  remove(): void {
    for (const path of this.#worktrees.splice(0)) forget(this.#repository, path);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #linkPackages(lab: string): void {
    symlinkSync(join(this.#repository.root, "node_modules"), join(lab, "node_modules"), "junction");
  }
}

/**
 * Runs `action` with checkouts that are gone afterwards: when it returns or throws, when the process exits within, and
 * on SIGINT and SIGTERM. Those end the process, unless somebody else listens too and so ends the work in order.
 */
export async function withCheckouts<T>(
  repository: Repository,
  action: (checkouts: Checkouts) => Promise<T>,
  place = tmpdir(),
): Promise<T> {
  sweepStale(repository, place);
  const checkouts = new Checkouts(repository, place);
  const remove = () => checkouts.remove();
  const end = (signal: NodeJS.Signals) => {
    if (process.listenerCount(signal) === 1) process.exit(EXIT.interrupted);
  };
  process.on("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, end);
  try {
    return await action(checkouts);
  } finally {
    // Ctrl-C reaches git as well, and this process would take its failure for an error if it did not listen first.
    await setImmediate();
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, end);
    process.off("exit", remove);
    remove();
  }
}

/** Removes what processes that are no more have left behind, and returns their folders' names. */
export function sweepStale(repository: Repository, place = tmpdir()): string[] {
  const folder = realpathSync(place);
  const stale = (name: string | undefined) => {
    const owner = NAME.exec(name ?? "")?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  };
  for (const line of git(repository.root, "worktree", "list", "--porcelain").split("\n")) {
    const path = /^worktree (.*)$/.exec(line)?.[1];
    if (path !== undefined && stale(relative(folder, path).split(sep)[0])) forget(repository, path);
  }
  const left = readdirSync(folder).filter((name) => stale(name) && isOurs(join(folder, name)));
  for (const name of left) rmSync(join(folder, name), { recursive: true, force: true });
  return left;
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a folder is there and this user's; everybody's temporary files may be in one place. */
function isOurs(path: string): boolean {
  // Another process that begins now may have removed it first.
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && (process.getuid === undefined || found.uid === process.getuid());
}
