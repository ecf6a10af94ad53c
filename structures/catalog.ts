import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Contract } from "./shared/contract.ts";
import type { Traits } from "./shared/traits.ts";

/**
 * The catalog is this folder, read: a primitive is a folder that holds `<name>.contract.ts`, and every file in its
 * `competitors` is one. There is no list to keep.
 */
export interface Entry {
  /** The file's name without `.ts`: the competitor's name everywhere. */
  readonly name: string;
  /** `file:` URL of the module whose default export is the competitor. */
  readonly url: string;
}

const HERE = new URL("./", import.meta.url);
const BARE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*\.ts$/;

export function primitives(): string[] {
  return readdirSync(HERE, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(contractFile(entry.name)))
    .map((entry) => entry.name)
    .sort();
}

/** The competitors of a primitive, by name. */
export function competitorsOf(primitive: string): Entry[] {
  return entriesIn(new URL(`${primitive}/competitors/`, HERE));
}

/** The planted broken competitors of a primitive, by name. They never race unless asked for by path. */
export function mutantsOf(primitive: string): Entry[] {
  const folder = new URL(`${primitive}/mutants/`, HERE);
  return existsSync(folder) ? entriesIn(folder) : [];
}

/** Name of the law that a mutant is there to break: what its module exports as `breaks`. */
export async function lawBrokenBy({ url }: Entry): Promise<string> {
  return ((await import(url)) as { breaks: string }).breaks;
}

export async function contractOf(primitive: string): Promise<Contract<Traits>> {
  const module = (await import(contractFile(primitive).href)) as { contract: Contract<Traits> };
  return module.contract;
}

/**
 * Loads a competitor's default export. Throws an Error whose message says what is missing when the module cannot be
 * imported or does not have every field its primitive's contract names.
 */
export async function loadCompetitor(url: string, contract: Contract<Traits>): Promise<Traits> {
  const module = (await import(url)) as { default?: Record<string, unknown> };
  const competitor = module.default;
  if (typeof competitor !== "object" || competitor === null)
    throw new Error("it has no default export that is an object");
  const wrong = Object.entries(contract.fields).filter(([field, type]) => typeof competitor[field] !== type);
  if (wrong.length > 0) {
    throw new Error(
      `its default export lacks ${wrong.map(([field, type]) => `${field} (a ${type})`).join(", ")}`,
    );
  }
  return competitor as unknown as Traits;
}

/** Whether a file is named as competitors are: lower-case words joined by hyphens, `.ts`. */
export function isCompetitorName(file: string): boolean {
  return BARE_NAME.test(file);
}

/** The entry for a competitor file outside this folder. */
export function entryForFile(path: string): Entry {
  return { name: basename(path, ".ts"), url: pathToFileURL(path).href };
}

function contractFile(primitive: string): URL {
  return new URL(`${primitive}/${primitive}.contract.ts`, HERE);
}

function entriesIn(folder: URL): Entry[] {
  return readdirSync(folder)
    .filter(isCompetitorName)
    .map((file) => entryForFile(fileURLToPath(new URL(file, folder))))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
