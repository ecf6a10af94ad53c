import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type Entry, entryForFile, isCompetitorName } from "../../structures/catalog.ts";
import { isSameApartFromComments } from "./source-text.ts";

/** One side of a comparison of code: a revision, or the working tree, in a folder of its own. */
export interface Side {
  /** Behind the `@` of its crews' names: `1a2b3c4`, `working-tree`. */
  readonly name: string;
  /** The lab's folder, with `structures` in it. */
  readonly root: string;
}

/** The competitors that a side has, by primitive; read off its folders as the catalog does with its own. */
export function competitorsOfSide({ root }: Pick<Side, "root">): Map<string, readonly Entry[]> {
  const structures = join(root, "structures");
  if (!existsSync(structures)) return new Map();
  return new Map(
    readdirSync(structures)
      .filter((primitive) => existsSync(join(root, contractPath(primitive))))
      .map((primitive) => [primitive, join(structures, primitive, "competitors")] as const)
      .filter(([, folder]) => existsSync(folder))
      .map(([primitive, folder]) => [
        primitive,
        readdirSync(folder)
          .filter(isCompetitorName)
          .sort()
          .map((file) => entryForFile(join(folder, file))),
      ]),
  );
}

/** A line for each primitive whose contract is not the same on all sides, comments and blanks apart. */
export function differencesOfContracts(primitives: Iterable<string>, sides: readonly Side[]): string[] {
  return [...primitives].flatMap((primitive) => {
    const path = contractPath(primitive);
    const [first, ...others] = sides.map((side) => ({ side, text: textOf(join(side.root, path)) }));
    const other = others.find(({ text }) => !isSameApartFromComments(text, first!.text));
    if (other === undefined) return [];
    const [name, otherName] = [first!.side.name, other.side.name];
    return [`${primitive}: its contract (${path}) at ${name} is not that at ${otherName}`];
  });
}

function contractPath(primitive: string): string {
  return `structures/${primitive}/${primitive}.contract.ts`;
}

/** Imports that are gone when the code runs. Whatever this does not recognise counts as code. */
const TYPE_IMPORT = /^(?:import|export) type\s+(?:\{[^}]*\}|\*\s+as\s+\w+|\w+)\s+from\s+["'][^"'\n]*["']/gm;
/**
 * Any string that looks like a path from the module's place on (an import, `new URL("./pick.wat", ...)`) or like a
 * file's name. It need not exist.
 */
const RELATIVE_PATH = /["'`](\.\.?\/[^"'`\n]*|[\w-][\w./-]*\.\w+)["'`]/g;

/**
 * A fingerprint of everything that can decide what a competitor's module does within its side. It covers its own text,
 * the text of every file it names by a relative path, and so on. To the letter: a changed comment makes it another,
 * which costs a race too many. A rule for which letters matter could be wrong and then hide a change. Packages are not
 * in it, because both sides have the same.
 */
export function fingerprintOf(side: Pick<Side, "root">, { url }: Entry): string {
  const files = filesReachedFrom(side, url, { intoFolders: true });
  const hash = createHash("sha256");
  for (const name of [...files.keys()].sort()) {
    const content = files.get(name)!;
    hash.update(`${name}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex");
}

/**
 * Structures' files that suites use and so bring along from the lab's own folder for both sides, where one of the sides
 * has another text. Comments and blanks do not count.
 */
export function filesFromLab(
  suiteUrls: Iterable<string>,
  lab: Pick<Side, "root">,
  sides: readonly Pick<Side, "root">[],
): string[] {
  // Not into folders: the catalog names its own, and a reader of the catalog does not use all that is in it.
  const reached = new Set(
    [...suiteUrls].flatMap((url) => [...filesReachedFrom(lab, url, { intoFolders: false }).keys()]),
  );
  return [...reached]
    .filter((name) => name.startsWith("structures/"))
    .filter((name) => {
      const text = textOf(join(lab.root, name));
      return sides.some(({ root }) => !isSameApartFromComments(textOf(join(root, name)), text));
    })
    .sort();
}

/** A module's own file and all that it leads to within its side, by their path from there. */
function filesReachedFrom(
  { root }: Pick<Side, "root">,
  url: string,
  { intoFolders }: { readonly intoFolders: boolean },
): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const waiting = [fileURLToPath(url)];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = relative(root, path).split(sep).join("/");
    if (files.has(name) || name.startsWith("../") || !existsSync(path)) continue;
    if (statSync(path).isDirectory()) {
      if (intoFolders) waiting.push(...readdirSync(path).map((entry) => join(path, entry)));
      continue;
    }
    const content = readFileSync(path);
    files.set(name, content);
    if (!/\.[cm]?[jt]s$/.test(path)) continue;
    for (const [, named] of content.toString().replace(TYPE_IMPORT, "").matchAll(RELATIVE_PATH)) {
      // Of a path that is put together, everything that it could lead to.
      const [known, ...holes] = named!.split("${");
      waiting.push(resolve(dirname(path), holes.length === 0 ? known! : known!.replace(/[^/]*$/, "")));
    }
  }
  return files;
}

/** Which packages differ from one side's package.json to another's, as `undici 7.0.0 -> 7.30.2`. */
export function packageDifferences(from: Side, to: Side): string[] {
  const [before, after] = [packagesOf(from), packagesOf(to)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => `${name} ${before.get(name) ?? "none"} -> ${after.get(name) ?? "none"}`);
}

/** The packages that its package names; which of them a structure imports depends on the structure. */
function packagesOf({ root }: Side): Map<string, string> {
  type Packages = Readonly<Record<string, string>>;
  const { dependencies, devDependencies } = JSON.parse(textOf(join(root, "package.json")) || "{}") as {
    readonly dependencies?: Packages;
    readonly devDependencies?: Packages;
  };
  return new Map(Object.entries({ ...dependencies, ...devDependencies }));
}

/** Empty where there is no such file. */
function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
