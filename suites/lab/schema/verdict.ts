import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";
import { byName, CellName, Count, Line, misfitOf, Name } from "../../engine/schema/values.ts";
import {
  type JudgedRow,
  type JudgedScenario,
  MeasuredSchema,
  NumberlessSchema,
  RaceLine,
  Real,
  scenarioOfLine,
} from "../../engine/schema/verdict.ts";
import { type BenchRecord, MetricSchema, TailSchema } from "./record.ts";

/**
 * Verdicts on all that a record holds, which pages, exports, comparisons and claims read. As text they are NDJSON: a line
 * for each scenario, and behind it one for each of its rows.
 *
 * JSON has only finite numbers. A number that is not finite is the string `"NaN"`, `"Infinity"` or `"-Infinity"`, as in
 * the JSON form of Protocol Buffers.
 */
const VERDICT_VERSION = 2;

const closed = { additionalProperties: false };

/** A figure that was taken several times: from several seeds, or in several processes. */
const SpreadSchema = Type.Object(
  {
    /** The median. Like both ends, infinite for what never happened in the time there was. */
    value: Real,
    low: Real,
    high: Real,
    /** How many seeds or processes have the figure, at least one, and how many there are. */
    having: Count,
    of: Count,
  },
  closed,
);

const MetricRowSchema = Type.Object(
  {
    cell: CellName,
    competitor: Name,
    isBaseline: Type.Boolean(),
    /** Why it has no number, if it has none. */
    noNumber: Type.Optional(Line),
    /** Each metric of each seed or process, in their order; null where it is missing and that means nothing. */
    figures: byName(Type.Array(Type.Union([Real, Type.Null()]))),
    /** The same in short, of metrics that any has: over seeds median and 5 % to 95 %, over processes median and range. */
    spreads: byName(SpreadSchema),
  },
  closed,
);

const MetricsLine = Type.Object(
  {
    line: Type.Literal("metrics"),
    ...scenarioOfLine,
    /** Whether each figure was simulated from a seed, or taken in a process of its own. */
    kind: Type.Union([Type.Literal("simulation"), Type.Literal("survey")]),
    metrics: byName(MetricSchema),
    /** How a tail was surveyed. */
    tail: Type.Optional(TailSchema),
    /** How many seeds or, at most, processes a cell has. */
    times: Count,
  },
  closed,
);

const of = { primitive: Name, scenario: Name };
/** One line. */
export const VerdictSchema = Type.Union(
  [
    Type.Object({ line: Type.Literal("verdicts"), version: Type.Literal(VERDICT_VERSION) }, closed),
    RaceLine,
    Type.Object({ line: Type.Literal("row"), ...of, row: MeasuredSchema }, closed),
    Type.Object({ line: Type.Literal("no number"), ...of, row: NumberlessSchema }, closed),
    MetricsLine,
    Type.Object({ line: Type.Literal("figures"), ...of, row: MetricRowSchema }, closed),
  ],
  { $schema: "https://json-schema.org/draft/2020-12/schema", title: "a line of hotpath-lab verdicts" },
);

export type Spread = Static<typeof SpreadSchema>;
export type JudgedMetricRow = Static<typeof MetricRowSchema>;

/** A simulation or a survey: nothing is raced beside another, so nothing is faster or slower. */
export interface JudgedMetrics extends Omit<Static<typeof MetricsLine>, "line"> {
  readonly rows: readonly JudgedMetricRow[];
}

/** Of everything that a record holds, in the order in which it was raced. */
export interface Verdicts {
  readonly races: readonly JudgedScenario[];
  readonly metrics: readonly JudgedMetrics[];
}

/** A record with the verdicts on it. */
export interface JudgedRecord {
  readonly record: BenchRecord;
  readonly verdicts: Verdicts;
}

const validator = Compile(VerdictSchema);

/** Verdicts as text: one JSON line after the other. */
export function verdictText({ races, metrics }: Verdicts): string {
  const lines: Static<typeof VerdictSchema>[] = [
    { line: "verdicts", version: VERDICT_VERSION },
    ...races.flatMap(({ rows, ...race }) => {
      const { primitive, scenario } = race;
      const lineOf = (row: JudgedRow) =>
        row.noNumber === undefined
          ? ({ line: "row", primitive, scenario, row } as const)
          : ({ line: "no number", primitive, scenario, row } as const);
      return [{ line: "race", ...race } as const, ...rows.map(lineOf)];
    }),
    ...metrics.flatMap(({ rows, ...described }) => {
      const { primitive, scenario } = described;
      return [
        { line: "metrics", ...described } as const,
        ...rows.map((row) => ({ line: "figures", primitive, scenario, row }) as const),
      ];
    }),
  ];
  return lines.map((line) => `${JSON.stringify(line, withNames)}\n`).join("");
}

/** The other way. Throws an Error with one line, by the line's number in `name`, for text that is not verdicts. */
export function readVerdicts(text: string, name: string): Verdicts {
  const races: (Omit<JudgedScenario, "rows"> & { rows: JudgedRow[] })[] = [];
  const metrics: (Omit<JudgedMetrics, "rows"> & { rows: JudgedMetricRow[] })[] = [];
  for (const [index, written] of text.split("\n").entries()) {
    if (written === "") continue;
    const value = checkedLine(written, `${name}, line ${index + 1}`);
    if (value.line === "race") {
      const { line: _, ...race } = value;
      races.push({ ...race, rows: [] });
    } else if (value.line === "metrics") {
      const { line: _, ...described } = value;
      metrics.push({ ...described, rows: [] });
    } else if (value.line === "figures") {
      metrics.at(-1)?.rows.push(value.row);
    } else if (value.line !== "verdicts") {
      races.at(-1)?.rows.push(value.row);
    }
  }
  return { races, metrics };
}

function checkedLine(written: string, where: string): Static<typeof VerdictSchema> {
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    throw new Error(`${where} is damaged: it is not JSON; make the verdicts again from their record`);
  }
  if (!validator.Check(value)) {
    throw new Error(
      `${where} is no verdict of version ${VERDICT_VERSION}: ${misfitOf(validator.Errors(value))}`,
    );
  }
  return JSON.parse(written, withoutNames) as Static<typeof VerdictSchema>;
}

function withNames(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

const NOT_FINITE = new Map(["NaN", "Infinity", "-Infinity"].map((name) => [name, Number(name)]));

function withoutNames(_: string, value: unknown): unknown {
  return typeof value === "string" ? (NOT_FINITE.get(value) ?? value) : value;
}
