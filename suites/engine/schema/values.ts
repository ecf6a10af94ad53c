import Type from "typebox";
import { plainLine, UNSEEN } from "./lines.ts";

/**
 * Values that records, verdicts and histories hold, each with the range in which it can be true. Files come from elsewhere
 * and may be damaged or forged: what they name becomes part of paths, tables and terminals.
 */

const NAME = `(?!\\.{1,2}(?:/|$))[^/\\\\${UNSEEN}]{1,200}`;

const PATTERNS = {
  name: `^${NAME}$`,
  cell: `^${NAME}(?:/${NAME}){2,4}$`,
  racedCell: `^${NAME}/${NAME}/${NAME}/\\d{1,4}w(?:/${NAME})?$`,
  line: `^[^${UNSEEN}]*$`,
  moment: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?Z$",
  hash: "^[0-9a-f]{7,64}$",
  slug: "^[a-z0-9-]{1,200}$",
} as const;

/** What is wrong with a text that does not match, in words. */
const MISFITS: ReadonlyMap<unknown, string> = new Map([
  [PATTERNS.name, "must be a name: 1 to 200 characters, without slashes and control characters"],
  [PATTERNS.cell, "must be a cell's name, as suite/scenario/name/2w, without control characters"],
  [PATTERNS.racedCell, "must be a raced cell's name, as suite/scenario/name/2w, without control characters"],
  [PATTERNS.line, "must be one line without control characters"],
  [PATTERNS.moment, "must be a time as 2026-11-20T10:11:12.345Z"],
  [PATTERNS.hash, "must be a commit's hash"],
  [PATTERNS.slug, "must be of small letters, digits and hyphens"],
]);

/** Of a competitor, scenario, role or runtime: never part of a path but as one segment of it. */
export const Name = Type.String({ pattern: PATTERNS.name });
/** primitive/scenario/competitor/workers, and the role behind it where there are several; no workers in a simulation. */
export const CellName = Type.String({ pattern: PATTERNS.cell });
export const RacedCellName = Type.String({ pattern: PATTERNS.racedCell });
/** A text of one line. */
export const Line = Type.String({ pattern: PATTERNS.line });
/** Of a commit. */
export const Hash = Type.String({ pattern: PATTERNS.hash });
/** Of a machine. */
export const Slug = Type.String({ pattern: PATTERNS.slug });

/** ISO 8601, in UTC. */
export const Moment = Type.Refine(
  Type.String({ pattern: PATTERNS.moment }),
  isMoment,
  (text) => `${text} is no time`,
);

/** Whether there is such a day and hour: Date.parse takes the 30th of February for a day in March. */
function isMoment(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 19) === text.slice(0, 19);
}

/** Objects by names of any kind. */
export function byName<const Value extends Type.TSchema>(value: Value) {
  return Type.Record(Name, value, { additionalProperties: false });
}

/** How many: all integers that a double holds exactly. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** Threads that race together. */
export const Workers = Type.Integer({ minimum: 1, maximum: 1024 });
/** Of a machine. */
export const Cores = Type.Integer({ minimum: 1, maximum: 65_536 });
export const Seed = Type.Integer({ minimum: 0, maximum: 2 ** 32 - 1 });
/** Decimals of a figure. */
export const Digits = Type.Integer({ minimum: 0, maximum: 20 });
/** Beyond this no time, rate or size is true, in any unit: sums and squares of what is below stay finite. */
const LARGEST = 1e18;
/** A time, a rate, a size: nothing that is below zero. */
export const Amount = Type.Number({ minimum: 0, maximum: LARGEST });
export const Positive = Type.Number({ exclusiveMinimum: 0, maximum: LARGEST });
/** A suite alone knows what it is. */
export const Figure = Type.Number();
/** Of a whole. */
export const Share = Type.Number({ minimum: 0, maximum: 1 });

/** What a validator finds of one place. */
interface Misfit {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** Where and how a value does not fit its schema, in a few words, of all that a validator finds. */
export function misfitOf([first]: readonly Misfit[]): string {
  if (first === undefined) return "/ does not fit the schema";
  const { keyword, instancePath, message, params } = first;
  const found =
    keyword === "boolean"
      ? "is not known here"
      : (MISFITS.get("pattern" in params && params.pattern) ?? message);
  return plainLine(`${instancePath || "/"} ${found}`);
}

/** Describes a file's version that is not the known one: a version of another type looks like it. */
export function versionMisfit(what: string, found: unknown, known: number): string {
  const reads = `this lab reads ${what} ${known}`;
  if (found === undefined) return `has no ${what}, ${reads}`;
  if (typeof found === "number") return `has ${what} ${found}, ${reads}`;
  const kind = found === null ? "null" : Array.isArray(found) ? "a list" : `a ${typeof found}`;
  return `has a ${what} that is no number but ${kind}, ${reads}`;
}
