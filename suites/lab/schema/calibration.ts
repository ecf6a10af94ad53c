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

/**
 * A calibration's record, which shows how often verdicts are right. As in a bench record no conclusion is stored: the pages
 * draw them each time.
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

export type CalibrationRecord = Static<typeof Verdicts>;
export type KnownGroupRecord = Static<typeof KnownGroup>;
export type LibraryReadingRecord = Static<typeof LibraryReading>;
const validator = Compile(Verdicts);

/** Reads and checks a record. Throws an Error whose one-line message says what is wrong with the file. */
export function readCalibration(path: string): CalibrationRecord {
  const value = readJson(path, "calibration");
  checkEnvelope(value, "calibration", path);
  if (validator.Check(value)) return value;
  throw new Error(`${path} is damaged: ${misfitOf(validator.Errors(value))}`);
}

/** Why what was measured lacks a number, once for each one that does. */
export function failuresOf({ groups, readings }: CalibrationRecord): string[] {
  return [...groups, ...readings].flatMap(({ failure }) => failure ?? []);
}
