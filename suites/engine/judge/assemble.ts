import { cellName, type GroupPlan, runtimeOf } from "../measure/plan/plan.ts";
import type { Failure } from "../measure/plan/protocol.ts";
import { plainLine } from "../schema/lines.ts";
import type { CellRecord, GroupRecord } from "../schema/record.ts";
import { present } from "../words/present.ts";
import { type CrewDigest, digestRecord } from "./digest.ts";

/** One fork of a group, digested. */
export interface DigestedFork {
  readonly fork: number;
  /** Set when the whole process was lost. Then it has no crews but the one that ended it, where that is known. */
  readonly failure?: Failure;
  readonly crews: readonly CrewDigest[];
  /** 0 where unknown. */
  readonly threads: number;
  readonly maxRssBytes: number;
}

/** How a group was raced, beyond its plan. */
export type RacedAs = Pick<
  GroupRecord,
  "sliceUs" | "rounds" | "looks" | "placement" | "pinned" | "handovers"
> & {
  /** What a tag is at full speed, by runtime, in ns. */
  readonly references: ReadonlyMap<string, number>;
};

/** Turns what a run saw of one group so far into its part of the record. */
export function groupRecord(
  plan: GroupPlan,
  forks: readonly DigestedFork[],
  { sliceUs, rounds, looks, placement, pinned, references, handovers }: RacedAs,
): GroupRecord {
  const { race, runtimes } = plan;
  const referenceOf = (runtime: string) => {
    const referenceNs = references.get(runtime);
    return referenceNs === undefined ? {} : { referenceNs: Number(referenceNs.toPrecision(5)) };
  };
  return {
    primitive: plan.primitive,
    scenario: plan.scenario,
    title: race.title,
    operation: race.operation,
    workers: plan.workers,
    roles: rolesOf(plan),
    oversubscribed: plan.oversubscribed,
    sliceUs,
    rounds,
    ...present({ isCompiledAlike: plan.isCompiledAlike }),
    accountEvery: plan.accountEvery,
    looks,
    placement,
    pinned,
    ...referenceOf(runtimeOf(plan.crews[0])),
    ...(runtimes === undefined
      ? {}
      : { runtimes: runtimes.map((runtime) => ({ ...runtime, ...referenceOf(runtime.name) })) }),
    ...present({ handovers }),
    columns: { ...race.columns },
    ...(race.point === undefined ? {} : { point: { ...race.point } }),
    absent: [...plan.absent],
    // One that is known to be lost to a crew is that crew's failure.
    lostForks: forks.flatMap(({ fork, failure, crews }) =>
      failure === undefined || crews.length > 0 ? [] : [{ fork, reason: plainLine(failure.reason) }],
    ),
    mostThreads: Math.max(0, ...forks.map(({ threads }) => threads)),
    mostRssBytes: Math.max(0, ...forks.map(({ maxRssBytes }) => maxRssBytes)),
    cells: plan.crews.map((crew) => cellRecord(plan, crew, forks)),
  };
}

/** The role of each worker of a group. */
export function rolesOf({ race, workers }: Pick<GroupPlan, "race" | "workers">): string[] {
  return Array.from({ length: workers }, (_, index) => race.role?.(index, workers) ?? "worker");
}

function cellRecord(
  plan: GroupPlan,
  crew: GroupPlan["crews"][number],
  forks: readonly DigestedFork[],
): CellRecord {
  const digests = forks.flatMap(({ fork, crews }) =>
    crews.filter(({ name }) => name === crew.name).map((digest) => ({ fork, digest })),
  );
  const failure =
    digests.find(({ digest }) => digest.failure !== undefined)?.digest.failure ?? lostAll(forks);
  return {
    name: cellName(plan.primitive, plan.scenario, crew.name, plan.workers),
    competitor: crew.name,
    kind: crew.kind,
    ...(crew.remote === undefined ? {} : { runtime: crew.remote.runtime }),
    ...failureRecord(failure),
    ...digestRecord(digests),
  };
}

/** What a competitor threw may hold anything. */
export function failureRecord(failure: Failure | undefined): Pick<CellRecord, "failure"> {
  return failure === undefined ? {} : { failure: { ...failure, reason: plainLine(failure.reason) } };
}

/** The failure of a cell that no fork lived to measure. */
function lostAll(forks: readonly DigestedFork[]): Failure | undefined {
  return forks.every(({ failure }) => failure !== undefined) ? forks[0]?.failure : undefined;
}
