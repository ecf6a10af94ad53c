import Type, { type Static } from "typebox";
import { envelope } from "../../engine/schema/envelope.ts";
import {
  Absences,
  Amounts,
  Failure,
  GroupSchema,
  Numbers,
  RacedRuntimeSchema,
  Shares,
} from "../../engine/schema/record.ts";
import {
  Amount,
  byName,
  CellName,
  Count,
  Digits,
  Figure,
  Line,
  Name,
  Seed,
  Workers,
} from "../../engine/schema/values.ts";

const closed = { additionalProperties: false };
const Figures = byName(Figure);

export const MetricSchema = Type.Object(
  {
    title: Line,
    unit: Line,
    digits: Digits,
    /** What a table shows of several processes, where that is not the middle of them. */
    over: Type.Optional(Type.Literal("greatest")),
    /** What it means that samples lack it, where that means something: it did not happen in the time there was. */
    absentMeans: Type.Optional(Type.Literal("never")),
  },
  closed,
);

/** What a scenario without races and each of its cells have, whether it was simulated or surveyed. */
const scenarioOfMetrics = {
  primitive: Name,
  scenario: Name,
  title: Line,
  metrics: byName(MetricSchema),
  absent: Type.Optional(Absences),
};
const cellOfMetrics = {
  name: CellName,
  competitor: Name,
  baseline: Type.Boolean(),
  failure: Type.Optional(Failure),
};

/** What every chart of a simulation has, and what only some have: what is drawn, and against what. */
const chartOfSeries = { title: Line, unit: Line };
const bandOfChart = { low: Name, high: Name };
const linesOfChart = {
  lines: Type.Array(Type.Object({ key: Name, title: Line }, closed)),
};
const timeOfChart = { stepSeconds: Amount, fromSeconds: Type.Optional(Figure) };
/** Of sweeps, which none but records up to November 27, 2026, have. */
const sweepOfChart = {
  along: Type.Object(
    {
      title: Line,
      unit: Line,
      scale: Type.Union([Type.Literal("linear"), Type.Literal("log")]),
      at: Numbers,
    },
    closed,
  ),
};

const linesOverTime = { ...chartOfSeries, ...linesOfChart, ...timeOfChart };
const linesOfSweep = { ...chartOfSeries, ...linesOfChart, ...sweepOfChart };

const Simulated = Type.Refine(
  Type.Object(
    {
      ...scenarioOfMetrics,
      /** What each cell was run from, where that was more than the record's seed. */
      seeds: Type.Optional(Type.Array(Seed)),
      /** Which series are drawn, and against what, if any. */
      chart: Type.Optional(
        Type.Union([
          Type.Object({ ...chartOfSeries, ...bandOfChart, ...timeOfChart }, closed),
          Type.Object(linesOverTime, closed),
          Type.Object(linesOfSweep, closed),
        ]),
      ),
      cells: Type.Array(
        Type.Object(
          {
            ...cellOfMetrics,
            /** Of the first seed, as the series. A metric may lack (see `absentMeans`). */
            metrics: Figures,
            /** Each metric of each seed, in the order of `seeds`, null where it lacks; of a single seed they are `metrics`. */
            samples: Type.Optional(byName(Type.Array(Type.Union([Figure, Type.Null()])))),
            series: byName(Numbers),
            /** What a chart of a band draws, in columns of `per` values each, instead of its series. */
            band: Type.Optional(
              Type.Refine(
                Type.Object({ values: Count, per: Count, low: Numbers, high: Numbers }, closed),
                ({ low, high }) => low.length === high.length,
                () => "must have low and high of each column",
              ),
            ),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
  ({ seeds, cells }) =>
    cells.every(({ samples = {} }) => Object.values(samples).every(({ length }) => length === seeds?.length)),
  () => "must have a sample of each metric for each seed",
);

/** The fields of every tail; tails of one family ask the same at several worker counts. */
const tailOfSurvey = {
  family: Name,
  workers: Workers,
  oversubscribed: Type.Boolean(),
  /** Of the schedule of each worker, which has one operation in each interval. */
  intervalUs: Amount,
};
export const TailSchema = Type.Object(tailOfSurvey, closed);

/** In records up to November 27, 2026: times of one process, in ns, at the first of `sharesBeyond`; at the others it had too few operations. */
const TailCurve = Type.Object({ response: Amounts, empty: Amounts }, closed);

const Surveyed = Type.Object(
  {
    ...scenarioOfMetrics,
    /** The one that its processes ran on; absent where that is the record's own. */
    runtimes: Type.Optional(Type.Array(RacedRuntimeSchema)),
    tail: Type.Optional(
      Type.Object(
        {
          ...tailOfSurvey,
          /** Of the curves: falling shares of the operations, which took longer than a curve's time there. */
          sharesBeyond: Type.Optional(Shares),
        },
        closed,
      ),
    ),
    /** As in a simulation, of lines: in records up to November 27, 2026. */
    chart: Type.Optional(Type.Union([Type.Object(linesOverTime, closed), Type.Object(linesOfSweep, closed)])),
    cells: Type.Array(
      Type.Object(
        {
          ...cellOfMetrics,
          /** What each process that ended well saw. */
          forks: Type.Array(Figures),
          /** What that chart draws, of the first of them. */
          series: Type.Optional(byName(Numbers)),
          /** Of a tail, in the order of `forks`. */
          curves: Type.Optional(Type.Array(TailCurve)),
        },
        closed,
      ),
    ),
  },
  closed,
);

/** What every column of an overview has, whatever its figure is taken from. */
const columnOfOverview = {
  title: Line,
  unit: Line,
  digits: Digits,
  scenario: Name,
};

const Overview = Type.Object(
  {
    primitive: Name,
    title: Line,
    /** Competitors that vary another and have no row. */
    variants: Type.Array(Name),
    columns: Type.Array(
      Type.Union([
        Type.Object({ ...columnOfOverview, metric: Name }, closed),
        Type.Object({ ...columnOfOverview, workers: Workers }, closed),
      ]),
    ),
  },
  closed,
);

/**
 * A record: what one run saw, as small as judging allows. One JSON document. This schema is its only definition, written
 * once and read three ways. It is the TypeScript type, the validator, and, as `record.schema.json` beside the schema of
 * races, a schema for other tools.
 *
 * Of every race it holds a digest (see the instrument's schema/record.ts). The slices themselves are in a file beside the
 * local record (see raw.ts).
 */
export const RecordSchema = Type.Object(
  {
    ...envelope("bench"),
    /** The slices that its digests are made from: the file beside the local record, its SHA-256 and its length. */
    raw: Type.Optional(
      Type.Object(
        { file: Name, sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }), bytes: Type.Optional(Count) },
        closed,
      ),
    ),
    groups: Type.Array(GroupSchema),
    simulations: Type.Array(Simulated),
    surveys: Type.Optional(Type.Array(Surveyed)),
    /** The table that each primitive's page begins with, where its suite has one: which figures stand in it. */
    overviews: Type.Optional(Type.Array(Overview)),
  },
  { ...closed, $schema: "https://json-schema.org/draft/2020-12/schema", title: "hotpath-lab record" },
);

export type BenchRecord = Static<typeof RecordSchema>;
/** What a record holds of scenarios, without what it says of its run. */
export type RecordContents = Pick<BenchRecord, "groups" | "simulations" | "surveys" | "overviews">;
export type SimulationRecord = Static<typeof Simulated>;
export type SurveyRecord = Static<typeof Surveyed>;
export type OverviewRecord = Static<typeof Overview>;
