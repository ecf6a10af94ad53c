import { execFileSync } from "node:child_process";
import { appendFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Abuse } from "./abuse.ts";
import { ROOT } from "./checkout.ts";

/** Clones of this checkout, for what is about git and must not disturb this one. */

/** Its folder, from where the commands are called. */
export const CLONE = "clone";

/**
 * For an abuse of a clone's commands: of what is committed here, with this checkout's packages, and one more commit in
 * which a competitor has other code. `change` is done to its folder then.
 */
export function inClone(change: (clone: string) => void = () => {}): Pick<Abuse, "setUp" | "checkout"> {
  return {
    setUp: ({ folder }) => {
      clone(ROOT, folder, CLONE);
      appendFileSync(join(folder, CLONE, "structures/draws/competitors/lemire.ts"), "Object.freeze([0]);\n");
      git(join(folder, CLONE), "commit", "--quiet", "--all", "--message", "changed");
      change(join(folder, CLONE));
    },
    checkout: CLONE,
  };
}

/** The same of a clone that knows its last commit alone. */
export function inShallowClone(): Pick<Abuse, "setUp" | "checkout"> {
  return {
    setUp: ({ folder }) => clone(`file://${ROOT}`, folder, CLONE, "--depth", "1"),
    checkout: CLONE,
  };
}

function clone(from: string, folder: string, name: string, ...options: readonly string[]): undefined {
  git(folder, "clone", "--quiet", ...options, from, name);
  symlinkSync(join(ROOT, "node_modules"), join(folder, name, "node_modules"));
  // What git ignores here is a folder, and a link is none.
  appendFileSync(join(folder, name, ".git", "info", "exclude"), "/node_modules\n");
}

/** Runs git as nobody, with none of a person's settings. */
export function git(folder: string, ...args: readonly string[]): void {
  const identity = [
    "-c",
    "user.name=nobody",
    "-c",
    "user.email=nobody@localhost",
    "-c",
    "commit.gpgsign=false",
  ];
  execFileSync("git", [...identity, ...args], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
}
