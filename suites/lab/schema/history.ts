import { readFileSync } from "node:fs";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { Method } from "../../engine/schema/envelope.ts";
import {
  Count,
  Hash,
  Line,
  Moment,
  misfitOf,
  Name,
  Positive,
  RacedCellName,
  Slug,
  versionMisfit,
  Workers,
} from "../../engine/schema/values.ts";
import { cellToday, type FormerNames, nameToday } from "./names.ts";

/**
 * The history of nightly runs: one line of JSON for each cell and night, in a file that is only ever appended to.
 * Unlike a record it holds figures and no samples, because a year of samples would be gigabytes. What a line says was
 * judged that night, by that night's judge.
 *
 * Lines stand in the order in which they were appended, and that is the order of nights. Their times are for people. A
 * machine whose clock goes back, or a record that is appended late, is neither refused nor sorted into the past. That
 * would change what earlier nights were judged by. It is the newest night, and the summary says by how much the clock
 * went back.
 */
export const LINE_VERSION = 1;

const orNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const NightLine = Type.Object(
  {
    version: Type.Literal(LINE_VERSION),
    /** When the night's record was begun, ISO 8601. With commit and cell what identifies a line. */
    at: Moment,
    commit: Hash,
    /** Slug. */
    machine: Slug,
    /** Name and version: "Node.js 24.0.0". Of a race on several runtimes the cell's own. */
    runtime: Line,
    method: Method,
    profile: Name,
    /** primitive/scenario/competitor/workers, and the role behind it where there are several. */
    cell: RacedCellName,
    workers: Workers,
    oversubscribed: Type.Boolean(),
    /**
     * The state of the machine that the figures are of (see judge/samples.ts); absent where there are none, and in
     * lines of methods 1 and 2.
     */
    state: Type.Optional(Type.Union([Type.Literal("quiet"), Type.Literal("far"), Type.Literal("any")])),
    /** What one worker waits for one operation, ns; null where the cell has no number. */
    medianNs: orNull(Positive),
    /**
     * To the baseline of the group, with the interval that the verdict rests on; null for the baseline itself. It has its
     * ns only, which say how the machine was but are no series to judge: they move with the machine.
     */
    ratio: orNull(Positive),
    low: orNull(Positive),
    high: orNull(Positive),
    /** Noise floor of the group, a share: 0.012 is 1.2 %; null where its A/A control has no number, or a single one. */
    floor: orNull(Positive),
    /** Competitor. */
    baseline: Name,
    /** Processes that the numbers rest on. */
    forks: Count,
    /** A verdict, "baseline", or "no number". */
    verdict: Line,
    /** Why there is no number, where there is none. */
    reason: Type.Optional(Line),
  },
  { additionalProperties: false },
);

export type HistoryLine = Static<typeof NightLine>;

const validator = Compile(NightLine);

export interface History {
  /** In the order in which they were appended. */
  readonly lines: readonly HistoryLine[];
  readonly damaged: readonly DamagedLine[];
}

/** A line that is left out. It stays in the file: nothing here rewrites what was appended. */
export interface DamagedLine {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/**
 * Reads a history; a file that is not there is an empty one. Lines have the names of today in place of `formerNames`, so
 * that a series goes on. Throws an Error with one line if it cannot be read.
 */
export function readHistory(path: string, formerNames: FormerNames = new Map()): History {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { lines: [], damaged: [] };
    throw new Error(`history ${path} cannot be read (${code}): choose another with --history FILE`);
  }
  const lines: HistoryLine[] = [];
  const damaged: DamagedLine[] = [];
  const known = new Set<string>();
  for (const [index, written] of text.split("\n").entries()) {
    if (written.trim() === "") continue;
    const line = parsed(written, formerNames);
    const reason =
      typeof line === "string" ? line : known.has(identityOf(line)) ? "repeats an earlier line" : undefined;
    if (typeof line === "string" || reason !== undefined) {
      damaged.push({ line: index + 1, reason: reason! });
      continue;
    }
    known.add(identityOf(line));
    lines.push(line);
  }
  return { lines, damaged };
}

/** A line, or what is wrong with it. */
function parsed(written: string, formerNames: FormerNames): HistoryLine | string {
  let value: unknown;
  try {
    // An editor may have put a byte order mark before the first line: trimmed off, as space is.
    value = JSON.parse(written.trim());
  } catch {
    return "is not JSON: cut off or overwritten";
  }
  if (validator.Check(value)) return lineToday(value, formerNames);
  const version = (value as { version?: unknown } | null)?.version;
  if (version !== LINE_VERSION) return versionMisfit("version", version, LINE_VERSION);
  return `does not fit: ${misfitOf(validator.Errors(value))}`;
}

function lineToday(line: HistoryLine, formerNames: FormerNames): HistoryLine {
  const [primitive] = line.cell.split("/");
  const baseline = nameToday(primitive!, line.baseline, formerNames);
  return { ...line, cell: cellToday(line.cell, formerNames), baseline };
}

/** The same cell of the same night: what is never appended twice. */
export function identityOf({ at, commit, cell }: HistoryLine): string {
  return `${at} ${commit} ${cell}`;
}
