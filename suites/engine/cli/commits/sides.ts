import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Listed, ListedTask } from "../../capture/list.ts";
import { textOfKey } from "../../capture/task.ts";
import { UsageError } from "../usage.ts";
import type { Trees } from "./dependencies.ts";

/** What two commits have of one bench file. */

/** One commit's. */
export interface Side
  extends Pick<Listed, "file" | "ending" | "tasks" | "workerCounts" | "importMs" | "hasLaw"> {
  /** A hash of each file that its import loaded, itself among them, by its URL. */
  readonly files: Readonly<Record<string, string>>;
  /** The file that each package was resolved to, by how the project's files name it. */
  readonly packages: Readonly<Record<string, string>>;
}

/** The same task of both commits. */
export interface TaskPair {
  readonly base: ListedTask;
  readonly head: ListedTask;
}

export interface ComparedSides {
  /** Files that are not the same on both sides, as `nameIn` has them; nothing to race where there is none. */
  readonly differing: readonly string[];
  readonly pairs: readonly TaskPair[];
  /** Only in the head. */
  readonly added: readonly ListedTask[];
  /** Only in the base. */
  readonly gone: readonly ListedTask[];
}

/** Compares what both sides list. Throws a UsageError where the base loads files of the head. */
export function compareSides(trees: Trees, head: Side, base: Side): ComparedSides {
  checkApart(trees, base);
  const [ours, theirs] = [hashesOf(trees, head), hashesOf(trees, base)];
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  const inBase = new Map(base.tasks.map((task) => [textOfKey(task), task]));
  const inHead = new Set(head.tasks.map(textOfKey));
  return {
    differing: [...names].filter((name) => ours.get(name) !== theirs.get(name)).sort(),
    pairs: head.tasks.flatMap((task) => {
      const other = inBase.get(textOfKey(task));
      return other === undefined ? [] : [{ base: other, head: task }];
    }),
    added: head.tasks.filter((task) => !inBase.has(textOfKey(task))),
    gone: base.tasks.filter((task) => !inHead.has(textOfKey(task))),
  };
}

function checkApart(trees: Trees, base: Side): void {
  const crossed = Object.keys(base.files)
    .map((url) => pathOf(url) ?? "")
    .find((path) => isIn(trees.head, path) && !isInstalled(path));
  if (crossed !== undefined)
    throw new UsageError(
      `the base loads ${nameIn(trees, crossed)} of the working tree, so both sides would race that: something links to this folder or names it`,
    );
}

/** Why a side does not run the code of its commit; undefined where it does. `ownNames` are the names of the repository's packages. */
export function whyForeign({ packages }: Side, ownNames: ReadonlySet<string>): string | undefined {
  const published = Object.entries(packages).find(
    ([specifier, url]) => ownNames.has(packageOf(specifier)) && isInstalled(pathOf(url) ?? ""),
  );
  return published === undefined
    ? undefined
    : `it imports ${published[0]}, which is the published one in node_modules, so both sides would race the same code: import this repository's files instead`;
}

/**
 * Hashes by the names of files; a file that is loaded in several ways counts once. A file that neither commit has, such as one
 * in a temporary folder or in /proc, is no difference of theirs.
 */
function hashesOf(trees: Trees, { files }: Side): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(files).flatMap(([url, hash]) => {
      const path = pathOf(url);
      const name = path && nameIn(trees, path);
      return name === undefined ? [] : [[name, hash]];
    }),
  );
}

/** A file alike in both trees: by its path in the repository or, of a package, from node_modules on. Undefined of all others. */
function nameIn({ head, base }: Trees, path: string): string | undefined {
  const tree = [base, head].find((folder) => isIn(folder, path));
  const at = path.indexOf(PACKAGES) + 1;
  if (tree === undefined && at === 0) return undefined;
  const name = tree === undefined ? path.slice(at) : relative(tree, path);
  return name.split(sep).join(posix.sep);
}

const PACKAGES = `${sep}node_modules${sep}`;

function isInstalled(path: string): boolean {
  return path.includes(PACKAGES);
}

/** The package that a specifier names: "@own/core" for "@own/core/parse". */
function packageOf(specifier: string): string {
  const [first, second] = specifier.split("/");
  return first!.startsWith("@") ? `${first}/${second}` : first!;
}

function isIn(folder: string, path: string): boolean {
  const within = relative(folder, path);
  return !within.startsWith("..") && !isAbsolute(within);
}

/** Paths of the files in a folder that a side has loaded. */
export function loadedIn(folder: string, { files }: Side): string[] {
  return Object.keys(files).flatMap((url) => {
    const path = pathOf(url);
    return path !== undefined && isIn(folder, path) ? [path] : [];
  });
}

/** Undefined for what is no file. */
function pathOf(url: string): string | undefined {
  return url.startsWith("file:") ? fileURLToPath(url.replace(/[?#].*$/, "")) : undefined;
}

/**
 * The names by which a repository's own packages are imported: of the packages that `folder` is in, and of all workspaces.
 * `folder` and `files`, the names of all files, are relative to its top folder.
 */
export function ownNamesIn(top: string, folder: string, files: readonly string[]): ReadonlySet<string> {
  const isWorkspace = matcherOf(workspacesIn(top));
  const folders = files
    .filter((file) => posix.basename(file) === "package.json")
    .map((file) => posix.dirname(file))
    .filter((own) => own === "." || `${folder}/`.startsWith(`${own}/`) || isWorkspace(own));
  return new Set(folders.flatMap((own) => manifestIn(join(top, own))?.name ?? []));
}

interface Manifest {
  readonly name?: string;
  readonly workspaces?: readonly string[] | { readonly packages?: readonly string[] };
}

function manifestIn(folder: string): Manifest | undefined {
  const text = textAt(join(folder, "package.json"));
  return text === undefined ? undefined : (JSON.parse(text) as Manifest);
}

function textAt(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Patterns of the folders that are workspaces. */
function workspacesIn(top: string): readonly string[] {
  const { workspaces = [] } = manifestIn(top) ?? {};
  const [, list = ""] =
    /^packages:\n((?:[ \t]*-.*\n?|[ \t]*#.*\n?|\n)*)/m.exec(textAt(join(top, "pnpm-workspace.yaml")) ?? "") ??
    [];
  const ofPnpm = [...list.matchAll(/^[ \t]*- *["']?([^"'#\s]+)/gm)].map(([, pattern]) => pattern!);
  return [
    ...("packages" in workspaces ? (workspaces.packages ?? []) : (workspaces as readonly string[])),
    ...ofPnpm,
  ];
}

/** Whether a folder is one of these: `*` stands for any name, `**` for any path, and `!` excludes. */
function matcherOf(patterns: readonly string[]): (folder: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const path = pattern.replace(/^!/, "").replace(/^\.\//, "").replace(/\/$/, "");
    const source = path
      .split(/(\*\*|\*)/)
      .map((part) =>
        part === "**" ? ".*" : part === "*" ? "[^/]*" : part.replaceAll(/[\\^$.+?()[\]{}|]/g, "\\$&"),
      )
      .join("");
    return { isExcluding: pattern.startsWith("!"), expression: new RegExp(`^${source}$`) };
  });
  return (folder) => expressions.findLast(({ expression }) => expression.test(folder))?.isExcluding === false;
}
