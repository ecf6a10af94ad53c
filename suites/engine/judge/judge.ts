import type { CellRecord, GroupRecord, Seen } from "../schema/record.ts";
import { type Interval, median, type Sample, standardDeviation } from "../statistics.ts";
import type { CurvePoint } from "../suite.ts";
import { comparePair, type PairJudgement, type Place } from "./pairs.ts";
import {
  costPeers,
  type Entrant,
  type ForkValues,
  logCostsOf,
  prepareGroup,
  quietShareOf,
  ratioPeers,
  type State,
  stateOf,
} from "./samples.ts";
import {
  estimateOf,
  FIGURE_CONFIDENCE,
  type Judgement,
  judge,
  judgeLast,
  judgementOf,
  type Ratio,
  robustScale,
  type Strictness,
  withoutOutliers,
} from "./verdict.ts";

/** From a record to judged scenarios. Pure: the same record gives the same figures and verdicts to the last digit. */
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

/** What a row is known by. */
interface Known {
  readonly cell: string;
  readonly kind: CellRecord["kind"];
  readonly competitor: string;
  readonly workers: number;
  /** What the workers did that it is of; absent where all do the same. */
  readonly role?: string;
}

export interface JudgedMeasured extends Known {
  readonly noNumber?: undefined;
  /** What one worker waited for one operation, ns. */
  readonly median: number;
  /** 99 % interval of the median, ns per operation: what `error` is half the width of. */
  readonly interval: Interval;
  readonly error: number;
  /** Between forks, ns. */
  readonly stdDev: number;
  /** To the baseline; absent for the baseline itself, and where there is none to compare with. */
  readonly ratio?: Ratio;
  /** Of all workers together. */
  readonly throughputPerSecond: number;
  /** Operations of the slowest worker over those of the fastest, 0 to 1. */
  readonly fairness: number;
  /** Share of the time in which any worker measured that all did, 0 to 1. */
  readonly overlap: number;
  /** Of the race's own columns, by key. */
  readonly extra: Readonly<Record<string, number>>;
  /** A verdict, or in a few words why there is none. */
  readonly verdict: string;
  /** What changes how the row reads. */
  readonly flags: readonly string[];
  /** That its figures are of: the table's, or `any` where it saw too little of the quiet one. */
  readonly state: State;
  /** Processes that it rests on, and those that were left out because they lie too far from the others. */
  readonly forks: number;
  readonly leftOut: number;
  /**
   * How far the interval of the ratio reaches to one side, and the least difference that would have been told, as
   * shares; undefined where nothing is judged or a single process shows nothing of how they differ.
   */
  readonly halfWidth: number | undefined;
  readonly sees: number | undefined;
  /** Cells of the rows with the same workers and role that are told to be faster than this one (see ranks.ts). */
  readonly slowerThan: readonly string[];
}
export interface JudgedNumberless extends Known {
  /** Why it has none. */
  readonly noNumber: string;
}

/** How the races of one worker count in a scenario went. */
export interface Conditions {
  readonly workers: number;
  readonly oversubscribed: boolean;
  /** Noise floor of each group (and role), as a share: 0.012 is 1.2 %. */
  readonly floors: readonly number[];
  /** The state of the machine that all figures are of, and how many of the slices that count were quiet, as a share. */
  readonly state: State;
  /** Undefined where slices have no tags. */
  readonly quietShare: number | undefined;
  readonly pinned: boolean;
  /** Whether crews used the same memory in turn, or had their own, of all groups; and what the baseline cost there, ns. */
  readonly placements: readonly {
    readonly placement: GroupRecord["placement"];
    /** NaN where it has no number. */
    readonly baselineNs: number;
  }[];
  readonly emptyNs: number;
  /** What the control cost, and what it cost alone: with 99 % intervals. NaN where it has no number. */
  readonly control: Ratio;
  readonly controlAlone: Ratio;
  /** Processes of all groups, those lost aside. */
  readonly forks: number;
  /** Of those the ones in which the control cost over 1.1 times more with company than alone. */
  readonly crowdedForks: number;
  readonly slices: number;
  /** Slices that do not count because the workers were not together. */
  readonly apart: number;
  readonly lostForks: readonly string[];
}

/** A fork whose control costs this many times as much with company as alone shows that the cores share something. */
const CROWDED = 1.1;

interface Judged {
  readonly groups: readonly GroupRecord[];
  readonly scenario: JudgedScenario;
}

/** What has been judged, by its first group: pages, pictures and claims each ask for it, of a record or a part of it. */
const judgedScenarios = new WeakMap<GroupRecord, Judged>();

/** The judged scenarios of a record, in the order they were raced. */
export function judgeRecord({ groups }: Pick<Seen, "groups">): readonly JudgedScenario[] {
  const byScenario = Map.groupBy(groups, ({ primitive, scenario }) => `${primitive}/${scenario}`);
  return [...byScenario.values()].map(judgedOnce);
}

function judgedOnce(groups: readonly GroupRecord[]): JudgedScenario {
  const known = judgedScenarios.get(groups[0]!);
  const isSame =
    known?.groups.length === groups.length && known.groups.every((group, index) => group === groups[index]);
  if (isSame) return known.scenario;
  const scenario = judgeScenario(groups);
  judgedScenarios.set(groups[0]!, { groups, scenario });
  return scenario;
}

/** Judges the groups of one scenario: those of each worker count as one table. */
export function judgeScenario(groups: readonly GroupRecord[]): JudgedScenario {
  const { primitive, scenario, title, operation, point, columns } = groups[0]!;
  const tables = [...Map.groupBy(groups, ({ workers }) => workers).values()].map(tableOf);
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
    rows: tables.flatMap(rowsOf).toSorted(inTableOrder),
    absent: absentByReason(groups),
    conditions: tables.map(conditionsOf),
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

/** The races of one scenario at one worker count. */
interface JudgedTable {
  readonly groups: readonly GroupRecord[];
  readonly state: State;
  readonly contestants: readonly Contestant[];
  readonly strictness: Strictness;
}

/**
 * One future row: a cell, or one role of a cell. A scenario with more rivals than one process may hold is raced in
 * several groups, each with its own baseline and twins. Those have one row each all the same: the forks of all groups
 * are theirs, and the largest floor holds.
 */
interface Contestant {
  readonly places: readonly Place[];
  readonly cell: CellRecord;
  readonly role: string;
  readonly hasRoles: boolean;
  /** Whether it is the twin that sets the floor, which is shown but not judged. */
  readonly setsFloor: boolean;
  readonly logRatios: Sample;
  readonly ratioPeers: readonly Sample[];
  readonly floor: number | undefined;
}

function tableOf(groups: readonly GroupRecord[]): JudgedTable {
  const state = stateOf(groups);
  const places = groups.flatMap((group): Place[] => {
    const prepared = prepareGroup(group, state);
    return prepared.entrants.map((entrant) => ({ group: prepared, entrant }));
  });
  const sameRow = Map.groupBy(places, ({ entrant: { cell, role } }) => `${cell.name}/${role}`);
  const contestants = [...sameRow.values()].map(contestantOf);
  const looks = Math.max(...groups.map((group) => group.looks));
  return { groups, state, contestants, strictness: { rows: contestants.filter(isJudged).length, looks } };
}

function contestantOf(places: readonly Place[]): Contestant {
  const { entrant, group } = places[0]!;
  const { cell, role } = entrant;
  const floors = places.flatMap((place) => place.group.floors.get(role) ?? []);
  return {
    places,
    cell: {
      ...cell,
      ...places.map((place) => place.entrant.cell).find(({ failure }) => failure !== undefined),
    },
    role,
    hasRoles: new Set(group.group.roles).size > 1,
    setsFloor: cell === group.group.cells.find(({ kind }) => kind === "twin"),
    logRatios: places.flatMap((place) => place.entrant.logRatios.values),
    ratioPeers: places.flatMap((place) => ratioPeers(place.group.entrants, place.entrant)),
    floor: floors.length === 0 ? undefined : Math.max(...floors),
  };
}

function isJudged({ logRatios, floor, setsFloor }: Contestant): boolean {
  return logRatios.length > 0 && floor !== undefined && !setsFloor;
}

function rowsOf(table: JudgedTable): (JudgedMeasured | JudgedNumberless)[] {
  return table.contestants.map((contestant) => rowOf(contestant, table));
}

function rowOf(contestant: Contestant, table: JudgedTable): JudgedMeasured | JudgedNumberless {
  const { places, cell, role, hasRoles, logRatios } = contestant;
  const [group] = table.groups;
  const named = {
    cell: nameOf(contestant),
    kind: cell.kind,
    competitor: cell.competitor,
    workers: group!.workers,
    ...(hasRoles ? { role } : {}),
  };
  if (cell.failure !== undefined) {
    return { ...named, noNumber: cell.failure.reason };
  }
  const roles = places.map(({ entrant }) => entrant.cell.roles[role]);
  if (roles.some((record) => record?.stalled !== undefined)) {
    return { ...named, noNumber: "in some slices no operation came to its end" };
  }
  const costs = costsOf(contestant);
  if (costs === undefined) {
    return {
      ...named,
      noNumber:
        "no slice was undisturbed and overlapping: the machine was busy, or an operation is too long for the slice",
    };
  }
  const judgement = judgementOn(contestant, table.strictness);
  const workersInRole = group!.roles.filter((other) => other === role).length;
  const leftOut = places.flatMap(({ entrant }) => entrant.leftOut);
  return {
    ...named,
    ...costs,
    state: places.every(({ entrant }) => entrant.state === "quiet") ? "quiet" : "any",
    forks: logRatios.length || costs.forks,
    leftOut: leftOut.length,
    ...(judgement === undefined ? {} : { ratio: judgement.ratio }),
    halfWidth: finite(judgement?.halfWidth),
    sees: finite(judgement?.sees),
    throughputPerSecond: (workersInRole / costs.median) * 1e9,
    fairness: median(roles.flatMap((record) => record?.fairness ?? 1)),
    overlap: median(places.flatMap(({ entrant }) => entrant.cell.overlap ?? 1)),
    extra: extraOf(contestant),
    verdict: isJudged(contestant) ? judgement!.verdict : unjudged(contestant),
    flags: flagsOf(contestant, table.state, leftOut, judgement),
    slowerThan: slowerThan(contestant, table),
  };
}

function nameOf({ cell, role, hasRoles }: Contestant): string {
  return hasRoles ? `${cell.name}/${role}` : cell.name;
}

/** What an operation cost, ns: the median of each fork that counts, and the mean of those as logarithms. */
function costsOf({ places }: Contestant) {
  const logCosts = places.flatMap(({ entrant }) => entrant.logCosts.values);
  if (logCosts.length === 0) return undefined;
  const peers = places.flatMap(({ group, entrant }) => costPeers(group.entrants, entrant));
  const figure = figureOf(logCosts, peers);
  const interval = { low: figure.low, high: figure.high };
  return {
    median: figure.value,
    interval,
    error: (interval.high - interval.low) / 2,
    stdDev: logCosts.length > 1 ? standardDeviation(logCosts.map(Math.exp)) : 0,
    forks: logCosts.length,
  };
}

/** A cost by itself, ns, with its 99 % interval, from logarithms; of a single fork nothing but its value is known. */
export function figureOf(logCosts: Sample, peers: readonly Sample[]): Ratio {
  const counts = withoutOutliers(logCosts, robustScale([logCosts, ...peers]));
  const kept = logCosts.filter((_, place) => counts[place]);
  const { middle, low, high } = estimateOf(kept, peers, FIGURE_CONFIDENCE);
  const [value, from, to] = [middle, low, high].map(Math.exp) as [number, number, number];
  return Number.isFinite(low) ? { value, low: from, high: to } : { value, low: value, high: value };
}

/** Undefined without a ratio. That of the twin that sets the floor is shown with an interval of its own. */
function judgementOn(contestant: Contestant, strictness: Strictness): Judgement | undefined {
  const { places, logRatios, ratioPeers: peers, floor } = contestant;
  if (logRatios.length === 0) return undefined;
  return isJudged(contestant)
    ? judgeLast(
        (confidence) => judge({ values: logRatios, peers, floor: floor! }, confidence),
        strictness,
        Math.max(...places.map(({ entrant }) => entrant.cell.forks)),
      )
    : judgementOf(estimateOf(logRatios, peers, FIGURE_CONFIDENCE), 0);
}

/** What is told to be faster, of the baseline and the rivals whose workers do the same. */
function slowerThan(contestant: Contestant, { contestants, strictness }: JudgedTable): string[] {
  const competes = ({ cell }: Contestant) => cell.kind === "baseline" || cell.kind === "rival";
  if (!competes(contestant)) return [];
  return contestants
    .filter((other) => other !== contestant && other.role === contestant.role && competes(other))
    .filter((other) => comparePair(contestant.places, other.places, strictness)?.verdict === "slower")
    .map(nameOf);
}

/**
 * Compares any two competitors of a scenario at one worker count, the workers of the first role; undefined where one of
 * them has no number. Judged like a row of their table.
 */
export function compareRows(
  groups: readonly GroupRecord[],
  competitor: string,
  than: string,
): PairJudgement | undefined {
  if (groups.length === 0) return undefined;
  const { contestants, strictness } = tableOf(groups);
  const [role] = groups[0]!.roles;
  const placesOf = (name: string) =>
    contestants.find(({ cell, role: own }) => cell.competitor === name && own === role)?.places ?? [];
  return comparePair(placesOf(competitor), placesOf(than), strictness);
}

function unjudged({ cell, setsFloor, logRatios }: Contestant): string {
  if (cell.kind === "baseline") return "baseline";
  return setsFloor && logRatios.length > 0 ? "noise floor" : "no baseline to compare with";
}

function extraOf({ places, role }: Contestant): Record<string, number> {
  const columns = Object.keys(places[0]!.group.group.columns);
  const figures = columns.map((key): [string, readonly number[]] => [
    key,
    places.flatMap(({ entrant }) => entrant.cell.roles[role]?.figures?.[key] ?? []),
  ]);
  return Object.fromEntries(
    figures.filter(([, values]) => values.length > 0).map(([key, values]) => [key, median(values)]),
  );
}

/** Only what changes how the row reads: what all rows of a table have in common its conditions say. */
function flagsOf(
  { places }: Contestant,
  state: State,
  leftOut: readonly number[],
  judgement: Judgement | undefined,
): string[] {
  const total = (count: (entrant: Entrant) => number) =>
    places.reduce((sum, { entrant }) => sum + count(entrant), 0);
  const forks = total(({ cell }) => cell.forks);
  const unsettled = total(({ cell }) => cell.unsettled ?? 0);
  const slices = total(({ cell }) => cell.slices);
  const apart = total(({ cell }) => cell.apart ?? 0);
  const flags: string[] = [];
  if (places.some(({ entrant }) => entrant.state !== state)) {
    flags.push("of all states: too few of its slices were quiet");
  }
  if (leftOut.length > 0) {
    const factors = leftOut.map((factor) => `x${factor.toFixed(2)}`).join(", ");
    flags.push(`${leftOut.length} of ${forks} processes at ${factors} left out`);
  }
  if (unsettled > 0 && judgement?.verdict === "cannot tell") {
    flags.push(`warm-up not flat in ${unsettled} of ${forks} processes`);
  }
  const strays = Math.max(...places.map(({ entrant }) => entrant.cell.strays ?? 0));
  if (strays > 0) flags.push(`${strays} of its allocations outside of the common memory`);
  if (apart > slices / 2) flags.push(`${slices - apart} of ${slices} slices counted`);
  return flags;
}

function conditionsOf({ groups, state, contestants }: JudgedTable): Conditions {
  const [{ workers, oversubscribed }] = groups as [GroupRecord];
  const cells = groups.flatMap((group) => group.cells);
  const usual = (kind: CellRecord["kind"], among = cells) => {
    const costs = among.filter((cell) => cell.kind === kind).flatMap((cell) => soleCosts(cell, state).values);
    return costs.length === 0
      ? { value: Number.NaN, low: Number.NaN, high: Number.NaN }
      : figureOf(costs, []);
  };
  const control = usual("control");
  const total = (count: (cell: CellRecord) => number) => cells.reduce((sum, cell) => sum + count(cell), 0);
  const prepared = new Set(contestants.flatMap(({ places }) => places.map(({ group }) => group)));
  return {
    workers,
    oversubscribed,
    floors: [...prepared].flatMap(({ floors }) => [...floors.values()]),
    state,
    quietShare: quietShareOf(groups),
    pinned: groups.every((group) => group.pinned),
    placements: [...Map.groupBy(groups, ({ placement }) => placement)].map(([placement, own]) => ({
      placement,
      baselineNs: usual(
        "baseline",
        own.flatMap((group) => group.cells),
      ).value,
    })),
    emptyNs: usual("empty").value,
    control,
    controlAlone: workers === 1 ? control : usual("control-alone"),
    forks: groups.reduce((sum, group) => sum + Math.max(...group.cells.map(({ forks }) => forks)), 0),
    crowdedForks: oversubscribed ? 0 : groups.reduce((sum, group) => sum + crowdedForks(group, state), 0),
    slices: total(({ slices }) => slices),
    apart: total(({ apart = 0 }) => apart),
    lostForks: groups.flatMap(({ lostForks }) =>
      lostForks.map(({ fork, reason }) => `fork ${fork + 1}: ${reason}`),
    ),
  };
}

/** What an operation cost a crew that knows no roles: all slices where the state asked for has no fork. */
function soleCosts(cell: CellRecord, state: State): ForkValues {
  const [role] = Object.keys(cell.roles);
  if (role === undefined) return { forks: [], values: [] };
  const costs = logCostsOf(cell, role, state);
  return costs.values.length > 0 ? costs : logCostsOf(cell, role, "any");
}

/** Forks in which the control cost more with company than alone: the cores share something, or slow down. */
function crowdedForks({ cells }: GroupRecord, state: State): number {
  const control = cells.find(({ kind }) => kind === "control");
  const alone = cells.find(({ kind }) => kind === "control-alone");
  if (control === undefined || alone === undefined) return 0;
  const aloneCosts = soleCosts(alone, state);
  const aloneByFork = new Map(aloneCosts.forks.map((fork, place) => [fork, aloneCosts.values[place]!]));
  const { forks, values } = soleCosts(control, state);
  const isCrowded = (fork: number, place: number) =>
    aloneByFork.has(fork) && values[place]! - aloneByFork.get(fork)! > Math.log(CROWDED);
  return forks.filter(isCrowded).length;
}

function finite(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** By workers, then role; the fastest first; what has no number last. */
function inTableOrder(a: JudgedMeasured | JudgedNumberless, b: JudgedMeasured | JudgedNumberless): number {
  if (a.workers !== b.workers) return a.workers - b.workers;
  if (a.role !== b.role) return (a.role ?? "") < (b.role ?? "") ? -1 : 1;
  const cost = (row: JudgedMeasured | JudgedNumberless) =>
    row.noNumber === undefined ? row.median : Number.POSITIVE_INFINITY;
  return cost(a) === cost(b) ? 0 : cost(a) - cost(b);
}
