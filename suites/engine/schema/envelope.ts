import Type, { type Static } from "typebox";
import { Amount, Cores, Count, Hash, Line, Moment, Name, Positive, Seed, Slug } from "./values.ts";

/**
 * The envelope of every record: its kind, its form, and all that is known of its run. What was measured stands beside
 * these (see record.ts).
 */
export const SCHEMA_VERSION = 3;

const closed = { additionalProperties: false };

/** Version of the method (see METHOD-CHANGES.md): records of different methods do not compare. */
export const METHOD_VERSION = 5;
/** One that is known here: nobody can say what the figures of a later one are. */
export const Method = Type.Integer({ minimum: 1, maximum: METHOD_VERSION });

export const Machine = Type.Object(
  {
    slug: Slug,
    cpu: Line,
    cores: Cores,
    /** Cores' worth of CPU time that a container grants; null where unlimited or unknown. */
    cpuQuotaCores: Type.Union([Positive, Type.Null()]),
    governor: Type.Union([Line, Type.Null()]),
    memoryBytes: Count,
    platform: Line,
    kernel: Line,
  },
  closed,
);

const HostNoise = Type.Object(
  {
    /** Run-queue averages over 1, 5 and 15 minutes. */
    loadAverage: Type.Array(Amount),
    /** CPU time that the hypervisor gave to others since boot, in seconds over all cores; null where unknown. */
    stealSeconds: Type.Union([Amount, Type.Null()]),
    /**
     * How long the machine was watched for the following. It was watched some time before the run, and after it from
     * its beginning, or from when it was last resumed. Absent in records made before that was kept, as is each figure
     * that a machine does not report.
     */
    seconds: Type.Optional(Amount),
    /** Cores' worth of CPU time that other processes had, and that the hypervisor gave to others. */
    othersCores: Type.Optional(Amount),
    stolenCores: Type.Optional(Amount),
    /** Part of the time for which some process, the run's own too, waited for a core. */
    waiting: Type.Optional(Amount),
    /** For how long the container was stopped, because it had used up its quota. */
    quotaStoppedSeconds: Type.Optional(Amount),
    /** How often a core was slowed because it was too hot. */
    heatSlowdowns: Type.Optional(Count),
    onBattery: Type.Optional(Type.Boolean()),
  },
  closed,
);

/** What every record says of its run, whatever that measured. */
const facts = {
  methodVersion: Method,
  /** The command that made it, as it would be typed. */
  command: Line,
  /** Its words behind the script's name, with paths from the repository's folder; absent in records made before it was kept. */
  argv: Type.Optional(Type.Array(Type.String())),
  seed: Seed,
  profile: Name,
  size: Type.Union([Type.Literal("full"), Type.Literal("smoke")]),
  startedAt: Moment,
  finishedAt: Moment,
  /** True if the run was stopped; the groups are the ones it had finished. */
  interrupted: Type.Boolean(),
  /** When it was taken up again after having been stopped. */
  resumedAt: Type.Optional(Type.Array(Moment)),
  commit: Type.Union([Type.Object({ hash: Hash, dirty: Type.Boolean() }, closed), Type.Null()]),
  machine: Machine,
  before: HostNoise,
  after: HostNoise,
  runtime: Type.Object(
    {
      name: Name,
      version: Line,
      engine: Line,
      flags: Type.Array(Line),
    },
    closed,
  ),
};

/** The properties of a record of this kind that are not what was measured. */
export function envelope<const K extends string>(kind: K) {
  return { kind: Type.Literal(kind), schemaVersion: Type.Literal(SCHEMA_VERSION), ...facts };
}

const Facts = Type.Object(facts);
/** What a record says of its run. */
export type RunFacts = Static<typeof Facts>;
export type MachineRecord = Static<typeof Machine>;
export type HostNoiseRecord = Static<typeof HostNoise>;
