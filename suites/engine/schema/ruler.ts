import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { GroupSchema, Identity, misfitOf, readJson } from "./record.ts";

/**
 * What a measurement of the ruler saw: groups in which several crews are equal and others are slower by a known share,
 * and the readings of other libraries on the same pairs.
 */
export const RULER_SCHEMA_VERSION = 2;

const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });
/** Work of a crew or a reading beyond what it counts, as a share: by how much it is truly slower. */
const ExtraWork = Type.Number({ minimum: 0 });

const RulerGroup = Type.Object(
  {
    ...GroupSchema.properties,
    /** Of each of its competitors, by name. */
    extraWork: Type.Record(Type.String(), ExtraWork),
    /** Whether what they work on is larger than the nearest caches. */
    isLarge: Type.Boolean(),
    /** Half-width of an interval, as a share, up to which racing would have gone on with a row. */
    precision: Type.Number(),
    /** Why it has no numbers, if it has none. */
    failure: Type.Optional(Type.String()),
  },
  closed,
);

const RulerReading = Type.Object(
  {
    library: Type.String(),
    cell: Type.String(),
    extraWork: ExtraWork,
    /** Readings of one library and cell in one turn have the same workload and were taken one after the other. */
    turn: Count,
    /** Why it has no numbers, if it has none. */
    failure: Type.Optional(Type.String()),
    /** The library's mean and, where it has one, its own interval, in ns per operation; null without. */
    mean: Type.Union([Type.Number(), Type.Null()]),
    low: Type.Union([Type.Number(), Type.Null()]),
    high: Type.Union([Type.Number(), Type.Null()]),
  },
  closed,
);

export const RulerRecordSchema = Type.Object(
  {
    rulerSchemaVersion: Type.Literal(RULER_SCHEMA_VERSION),
    ...Identity,
    groups: Type.Array(RulerGroup),
    /** In the order they were taken. */
    readings: Type.Array(RulerReading),
  },
  closed,
);

export type RulerRecord = Static<typeof RulerRecordSchema>;
export type RulerGroupRecord = Static<typeof RulerGroup>;
export type RulerReadingRecord = Static<typeof RulerReading>;

const validator = Compile(RulerRecordSchema);

/** Reads and checks a ruler record. Throws an Error whose one-line message says what is wrong with the file. */
export function readRulerRecord(path: string): RulerRecord {
  const value = readJson(path, "npm run ruler");
  if (validator.Check(value)) return value;
  throw new Error(`${path} is no ruler record that this lab can read: ${misfitOf(validator.Errors(value))}`);
}
