import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { judgeScenario } from "../../engine/judge/judge.ts";
import { WriteError } from "../../engine/measure/machine/write-whole.ts";
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
import type { JudgedRow } from "../../engine/schema/verdict.ts";
import { cellToday, type FormerNames, nameToday } from "../schema/names.ts";
import type { BenchRecord } from "../schema/record.ts";

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
function identityOf({ at, commit, cell }: HistoryLine): string {
  return `${at} ${commit} ${cell}`;
}

/**
 * Makes sure that lines can be appended. Throws an Error with one line where they cannot: that is better known before an
 * hour of measuring than after it.
 */
export function checkAppendable(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const isThere = existsSync(path);
    closeSync(openSync(path, "a"));
    if (!isThere) rmSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(
      `history ${path} cannot be appended to (${code}): make it writable, or choose another with --history FILE`,
    );
  }
}

/**
 * Appends the lines that are not in the history yet and returns them. All go out in one write behind the end of the file
 * and are on the disk when this returns. Not whole or not at all, as other results are written: that would rewrite
 * all earlier nights for the sake of one. A crash leaves some whole lines and at most one that is cut off. The next
 * append begins on a new line, and appending the night again adds what is missing. Throws a
 * WriteError on a full disk, with the file as it was.
 */
export function appendLines(
  path: string,
  lines: readonly HistoryLine[],
  formerNames: FormerNames = new Map(),
): HistoryLine[] {
  const known = new Set(readHistory(path, formerNames).lines.map(identityOf));
  const added = lines.filter((line) => !known.has(identityOf(line)));
  if (added.length === 0) return [];
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "a+");
  const { size } = fstatSync(file);
  try {
    const text = added.map((line) => `${JSON.stringify(line)}\n`).join("");
    const bytes = Buffer.from(endsItsLine(file) ? text : `\n${text}`);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } catch (error) {
    if (size === 0) rmSync(path);
    else ftruncateSync(file, size);
    throw new WriteError(`history ${path}`, error as NodeJS.ErrnoException);
  } finally {
    closeSync(file);
  }
  return added;
}

function endsItsLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last.toString() === "\n";
}

/**
 * What a record has to say to the history. Each group is judged by itself and not with the other groups of its
 * scenario, as on pages. The width of an interval depends on how many rows are judged together. A night's verdict on a
 * cell must not depend on what else was raced in it. Throws an Error with one line for a record of no commit.
 */
export function linesOf(record: BenchRecord): HistoryLine[] {
  const { commit } = record;
  if (commit === null || commit.dirty) {
    throw new Error(
      "the record was made with uncommitted changes, and the lines of a history belong to commits: measure a commit",
    );
  }
  if (record.size !== "full") throw new Error("the record is of smoke size: its numbers mean nothing");
  const common = {
    version: LINE_VERSION,
    at: record.startedAt,
    commit: commit.hash,
    runtime: `${record.runtime.name} ${record.runtime.version}`,
    method: record.methodVersion,
    profile: record.profile,
  } as const;
  const lines = record.groups.flatMap((group) => {
    const { rows, conditions } = judgeScenario([group]);
    const { floors, workers, oversubscribed, baseline = "none" } = conditions[0]!;
    const ofGroup = {
      ...common,
      machine: record.machine.slug,
      workers,
      oversubscribed,
      // Of several roles the noisiest floor, which holds for all.
      floor: floors.length === 0 ? null : digits(Math.max(...floors)),
      baseline,
    };
    // A/A controls are noise and have no history.
    return rows
      .filter(({ kind }) => kind !== "aa-control")
      .map((row): HistoryLine => {
        const runtime = group.runtimes?.find(({ name }) => name === row.runtime)?.version ?? ofGroup.runtime;
        return { ...ofGroup, runtime, cell: row.cell, ...figuresOf(row) };
      });
  });
  // Where rivals are too many for one group the baseline races in each: its first line is as good as the others.
  return [...new Map(lines.toReversed().map((line) => [line.cell, line])).values()].toReversed();
}

function figuresOf(row: JudgedRow) {
  if (row.noNumber !== undefined) {
    return {
      medianNs: null,
      ratio: null,
      low: null,
      high: null,
      forks: row.forks,
      verdict: "no number",
      reason: row.noNumber,
    };
  }
  const { ratio } = row;
  return {
    state: row.state,
    medianNs: digits(row.median),
    ratio: ratio === undefined ? null : digits(ratio.value),
    low: ratio === undefined ? null : digits(ratio.low),
    high: ratio === undefined ? null : digits(ratio.high),
    forks: row.forks,
    verdict: row.verdict,
  };
}

/** Six are beyond every floor, and a line is half as long. What is no finite number above 0 is as good as none. */
function digits(value: number): number | null {
  return value > 0 && Number.isFinite(value) ? Number(value.toPrecision(6)) : null;
}
