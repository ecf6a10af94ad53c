import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { UsageError } from "./usage.ts";

const SOURCE = /(?<!\.d)\.(?:[cm]?[jt]s|[jt]sx)$/;
/** `parse.bench.ts`, `bench.js`, `bench-parse.js`, `parse-bench.js`, `benchmark.mjs`, `parse.benchmark.js`. */
const NAMED = /(^|[.\-_])bench(mark)?s?([.\-_]|$)/i;
/** What a project has in folders that are not its own text. */
const SKIPPED = /^(node_modules|dist|coverage|\..*)$/;

export interface FoundFiles {
  /** Paths, in the order of the words they come from. */
  readonly files: readonly string[];
  /** What a reader may miss, a line each. */
  readonly remarks: readonly string[];
}

/**
 * The bench files that words stand for: a file is taken as it is. Of a folder come all files below it that are named like
 * benchmarks, and where none is, the files right in it. Throws a UsageError for a path without any.
 */
export function filesAt(paths: readonly string[]): FoundFiles {
  // By where they really are: a file has several names by links and by `./`, and races once.
  const files = new Map<string, string>();
  const take = (path: string) => {
    const real = realpathSync(path);
    if (!files.has(real)) files.set(real, path);
  };
  const remarks: string[] = [];
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) throw new UsageError(`${path} does not exist: give a bench file or a folder`);
    if (!stat.isDirectory()) {
      if (!SOURCE.test(path)) throw new UsageError(`${path} is no JavaScript or TypeScript file`);
      take(path);
      continue;
    }
    const all = sourcesBelow(path);
    const named = all.filter(isNamed);
    const direct = all.filter((file) => dirname(relative(path, file)) === ".");
    const taken = named.length > 0 ? named : direct;
    if (taken.length === 0)
      throw new UsageError(`${path} holds no bench file: name files *.bench.js, or give them one by one`);
    taken.forEach(take);
    const left = direct.filter((file) => !taken.includes(file));
    if (left.length > 0)
      remarks.push(
        `${path}: ${left.length === 1 ? "1 other file is" : `${left.length} other files are`} not named like benchmarks; give by name what is to race`,
      );
  }
  return { files: [...files.values()], remarks };
}

/** Whether a file is named like a benchmark. */
export function isNamed(file: string): boolean {
  return NAMED.test(basename(file).replace(SOURCE, ""));
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return SKIPPED.test(entry.name) ? [] : sourcesBelow(path);
      return SOURCE.test(entry.name) && !/\.(test|spec)\./.test(entry.name) && isFile(entry, path)
        ? [path]
        : [];
    });
}

/** Links to files are files; links to folders are not followed, as they may lead back. */
function isFile(entry: Dirent, path: string): boolean {
  return (
    entry.isFile() || (entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isFile() === true)
  );
}
