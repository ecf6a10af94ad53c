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
   * so far as they are named.
   */
  closureOf(file: string): Readonly<Record<string, string>> {
    const primitive = primitiveOf(file);
    const found = new Set([file]);
    // A set hands out what is added to it while it is gone through.
    for (const path of found) {
      // Code names pages to write them; a test that reads one names it itself.
      const reads = this.readsOf(path).filter((read) => path === file || !read.endsWith(".md"));
      for (const read of reads) found.add(read);
      const pattern = BY_CONVENTION[path];
      if (pattern === undefined) continue;
      for (const read of this.files) {
        if (pattern.test(read) && (primitive === undefined || primitive === primitiveOf(read)))
          found.add(read);
      }
    }
    return Object.fromEntries([...found].sort().map((path) => [path, this.hash(path)]));
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
      // Of a template only the text before its first hole is known: a folder, if anything.
      const known = quoted ?? template!.replace(/\$\{[\s\S]*$/, "\0");
      return known.split(/[\s"'`]+/).map((word) => word.replace(/[^/]*\0$/, ""));
    });
    return [...new Set(words)].flatMap((word) => this.#namedBy(word, posix.dirname(file)));
  }

  #namedBy(word: string, folder: string): string[] {
    const sources = this.#packages.get(word);
    if (sources !== undefined) return this.#below(sources);
    if (!/[./]/.test(word)) return [];
    const [near, fromTop] = [posix.join(folder, word).replace(/\/$/, ""), posix.join(word)];
    const named = [near, fromTop].filter((path) => this.files.has(path));
    // A folder that the file stands in is only where its other paths start from.
    const isFolder = this.#folders.has(near) && !`${folder}/`.startsWith(`${near}/`);
    return isFolder ? [...named, ...this.#below(near)] : named;
  }

  #below(folder: string): string[] {
    return [...this.files].filter((path) => path.startsWith(`${folder}/`) && !path.endsWith(".test.ts"));
  }
}

/** The primitive whose folder a file stands in, of structures or of suites. */
export function primitiveOf(file: string): string | undefined {
  return /^(?:structures|suites)\/(?!engine\/|lab\/|shared\/)([^/]+)\//.exec(file)?.[1];
}

/** 60 bits: no two texts of a repository agree in them by chance. */
const HASH_DIGITS = 10;

/** What is no code: comments that begin a line, and imports of types. */
const NO_CODE = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*$|import type [^;]*;)/gm;
const STRING = /"([^"\n]*)"|`([^`]*)`/g;

/**
 * Files that read others by a pattern of their names, so that no list of them exists; of one primitive where a test is
 * of one.
 */
const BY_CONVENTION: Readonly<Record<string, RegExp>> = {
  "structures/catalog.ts": /^structures\/([^/]+)\/\1\.contract\.ts$/,
  "structures/shared/wasm.test.ts": /\.(wat|wasm)$/,
  "suites/engine/render/pages/links.test.ts": /\.md$/,
  "suites/lab/store/generated.test.ts": /\.(md|svg)$/,
  "scripts/readme.test.ts": /^(package\.json$|results\/.*\.md$)/,
  "scripts/packaging.test.ts": /^(tsconfig|structures\/(?!.*\.test\.ts$))/,
  "scripts/help.test.ts": /^scripts\/(?!.*\.test\.ts$)/,
  "scripts/nightly/workflows.test.ts": /^(scripts\/(?!.*\.test\.ts$)|\.github\/)/,
  "scripts/explore/bundle.ts": /^scripts\/explore\/page\//,
  "suites/lab/suites.ts": /^suites\/[^/]+\/(suite|scenarios\/[^/]+|(.+\.)?claims)\.ts$/,
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
