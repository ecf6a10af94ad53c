import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { OpinionSchema } from "./opinion.ts";
import { Identity, jsonText, misfitOf, readJson } from "./record.ts";

/**
 * A crosscheck's record: one-worker cells as the lab measured them and as other libraries did, turn by turn, beside
 * what every record says of its run. As in a bench record no conclusion is stored: the page draws them each time.
 */
export const CROSSCHECK_VERSION = 1;

const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });

/** Who measured: the lab with the competitor alone and in its usual group, and the libraries. */
export const READINGS = ["alone", "raced", "mitata", "tinybench"] as const;
export type Reading = (typeof READINGS)[number];

/** What each saw in one turn: in one process, of the same workload. */
const Turn = Type.Object(
  { alone: OpinionSchema, raced: OpinionSchema, mitata: OpinionSchema, tinybench: OpinionSchema },
  closed,
);

const CheckedCell = Type.Object(
  { name: Type.String(), competitor: Type.String(), turns: Type.Array(Turn) },
  closed,
);

const CheckedGroup = Type.Object(
  {
    primitive: Type.String(),
    scenario: Type.String(),
    title: Type.String(),
    operation: Type.String(),
    /** Length of the lab's slices, each of which is one sample of its figures. */
    sliceMs: Type.Number(),
    /** Crews that were raced in the same process, this cell's own among them. */
    crews: Count,
    cells: Type.Array(CheckedCell),
  },
  closed,
);

export const CrosscheckSchema = Type.Object(
  {
    kind: Type.Literal("crosscheck"),
    schemaVersion: Type.Literal(CROSSCHECK_VERSION),
    ...Identity,
    /** How often each cell was measured by each; the first turn alone weighs memory. */
    turns: Count,
    /** As in a question to a library, in ms. */
    cpuMs: Type.Number(),
    /** Versions of the libraries. */
    libraries: Type.Object({ mitata: Type.String(), tinybench: Type.String() }, closed),
    groups: Type.Array(CheckedGroup),
  },
  closed,
);

export type CrosscheckRecord = Static<typeof CrosscheckSchema>;
export type CheckedGroupRecord = Static<typeof CheckedGroup>;
export type CheckedCellRecord = Static<typeof CheckedCell>;

const validator = Compile(CrosscheckSchema);

/** Reads and checks a record. Throws an Error whose one-line message says what is wrong with the file. */
export function readCrosscheck(path: string): CrosscheckRecord {
  const value = readJson(path, "npm run crosscheck");
  if (validator.Check(value)) return value;
  const { kind, schemaVersion } = (value ?? {}) as {
    readonly kind?: unknown;
    readonly schemaVersion?: unknown;
  };
  if (kind !== "crosscheck") throw new Error(`${path} is not a record of npm run crosscheck`);
  if (schemaVersion !== CROSSCHECK_VERSION) {
    throw new Error(
      `${path} has schema version ${String(schemaVersion)}, this lab reads version ${CROSSCHECK_VERSION}`,
    );
  }
  throw new Error(`${path} is damaged: ${misfitOf(validator.Errors(value))}`);
}

/** A record as text, each opinion's figures on one line, so that a diff shows which were made anew. */
export function crosscheckText(record: CrosscheckRecord): string {
  return jsonText(record);
}
