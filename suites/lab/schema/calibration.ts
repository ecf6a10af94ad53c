import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { envelope } from "../../engine/schema/envelope.ts";
import { GroupSchema } from "../../engine/schema/record.ts";
import {
  Amount,
  byName,
  CellName,
  Count,
  Figure,
  Line,
  misfitOf,
  Name,
  Share,
} from "../../engine/schema/values.ts";
import { checkEnvelope, readJson } from "./envelope-file.ts";
import { OpinionSchema } from "./opinion.ts";

/**
 * A calibration's record, in one of two parts. One shows how often verdicts are right, the other whether readings agree
 * with other libraries'. As in a bench record no conclusion is stored: the pages draw them each time.
 */
const closed = { additionalProperties: false };
/** Work of a crew or a reading beyond what it counts, as a share: by how much it is truly slower. */
const ExtraWork = Amount;

const KnownGroup = Type.Object(
  {
    ...GroupSchema.properties,
    /** Of each of its competitors, by name. */
    extraWork: byName(ExtraWork),
    /** Whether what they work on is larger than the nearest caches. */
    isLarge: Type.Boolean(),
    /** Half-width of an interval, as a share, up to which racing would have gone on with a row. */
    precision: Share,
    /** Why it has no numbers, if it has none. */
    failure: Type.Optional(Line),
  },
  closed,
);

const LibraryReading = Type.Object(
  {
    library: Name,
    cell: CellName,
    extraWork: ExtraWork,
    /** Readings of one library and cell in one turn have the same workload and were taken one after the other. */
    turn: Count,
    /** Why it has no numbers, if it has none. */
    failure: Type.Optional(Line),
    /** The library's mean and, where it has one, its own interval, in ns per operation; null without. */
    mean: Type.Union([Amount, Type.Null()]),
    low: Type.Union([Figure, Type.Null()]),
    high: Type.Union([Amount, Type.Null()]),
  },
  closed,
);

/**
 * Groups in which several crews are equal and others are slower by a known share, and the readings of other libraries on
 * the same pairs.
 */
const Verdicts = Type.Object(
  {
    ...envelope("calibration"),
    part: Type.Literal("verdicts"),
    /** Whether another process took 0.3 of a core in bursts of 5 to 50 ms all the time; absent if not. */
    isDisturbed: Type.Optional(Type.Literal(true)),
    groups: Type.Array(KnownGroup),
    /** In the order they were taken. */
    readings: Type.Array(LibraryReading),
  },
  closed,
);

/** The judge that measured: the lab with the competitor alone and in its usual group, and the libraries. */
export const READINGS = ["alone", "raced", "mitata", "tinybench"] as const;
export type Reading = (typeof READINGS)[number];

/** What each saw in one turn: in one process, of the same workload. */
const Turn = Type.Object(
  { alone: OpinionSchema, raced: OpinionSchema, mitata: OpinionSchema, tinybench: OpinionSchema },
  closed,
);

const CheckedCell = Type.Object({ name: CellName, competitor: Name, turns: Type.Array(Turn) }, closed);

const CheckedGroup = Type.Object(
  {
    primitive: Name,
    scenario: Name,
    title: Line,
    operation: Line,
    /** Length of the lab's slices; each slice is one sample of its figures. */
    sliceMs: Amount,
    /** Crews that were raced in the same process, this cell's own among them. */
    crews: Count,
    cells: Type.Array(CheckedCell),
  },
  closed,
);

/** One-worker cells as the lab measured them and as other libraries did, turn by turn. */
const Readings = Type.Object(
  {
    ...envelope("calibration"),
    part: Type.Literal("readings"),
    /** How often each cell was measured by each; the first turn alone weighs memory. */
    turns: Count,
    /** As in a question to a library, in ms. */
    cpuMs: Amount,
    /** Versions of the libraries. */
    libraries: Type.Object({ mitata: Line, tinybench: Line }, closed),
    groups: Type.Array(CheckedGroup),
  },
  closed,
);

export type VerdictsRecord = Static<typeof Verdicts>;
export type KnownGroupRecord = Static<typeof KnownGroup>;
export type LibraryReadingRecord = Static<typeof LibraryReading>;
export type ReadingsRecord = Static<typeof Readings>;
export type CheckedGroupRecord = Static<typeof CheckedGroup>;
export type CheckedCellRecord = Static<typeof CheckedCell>;
export type CalibrationRecord = VerdictsRecord | ReadingsRecord;

export const PARTS = ["verdicts", "readings"] as const;
export type Part = (typeof PARTS)[number];

const VALIDATORS = { verdicts: Compile(Verdicts), readings: Compile(Readings) };

/** Reads and checks a record. Throws an Error whose one-line message says what is wrong with the file. */
export function readCalibration(path: string): CalibrationRecord {
  const value = readJson(path, "calibration");
  checkEnvelope(value, "calibration", path);
  const { part } = value as { readonly part?: unknown };
  const known = PARTS.find((name) => name === part);
  if (known === undefined) throw new Error(`${path} is damaged: it is of no part, ${PARTS.join(" or ")}`);
  const validator = VALIDATORS[known];
  if (validator.Check(value)) return value;
  throw new Error(`${path} is damaged: ${misfitOf(validator.Errors(value))}`);
}

/** Why what was measured lacks a number, once for each one that does. */
export function failuresOf(record: CalibrationRecord): string[] {
  if (record.part === "verdicts") {
    return [...record.groups, ...record.readings].flatMap(({ failure }) => failure ?? []);
  }
  const opinions = record.groups.flatMap(({ cells }) =>
    cells.flatMap(({ turns }) => turns.flatMap((turn) => Object.values(turn))),
  );
  return opinions.flatMap(({ failure }) => failure?.reason ?? []);
}
