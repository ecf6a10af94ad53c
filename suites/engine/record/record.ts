import { readFileSync } from "node:fs";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";

/**
 * A record: everything one run saw, raw. One JSON document; this schema is its only definition, written once and read
 * three ways: as the TypeScript type, as the validator, and as `record.schema.json` beside it for other tools.
 *
 * It holds no statistic. What a table shows is computed from it each time it is read, so a table can be made again
 * years later, or judged anew by a better judge. Times are in ns, sizes in bytes, rates in the table only.
 */
export const SCHEMA_VERSION = 1;

/** Version of the method (see suites/engine/CHANGELOG.md): records of different methods do not compare. */
export const METHOD_VERSION = 2;

const Count = Type.Integer({ minimum: 0 });
const closed = { additionalProperties: false };
const Names = Type.Record(Type.String(), Type.Number());

/** One number for each worker, for each slice. */
const PerSlicePerWorker = Type.Array(Type.Array(Type.Number()));

const Machine = Type.Object(
  {
    slug: Type.String({ pattern: "^[a-z0-9-]+$" }),
    cpu: Type.String(),
    cores: Count,
    /** Cores' worth of CPU time that a container grants; null where unlimited or unknown. */
    cpuQuotaCores: Type.Union([Type.Number(), Type.Null()]),
    governor: Type.Union([Type.String(), Type.Null()]),
    memoryBytes: Count,
    platform: Type.String(),
    kernel: Type.String(),
  },
  closed,
);

const Weather = Type.Object(
  {
    /** Run-queue averages over 1, 5 and 15 minutes. */
    loadAverage: Type.Array(Type.Number()),
    /** CPU time that the hypervisor gave to others since boot, in seconds over all cores; null where unknown. */
    stealSeconds: Type.Union([Type.Number(), Type.Null()]),
  },
  closed,
);

const Failure = Type.Object(
  { kind: Type.Union([Type.Literal("law"), Type.Literal("fault")]), reason: Type.String() },
  closed,
);

const Column = Type.Object(
  {
    title: Type.String(),
    unit: Type.String(),
    reduce: Type.Union([Type.Literal("per-op"), Type.Literal("level"), Type.Literal("prepared")]),
  },
  closed,
);

const ForkSamples = Type.Object(
  {
    fork: Count,
    warmUp: Type.Object({ slices: Count, flat: Type.Boolean() }, closed),
    /** Operations per batch, for each worker. */
    batches: Type.Array(Count),
    /** Which round each slice belongs to; the arrays below go with it, slice for slice. */
    rounds: Type.Array(Count),
    operations: PerSlicePerWorker,
    /** When each worker's window began and ended, in ns since the crew's window opened. */
    startNs: PerSlicePerWorker,
    endNs: PerSlicePerWorker,
    /** Time within the window in which nothing was measured, because the next batch was being prepared, in ns. */
    preparingNs: Type.Optional(PerSlicePerWorker),
    /** Operations of the whole slice, ramps included. */
    operationsWithRamps: PerSlicePerWorker,
    /** Totals since attach at the end of each slice. */
    counters: Type.Record(Type.String(), PerSlicePerWorker),
  },
  closed,
);

const Cell = Type.Object(
  {
    name: Type.String(),
    competitor: Type.String(),
    kind: Type.Union([
      Type.Literal("baseline"),
      Type.Literal("twin"),
      Type.Literal("rival"),
      Type.Literal("control"),
      Type.Literal("control-alone"),
      Type.Literal("empty"),
    ]),
    /** Why the cell has no number, if it has none. */
    failure: Type.Optional(Failure),
    forks: Type.Array(ForkSamples),
  },
  closed,
);

/** Slug of one of the record's `machines`; absent where it is the record's own `machine`. */
const MachineOfPart = Type.Optional(Type.String({ pattern: "^[a-z0-9-]+$" }));

const Absences = Type.Array(Type.Object({ competitor: Type.String(), reason: Type.String() }, closed));

const Group = Type.Object(
  {
    primitive: Type.String(),
    scenario: Type.String(),
    title: Type.String(),
    operation: Type.String(),
    workers: Count,
    machine: MachineOfPart,
    /** Role of each worker. */
    roles: Type.Array(Type.String()),
    oversubscribed: Type.Boolean(),
    sliceMs: Type.Number(),
    rounds: Count,
    columns: Type.Record(Type.String(), Column),
    /** Which point of which curve the scenario is, if it is one. */
    point: Type.Optional(
      Type.Object({ curve: Type.String(), along: Type.String(), at: Type.Number() }, closed),
    ),
    /** Competitors of the primitive that do not take part in the scenario, with why. */
    absent: Type.Optional(Absences),
    /** Forks that were lost whole, with why. */
    lostForks: Type.Array(Type.Object({ fork: Count, reason: Type.String() }, closed)),
    /** Most threads and resident bytes that one fork's process held; 0 where unknown. */
    mostThreads: Count,
    mostRssBytes: Count,
    cells: Type.Array(Cell),
  },
  closed,
);

/** What a scenario without races and each of its cells have, whether it was simulated or surveyed. */
const scenarioOfMetrics = {
  primitive: Type.String(),
  scenario: Type.String(),
  title: Type.String(),
  metrics: Type.Record(
    Type.String(),
    Type.Object(
      {
        title: Type.String(),
        unit: Type.String(),
        digits: Count,
        /** What it means that samples lack it, where that means something: it did not happen in the time there was. */
        absentMeans: Type.Optional(Type.Literal("never")),
      },
      closed,
    ),
  ),
  absent: Type.Optional(Absences),
  machine: MachineOfPart,
};
const cellOfMetrics = {
  name: Type.String(),
  competitor: Type.String(),
  baseline: Type.Boolean(),
  failure: Type.Optional(Failure),
};

/** What every chart of a simulation has, and what only some have: what is drawn, and against what. */
const chartOfSeries = { title: Type.String(), unit: Type.String() };
const bandOfChart = { low: Type.String(), high: Type.String() };
const linesOfChart = {
  lines: Type.Array(Type.Object({ key: Type.String(), title: Type.String() }, closed)),
};
const timeOfChart = { stepSeconds: Type.Number(), fromSeconds: Type.Optional(Type.Number()) };
const sweepOfChart = {
  along: Type.Object(
    {
      title: Type.String(),
      unit: Type.String(),
      scale: Type.Union([Type.Literal("linear"), Type.Literal("log")]),
      at: Type.Array(Type.Number()),
    },
    closed,
  ),
};

const Simulated = Type.Object(
  {
    ...scenarioOfMetrics,
    /** What each cell was run from, where that was more than the record's seed. */
    seeds: Type.Optional(Type.Array(Count)),
    /** Which series are drawn, and against what, if any. */
    chart: Type.Optional(
      Type.Union([
        Type.Object({ ...chartOfSeries, ...bandOfChart, ...timeOfChart }, closed),
        Type.Object({ ...chartOfSeries, ...linesOfChart, ...timeOfChart }, closed),
        Type.Object({ ...chartOfSeries, ...linesOfChart, ...sweepOfChart }, closed),
      ]),
    ),
    cells: Type.Array(
      Type.Object(
        {
          ...cellOfMetrics,
          /** Of the first seed, as the series. A metric may lack (see `absentMeans`). */
          metrics: Names,
          /** The metrics of each seed, in the order of `seeds`; where there is but one they are `metrics`. */
          samples: Type.Optional(Type.Array(Names)),
          series: Type.Record(Type.String(), Type.Array(Type.Number())),
        },
        closed,
      ),
    ),
  },
  closed,
);

const Surveyed = Type.Object(
  {
    ...scenarioOfMetrics,
    cells: Type.Array(
      Type.Object(
        {
          ...cellOfMetrics,
          /** What each process that ended well saw. */
          forks: Type.Array(Names),
        },
        closed,
      ),
    ),
  },
  closed,
);

/** What every column of an overview has, whatever its figure is taken from. */
const columnOfOverview = {
  title: Type.String(),
  unit: Type.String(),
  digits: Count,
  scenario: Type.String(),
};

const Overview = Type.Object(
  {
    primitive: Type.String(),
    title: Type.String(),
    /** Competitors that vary another and have no row. */
    variants: Type.Array(Type.String()),
    columns: Type.Array(
      Type.Union([
        Type.Object({ ...columnOfOverview, metric: Type.String() }, closed),
        Type.Object({ ...columnOfOverview, workers: Count }, closed),
      ]),
    ),
  },
  closed,
);

/** What every record of a run says of it, whatever the run measured. */
export const Identity = {
  methodVersion: Count,
  /** The command that made it, as it would be typed. */
  command: Type.String(),
  seed: Count,
  profile: Type.String(),
  size: Type.Union([Type.Literal("full"), Type.Literal("smoke")]),
  startedAt: Type.String(),
  finishedAt: Type.String(),
  /** True if the run was stopped; the groups are those it had finished. */
  interrupted: Type.Boolean(),
  /** When it was taken up again after having been stopped. */
  resumedAt: Type.Optional(Type.Array(Type.String())),
  commit: Type.Union([Type.Object({ hash: Type.String(), dirty: Type.Boolean() }, closed), Type.Null()]),
  machine: Machine,
  before: Weather,
  after: Weather,
  runtime: Type.Object(
    {
      name: Type.String(),
      version: Type.String(),
      engine: Type.String(),
      flags: Type.Array(Type.String()),
    },
    closed,
  ),
};

export const RecordSchema = Type.Object(
  {
    schemaVersion: Type.Literal(SCHEMA_VERSION),
    ...Identity,
    /** All that had a part in it, its own `machine` first, where a merged record has parts of several (see merge.ts). */
    machines: Type.Optional(Type.Array(Machine)),
    groups: Type.Array(Group),
    simulations: Type.Array(Simulated),
    surveys: Type.Optional(Type.Array(Surveyed)),
    /** The table that each primitive's page begins with, where its suite has one: which figures stand in it. */
    overviews: Type.Optional(Type.Array(Overview)),
  },
  { ...closed, $schema: "https://json-schema.org/draft/2020-12/schema", title: "hotpath-lab record" },
);

export type BenchRecord = Static<typeof RecordSchema>;
/** What a record says of its run, without what was measured. */
export type RunFacts = Pick<BenchRecord, keyof typeof Identity>;
export type GroupRecord = Static<typeof Group>;
export type CellRecord = Static<typeof Cell>;
export type ForkRecord = Static<typeof ForkSamples>;
export type SimulationRecord = Static<typeof Simulated>;
export type SurveyRecord = Static<typeof Surveyed>;
export type OverviewRecord = Static<typeof Overview>;
export type MachineRecord = Static<typeof Machine>;
export type WeatherRecord = Static<typeof Weather>;

/** All that a record holds of scenarios, of whatever kind. */
export function partsOf({
  groups,
  simulations,
  surveys = [],
}: BenchRecord): readonly (GroupRecord | SimulationRecord | SurveyRecord)[] {
  return [...groups, ...simulations, ...surveys];
}

const validator = Compile(RecordSchema);

/** Reads and checks a record. Throws an Error whose one-line message says what is wrong with the file. */
export function readRecord(path: string): BenchRecord {
  return checkRecord(readJson(path, "npm run bench"), path);
}

/** A file's JSON. Throws an Error with a one-line message, which says what makes such a file anew, if it has none. */
export function readJson(path: string, maker: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? error}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is damaged: it is not JSON; make the record again with ${maker}`);
  }
}

/** As `readRecord`, for a value that is already parsed; `name` stands for it in the message. */
export function checkRecord(value: unknown, name: string): BenchRecord {
  if (validator.Check(value)) return value;
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version === undefined) throw new Error(`${name} is not a hotpath-lab record: it has no schemaVersion`);
  if (version !== SCHEMA_VERSION) {
    throw new Error(
      `${name} has schema version ${String(version)}, this lab reads version ${SCHEMA_VERSION}`,
    );
  }
  throw new Error(`${name} is damaged: ${misfitOf(validator.Errors(value))}`);
}

/** Where and how a value does not fit its schema, in a few words, of all that a validator finds. */
export function misfitOf([first]: readonly {
  readonly instancePath: string;
  readonly message: string;
}[]): string {
  return `${first?.instancePath || "/"} ${first?.message ?? "does not fit the schema"}`;
}

/** An object that holds no other: lines of a key and a string, number, true, false or null each. */
const OBJECT_OF_VALUES = /\{\n(?: *"\w+": (?:"(?:[^"\\\n]|\\.)*"|[-\w.+]+),?\n)+ *\}/g;

/** A value as JSON in lines, each object that holds no other on one: so that a diff shows which were made anew. */
export function jsonText(value: unknown): string {
  const pretty = JSON.stringify(value, null, 1);
  // A string cannot hold a line break here, so none is ever taken for layout.
  return `${pretty.replace(OBJECT_OF_VALUES, (object) => object.replace(/\n */g, " "))}\n`;
}

/** A record as text: one line for each array of numbers, so that a diff shows which samples changed. */
export function recordText(record: BenchRecord): string {
  const pretty = JSON.stringify(record, null, 1);
  // An array starts with a line break here and a string cannot hold one, so no text is ever taken for an array.
  const numberArrays = /\[\n[\s\d.,eE+[\]-]+\]/g;
  return `${pretty.replace(numberArrays, (array) => array.replace(/\s+/g, ""))}\n`;
}
