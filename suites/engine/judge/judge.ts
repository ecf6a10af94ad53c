import type { BenchRecord, CellRecord, GroupRecord } from "../record/record.ts";
import type { MeasuredRow, NumberlessRow } from "../report/benchmark-reporter-markdown/src/index.ts";
import type { CurvePoint } from "../suite.ts";
import {
  counterLevel,
  counterPerOperation,
  type ForkWeather,
  isContestant,
  type KeptFigures,
  keptFigures,
  logCosts,
  logRatios,
  preparingPerOperation,
  soleFigure,
  weatherOf,
} from "./samples.ts";
import { type Interval, mean, median, medianOfForks, type Sample, standardDeviation } from "./statistics.ts";
import { type Comparison, floorOf, intervalOf, type Judgement, judge, judgeAmong } from "./verdict.ts";

/**
 * From a record to judged scenarios. Pure: the same record gives the same figures and verdicts to the last digit,
 * the bootstrap being seeded by the record's own seed.
 */
export interface JudgedScenario {
  readonly primitive: string;
  readonly scenario: string;
  readonly title: string;
  readonly operation: string;
  /** Which point of which curve it is, if it is one. */
  readonly point: CurvePoint | undefined;
  readonly columns: readonly { readonly key: string; readonly title: string; readonly unit: string }[];
  readonly rows: readonly (JudgedMeasured | JudgedNumberless)[];
  /** Who does not take part, by why. */
  readonly absent: ReadonlyMap<string, readonly string[]>;
  readonly conditions: readonly Conditions[];
}

/** What a row is known by beyond what a table prints. */
interface Known {
  readonly cell: string;
  readonly kind: CellRecord["kind"];
}

export interface JudgedMeasured extends MeasuredRow, Known {
  /** 99 % interval of the median over forks, ns per operation: what `error` is half the width of. */
  readonly interval: Interval;
  /** Mean over rounds, then over forks, ns per operation: for comparison with tables that have means. */
  readonly mean: number;
  /** Processes that it rests on. */
  readonly forks: number;
}
export interface JudgedNumberless extends NumberlessRow, Known {}

/** How the races of one worker count in a scenario went. */
export interface Conditions {
  readonly workers: number;
  readonly oversubscribed: boolean;
  /** Noise floor of each group (and role), as a share: 0.012 is 1.2 %. */
  readonly floors: readonly number[];
  readonly emptyNs: number;
  readonly controlNs: number;
  readonly controlAloneNs: number;
  readonly rounds: number;
  readonly disturbedRounds: number;
  readonly forks: number;
  /** Forks in which the control cost more with company than alone throughout. */
  readonly crowdedForks: number;
  readonly slices: number;
  readonly droppedForOverlap: number;
  readonly lostForks: readonly string[];
}

const ERROR_CONFIDENCE = 0.99;

/** What has been judged, by its record: pages, pictures and claims each ask for it. */
const judgedRecords = new WeakMap<BenchRecord, readonly JudgedScenario[]>();

/** The judged scenarios of a record, in the order they were raced. */
export function judgeRecord(record: BenchRecord): readonly JudgedScenario[] {
  const known = judgedRecords.get(record);
  if (known !== undefined) return known;
  const judged = judgeScenariosOf(record);
  judgedRecords.set(record, judged);
  return judged;
}

function judgeScenariosOf(record: BenchRecord): JudgedScenario[] {
  const byScenario = Map.groupBy(record.groups, ({ primitive, scenario }) => `${primitive}/${scenario}`);
  return [...byScenario.values()].map((groups) => judgeScenario(groups, record.seed));
}

/** Judges the groups of one scenario as one table. */
export function judgeScenario(groups: readonly GroupRecord[], seed: number): JudgedScenario {
  const { primitive, scenario, title, operation, point, columns } = groups[0]!;
  const prepared = groups.map((group) => prepare(group, seed));
  const contestants = mergeGroups(prepared.flatMap((group) => group.contestants));
  const judged = contestants.filter((contestant) => contestant.comparison !== undefined);
  const judgements = judge(
    judged.map(({ comparison }) => comparison!),
    seed,
  );
  const judgementOf = new Map(judged.map((contestant, index) => [contestant, judgements[index]!]));
  const rows = contestants.map((contestant) => rowOf(contestant, judgementOf.get(contestant), seed));
  return {
    primitive,
    scenario,
    title,
    operation,
    point,
    columns: Object.entries(columns).map(([key, column]) => ({
      key,
      title: column.title,
      unit: column.unit,
    })),
    rows: rows.toSorted(inTableOrder),
    absent: absentByReason(groups),
    conditions: conditionsOf(prepared),
  };
}

/** The competitors that a scenario has no cells of, by the reason why. */
export function absentByReason(
  parts: readonly Pick<GroupRecord, "absent">[],
): ReadonlyMap<string, readonly string[]> {
  const absences = parts.flatMap(({ absent = [] }) => absent);
  const byReason = Map.groupBy(absences, ({ reason }) => reason);
  return new Map(
    [...byReason].map(([reason, same]) => [reason, [...new Set(same.map(({ competitor }) => competitor))]]),
  );
}

/** One future row: a cell, or one role of a cell. */
interface Contestant {
  readonly group: GroupRecord;
  readonly cell: CellRecord;
  readonly role: string;
  readonly hasRoles: boolean;
  readonly kept: KeptFigures;
  /** Against the baseline of its group; undefined for the baseline, the first twin, and cells without samples. */
  readonly comparison: Comparison | undefined;
  /** Log ratios of the twin that sets the floor, which is shown but not judged. */
  readonly floorRatios: Sample | undefined;
  /** Log ratios of every other row of the group that has any. */
  readonly ratioPeers: readonly Sample[];
  /** Logarithms of what an operation cost, in ns, for this row and for every other row of the group. */
  readonly logCosts: Sample;
  readonly costPeers: readonly Sample[];
}

interface PreparedGroup {
  readonly group: GroupRecord;
  readonly floors: readonly number[];
  readonly weather: readonly ForkWeather[];
  readonly kept: ReadonlyMap<CellRecord, KeptFigures>;
  readonly contestants: readonly Contestant[];
}

/** Prepared groups, by seed: every claim that compares two rows asks for theirs. */
const preparedGroups = new WeakMap<GroupRecord, Map<number, PreparedGroup>>();

function prepare(group: GroupRecord, seed: number): PreparedGroup {
  const bySeed = preparedGroups.get(group) ?? new Map<number, PreparedGroup>();
  preparedGroups.set(group, bySeed);
  const prepared = bySeed.get(seed) ?? prepareAnew(group, seed);
  bySeed.set(seed, prepared);
  return prepared;
}

function prepareAnew(group: GroupRecord, seed: number): PreparedGroup {
  const weather = weatherOf(group);
  const kept = new Map(group.cells.map((cell) => [cell, keptFigures(cell, group, weather)]));
  const entrants = group.cells.filter(isContestant);
  const baseline = entrants.find(({ kind }) => kind === "baseline");
  const floorTwin = entrants.find(({ kind }) => kind === "twin");
  const roles = [...new Set(group.roles)];
  const floors: number[] = [];

  const contestants = roles.flatMap((role) => {
    const comparable = baseline !== undefined && baseline.failure === undefined;
    const ratios = samplesOf(entrants, (cell) =>
      comparable && cell !== baseline ? logRatios(kept.get(cell)!, kept.get(baseline)!, role) : [],
    );
    const costs = samplesOf(entrants, (cell) => logCosts(kept.get(cell)!, role));
    const floorRatios = floorTwin === undefined ? undefined : ratios.get(floorTwin);
    const floor = floorRatios === undefined ? undefined : floorOf(floorRatios, seed);
    if (floor !== undefined) floors.push(floor);
    return entrants.map((cell): Contestant => {
      const own = cell === floorTwin ? undefined : ratios.get(cell);
      const ratioPeers = allBut(ratios, cell);
      return {
        group,
        cell,
        role,
        hasRoles: roles.length > 1,
        kept: kept.get(cell)!,
        comparison:
          own === undefined || floor === undefined ? undefined : { logRatios: own, floor, peers: ratioPeers },
        floorRatios: cell === floorTwin ? floorRatios : undefined,
        ratioPeers,
        logCosts: costs.get(cell) ?? [],
        costPeers: allBut(costs, cell),
      };
    });
  });
  return { group, floors, weather: [...weather.values()], kept, contestants };
}

/**
 * A sample for each cell that has one: that did not fail and has rounds that count, in all of which operations came to
 * their end. One infinite cost would make the intervals of all its peers infinite.
 */
export function samplesOf(
  cells: readonly CellRecord[],
  sampleOf: (cell: CellRecord) => Sample,
): Map<CellRecord, Sample> {
  const samples = cells
    .filter(({ failure }) => failure === undefined)
    .map((cell) => [cell, sampleOf(cell)] as const);
  return new Map(
    samples.filter(
      ([, sample]) => sample.length > 0 && sample.every((rounds) => rounds.every(Number.isFinite)),
    ),
  );
}

/** What the others of a group are: a cell's peers. */
export function allBut(samples: ReadonlyMap<CellRecord, Sample>, cell: CellRecord): Sample[] {
  return [...samples].filter(([other]) => other !== cell).map(([, sample]) => sample);
}

/**
 * A scenario with more rivals than one process may hold is raced in several groups, each with its own baseline and
 * twins. Those have one row each all the same: the forks of all groups are theirs, and the largest floor holds.
 */
function mergeGroups(contestants: readonly Contestant[]): Contestant[] {
  const sameRow = Map.groupBy(contestants, ({ cell, role }) => `${cell.name}/${role}`);
  return [...sameRow.values()].map((parts): Contestant => {
    const [first] = parts;
    const comparisons = parts.flatMap(({ comparison }) => (comparison === undefined ? [] : [comparison]));
    const floorRatios = parts.flatMap((part) => part.floorRatios ?? []);
    return {
      ...first!,
      cell: {
        ...first!.cell,
        ...parts.map(({ cell }) => cell).find(({ failure }) => failure !== undefined),
        forks: parts.flatMap(({ cell }) => cell.forks),
      },
      kept: {
        forks: parts.flatMap(({ kept }) => kept.forks),
        slices: parts.reduce((sum, { kept }) => sum + kept.slices, 0),
        droppedForOverlap: parts.reduce((sum, { kept }) => sum + kept.droppedForOverlap, 0),
      },
      comparison:
        comparisons.length === 0
          ? undefined
          : {
              logRatios: comparisons.flatMap(({ logRatios: ratios }) => ratios),
              floor: Math.max(...comparisons.map(({ floor }) => floor)),
              peers: comparisons.flatMap(({ peers }) => peers),
            },
      floorRatios: floorRatios.length === 0 ? undefined : floorRatios,
      ratioPeers: parts.flatMap((part) => part.ratioPeers),
      logCosts: parts.flatMap((part) => part.logCosts),
      costPeers: parts.flatMap((part) => part.costPeers),
    };
  });
}

function rowOf(
  contestant: Contestant,
  judgement: Judgement | undefined,
  seed: number,
): JudgedMeasured | JudgedNumberless {
  const { group, cell, role, hasRoles, kept, floorRatios } = contestant;
  const named = {
    cell: hasRoles ? `${cell.name}/${role}` : cell.name,
    kind: cell.kind,
    competitor: cell.competitor,
    workers: group.workers,
    ...(hasRoles ? { role } : {}),
  };
  if (cell.failure !== undefined) {
    return { ...named, noNumber: cell.failure.reason };
  }
  if (kept.forks.length === 0) {
    return {
      ...named,
      noNumber:
        "no slice was undisturbed and overlapping: the machine was busy, or an operation is too long for the slice",
    };
  }

  if (contestant.logCosts.length === 0) {
    return { ...named, noNumber: "in some slices no operation came to its end" };
  }
  const forkMediansNs = contestant.logCosts.map((rounds) => Math.exp(median(rounds)));
  const medianNs = median(forkMediansNs);
  const logInterval = intervalOf(contestant.logCosts, contestant.costPeers, ERROR_CONFIDENCE, seed);
  const interval = { low: Math.exp(logInterval.low), high: Math.exp(logInterval.high) };
  const workersInRole = group.roles.filter((other) => other === role).length;
  const ratio =
    judgement?.ratio ?? (floorRatios === undefined ? undefined : shownRatio(contestant, floorRatios, seed));
  return {
    ...named,
    median: medianNs,
    mean: mean(contestant.logCosts.map((rounds) => mean(rounds.map(Math.exp)))),
    forks: forkMediansNs.length,
    error: (interval.high - interval.low) / 2,
    interval,
    stdDev: forkMediansNs.length > 1 ? standardDeviation(forkMediansNs) : 0,
    ...(ratio === undefined ? {} : { ratio }),
    throughputPerSecond: (workersInRole / medianNs) * 1e9,
    fairness: medianOfForks(
      kept.forks.map(({ slices }) => slices.map(({ fairness }) => fairness.get(role)!)),
    ),
    overlap: medianOfForks(kept.forks.map(({ slices }) => slices.map(({ overlap }) => overlap))),
    extra: extraOf(contestant),
    verdict: judgement?.verdict ?? unjudged(contestant),
    flags: flagsOf(contestant),
  };
}

/**
 * Compares any two rows of a scenario at one worker count, round by round in the processes that raced both; undefined
 * where no group did. Judged like a row of the scenario's table, which has `rows` of them.
 */
export function compareRows(
  groups: readonly GroupRecord[],
  competitor: string,
  than: string,
  rows: number,
  seed: number,
): Judgement | undefined {
  for (const group of groups) {
    const cellOf = (name: string) => group.cells.find((cell) => cell.competitor === name && !cell.failure);
    const [one, other] = [cellOf(competitor), cellOf(than)];
    const [role] = group.roles;
    if (one === undefined || other === undefined || role === undefined) continue;
    const { kept, floors } = prepare(group, seed);
    if (floors.length === 0) continue;
    const ratiosTo = samplesOf(group.cells.filter(isContestant), (cell) =>
      cell === other ? [] : logRatios(kept.get(cell)!, kept.get(other)!, role),
    );
    const own = ratiosTo.get(one);
    if (own === undefined) continue;
    return judgeAmong(
      rows,
      { logRatios: own, floor: Math.max(...floors), peers: allBut(ratiosTo, one) },
      seed,
    );
  }
  return undefined;
}

function unjudged({ cell, floorRatios }: Contestant): string {
  if (cell.kind === "baseline") return "baseline";
  return floorRatios === undefined ? "no baseline to compare with" : "noise floor";
}

/** The ratio of the twin that sets the floor, with a 99 % interval of its own. */
function shownRatio({ ratioPeers }: Contestant, ratios: Sample, seed: number) {
  const { low, high } = intervalOf(ratios, ratioPeers, ERROR_CONFIDENCE, seed);
  return { value: Math.exp(medianOfForks(ratios)), low: Math.exp(low), high: Math.exp(high) };
}

const FIGURES_OF_COLUMNS = {
  "per-op": counterPerOperation,
  level: counterLevel,
  prepared: preparingPerOperation,
} as const;

function extraOf({ group, cell, role }: Contestant): Record<string, number> {
  const seats = [...group.roles.keys()].filter((seat) => group.roles[seat] === role);
  const extra: Record<string, number> = {};
  for (const [key, { reduce }] of Object.entries(group.columns)) {
    const values = FIGURES_OF_COLUMNS[reduce](cell, key, seats);
    if (values.length > 0) extra[key] = median(values);
  }
  return extra;
}

function flagsOf({ group, cell, kept }: Contestant): string[] {
  const flags: string[] = [];
  if (group.oversubscribed) flags.push("oversubscribed");
  const unsettled = cell.forks.filter(({ warmUp }) => !warmUp.flat).length;
  if (unsettled > 0 && !group.oversubscribed)
    flags.push(`warm-up not flat in ${unsettled} of ${cell.forks.length} forks`);
  const counted = kept.forks.reduce((sum, { slices }) => sum + slices.length, 0);
  if (counted < kept.slices / 2) flags.push(`${counted} of ${kept.slices} slices counted`);
  return flags;
}

function conditionsOf(prepared: readonly PreparedGroup[]): Conditions[] {
  const byWorkers = Map.groupBy(prepared, ({ group }) => group.workers);
  return [...byWorkers].map(([workers, groups]) => {
    const usualNs = (kind: CellRecord["kind"]) => {
      const forks = groups.flatMap(({ group, kept }) =>
        group.cells.filter((cell) => cell.kind === kind).flatMap((cell) => kept.get(cell)!.forks),
      );
      return medianOfForks(forks.map(({ slices }) => slices.map(soleFigure)));
    };
    const total = (count: (group: PreparedGroup) => number) =>
      groups.reduce((sum, group) => sum + count(group), 0);
    const controlNs = usualNs("control");
    return {
      workers,
      oversubscribed: groups[0]!.group.oversubscribed,
      floors: groups.flatMap(({ floors }) => floors),
      emptyNs: usualNs("empty"),
      controlNs,
      controlAloneNs: workers === 1 ? controlNs : usualNs("control-alone"),
      rounds: total(({ group }) => group.rounds * (group.cells[0]?.forks.length ?? 0)),
      disturbedRounds: total(({ weather }) =>
        weather.reduce((sum, { disturbed }) => sum + disturbed.size, 0),
      ),
      forks: total(({ group }) => Math.max(...group.cells.map(({ forks }) => forks.length))),
      crowdedForks: total(({ weather }) => weather.filter(({ crowded }) => crowded).length),
      slices: total(({ kept }) => [...kept.values()].reduce((sum, { slices }) => sum + slices, 0)),
      droppedForOverlap: total(({ kept }) =>
        [...kept.values()].reduce((sum, cell) => sum + cell.droppedForOverlap, 0),
      ),
      lostForks: groups.flatMap(({ group }) =>
        group.lostForks.map(({ fork, reason }) => `fork ${fork + 1}: ${reason}`),
      ),
    };
  });
}

/** By workers, then role; the fastest first; what has no number last. */
function inTableOrder(a: JudgedMeasured | JudgedNumberless, b: JudgedMeasured | JudgedNumberless): number {
  if (a.workers !== b.workers) return a.workers - b.workers;
  if (a.role !== b.role) return (a.role ?? "") < (b.role ?? "") ? -1 : 1;
  const cost = (row: JudgedMeasured | JudgedNumberless) =>
    row.noNumber === undefined ? row.median : Number.POSITIVE_INFINITY;
  return cost(a) === cost(b) ? 0 : cost(a) - cost(b);
}
