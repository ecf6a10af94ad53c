import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../usage.ts";
import { buildIn, lockIn } from "./dependencies.ts";
import { git, reasonAgainst } from "./git.ts";

/** Where GitHub looks for workflows, in a repository. */
const FOLDER = ".github/workflows";

/** The one that races, and the one that comments: a race runs foreign code, so it must not have a token that can write. */
const FILES = ["benchmark.yml", "benchmark-comment.yml"];

/** Folders that bench files are usually in; the first that is there is raced. */
const USUAL_FOLDERS = ["bench", "benchmark", "benchmarks"];

/**
 * Writes the workflows of the folder `samples` for the repository around `folder`, with its own package manager, build and bench
 * files. Returns their paths in the repository. Throws a UsageError, with nothing written, where there is no repository, or
 * where it has a workflow of such a name that is not to be replaced.
 */
export function writeWorkflows(folder: string, samples: URL, isReplacing: boolean): string[] {
  const top = topOf(folder);
  const paths = FILES.map((file) => `${FOLDER}/${file}`);
  const there = paths.filter((path) => existsSync(join(top, path)));
  if (there.length > 0 && !isReplacing)
    throw new UsageError(`already there: ${there.join(", ")}; --force replaces what init writes`);
  mkdirSync(join(top, FOLDER), { recursive: true });
  for (const file of FILES)
    writeFileSync(join(top, FOLDER, file), fitted(readFileSync(new URL(file, samples), "utf8"), top));
  return paths;
}

function topOf(folder: string): string {
  try {
    return git(folder, "rev-parse", "--show-toplevel");
  } catch {
    throw new UsageError(`workflows belong to a git repository: ${reasonAgainst(folder)}`);
  }
}

/** A sample with what the repository at `top` has. */
function fitted(sample: string, top: string): string {
  const bench = USUAL_FOLDERS.find((name) => existsSync(join(top, name))) ?? USUAL_FOLDERS[0]!;
  const build = buildIn(top);
  const building = build === undefined ? "" : ` --build "${build}"`;
  return sample
    .replace("npm ci", () => installing(top))
    .replace(`bench/ --base "origin/$BASE_REF"`, (base) => base.replace("bench", bench) + building);
}

/** What installs a project's packages on a runner, where npm is the only package manager. */
function installing(top: string): string {
  const install = lockIn(top)?.install ?? "npm install";
  if (install.startsWith("npm ")) return install;
  // corepack fetches the version of pnpm or yarn that package.json names.
  const first = install.startsWith("bun ") ? "npm install --global bun" : "corepack enable";
  return `${first} && ${install}`;
}
