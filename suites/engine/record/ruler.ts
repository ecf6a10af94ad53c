import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { Identity, misfitOf, readJson } from "./record.ts";

/**
 * What a measurement of the ruler saw: groups in which several crews are equal and others are slower by a known share,
 * and the readings of other libraries on the same pairs. One number for each slice that counts, because the judge looks
 * at nothing else; a record of the usual kind would be twenty times as large.
 */
export const RULER_SCHEMA_VERSION = 1;

const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });
/** Work of a crew or a reading beyond what it counts, as a share: by how much it is truly slower. */
const ExtraWork = Type.Number({ minimum: 0 });

const RulerGroup = Type.Object(
  {
    /** Scenario, competitor and worker count that all crews have in common, as a cell's name. */
    cell: Type.String(),
    workers: Count,
    oversubscribed: Type.Boolean(),
    crews: Type.Array(Type.Object({ name: Type.String(), extraWork: ExtraWork }, closed)),
    /** Why it has no numbers, if it has none. */
    failure: Type.Optional(Type.String()),
    /** For each fork, for each crew, ns per operation of each round, to five digits; null where the slice was dropped. */
    forks: Type.Array(Type.Array(Type.Array(Type.Union([Type.Number(), Type.Null()])))),
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

/** A ruler record as text: one line for each crew's rounds in a fork, and for each reading. */
export function rulerText({ groups, readings, ...facts }: RulerRecord): string {
  const lines = (parts: readonly unknown[]) => parts.map((part) => JSON.stringify(part)).join(",\n");
  const head = JSON.stringify(facts, null, 1).slice(0, -2);
  const groupTexts = groups.map(({ forks, ...known }) => {
    const forkTexts = forks.map((crews) => `[\n${lines(crews)}\n]`);
    return `${JSON.stringify(known).slice(0, -1)},"forks":[${forkTexts.join(",")}]}`;
  });
  return `${head},\n"groups":[\n${groupTexts.join(",\n")}\n],\n"readings":[\n${lines(readings)}\n]\n}\n`;
}
