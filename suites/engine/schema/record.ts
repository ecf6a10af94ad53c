import Type, { type Static } from "typebox";
import { envelope, Machine } from "./envelope.ts";
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
  Share,
  Slug,
  Workers,
} from "./values.ts";

/**
 * A record: what one run saw, as small as judging allows. One JSON document. This schema is its only definition,
 * written once and read three ways. It is the TypeScript type, the validator, and, as `record.schema.json` beside it, a
 * schema for other tools.
 *
 * Of every race it holds a digest: for each process how often a slice counted, and quartiles of what was seen in these
 * slices. It holds no verdict. What a table shows is computed from it each time it is read. So a table can be made
 * again years later, or judged anew by a better judge. The slices themselves are in a file beside the local record (see
 * raw.ts). Times are in ns, sizes in bytes, rates in the table only.
 */
const closed = { additionalProperties: false };
const Figures = byName(Figure);
const Numbers = Type.Array(Figure);
const Amounts = Type.Array(Amount);
const Shares = Type.Array(Share);

const Failure = Type.Object(
  { kind: Type.Union([Type.Literal("law"), Type.Literal("fault")]), reason: Line },
  closed,
);

const Column = Type.Object(
  {
    title: Line,
    unit: Line,
    reduce: Type.Union([
      Type.Literal("per-op"),
      Type.Literal("level"),
      Type.Literal("prepared"),
      Type.Literal("cpu"),
    ]),
  },
  closed,
);

/** An entry for each fork that saw any values: how many, and their quartiles. */
const Quartiles = Type.Refine(
  Type.Object(
    {
      forks: Type.Array(Count),
      counts: Type.Array(Count),
      /** The time of all slices by their operations. */
      mean: Type.Array(Amount),
      p25: Type.Array(Amount),
      p50: Type.Array(Amount),
      p75: Type.Array(Amount),
    },
    closed,
  ),
  ({ forks, ...others }) => Object.values(others).every(({ length }) => length === forks.length),
  () => "must have an entry of forks, counts, mean, p25, p50 and p75 for each fork",
);

/** What was seen of a crew's workers of one role in one state of the machine. */
const State = Type.Object(
  {
    /** What one of them waited for one operation, of every slice that counts. */
    costNs: Quartiles,
  },
  closed,
);

const Role = Type.Object(
  {
    /** All slices that count. */
    any: State,
    /**
     * The slices among them in which every worker's core was at its full speed and, with several workers, the cores
     * were near one another. Absent if there are none (see digest.ts).
     */
    quiet: Type.Optional(State),
    /** The slices at full speed in which they were far from one another; absent if there are none. */
    far: Type.Optional(State),
    /** Rate of its slowest worker over that of its fastest, the median of each fork; absent for a lone worker. */
    fairness: Type.Optional(Shares),
    /** Of the race's own columns, one for each fork that has it. */
    figures: Type.Optional(byName(Numbers)),
    /** Slices in which no operation came to its end; absent if there are none. */
    stalled: Type.Optional(Count),
  },
  closed,
);

export const CellKind = Type.Union([
  Type.Literal("baseline"),
  Type.Literal("aa-control"),
  Type.Literal("rival"),
  Type.Literal("control"),
  Type.Literal("control-alone"),
  Type.Literal("empty"),
]);

const Cell = Type.Object(
  {
    name: CellName,
    competitor: Name,
    kind: CellKind,
    /** On which of the group's `runtimes` it ran; absent where that is the record's own `runtime`. */
    runtime: Type.Optional(Name),
    /** Why the cell has no number, if it has none. */
    failure: Type.Optional(Failure),
    /** Forks that raced it to their end. */
    forks: Count,
    /** The forks among them whose warm-up did not come to rest; absent if there are none. */
    unsettled: Type.Optional(Count),
    /** The most allocations of one fork that found no place in the arena; absent if there are none. */
    strays: Type.Optional(Count),
    /** Slices of all forks, and the ones that do not count as workers were not together; absent if none. */
    slices: Count,
    apart: Type.Optional(Count),
    /** Share of the time in which any worker measured that all did, the median of each fork; absent for a lone worker. */
    overlap: Type.Optional(Shares),
    roles: byName(Role),
  },
  closed,
);

/** Slug of one of the record's `machines`; absent where it is the record's own `machine`. */
const MachineOfPart = Type.Optional(Slug);

const Absences = Type.Array(Type.Object({ competitor: Name, reason: Line }, closed));

export const Placements = Type.Union([Type.Literal("arena"), Type.Literal("own")]);
export const PointSchema = Type.Object({ curve: Name, along: Line, at: Figure }, closed);

/**
 * How long a cache line took from one worker's core to the other's, in ns. It has the least time seen, by which cores
 * are near or far, and the middle of the slices in which they were far. Absent if there were none.
 */
export const HandoversSchema = Type.Object({ nearNs: Amount, farNs: Type.Optional(Amount) }, closed);

/** A runtime that crews ran on. Its name is what a user types (`bun`). Version and engine are what it reports (`Bun 1.4.5`). */
const runtimeOfGroup = { name: Name, version: Line, engine: Line };
export const RacedRuntimeSchema = Type.Object(runtimeOfGroup, closed);

/** All races of one scenario at one worker count that share their processes. */
export const GroupSchema = Type.Object(
  {
    primitive: Name,
    scenario: Name,
    title: Line,
    operation: Line,
    workers: Workers,
    machine: MachineOfPart,
    /** Role of each worker. */
    roles: Type.Array(Name),
    oversubscribed: Type.Boolean(),
    /** About how long a slice was, and how many rounds of slices one fork had. */
    sliceUs: Amount,
    rounds: Count,
    /** In one of how many rounds the laws were checked, besides the last; absent in records that are older than this. */
    accountEvery: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    /** How often at most its forks so far were judged, to see whether it needs more; 1 where forks were fixed beforehand. */
    looks: Count,
    /** Whether its crews used the same memory in turn, or each had its own. */
    placement: Placements,
    /** Whether each worker was held to a core of its own. */
    pinned: Type.Boolean(),
    /** What a tag cost the baseline's runtime at the full speed of the machine, in ns; absent where slices were not tagged. */
    referenceNs: Type.Optional(Amount),
    /**
     * The runtimes that its crews ran on, each with what a tag cost it; absent where that is the record's own `runtime`
     * alone.
     */
    runtimes: Type.Optional(
      Type.Array(Type.Object({ ...runtimeOfGroup, referenceNs: Type.Optional(Amount) }, closed)),
    ),
    /** Absent for one worker, with more workers than cores, and where it was not measured. */
    handovers: Type.Optional(HandoversSchema),
    columns: byName(Column),
    /** The curve and the point on it that the scenario is, if it is one. */
    point: Type.Optional(PointSchema),
    /** Competitors of the primitive that do not take part in the scenario, with why. */
    absent: Type.Optional(Absences),
    /** Forks that were lost whole, with why. */
    lostForks: Type.Array(Type.Object({ fork: Count, reason: Line }, closed)),
    /** Most threads and resident bytes that one fork's process held; 0 where unknown. */
    mostThreads: Count,
    mostRssBytes: Count,
    cells: Type.Array(Cell),
  },
  closed,
);

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
  machine: MachineOfPart,
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

/** The fields of every tail; tails of one family share a picture. */
const tailOfSurvey = {
  family: Name,
  workers: Workers,
  oversubscribed: Type.Boolean(),
  /** Of the schedule of each worker, which has one operation in each interval. */
  intervalUs: Amount,
};
export const TailSchema = Type.Object(tailOfSurvey, closed);

/** Times of one process, in ns, at the first of `sharesBeyond`; at the others it had too few operations. */
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
          /** Shares of the operations, falling: the share that took longer than the curve's time there. */
          sharesBeyond: Shares,
        },
        closed,
      ),
    ),
    /** As in a simulation, of lines. */
    chart: Type.Optional(Type.Union([Type.Object(linesOverTime, closed), Type.Object(linesOfSweep, closed)])),
    cells: Type.Array(
      Type.Object(
        {
          ...cellOfMetrics,
          /** What each process that ended well saw. */
          forks: Type.Array(Figures),
          /** What its chart draws, of the first of them. */
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

export const RecordSchema = Type.Object(
  {
    ...envelope("bench"),
    /** All that had a part in it, its own `machine` first, where a merged record has parts of several (see merge.ts). */
    machines: Type.Optional(Type.Array(Machine)),
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
export type Seen = Pick<BenchRecord, "groups" | "simulations" | "surveys" | "overviews">;
export type GroupRecord = Static<typeof GroupSchema>;
export type CellRecord = Static<typeof Cell>;
export type RoleRecord = Static<typeof Role>;
export type StateRecord = Static<typeof State>;
export type QuartilesRecord = Static<typeof Quartiles>;
/** What is kept of the slices of a fork. */
export type Statistic = Exclude<keyof QuartilesRecord, "forks" | "counts">;
export type SimulationRecord = Static<typeof Simulated>;
export type SurveyRecord = Static<typeof Surveyed>;
/** The series that may have a chart. */
export type ChartedRecord = SimulationRecord | SurveyRecord;
export type OverviewRecord = Static<typeof Overview>;
