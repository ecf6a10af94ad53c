import { isContestant } from "../measure/plan/plan.ts";
import { LARGE_SLICE_US } from "../measure/plan/timing.ts";
import type { CellRecord, GroupRecord, QuartilesRecord } from "../schema/record.ts";
import type { State } from "../schema/verdict.ts";
import { mean, type Sample } from "../statistics.ts";
import type { RowProcess } from "./apart-by.ts";
import {
  type Evidence,
  estimateOf,
  evidenceOf,
  FIGURE_CONFIDENCE,
  floorOf,
  robustScale,
  weighing,
} from "./verdict.ts";

/** From the digests of a group to the samples that are judged: one value of each process that raced a row. */

/**
 * The slices of one state that a process needs to be judged by them, because quartiles of fewer are loose. A process that
 * has fewer is judged by all of its slices, and counts as well.
 */
export const FEWEST_OF_STATE = 20;

/** What ratios can be of: a statistic of slices that every record has (see `levelOf`). */
type Level = "mean" | "p25" | "p50";

/** In this order: a process is judged by the first of them that it saw enough of. */
const STATES: readonly State[] = ["quiet", "far", "any"];

/** A value of each process, and the state of the machine that it is of: the columns go together. */
export interface ForkValues {
  readonly forks: readonly number[];
  readonly values: Sample;
  readonly states: readonly State[];
}

/** The ratios of a row: one for each process, and those between near and between far cores of processes that saw enough of these. */
export interface Ratios extends ForkValues {
  /** None where nothing is known of them beside their values. */
  readonly processes: readonly RowProcess[];
  readonly quiet: readonly (number | undefined)[];
  readonly far: readonly (number | undefined)[];
}

export const NOTHING: Ratios = { forks: [], values: [], states: [], processes: [], quiet: [], far: [] };

/** The groups of one table, ready to be judged. */
export interface PreparedTable {
  readonly groups: readonly GroupRecord[];
  /** The state of the machine that most values are of. */
  readonly state: State;
  /** Whether all ratios are of means (see `levelOf`). */
  readonly isOfMeans: boolean;
  /** The rows of all groups, group by group. */
  readonly appearances: readonly Appearance[];
}

/** A row in one of its groups. */
export interface Appearance {
  readonly group: PreparedGroup;
  readonly entrant: Entrant;
}

/** What one group knows of one row: a cell, or one role of a cell. */
export interface Entrant {
  readonly cell: CellRecord;
  readonly role: string;
  /** Logarithm of ns per operation. Empty for a cell that failed, or if no operation ended in some slice. */
  readonly logCosts: ForkValues;
  /** Logarithm of candidate / baseline of its group; none for the baseline. */
  readonly logRatios: Ratios;
  /** What these are of. */
  readonly level: Level;
  /** Where means and levels part, the mean of the logarithms of the other of the two (see `withMeans`). */
  readonly otherwise?: number;
}

export interface PreparedGroup {
  readonly group: GroupRecord;
  /** What ratios are of, unless a row leaves out much (see `withMeans`). */
  readonly level: Level;
  /** Role by role, in the order of the cells. */
  readonly entrants: readonly Entrant[];
  /** Noise floor by role, as a share: that of the scenario; none where the A/A control has no ratio. */
  readonly floors: ReadonlyMap<string, number>;
  /** How far log ratios scatter about the middle of their row, by role (see `robustScale`). */
  readonly scales: ReadonlyMap<string, number>;
}

/** The tables of a scenario, one for each worker count. Their floor is the same (see `floorOf`). */
export function prepareTables(groups: readonly GroupRecord[]): PreparedTable[] {
  const tables = [...Map.groupBy(groups, ({ workers }) => workers).values()].map((own) =>
    own.map(prepareGroup),
  );
  const strays = tables.flat().flatMap(straysOf);
  const floor = floorOf(strays.map(({ stray }) => stray));
  return tables.map((own) => {
    const appearances = own.flatMap((group): Appearance[] => {
      const floors = new Map(straysOf(group).map(({ role }) => [role, floor]));
      const prepared = { ...group, floors };
      return group.entrants.map((entrant) => ({ group: prepared, entrant }));
    });
    return {
      groups: own.map(({ group }) => group),
      state: usualState(appearances.flatMap(({ entrant }) => entrant.logCosts.states)),
      isOfMeans: own.some(({ level }) => level === "mean"),
      appearances,
    };
  });
}

/** Of groups of one worker count. */
export function prepareTable(groups: readonly GroupRecord[]): PreparedTable {
  return prepareTables(groups)[0]!;
}

/** By more than this share a ratio of levels may not differ from one of means. */
const LEVEL_LEAVES_OUT = 0.03;

/**
 * The row by means, where its level leaves out more of its cost than the baseline's of its own: the 99 % interval of the
 * difference of its ratios lies wholly beyond 3 %. A few slices may do the work of many, such as a garbage collection. All
 * other rows keep the level, whose intervals are much narrower. With more workers than cores means scatter too much to
 * judge by: the row keeps its level, and says what its mean would be.
 */
function withMeans(entrant: Entrant, { group, level }: Pick<PreparedGroup, "group" | "level">): Entrant {
  const { cell, role, logRatios } = entrant;
  if (cell.kind !== "rival" || level === "mean" || logRatios.values.length === 0) return entrant;
  const means = logRatiosOf(cell, logRatios.processes[0]!.baseline, role, group, "mean");
  const differences = means.values.map((value, place) => value - logRatios.values[place]!);
  const { low, high } = estimateOf(differences, [], FIGURE_CONFIDENCE);
  if (low <= Math.log1p(LEVEL_LEAVES_OUT) && high >= -Math.log1p(LEVEL_LEAVES_OUT)) return entrant;
  return group.oversubscribed
    ? { ...entrant, otherwise: mean(means.values) }
    : { ...entrant, level: "mean", logRatios: means, otherwise: mean(logRatios.values) };
}

/** What the A/A control of a group shows, by role. */
function straysOf(group: PreparedGroup): { readonly role: string; readonly stray: Evidence }[] {
  const control = floorControlOf(group.group);
  return group.entrants.flatMap((entrant) => {
    const { cell, role, logRatios } = entrant;
    if (cell !== control || logRatios.values.length === 0) return [];
    const values = weighing(logRatios.values, group.scales.get(role)!);
    return [{ role, stray: evidenceOf(values, ratioPeers(group, entrant)) }];
  });
}

/** The one that more than half of these are; `any` if none is. */
export function usualState(states: readonly State[]): State {
  const countOf = (state: State) => states.filter((one) => one === state).length;
  return STATES.find((state) => countOf(state) > states.length / 2) ?? "any";
}

/** Share of all slices of competitors that count which were in this state; undefined where slices have no tags. */
export function shareOf(groups: readonly GroupRecord[], wanted: State): number | undefined {
  if (groups.every(({ referenceNs }) => referenceNs === undefined)) return undefined;
  const roles = groups.flatMap(({ cells }) =>
    cells.filter(isContestant).flatMap(({ roles: byRole }) => Object.values(byRole)),
  );
  const slicesIn = (state: State) =>
    roles.reduce((sum, role) => sum + (role[state]?.costNs.counts ?? []).reduce((a, b) => a + b, 0), 0);
  return slicesIn(wanted) / slicesIn("any");
}

function prepareGroup(group: GroupRecord): PreparedGroup {
  const level = levelOf(group);
  const cells = group.cells.filter(isContestant);
  const baseline = cells.find(({ kind }) => kind === "baseline");
  const scales = new Map<string, number>();
  const entrants = [...new Set(group.roles)].flatMap((role) => {
    const isWhole = ({ failure, roles }: CellRecord) =>
      failure === undefined && roles[role]?.stalled === undefined;
    const own = cells.map((cell) => ({
      cell,
      role,
      level,
      logCosts: isWhole(cell) ? logCostsOf(cell, role) : NOTHING,
      logRatios:
        baseline !== undefined && isWhole(baseline) && isWhole(cell)
          ? logRatiosOf(cell, baseline, role, group, level)
          : NOTHING,
    }));
    scales.set(role, robustScale(own.map(({ logRatios }) => logRatios.values)));
    return own.map((entrant) => withMeans(entrant, { group, level }));
  });
  return { group, level, entrants, floors: new Map(), scales };
}

/** The A/A control of a group that sets its floor: the first. */
export function floorControlOf({ cells }: Pick<GroupRecord, "cells">): CellRecord | undefined {
  return cells.find(({ kind }) => kind === "aa-control");
}

/** A figure that a process says in a state; undefined where it says none, or in that state saw too little. */
type Column = (state: State, fork: number) => number | undefined;

function costsOf(cell: CellRecord, role: string, level: Level): Column {
  return (state, fork) => {
    const table = cell.roles[role]?.[state]?.costNs;
    if (table === undefined) return undefined;
    const place = table.forks.indexOf(fork);
    if (place === -1) return undefined;
    return table.counts[place]! >= (state === "any" ? 1 : FEWEST_OF_STATE) ? table[level][place] : undefined;
  };
}

/** Of these forks alone. */
export function ofForks(table: QuartilesRecord, isMeant: (fork: number) => boolean): QuartilesRecord {
  const places = [...table.forks.keys()].filter((place) => isMeant(table.forks[place]!));
  const columns = Object.entries(table).map(([key, column]) => [key, places.map((place) => column[place]!)]);
  return Object.fromEntries(columns);
}

/** Values of the forks that have a figure in each column, in the first of these states in which they do. */
function valuesOf(
  forks: readonly number[],
  columns: readonly Column[],
  combine: (figures: readonly number[]) => number,
  states = STATES,
): ForkValues {
  const known = forks.flatMap((fork) => {
    for (const state of states) {
      const figures = columns.map((column) => column(state, fork));
      if (!figures.includes(undefined)) return [{ fork, state, value: combine(figures as number[]) }];
    }
    return [];
  });
  return {
    forks: known.map(({ fork }) => fork),
    values: known.map(({ value }) => value),
    states: known.map(({ state }) => state),
  };
}

/**
 * What ratios are of, unless a row's leaves out much (see `withMeans`). It is the mean of long slices. Large
 * sets postpone work, to a garbage collection or a compaction, and do it in few of these. No quartile and no median sees it.
 * Short slices have too much noise of their own for a mean, and with more workers than cores slices are long for another
 * reason. Of these it is the lower quartile of a lone worker's, which disturbances only lengthen, and the median of several
 * workers', which they may shorten too.
 */
function levelOf({
  workers,
  sliceUs,
  oversubscribed,
}: Pick<GroupRecord, "workers" | "sliceUs" | "oversubscribed">): Level {
  if (sliceUs >= LARGE_SLICE_US && !oversubscribed) return "mean";
  return workers === 1 ? "p25" : "p50";
}

function forksOf({ roles }: CellRecord, role: string): readonly number[] {
  return roles[role]?.any.costNs.forks ?? [];
}

/** Logarithm of what an operation of a role cost, in ns: the median slice of each process. */
export function logCostsOf(cell: CellRecord, role: string): ForkValues {
  return valuesOf(forksOf(cell, role), [costsOf(cell, role, "p50")], ([ns]) => Math.log(ns!));
}

/** What an operation of a role cost in one process, in ns: its median slice. */
export function costIn(cell: CellRecord, role: string, state: State, fork: number): number | undefined {
  return costsOf(cell, role, "p50")(state, fork);
}

/** Logarithm of candidate / baseline of each process: the ratio of their levels (see `levelOf`). Nothing for the baseline. */
export function logRatiosOf(
  cell: CellRecord,
  baseline: CellRecord,
  role: string,
  group: GroupRecord,
  level = levelOf(group),
): Ratios {
  if (cell === baseline) return NOTHING;
  const columns = [costsOf(cell, role, level), costsOf(baseline, role, level)];
  const combine = ([own, other]: readonly number[]) => Math.log(own! / other!);
  const known = valuesOf(forksOf(cell, role), columns, combine);
  const valueIn = (state: State) =>
    known.forks.map((fork) => valuesOf([fork], columns, combine, [state]).values[0]);
  return {
    ...known,
    processes: known.forks.map((fork) => ({ group, fork, role, cell, baseline })),
    quiet: valueIn("quiet"),
    far: valueIn("far"),
  };
}

/** The ratios of one row in several groups. */
export function joined(rows: readonly Ratios[]): Ratios {
  return {
    forks: rows.flatMap(({ forks }) => forks),
    values: rows.flatMap(({ values }) => values),
    states: rows.flatMap(({ states }) => states),
    processes: rows.flatMap(({ processes }) => processes),
    quiet: rows.flatMap(({ quiet }) => quiet),
    far: rows.flatMap(({ far }) => far),
  };
}

/** The ratios of the other rows of a group whose workers do the same: a row's peers. Only the ones that weigh. */
export function ratioPeers({ entrants, scales }: PreparedGroup, of: Entrant): Sample[] {
  return entrants
    .filter((other) => other !== of && other.role === of.role && other.logRatios.values.length > 0)
    .map(({ logRatios }) => weighing(logRatios.values, scales.get(of.role)!));
}

/** The same for costs. */
export function costPeers(entrants: readonly Entrant[], of: Entrant): Sample[] {
  return entrants
    .filter((other) => other !== of && other.role === of.role && other.logCosts.values.length > 0)
    .map(({ logCosts }) => logCosts.values);
}
