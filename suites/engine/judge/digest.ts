import { isContestant } from "../measure/plan/plan.ts";
import type { Account, CrewResult, Failure, WorkerSlices } from "../measure/plan/protocol.ts";
import { costOf, timeOf } from "../measure/plan/protocol.ts";
import type { CellRecord, GroupRecord, QuartilesRecord, RoleRecord, Statistic } from "../schema/record.ts";
import type { State } from "../schema/verdict.ts";
import { ascending, median, quantile, sum } from "../statistics.ts";
import { present } from "../words/present.ts";
import type { Mode } from "./machine-states.ts";

/**
 * From the slices of a fork to the digest that a record keeps of them. It says which slices count, in which state the
 * machine was, and mean and quartiles of what they cost. Pure.
 *
 * The machine has states. While the other half of a physical core is busy, dense code takes twice as long and a chain
 * of dependent instructions hardly longer. The tag of a slice shows it (see ../measure/fork/tag.ts). While the cores of
 * two workers are far from one another, a line takes three to four times as long between them. The handover of a slice
 * shows it (see ../measure/fork/handover.ts). Structures answer differently to either, so that ratios differ by state. Which
 * states there are, the machine's own readings say (see machine-states.ts).
 */

/**
 * A worker that began or ended its window this much later than another, in ns, was off its core, and the other ran
 * alone meanwhile. A scheduler gives a core away for one to four milliseconds. A worker that is merely starved by the
 * other ends less late than that. It ran beside it all the time, as each runs on until all have ended.
 */
export const MOST_LATE_NS = 1_000_000;

/** What a digest has to know of the group beside its slices. */
export type DigestedGroup = Pick<GroupRecord, "roles" | "oversubscribed" | "columns">;

/** One crew of a plan, as far as a digest is concerned. */
export type CrewFacts = Pick<CellRecord, "kind"> & {
  readonly name: string;
  /** The slowest tag at which a core of its runtime runs at full speed, in ns; absent where slices have no tags. */
  readonly fullSpeedNs?: number | undefined;
  /** Of near cores, and of far ones; absent where handovers were not measured. */
  readonly distances?: readonly Mode[] | undefined;
};

/** What a record keeps of one crew in one fork. */
export interface CrewDigest {
  readonly name: string;
  readonly failure?: Failure;
  /** Whether its warm-up came to rest. */
  readonly settled: boolean;
  /** Allocations that lie outside of the arena, though they were to lie in it. */
  readonly strays: number;
  /** Slices that it ran, and the slices among them whose workers were not together. */
  readonly slices: number;
  readonly apart: number;
  /** Median over slices; undefined for a lone worker. */
  readonly overlap: number | undefined;
  readonly roles: ReadonlyMap<string, RoleDigest>;
}

export interface RoleDigest {
  readonly any: Quartiles | undefined;
  readonly quiet: Quartiles | undefined;
  readonly far: Quartiles | undefined;
  /** Median over slices; undefined for a lone worker. */
  readonly fairness: number | undefined;
  /** Which optimised code its workers ran; undefined where that was not noted of each. */
  readonly compiled?: string;
  /** Figures of the race's columns, by their keys. */
  readonly figures: ReadonlyMap<string, number>;
  readonly stalled: number;
}

/** Of what an operation cost in some slices, in ns. */
export type Quartiles = Readonly<Record<Statistic, number>> & { readonly count: number };

/** What some slices cost, in ns for each operation and in rising order; and all of their time and operations. */
interface Costs {
  readonly sorted: readonly number[];
  readonly timeNs: number;
  readonly operations: number;
}

/** Digits of the figures that verdicts rest on, two more than any difference that is shown; and of the figures that show how slices scatter. */
const FIGURE_DIGITS = 5;
const SPREAD_DIGITS = 3;

/** How each statistic of a record is made, and to how many digits it is kept. */
const STATISTICS: Readonly<
  Record<Statistic, { readonly digits: number; readonly of: (costs: Costs) => number }>
> = {
  // In it is also what a few slices did for many.
  mean: { digits: FIGURE_DIGITS, of: ({ timeNs, operations }) => timeNs / operations },
  p25: { digits: FIGURE_DIGITS, of: ({ sorted }) => quantile(sorted, 0.25) },
  p50: { digits: FIGURE_DIGITS, of: ({ sorted }) => quantile(sorted, 0.5) },
  p75: { digits: SPREAD_DIGITS, of: ({ sorted }) => quantile(sorted, 0.75) },
};

/** Something of each statistic. */
function ofEach<T>(make: (statistic: Statistic) => T): Record<Statistic, T> {
  const statistics = Object.keys(STATISTICS) as Statistic[];
  return Object.fromEntries(statistics.map((statistic) => [statistic, make(statistic)])) as Record<
    Statistic,
    T
  >;
}

/** The slices of one crew in one fork in numbers: columns, with an entry for each slice. */
export interface SliceFigures {
  /** Time that all workers measured at once over the time in which any did. Negative if they never met. */
  readonly overlap: readonly number[];
  /** Whether no worker was off its core meanwhile (see MOST_LATE_NS). */
  readonly together: readonly boolean[];
  readonly state: readonly State[];
  readonly roles: ReadonlyMap<string, RoleFigures>;
}

interface RoleFigures {
  /** Workers of the role, by index. */
  readonly workers: readonly number[];
  readonly costNs: readonly number[];
  /** What they did together, and the time that each had for it, added up. */
  readonly operations: readonly number[];
  readonly timeNs: readonly number[];
  /** Rate of the slowest worker over that of the fastest. */
  readonly fairness: readonly number[];
}

/**
 * All that can be said of each slice before knowing whether it counts.
 *
 * With a core for every worker, a worker's time runs from when it saw the window open. With more workers than cores it
 * runs from the opening itself. The others kept a worker that had to wait for a core from its operations. Timed only
 * while it ran, it would look as if it had run alone.
 */
export function figuresOf(
  { rounds, workers, handoverNs }: Pick<CrewResult, "rounds" | "workers" | "handoverNs">,
  roles: readonly string[],
  oversubscribed: boolean,
  { fullSpeedNs, distances }: Pick<CrewFacts, "fullSpeedNs" | "distances">,
): SliceFigures {
  const startOf = ({ startNs }: WorkerSlices, slice: number) => (oversubscribed ? 0 : startNs[slice]!);
  const indicesByRole = Map.groupBy(workers.keys(), (index) => roles[index] ?? "worker");
  // With more workers than cores a tag shows who waits for a core, and that is part of the cost.
  const fastNs = oversubscribed || fullSpeedNs === undefined ? Number.NEGATIVE_INFINITY : fullSpeedNs;
  const spread = (times: readonly number[]) => Math.max(...times) - Math.min(...times);
  return {
    together: rounds.map((_, slice) => {
      const [starts, ends] = [
        workers.map((own) => startOf(own, slice)),
        workers.map((own) => own.endNs[slice]!),
      ];
      return Math.max(spread(starts), spread(ends)) <= MOST_LATE_NS;
    }),
    overlap: rounds.map((_, slice) => {
      const startNs = workers.map((worker) => startOf(worker, slice));
      const endNs = workers.map((worker) => worker.endNs[slice]!);
      const together = Math.min(...endNs) - Math.max(...startNs);
      return together / (Math.max(...endNs) - Math.min(...startNs));
    }),
    state: rounds.map((_, slice): State => {
      if (!workers.every(({ tagNs }) => tagNs[slice]! <= fastNs)) return "any";
      if (handoverNs === undefined || distances === undefined) return "quiet";
      const ns = handoverNs[slice]!;
      const place = distances.findIndex(({ fromNs, toNs }) => fromNs <= ns && ns < toNs);
      return DISTANCES[place] ?? "any";
    }),
    roles: new Map(
      [...indicesByRole].map(([role, indices]): [string, RoleFigures] => {
        const work = rounds.map((_, slice) =>
          indices.map((index) => {
            const worker = workers[index]!;
            const timeNs = timeOf(startOf(worker, slice), worker.endNs[slice]!, worker.preparingNs?.[slice]);
            return { operations: worker.operations[slice]!, timeNs };
          }),
        );
        const rates = work.map((each) => each.map(({ operations, timeNs }) => operations / timeNs));
        return [
          role,
          {
            workers: indices,
            costNs: rates.map(costOf),
            operations: work.map((each) => sum(each.map(({ operations }) => operations))),
            timeNs: work.map((each) => sum(each.map(({ timeNs }) => timeNs))),
            fairness: rates.map((each) => Math.min(...each) / Math.max(...each)),
          },
        ];
      }),
    ),
  };
}

/** The states of slices at full speed, by distance. */
const DISTANCES = ["quiet", "far"] as const;

/** Digests what one fork saw of the crews of a group, in their order. `planned` are all crews of the group. */
export function digestFork(
  crews: readonly CrewResult[],
  planned: readonly CrewFacts[],
  group: DigestedGroup,
): CrewDigest[] {
  const factsOf = new Map(planned.map((facts) => [facts.name, facts]));
  return crews.map((crew) => {
    const facts = factsOf.get(crew.name)!;
    const isRow = isContestant(facts);
    const figures = figuresOf(crew, isRow ? group.roles : [], group.oversubscribed, facts);
    return digestCrew(crew, figures, isRow ? group.columns : {}, group.oversubscribed);
  });
}

function digestCrew(
  crew: CrewResult,
  { overlap, together, state, roles }: SliceFigures,
  columns: GroupRecord["columns"],
  oversubscribed: boolean,
): CrewDigest {
  const { name, failure, warmUp, workers, rounds, strays = 0 } = crew;
  const counting = [...rounds.keys()].filter((slice) => oversubscribed || together[slice]!);
  const inState = (wanted: State) => counting.filter((slice) => state[slice] === wanted);
  return {
    name,
    ...present({ failure }),
    settled: warmUp.flat,
    strays,
    slices: rounds.length,
    apart: rounds.length - counting.length,
    overlap: workers.length > 1 ? medianOf(counting.map((slice) => overlap[slice]!)) : undefined,
    roles: new Map(
      [...roles].map(([role, figures]): [string, RoleDigest] => [
        role,
        {
          any: quartilesOf(figures, counting),
          quiet: quartilesOf(figures, inState("quiet")),
          far: quartilesOf(figures, inState("far")),
          fairness:
            figures.workers.length > 1
              ? medianOf(counting.map((slice) => figures.fairness[slice]!))
              : undefined,
          ...present({ compiled: versionOf(crew, figures.workers) }),
          figures: figuresOfColumns(crew, columns, figures.workers),
          stalled: counting.filter((slice) => figures.costNs[slice] === Number.POSITIVE_INFINITY).length,
        },
      ]),
    ),
  };
}

/** What the workers at these indices ran: one version, or each once where they ran several. */
function versionOf({ compiled = [] }: CrewResult, indices: readonly number[]): string | undefined {
  const versions = indices.map((index) => compiled[index] ?? "");
  return versions.includes("") ? undefined : [...new Set(versions)].sort().join("/");
}

/** Of these slices; undefined where none of them has a cost. */
function quartilesOf(
  { costNs, operations, timeNs }: RoleFigures,
  slices: readonly number[],
): Quartiles | undefined {
  const known = slices.filter((slice) => Number.isFinite(costNs[slice]));
  if (known.length === 0) return undefined;
  const total = (column: readonly number[]) => sum(known.map((slice) => column[slice]!));
  const costs: Costs = {
    sorted: known.map((slice) => costNs[slice]!).sort(ascending),
    timeNs: total(timeNs),
    operations: total(operations),
  };
  return { count: known.length, ...ofEach((statistic) => STATISTICS[statistic].of(costs)) };
}

function medianOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : median(values);
}

/** What a fork says of the race's own columns, of the workers at `workers`. */
function figuresOfColumns(
  { accounts, cpu, workers }: CrewResult,
  columns: GroupRecord["columns"],
  indices: readonly number[],
): Map<string, number> {
  const total = (perIndex: (index: number) => number) =>
    indices.reduce((sum, index) => sum + perIndex(index), 0);
  const growth = (of: (account: Account, index: number) => number) =>
    accounts === undefined
      ? Number.NaN
      : total((index) => of(accounts.last, index) - of(accounts.first, index));
  const figureOf = (key: string, reduce: GroupRecord["columns"][string]["reduce"]): number => {
    switch (reduce) {
      case "per-op":
        return (
          growth(({ counters }, index) => counters[index]?.[key] ?? Number.NaN) /
          growth(({ operations }, index) => operations[index]!)
        );
      case "level":
        return Math.max(...indices.map((index) => accounts?.last.counters[index]?.[key] ?? Number.NaN));
      case "prepared":
        return (
          total((index) => sum(workers[index]!.preparingNs ?? [])) /
          total((index) => sum(workers[index]!.operations))
        );
      case "cpu":
        return cpu === undefined ? Number.NaN : cpu.ns / cpu.operations;
    }
  };
  const figures = Object.entries(columns).map(([key, { reduce }]) => [key, figureOf(key, reduce)] as const);
  return new Map(figures.filter(([, figure]) => Number.isFinite(figure)));
}

/** One fork's digest of a crew, with the fork's number. */
export interface NumberedDigest {
  readonly fork: number;
  readonly digest: CrewDigest;
}

/** What a record keeps of a crew over all forks that raced it: figures as columns, an entry for each fork. */
export function digestRecord(
  digests: readonly NumberedDigest[],
): Pick<CellRecord, "forks" | "unsettled" | "strays" | "slices" | "apart" | "overlap" | "roles"> {
  const whole = digests.filter(({ digest }) => digest.failure === undefined);
  const unsettled = whole.filter(({ digest }) => !digest.settled).length;
  const strays = Math.max(0, ...whole.map(({ digest }) => digest.strays));
  const apart = sum(whole.map(({ digest }) => digest.apart));
  const overlap = whole.flatMap(({ digest }) => digest.overlap ?? []);
  const roles = new Set(whole.flatMap(({ digest }) => [...digest.roles.keys()]));
  return {
    forks: whole.length,
    ...(unsettled === 0 ? {} : { unsettled }),
    ...(strays === 0 ? {} : { strays }),
    slices: sum(whole.map(({ digest }) => digest.slices)),
    ...(apart === 0 ? {} : { apart }),
    ...(overlap.length === 0 ? {} : { overlap: overlap.map((share) => shareOf(Math.max(0, share))) }),
    roles: Object.fromEntries(
      [...roles].map((role) => [
        role,
        roleRecord(whole.map(({ fork, digest }) => ({ fork, role: digest.roles.get(role) }))),
      ]),
    ),
  };
}

function roleRecord(
  forks: readonly { readonly fork: number; readonly role: RoleDigest | undefined }[],
): RoleRecord {
  const digests = forks.flatMap(({ role }) => role ?? []);
  const recordIn = (state: State) => {
    const entries = forks.flatMap(({ fork, role }) => {
      const quartiles = role?.[state];
      return quartiles === undefined ? [] : [{ fork, quartiles }];
    });
    return { costNs: columnsOf(entries) };
  };
  const [quiet, far] = [recordIn("quiet"), recordIn("far")];
  const fairness = digests.flatMap((digest) => digest.fairness ?? []);
  const compiled = Array.from(
    { length: 1 + Math.max(...forks.map(({ fork }) => fork)) },
    (_, fork) => forks.find((own) => own.fork === fork)?.role?.compiled ?? "",
  );
  const keys = new Set(digests.flatMap(({ figures }) => [...figures.keys()]));
  const stalled = sum(digests.map((digest) => digest.stalled));
  return {
    any: recordIn("any"),
    ...(quiet.costNs.forks.length === 0 ? {} : { quiet }),
    ...(far.costNs.forks.length === 0 ? {} : { far }),
    ...(fairness.length === 0 ? {} : { fairness: fairness.map(shareOf) }),
    ...(compiled.every((version) => version === "") ? {} : { compiled }),
    ...(keys.size === 0
      ? {}
      : {
          figures: Object.fromEntries(
            [...keys].map((key) => [
              key,
              digests
                .flatMap(({ figures }) => figures.get(key) ?? [])
                .map((figure) => significant(figure, FIGURE_DIGITS)),
            ]),
          ),
        }),
    ...(stalled === 0 ? {} : { stalled }),
  };
}

function columnsOf(
  entries: readonly { readonly fork: number; readonly quartiles: Quartiles }[],
): QuartilesRecord {
  return {
    forks: entries.map(({ fork }) => fork),
    counts: entries.map(({ quartiles }) => quartiles.count),
    ...ofEach((statistic) =>
      entries.map(({ quartiles }) => significant(quartiles[statistic], STATISTICS[statistic].digits)),
    ),
  };
}

function significant(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}

function shareOf(value: number): number {
  return Number(value.toFixed(3));
}
