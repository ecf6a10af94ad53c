import Type, { type Static } from "typebox";
import { CellKind, HandoversSchema, Placements, PointSchema, RacedRuntimeSchema } from "./record.ts";
import { byName, CellName, Count, Line, Name, Workers } from "./values.ts";

/**
 * Verdicts: what the judge makes of races. They are never the truth: the record is, and they are made from it again at
 * any time. Times are in ns, ratios are candidate / baseline, shares are of 1.
 */
const closed = { additionalProperties: false };
/** A number, or in JSON the name of one that is not finite. */
export const Real = Type.Unsafe<number>(
  Type.Union([Type.Number(), Type.Literal("NaN"), Type.Literal("Infinity"), Type.Literal("-Infinity")]),
);
const IntervalSchema = Type.Object({ low: Real, high: Real }, closed);
const RatioSchema = Type.Object({ value: Real, low: Real, high: Real }, closed);

/**
 * `quiet`: only slices while every core was at its full speed and the cores of several workers were near one another.
 * `far`: at full speed, and far from one another. `any`: all slices, whatever the machine's state.
 */
const StateSchema = Type.Union([Type.Literal("quiet"), Type.Literal("far"), Type.Literal("any")]);

/** What processes show about the mean of a logarithm, whatever the confidence; and how many of them show it. */
const evidence = {
  middle: Real,
  squaredError: Real,
  /** Degrees of freedom of the error; 0 where too few processes show how they differ. */
  freedom: Real,
  forks: Count,
  /** What the processes alone show, where `squaredError` is of any regime of the scheduler (see `inAnyRegime`). */
  ofProcesses: Type.Optional(Type.Object({ squaredError: Real, freedom: Real }, closed)),
};

/**
 * All that a judgement of two rows rests on, so that verdicts of any strictness follow from it (see judge/verdict.ts). Of
 * the logarithm of one / other. `forks` are the processes that weigh.
 */
const contrast = {
  ...evidence,
  /** Noise floor, as a share. */
  floor: Real,
  /** Processes that raced it. */
  raced: Count,
  /** The two groups that its processes fall into, the lower ratio first; absent where they are one group. */
  groups: Type.Optional(Type.Array(Type.Object(evidence, closed), { minItems: 2, maxItems: 2 })),
};
const ContrastSchema = Type.Object(contrast, closed);

/** What a row is known by. */
const known = {
  /** primitive/scenario/competitor/workers, and the role behind it where there are several. */
  cell: CellName,
  kind: CellKind,
  competitor: Name,
  workers: Workers,
  /** What the workers did that it is of; absent where all do the same. */
  role: Type.Optional(Name),
  /** On which of the race's `runtimes` it ran; absent where that is the record's own. */
  runtime: Type.Optional(Name),
};

export const MeasuredSchema = Type.Object(
  {
    ...known,
    /**
     * What one worker waited for one operation: the median of each process, and their geometric mean; of a row that did not
     * race in all processes of its table by the baseline's in all of them.
     */
    median: Real,
    /** 99 % interval of the median: what `error` is half the width of. Absent where fewer than four processes count. */
    interval: Type.Optional(IntervalSchema),
    error: Type.Optional(Real),
    /** Between processes. */
    stdDev: Real,
    /** What each process that counts saw, in how many slices, and the version of its code if that was noted. */
    processes: Type.Array(Type.Object({ ns: Real, slices: Count, compiled: Type.Optional(Line) }, closed)),
    /** To the baseline, with the interval that the verdict rests on; absent for the baseline, and where there is none. */
    ratio: Type.Optional(RatioSchema),
    /** 95 % interval of the ratio that another run would show; absent where no run was repeated. */
    another: Type.Optional(IntervalSchema),
    /** Operations per second of all workers together. */
    throughputPerSecond: Real,
    /** Rate of the slowest worker over that of the fastest. */
    fairness: Real,
    /** Share of the time in which any worker measured that all did. */
    overlap: Real,
    /** Of the race's own columns, by key. */
    extra: byName(Real),
    /** `faster`, `slower`, `same`, `depends`, `cannot tell`, `no power`; or in a few words why it is not judged. */
    verdict: Line,
    /** The two groups that its processes fall into, the lower ratio first; absent where they are one group. */
    groups: Type.Optional(
      Type.Array(
        // `median`: what one worker waited for one operation in its processes; absent to another baseline than the raced one.
        Type.Object(
          {
            ratio: RatioSchema,
            another: Type.Optional(IntervalSchema),
            median: Type.Optional(Real),
            forks: Count,
          },
          closed,
        ),
        { minItems: 2, maxItems: 2 },
      ),
    ),
    /** What distinguishes these, with its figure in either group; absent if nothing that was measured does. */
    apartBy: Type.Optional(Line),
    /** What changes how the row reads. */
    flags: Type.Array(Line),
    /** That most of its processes are judged in; the others saw too little of the quiet one. */
    state: StateSchema,
    /** Processes that weigh in the ratio, and the ones that do not because they lie too far from the others. */
    forks: Count,
    leftOut: Count,
    /** How far the interval of the ratio reaches to one side; absent where fewer than four processes show it. */
    halfWidth: Type.Optional(Real),
    /** The least difference that would have been seen. */
    sees: Type.Optional(Real),
    /** To the baseline; absent for the baseline, for the A/A control that sets the floor, and where there is no baseline. */
    toBaseline: Type.Optional(ContrastSchema),
    /** Cells of the rows with the same workers and role that are shown to be faster than this one (see ranks.ts). */
    slowerThan: Type.Array(CellName),
    /** To each of the others that compete with the same workers and role. */
    against: Type.Array(
      Type.Object(
        {
          cell: CellName,
          ...contrast,
          /** Where no process raced both: both were compared with the baseline beside them. */
          byWayOfBaseline: Type.Boolean(),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const NumberlessSchema = Type.Object(
  {
    ...known,
    /** Why it has none. */
    noNumber: Line,
    /** Processes that raced it. */
    forks: Count,
  },
  closed,
);

const InstrumentSchema = Type.Union([
  Type.Literal("control"),
  Type.Literal("control-alone"),
  Type.Literal("empty"),
]);

/** How the races of one worker count in a scenario went. */
const ConditionsSchema = Type.Object(
  {
    workers: Workers,
    oversubscribed: Type.Boolean(),
    /** Name of the competitor that ratios are to; absent if none was raced. */
    baseline: Type.Optional(Name),
    /** Rows that are judged together, and how often they were looked at while they raced: what intervals are widened for. */
    judged: Count,
    looks: Count,
    /** Noise floor of each group (and role), as a share: 0.012 is 1.2 %. */
    floors: Type.Array(Real),
    /**
     * Variance between runs over that between processes (`times`), the latter of this table's rows (`processes`), and by how
     * many runs that is known, with which freedom: of the table itself, or of others with as many workers. Absent where no run
     * was repeated.
     */
    betweenRuns: Type.Optional(
      Type.Object(
        { times: Real, processes: Real, freedom: Count, runs: Count, isOwn: Type.Boolean() },
        closed,
      ),
    ),
    /** The state of the machine that most figures are of. */
    state: StateSchema,
    /** Processes by the state that their baseline is judged in. */
    judgedBy: Type.Object({ quiet: Count, far: Count, any: Count }, closed),
    /** How many of the slices that count were quiet; absent where slices have no tags. */
    quietShare: Type.Optional(Real),
    /** How many of them were far; absent if none was. */
    farShare: Type.Optional(Real),
    /** Whether ratios are of means, as with long slices; absent where they are of quartiles or medians. */
    isOfMeans: Type.Optional(Type.Literal(true)),
    pinned: Type.Boolean(),
    /** Whether crews used the same memory in turn, or had their own, of all groups; and what the baseline cost there, or NaN. */
    placements: Type.Array(Type.Object({ placement: Placements, baselineNs: Real }, closed)),
    emptyNs: Real,
    /** What the control cost, and what it cost alone: with 99 % intervals. NaN where it has no number. */
    control: RatioSchema,
    controlAlone: RatioSchema,
    /** How long a cache line took from one worker's core to the other's, in ns; absent where that was not measured. */
    handovers: Type.Optional(HandoversSchema),
    /** Processes of all groups, except lost ones. */
    forks: Count,
    /** The ones among them in which the control cost over 1.1 times more with company than alone. */
    crowdedForks: Count,
    /** In one of how many rounds the laws were checked, besides the last; absent where groups differ or do not say. */
    accountEvery: Type.Optional(Type.Integer({ minimum: 1 })),
    slices: Count,
    /** Slices that do not count because the workers were not together. */
    apart: Count,
    lostForks: Type.Array(Line),
    /** Instruments that failed in a process, and why; absent if none did. Their figures are of the other processes. */
    failedInstruments: Type.Optional(
      Type.Array(Type.Object({ kind: InstrumentSchema, reason: Line }, closed)),
    ),
  },
  closed,
);

/** Competitors that do not take part, by reason. */
const AbsentSchema = Type.Array(Type.Object({ reason: Line, competitors: Type.Array(Name) }, closed));

export const scenarioOfLine = {
  primitive: Name,
  scenario: Name,
  title: Line,
  absent: AbsentSchema,
};

export const RaceLine = Type.Object(
  {
    line: Type.Literal("race"),
    ...scenarioOfLine,
    operation: Line,
    /** The curve and the point on it that it is, if it is one. */
    point: Type.Optional(PointSchema),
    /** The runtimes that its crews ran on; absent where that is the record's own alone. */
    runtimes: Type.Optional(Type.Array(RacedRuntimeSchema)),
    columns: Type.Array(Type.Object({ key: Name, title: Line, unit: Line }, closed)),
    /** Of each worker count. */
    conditions: Type.Array(ConditionsSchema),
  },
  closed,
);

export type Contrast = Static<typeof ContrastSchema>;
export type State = Static<typeof StateSchema>;
export type Ratio = Static<typeof RatioSchema>;
export type Conditions = Static<typeof ConditionsSchema>;
export type Instrument = Static<typeof InstrumentSchema>;
export type RacedRuntime = Static<typeof RacedRuntimeSchema>;
export type JudgedMeasured = Static<typeof MeasuredSchema> & { readonly noNumber?: undefined };
export type JudgedNumberless = Static<typeof NumberlessSchema>;
export type JudgedRow = JudgedMeasured | JudgedNumberless;
export type Absent = Static<typeof AbsentSchema>;

/** A race, judged: a table for each worker count. */
export interface JudgedScenario extends Omit<Static<typeof RaceLine>, "line"> {
  /** By workers, then role; the fastest first; what has no number last. */
  readonly rows: readonly JudgedRow[];
}
