import Type, { type Static } from "typebox";
import { Amount, byName, CellName, Count, Figure, Line, Name, Share, Workers } from "./values.ts";

/**
 * What a record holds of races: of each a digest. For each process it has how often a slice counted, and quartiles of
 * what was seen in these slices. It holds no verdict. What a table shows is computed from it each time it is read. So a
 * table can be made again years later, or judged anew by a better judge. Times are in ns, sizes in bytes, rates in the
 * table only.
 */
const closed = { additionalProperties: false };
export const Numbers = Type.Array(Figure);
export const Amounts = Type.Array(Amount);
export const Shares = Type.Array(Share);

export const Failure = Type.Object(
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

/** Sizes of code in bytes, with `+` before one that is not fully optimised and `'` after one that is made for one closure. */
const COMPILED = "^[0-9+',/]*$";

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
    /**
     * The optimised code that its workers ran, by the number of the fork (see ../measure/machine/compiled-code.ts); "" where that
     * is not known. Absent where it was not noted.
     */
    compiled: Type.Optional(Type.Array(Type.String({ pattern: COMPILED }))),
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

export const Absences = Type.Array(Type.Object({ competitor: Name, reason: Line }, closed));

export const Placements = Type.Union([Type.Literal("arena"), Type.Literal("own")]);
export const PointSchema = Type.Object({ curve: Name, along: Line, at: Figure }, closed);

/**
 * How long a cache line took from one worker's core to the other's, in ns: at the peaks of near and of far cores, as far as
 * the run had seen (see machine-states.ts); up to method 4 the least time, and the middle of far ones. Absent if there were none.
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
    /** Role of each worker. */
    roles: Type.Array(Name),
    oversubscribed: Type.Boolean(),
    /** About how long a slice was, and how many rounds of slices one fork had. */
    sliceUs: Amount,
    rounds: Count,
    /** In one of how many rounds the laws were checked, besides the last; absent in records that are older than this. */
    accountEvery: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    /** Whether its processes optimised code in the thread that ran it; absent where V8 did so in another, as it usually does. */
    isCompiledAlike: Type.Optional(Type.Literal(true)),
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

export type GroupRecord = Static<typeof GroupSchema>;
export type CellRecord = Static<typeof Cell>;
export type RoleRecord = Static<typeof Role>;
export type StateRecord = Static<typeof State>;
export type QuartilesRecord = Static<typeof Quartiles>;
/** What is kept of the slices of a fork. One that older records lack is optional in them, and no level. */
export type Statistic = Exclude<keyof QuartilesRecord, "forks" | "counts">;
