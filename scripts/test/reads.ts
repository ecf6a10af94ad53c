import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/**
 * The files that a file reads, by its text. These are all its strings that are the path of a file or folder here, from
 * its own folder or from the top. Imports of types do not count, because the compiler checks them. That holds for
 * imports, for `new URL(...)` and for a path handed to another process alike. It finds too much rather than too little.
 * Paths are relative to the top, with `/`.
 */
export class Sources {
  readonly files: ReadonlySet<string>;
  readonly #root: string;
  readonly #folders: ReadonlySet<string>;
  /** Folder of the sources of each package of this repository, by the package's name. */
  readonly #packages: ReadonlyMap<string, string>;
  readonly #reads = new Map<string, readonly string[]>();
  readonly #hashes = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
    this.files = new Set(filesBelow(root, ""));
    this.#folders = new Set([...this.files].flatMap(foldersAbove));
    this.#packages = packagesOf(root);
  }

  text(file: string): string {
    return readFileSync(join(this.#root, file), "utf8");
  }

  hash(file: string): string {
    let hash = this.#hashes.get(file);
    if (hash === undefined) {
      const bytes = readFileSync(join(this.#root, file));
      hash = createHash("sha256").update(bytes).digest("base64url").slice(0, HASH_DIGITS);
      this.#hashes.set(file, hash);
    }
    return hash;
  }

  /**
   * Hash of each file that is read to run `file`, itself included. Competitors come by `structures/catalog.ts` only in
   * so far as they are named. Those that a suite imports for a scenario, by however many files, come with files of that
   * primitive alone: others load the suite, and see of its competitors that they are there.
   */
  closureOf(file: string): Readonly<Record<string, string>> {
    const primitive = primitiveOf(file);
    const isLoadedSuite = (path: string) =>
      primitive === undefined && path.startsWith("suites/") && primitiveOf(path) !== undefined;
    const found = new Set([file]);
    const ofLoaded = new Set<string>();
    // A set hands out what is added to it while it is gone through.
    for (const path of found) {
      const seen = isLoadedSuite(path) ? ofLoaded : found;
      for (const read of this.#readToRun(file, path)) seen.add(read);
    }
    for (const path of ofLoaded) {
      if (COMPETITOR.test(path) || found.has(path)) continue;
      found.add(path);
      for (const read of this.#readToRun(file, path)) ofLoaded.add(read);
    }
    return Object.fromEntries([...found].sort().map((path) => [path, this.hash(path)]));
  }

  /** What the file at `path` reads where it is run for `file`. */
  #readToRun(file: string, path: string): string[] {
    // Code names pages to write them; a test that reads one names it itself.
    const reads = this.readsOf(path).filter((read) => path === file || !read.endsWith(".md"));
    const pattern = BY_CONVENTION[path];
    // What only names a test, as this file does below, does not run it.
    if (pattern === undefined || (path !== file && path.endsWith(".test.ts"))) return reads;
    const primitive = primitiveOf(file);
    const byName = [...this.files].filter(
      (read) => pattern.test(read) && (primitive === undefined || primitive === primitiveOf(read)),
    );
    return [...reads, ...byName];
  }

  /** What its text names, but not what these files name in turn. */
  readsOf(file: string): readonly string[] {
    let reads = this.#reads.get(file);
    if (reads === undefined) {
      reads = /\.[cm]?[jt]sx?$/.test(file) ? this.#namedIn(file) : [];
      this.#reads.set(file, reads);
    }
    return reads;
  }

  #namedIn(file: string): string[] {
    const code = this.text(file).replaceAll(NO_CODE, "");
    const words = [...code.matchAll(STRING)].flatMap(([, quoted, template]) => {
      // Of a template only what stands before its first hole is known: a folder, or how a name in it begins.
      const known = quoted ?? template!.replace(/\$\{[\s\S]*$/, HOLE);
      return known.split(/[\s"'`]+/);
    });
    return [...new Set(words)].flatMap((word) => this.#namedBy(word, posix.dirname(file)));
  }

  #namedBy(word: string, folder: string): string[] {
    const sources = this.#packages.get(word);
    if (sources !== undefined) return this.#below(sources);
    if (!/[./]/.test(word)) return [];
    const begun = word.endsWith(HOLE) ? posix.join(folder, word.slice(0, -1)) : undefined;
    if (begun !== undefined && NAME_BEGUN.test(word))
      return [...this.files].filter((path) => path.startsWith(begun));
    const near = (begun ?? posix.join(folder, word)).replace(/\/$/, "");
    const fromTop = posix.join(word);
    const named = [near, fromTop].filter((path) => this.files.has(path));
    // A folder that the file stands in is only where its other paths start from.
    const isFolder = this.#folders.has(near) && !`${folder}/`.startsWith(`${near}/`);
    return isFolder ? [...named, ...this.#below(near)] : named;
  }

  /** Nothing of the folder that the catalog looks through: it finds what there is. */
  #below(folder: string): string[] {
    if (this.files.has(`${folder}/catalog.ts`)) return [];
    return [...this.files].filter((path) => path.startsWith(`${folder}/`) && !path.endsWith(".test.ts"));
  }
}

/** The file of a competitor or a mutant: its primitive and its name. */
export const COMPETITOR = /^structures\/([^/]+)\/competitors\/([^/]+)\.ts$/;

/** The primitive whose folder a file stands in, of structures or of suites. */
export function primitiveOf(file: string): string | undefined {
  return /^(?:structures|suites)\/(?!engine\/|lab\/|reporter\/|shared\/)([^/]+)\//.exec(file)?.[1];
}

/** 60 bits: no two texts of a repository agree in them by chance. */
const HASH_DIGITS = 10;

/** What is no code: comments that begin a line, and imports of types. */
const NO_CODE = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$|import type [^;]*;)/gm;
/** Where what a template says is not known. */
const HOLE = "\0";
/** Up to the hole there stands more of a name than the dots that lead to a folder. */
const NAME_BEGUN = /[^/.\0][^/]*\0$/;
const STRING = /"([^"\n]*)"|`([^`]*)`/g;

/**
 * Files that read others by a pattern of their names, so that no list of them exists; of one primitive where a test is
 * of one.
 */
const BY_CONVENTION: Readonly<Record<string, RegExp>> = {
  "structures/catalog.ts": /^structures\/([^/]+)\/\1\.contract\.ts$/,
  "structures/shared/wasm.test.ts": /\.(wat|wasm)$/,
  "suites/lab/pages/links.test.ts": /\.md$/,
  "suites/lab/store/generated.test.ts": /\.(md|svg)$/,
  "scripts/readme.test.ts": /^(package\.json$|results\/.*\.md$)/,
  "scripts/packaging/library.test.ts": /^(tsconfig|structures\/(?!.*\.test\.ts$))/,
  "scripts/help.test.ts": /^scripts\/(?!abuse\/|.*\.test\.ts$)/,
  "scripts/nightly/workflows.test.ts": /^(scripts\/(?!.*\.test\.ts$)|\.github\/)/,
  "scripts/explore/bundle.ts": /^scripts\/explore\/page\//,
  "suites/lab/suites.ts": /^suites\/[^/]+\/(suite|scenarios\/[^/]+)\.ts$/,
};

/** What installing and running leave behind. */
const LEFT_OUT = new Set(["node_modules", "dist", ".git", "local", "site"]);

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return LEFT_OUT.has(entry.name) ? [] : filesBelow(root, path);
    return entry.isFile() ? [path] : [];
  });
}

function foldersAbove(file: string): string[] {
  const folder = posix.dirname(file);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

function packagesOf(root: string): Map<string, string> {
  const manifestIn = (folder: string) => {
    const path = join(root, folder, "package.json");
    return existsSync(path)
      ? (JSON.parse(readFileSync(path, "utf8")) as { readonly name: string; readonly workspaces?: string[] })
      : undefined;
  };
  const folders = manifestIn("")?.workspaces ?? [];
  const sourcesIn = (folder: string) => (existsSync(join(root, folder, "src")) ? `${folder}/src` : folder);
  return new Map(folders.map((folder) => [manifestIn(folder)!.name, sourcesIn(folder)]));
}
