import { existsSync, readdirSync } from "node:fs";
import { basename, extname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { type AnyContract, type Examination, type Field, type Fields, TRAITS } from "./shared/contract.ts";
import type { Traits } from "./shared/traits.ts";

/**
 * The catalog reads this folder: a primitive is a folder that holds `<name>.contract.ts`, and every file in its
 * `competitors` is a competitor. There is no list to keep.
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

export async function contractOf(primitive: string): Promise<AnyContract> {
  const module = (await import(contractFile(primitive).href)) as { contract: AnyContract };
  return module.contract;
}

/** How a competitor of the primitive is examined. */
export async function examinationOf(primitive: string): Promise<Examination> {
  const file = new URL(`${primitive}/${primitive}.examination.ts`, HERE);
  const module = (await import(file.href)) as { examination: Examination };
  return module.examination;
}

/**
 * Loads a competitor's default export. Throws an Error if the module cannot be imported, or lacks a field of its
 * primitive's contract. Throws as well if a field has a value that the contract does not allow. One line says how to
 * mend it.
 */
export async function loadCompetitor(url: string, contract: AnyContract): Promise<Traits> {
  const { default: competitor } = (await import(url)) as { default?: Record<string, unknown> };
  if (typeof competitor !== "object" || competitor === null)
    throw new Error("it has no default export that is an object");
  const required: Fields = { ...TRAITS.fields, ...contract.fields };
  const lacking = Object.entries(required).filter(([name]) => competitor[name] === undefined);
  const problems = lacking.length === 0 ? [] : [`its default export lacks ${lacking.map(called).join(", ")}`];
  for (const [name, field] of Object.entries({ ...required, ...TRAITS.optional, ...contract.optional })) {
    const value = competitor[name];
    if (value !== undefined && !mayStandIn(field, value))
      problems.push(
        `${name} is ${shown(value)}, which is ${typeof field === "object" ? `none of ${Object.keys(field).join(", ")}` : `not ${KINDS[field]}`}`,
      );
  }
  if (problems.length > 0) throw new Error(problems.join("; "));
  const contradiction = contract.contradiction?.(competitor as unknown as Traits);
  if (contradiction !== undefined) throw new Error(contradiction);
  return competitor as unknown as Traits;
}

/** All competitors of a primitive, loaded; `skip` says why this runtime cannot run one, or is false. */
export async function loadCompetitors<Competitor extends Traits>(primitive: string) {
  const contract = await contractOf(primitive);
  return Promise.all(
    competitorsOf(primitive).map(async ({ name, url }) => {
      const competitor = (await loadCompetitor(url, contract)) as Competitor;
      return { name, url, competitor, skip: competitor.unavailable?.() ?? false };
    }),
  );
}

const KINDS = {
  string: "a string",
  number: "a number from 0 on",
  boolean: "a boolean",
  true: "true: leave it out where it is not so",
  function: "a function",
  object: "an object",
} as const;

function called([name, field]: [string, Field]): string {
  return `${name} (${typeof field === "object" ? `one of ${Object.keys(field).join(", ")}` : KINDS[field]})`;
}

function mayStandIn(field: Field, value: unknown): boolean {
  if (typeof field === "object") return typeof value === "string" && Object.hasOwn(field, value);
  if (field === "true") return value === true;
  if (field === "number") return typeof value === "number" && value >= 0;
  return typeof value === field && value !== null;
}

/** In one line, whatever a stranger's file has there. */
function shown(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value)
    : inspect(value, { depth: 0, breakLength: Infinity });
}

/** Whether a file is named as competitors are: lower-case words joined by hyphens, `.ts`. */
export function isCompetitorName(file: string): boolean {
  return BARE_NAME.test(file);
}

/** The entry of a competitor file outside this folder. */
export function entryForFile(path: string): Entry {
  return { name: basename(path, extname(path)), url: pathToFileURL(path).href };
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
