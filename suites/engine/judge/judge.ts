import { isInstrument } from "../measure/plan/plan.ts";
import type { CellRecord, GroupRecord } from "../schema/record.ts";
import type {
  Absent,
  Conditions,
  Contrast,
  JudgedMeasured,
  JudgedNumberless,
  JudgedRow,
  JudgedScenario,
  RacedRuntime,
  Ratio,
  State,
} from "../schema/verdict.ts";
import { median, type Sample, standardDeviation } from "../statistics.ts";
import { present } from "../words/present.ts";
import { groupsOfProcesses, groupsText, isWorthARemark, unexplainedText } from "./groups.ts";
import { contrast, contrastOf, weighsIn } from "./pairs.ts";
import {
  type Appearance,
  costPeers,
  type ForkValues,
  floorControlOf,
  joined,
  logCostsOf,
  type PreparedTable,
  prepareTables,
  type Ratios,
  ratioPeers,
  shareOf,
  usualState,
} from "./samples.ts";
import {
  estimateOf,
  FIGURE_CONFIDENCE,
  inAnyRegime,
  intervalOf,
  type Judgement,
  judgeContrast,
  judgementOf,
  LEAST_FLOOR,
  NO_FLOOR,
  NOTHING_TO_COMPARE,
  robustScale,
  type Strictness,
  weighing,
} from "./verdict.ts";
import { compiledText, versionIn } from "./versions.ts";

/** A fork whose control costs this many times as much with company as alone shows that the cores share something. */
const CROWDED = 1.1;

/** Judges the groups of one scenario, with the groups of each worker count as one table. */
export function judgeScenario(groups: readonly GroupRecord[]): JudgedScenario {
  const { primitive, scenario, title, operation, point, columns } = groups[0]!;
  const runtimes = runtimesOf(groups);
  const prepared = prepareTables(groups);
  const tables = prepared.map(tableOf);
  return {
    primitive,
    scenario,
    title,
    operation,
    ...present({ point }),
    ...(runtimes.length === 0 ? {} : { runtimes }),
    columns: [
      ...Object.entries(columns).flatMap(([key, { title, unit, reduce }]) => [
        { key, title, unit },
        ...(reduce === "cpu" ? [{ key: errorKey(key), title: `${title} error`, unit }] : []),
      ]),
    ],
    rows: tables.flatMap(rowsOf).toSorted(inTableOrder),
    absent: absentOf(groups),
    conditions: tables.map(conditionsOf),
  };
}

/** The competitors that a scenario has no cells of, by the reason why. */
export function absentOf(parts: readonly Pick<GroupRecord, "absent">[]): Absent {
  const absences = parts.flatMap(({ absent = [] }) => absent);
  return [...Map.groupBy(absences, ({ reason }) => reason)].map(([reason, same]) => ({
    reason,
    competitors: [...new Set(same.map(({ competitor }) => competitor))],
  }));
}

/** Each once, in the order in which groups and surveys name them. */
export function runtimesOf(
  parts: readonly { readonly runtimes?: readonly RacedRuntime[] }[],
): RacedRuntime[] {
  const named = parts.flatMap(({ runtimes = [] }) => runtimes);
  const byName = new Map(named.map(({ name, version, engine }) => [name, { name, version, engine }]));
  return [...byName.values()];
}

/** The races of one scenario at one worker count. */
interface JudgedTable {
  readonly groups: readonly GroupRecord[];
  readonly prepared: PreparedTable;
  readonly contestants: readonly Contestant[];
  readonly strictness: Strictness;
}

/**
 * One future row: a cell, or one role of a cell. A scenario with more rivals than one process may hold is raced in
 * several groups, each with its own baseline and A/A controls. These still have one row each: the processes of all
 * groups are theirs, and the largest floor holds.
 */
interface Contestant {
  /** In all groups. */
  readonly appearances: readonly Appearance[];
  readonly cell: CellRecord;
  readonly role: string;
  readonly hasRoles: boolean;
  /** Whether it is the A/A control that sets the floor, which is shown but not judged. */
  readonly setsFloor: boolean;
  readonly logRatios: Ratios;
  readonly ratioPeers: readonly Sample[];
  readonly scale: number;
  readonly floor: number | undefined;
}

function tableOf(prepared: PreparedTable): JudgedTable {
  const { groups } = prepared;
  const sameRow = Map.groupBy(prepared.appearances, ({ entrant: { cell, role } }) => `${cell.name}/${role}`);
  const contestants = [...sameRow.values()].map(contestantOf);
  const looks = Math.max(...groups.map((group) => group.looks));
  return { groups, prepared, contestants, strictness: { rows: contestants.filter(isJudged).length, looks } };
}

function contestantOf(appearances: readonly Appearance[]): Contestant {
  const [first] = appearances as [Appearance];
  const { group, entrant } = first;
  const { cell, role } = entrant;
  const floors = appearances.flatMap((one) => one.group.floors.get(role) ?? []);
  return {
    appearances,
    cell: {
      ...cell,
      ...appearances.map((one) => one.entrant.cell).find(({ failure }) => failure !== undefined),
    },
    role,
    hasRoles: new Set(group.group.roles).size > 1,
    setsFloor: setsFloor(first),
    logRatios: joined(appearances.map(({ entrant }) => entrant.logRatios)),
    ratioPeers: appearances.flatMap(({ group: own, entrant: row }) => ratioPeers(own, row)),
    scale: Math.max(...appearances.map((one) => one.group.scales.get(role)!)),
    floor: floors.length === 0 ? undefined : Math.max(...floors),
  };
}

function isJudged({ logRatios, floor, setsFloor }: Contestant): boolean {
  return logRatios.values.length > 0 && floor !== undefined && !setsFloor;
}

function rowsOf(table: JudgedTable): JudgedRow[] {
  return table.contestants.map((contestant) => rowOf(contestant, table));
}

function rowOf(contestant: Contestant, table: JudgedTable): JudgedRow {
  const { appearances, cell, role, hasRoles, logRatios } = contestant;
  const [group] = table.groups;
  const named = {
    cell: nameOf(contestant),
    kind: cell.kind,
    competitor: cell.competitor,
    workers: group!.workers,
    ...(hasRoles ? { role } : {}),
    ...present({ runtime: cell.runtime }),
  };
  const without = (noNumber: string): JudgedNumberless => ({
    ...named,
    noNumber,
    forks: racedBy(contestant),
  });
  if (cell.failure !== undefined) return without(cell.failure.reason);
  const roles = appearances.map(({ entrant }) => entrant.cell.roles[role]);
  if (roles.some((record) => record?.stalled !== undefined)) {
    return without("in some slices no operation came to its end");
  }
  const costs = costsOf(contestant, table);
  if (costs === undefined) {
    return without(
      "no slice counts: a worker was off its core in each, or an operation is too long for the slice",
    );
  }
  const seen = logRatios.values.length === 0 ? undefined : toBaseline(contestant);
  const judgement = seen === undefined ? undefined : judgementOn(contestant, seen, table.strictness);
  const groups = seen === undefined ? {} : groupsOfProcesses(seen, appearances, table.strictness);
  const against = againstOthers(contestant, table);
  const workersInRole = group!.roles.filter((other) => other === role).length;
  return {
    ...named,
    ...costs,
    processes: processesOf(contestant),
    state: usualState(appearances.flatMap(({ entrant }) => entrant.logCosts.states)),
    forks: seen?.forks ?? costs.forks,
    leftOut: seen === undefined ? 0 : logRatios.values.length - seen.forks,
    ...(judgement === undefined ? {} : judgedPart(judgement)),
    ...groups,
    ...(isJudged(contestant) ? { toBaseline: seen! } : {}),
    throughputPerSecond: (workersInRole / costs.median) * 1e9,
    fairness: median(roles.flatMap((record) => record?.fairness ?? 1)),
    overlap: median(appearances.flatMap(({ entrant }) => entrant.cell.overlap ?? 1)),
    extra: extraOf(contestant),
    verdict: isJudged(contestant) ? judgement!.verdict : unjudged(contestant),
    flags: [...groupFlags(groups, judgement, appearances), ...flagsOf(contestant, seen, judgement)],
    slowerThan: against
      .filter((other) => judgeContrast(other, table.strictness).verdict === "slower")
      .map((other) => other.cell),
    against,
  };
}

/** A single process does not show how processes differ, and then two of these are infinite. */
function judgedPart({ ratio, halfWidth, sees }: Judgement) {
  return Number.isFinite(halfWidth) ? { ratio, halfWidth, sees } : { ratio };
}

/** Processes that raced it, whether or not they count. */
function racedBy({ appearances }: Contestant): number {
  return Math.max(...appearances.map(({ entrant }) => entrant.cell.forks));
}

/** What each process saw, in the state that it is judged in. */
function processesOf({ appearances, role }: Contestant): JudgedMeasured["processes"] {
  return appearances.flatMap(({ entrant: { cell, logCosts } }) =>
    logCosts.forks.map((fork, place) => {
      const { forks, counts } = cell.roles[role]![logCosts.states[place]!]!.costNs;
      const slices = counts[forks.indexOf(fork)]!;
      const compiled = versionIn(cell, role, fork);
      return { ns: Math.exp(logCosts.values[place]!), slices, ...present({ compiled }) };
    }),
  );
}

function nameOf({ cell, role, hasRoles }: Contestant): string {
  return hasRoles ? `${cell.name}/${role}` : cell.name;
}

/**
 * What an operation cost, in ns: the median of each process, and the mean of these as logarithms. Of a row that did not race
 * in all processes of its table it is what that comes to in all of them, by the baseline: an adjusted mean, as of incomplete
 * blocks.
 */
function costsOf(contestant: Contestant, table: JudgedTable) {
  const { appearances } = contestant;
  const logCosts = appearances.flatMap(({ entrant }) => entrant.logCosts.values);
  if (logCosts.length === 0) return undefined;
  const peers = costPeersOf(appearances);
  const adjustment = adjustmentOf(contestant, table);
  const { value, low, high } = figureOf(
    logCosts.map((cost) => cost + adjustment),
    peers,
  );
  return {
    median: value,
    ...(Number.isFinite(high) ? { interval: { low, high }, error: (high - low) / 2 } : {}),
    stdDev: logCosts.length > 1 ? standardDeviation(logCosts.map(Math.exp)) : 0,
    forks: logCosts.length,
  };
}

/** How much more the baseline cost in all processes of the table than in those of a row, as a logarithm. */
function adjustmentOf({ appearances, role }: Contestant, { prepared }: JudgedTable): number {
  const racedIn = new Map(appearances.map(({ group, entrant }) => [group, new Set(entrant.logCosts.forks)]));
  const baselines = prepared.appearances.filter(
    ({ entrant }) => entrant.role === role && entrant.cell.kind === "baseline",
  );
  const beside = baselines.flatMap(({ group, entrant: { logCosts } }) =>
    logCosts.values.filter((_, place) => racedIn.get(group)?.has(logCosts.forks[place]!)),
  );
  if (beside.length === 0) return 0;
  const all = baselines.flatMap(({ entrant }) => entrant.logCosts.values);
  const peers = costPeersOf(baselines);
  return Math.log(figureOf(all, peers).value / figureOf(beside, peers).value);
}

function costPeersOf(appearances: readonly Appearance[]): Sample[] {
  return appearances.flatMap(({ group, entrant }) => costPeers(group.entrants, entrant));
}

/** A cost by itself, in ns, with its 99 % interval, from logarithms; without a bound where too few forks say it. */
function figureOf(logCosts: Sample, peers: readonly Sample[]): Ratio {
  const kept = weighing(logCosts, robustScale([logCosts, ...peers]));
  const { middle, low, high } = estimateOf(kept, peers, FIGURE_CONFIDENCE);
  return { value: Math.exp(middle), low: Math.exp(low), high: Math.exp(high) };
}

/** The A/A control that sets the floor is shown with an interval of its own. */
function judgementOn(contestant: Contestant, seen: Contrast, strictness: Strictness): Judgement {
  if (isJudged(contestant)) return judgeContrast(seen, strictness);
  return judgementOf(intervalOf(seen, FIGURE_CONFIDENCE), 0);
}

/** For a row that has ratios; without a floor of its group, the lowest floor there is. */
function toBaseline(contestant: Contestant): Contrast {
  const { logRatios, ratioPeers: peers, scale, floor = LEAST_FLOOR } = contestant;
  const seen = contrast(logRatios, { peers, scale, floor }, racedBy(contestant));
  return isOversubscribed(contestant) ? inAnyRegime(seen) : seen;
}

function isOversubscribed({ appearances }: Contestant): boolean {
  return appearances[0]!.group.group.oversubscribed;
}

/** The contrasts to the baseline and the rivals whose workers do the same, of one of these. */
function againstOthers(contestant: Contestant, { contestants }: JudgedTable): JudgedMeasured["against"] {
  const competes = ({ cell }: Contestant) => cell.kind === "baseline" || cell.kind === "rival";
  if (!competes(contestant)) return [];
  return contestants
    .filter((other) => other !== contestant && other.role === contestant.role && competes(other))
    .flatMap((other) => {
      const seen = contrastOf(contestant.appearances, other.appearances);
      if (seen === undefined) return [];
      return [{ cell: nameOf(other), ...(isOversubscribed(contestant) ? inAnyRegime(seen) : seen) }];
    });
}

function unjudged({ cell, setsFloor, logRatios }: Contestant): string {
  if (cell.kind === "baseline") return "baseline";
  if (logRatios.values.length === 0) return NOTHING_TO_COMPARE;
  return setsFloor ? "noise floor" : NO_FLOOR;
}

function extraOf({ appearances, role }: Contestant): Record<string, number> {
  const figures = Object.entries(appearances[0]!.group.group.columns).flatMap(([key, { reduce }]) => {
    const values = appearances.flatMap(({ entrant }) => entrant.cell.roles[role]?.figures?.[key] ?? []);
    if (values.length === 0) return [];
    return [[key, median(values)] as const, ...(reduce === "cpu" ? timeError(key, values) : [])];
  });
  return Object.fromEntries(figures);
}

/** Key of the column beside a time of processors that shows half the width of its interval. */
function errorKey(key: string): string {
  return `${key}Error`;
}

/** Nothing where a process saw no tick of the processor's clock, or too few others were there to compare with. */
function timeError(key: string, ns: Sample): [string, number][] {
  if (ns.some((one) => one <= 0)) return [];
  const { low, high } = figureOf(ns.map(Math.log), []);
  return Number.isFinite(high) ? [[errorKey(key), (high - low) / 2]] : [];
}

/** The ratios of processes that do not weigh in the row's: they lie too far from the others. */
function outliersOf({ logRatios, scale }: Contestant, { groups }: Contrast): number[] {
  if (groups !== undefined) return [];
  const { values } = logRatios;
  const weighs = weighsIn(logRatios, scale);
  return values.filter((_, place) => !weighs[place]).map(Math.exp);
}

function groupFlags(
  { groups, apartBy }: Pick<JudgedMeasured, "groups" | "apartBy">,
  judgement: Judgement | undefined,
  appearances: readonly Appearance[],
): string[] {
  if (groups === undefined || judgement === undefined) return unexplainedText(appearances);
  return isWorthARemark(groups, judgement.verdict) ? [groupsText(groups, apartBy)] : [];
}

/** Only what changes how the row reads: the conditions say what all rows of a table have in common. */
function flagsOf(
  contestant: Contestant,
  seen: Contrast | undefined,
  judgement: Judgement | undefined,
): string[] {
  const { appearances } = contestant;
  const total = (count: (cell: CellRecord) => number) =>
    appearances.reduce((sum, { entrant }) => sum + count(entrant.cell), 0);
  const forks = total((cell) => cell.forks);
  const unsettled = total((cell) => cell.unsettled ?? 0);
  const slices = total((cell) => cell.slices);
  const apart = total((cell) => cell.apart ?? 0);
  const outliers = seen === undefined ? [] : outliersOf(contestant, seen);
  const compiled = compiledText(processesOf(contestant));
  const flags = compiled === undefined ? [] : [compiled];
  if (outliers.length > 0) {
    const factors = outliers.map((factor) => `x${factor.toPrecision(3)}`).join(", ");
    flags.push(`${outliers.length} of ${forks} processes not averaged: at ${factors}`);
  }
  if (unsettled > 0 && judgement?.verdict === "cannot tell") {
    flags.push(`warm-up not flat in ${unsettled} of ${forks} processes`);
  }
  flags.push(...appearances.flatMap(otherwiseText));
  const strays = Math.max(...appearances.map(({ entrant }) => entrant.cell.strays ?? 0));
  if (strays > 0) flags.push(`${strays} of its allocations outside of the common memory`);
  if (apart > slices / 2) flags.push(`${slices - apart} of ${slices} slices counted`);
  return flags;
}

/** Where the mean of a row's slices parts from their level, the ratio that it is not judged by. */
function otherwiseText({ group, entrant: { level, otherwise } }: Appearance): string[] {
  if (otherwise === undefined) return [];
  const ratio = `x${Math.exp(otherwise).toPrecision(3)}`;
  return level === "mean"
    ? [`ratio of means, as a few slices cost much; of ${LEVELS[group.level]} ${ratio}`]
    : [`ratio of ${LEVELS[level]}; of means, in which a few slices weigh much, ${ratio}`];
}

const LEVELS = { p25: "lower quartiles", p50: "medians", p75: "upper quartiles", mean: "means" } as const;

function conditionsOf({ groups, prepared, strictness }: JudgedTable): Conditions {
  const { state } = prepared;
  const [{ workers, oversubscribed }] = groups as [GroupRecord];
  const cells = groups.flatMap((group) => group.cells);
  const usual = (kind: CellRecord["kind"], among = cells) => {
    const costs = among.filter((cell) => cell.kind === kind).flatMap((cell) => soleCosts(cell).values);
    return costs.length === 0
      ? { value: Number.NaN, low: Number.NaN, high: Number.NaN }
      : figureOf(costs, []);
  };
  const control = usual("control");
  const [accountEvery, ...otherwise] = new Set(groups.map((group) => group.accountEvery));
  const total = (count: (cell: CellRecord) => number) => cells.reduce((sum, cell) => sum + count(cell), 0);
  const baseline = cells.find(({ kind }) => kind === "baseline")?.competitor;
  const [quietShare, farShare] = [shareOf(groups, "quiet"), shareOf(groups, "far")];
  const failed = cells.flatMap(({ kind, failure }) =>
    isInstrument(kind) && failure !== undefined ? [{ kind, reason: failure.reason }] : [],
  );
  return {
    workers,
    oversubscribed,
    ...present({ baseline }),
    judged: strictness.rows,
    looks: strictness.looks,
    floors: [...new Set(prepared.appearances.flatMap(({ group }) => [...group.floors.values()]))],
    state,
    judgedBy: processesByState(prepared.appearances),
    ...present({ quietShare }),
    ...(farShare === undefined || farShare === 0 ? {} : { farShare }),
    ...(prepared.isOfMeans ? { isOfMeans: true } : {}),
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
    ...handoversOf(groups),
    forks: groups.reduce((sum, group) => sum + Math.max(...group.cells.map(({ forks }) => forks)), 0),
    crowdedForks: oversubscribed ? 0 : groups.reduce((sum, group) => sum + crowdedForks(group), 0),
    ...(accountEvery === undefined || otherwise.length > 0 ? {} : { accountEvery }),
    slices: total(({ slices }) => slices),
    apart: total(({ apart = 0 }) => apart),
    lostForks: groups.flatMap(({ lostForks }) =>
      lostForks.map(({ fork, reason }) => `process ${fork + 1}: ${reason}`),
    ),
    ...(failed.length === 0 ? {} : { failedInstruments: failed }),
  };
}

/** In all groups, the least between near cores, and the middle of the times between far ones. */
function handoversOf(groups: readonly GroupRecord[]): Pick<Conditions, "handovers"> {
  const known = groups.flatMap(({ handovers }) => handovers ?? []);
  if (known.length === 0) return {};
  const far = known.flatMap(({ farNs }) => farNs ?? []);
  const nearNs = Math.min(...known.map((own) => own.nearNs));
  return { handovers: { nearNs, ...(far.length === 0 ? {} : { farNs: median(far) }) } };
}

function setsFloor({ group, entrant }: Appearance): boolean {
  return entrant.cell === floorControlOf(group.group);
}

function processesByState(appearances: readonly Appearance[]): Conditions["judgedBy"] {
  const baselines = appearances.filter(({ entrant }) => entrant.cell.kind === "baseline");
  // Of several roles the first is taken: all of a crew's workers ran in the same slices.
  const byGroup = new Map(baselines.toReversed().map(({ group, entrant }) => [group, entrant]));
  const states = [...byGroup.values()].flatMap(({ logCosts }) => logCosts.states);
  const countOf = (state: State) => states.filter((one) => one === state).length;
  return { quiet: countOf("quiet"), far: countOf("far"), any: countOf("any") };
}

/** What an operation cost a crew without roles. */
function soleCosts(cell: CellRecord): ForkValues {
  const [role = ""] = Object.keys(cell.roles);
  return logCostsOf(cell, role);
}

/** Forks in which the control cost more with company than alone: the cores share something, or slow down. */
function crowdedForks({ cells }: GroupRecord): number {
  const control = cells.find(({ kind }) => kind === "control");
  const alone = cells.find(({ kind }) => kind === "control-alone");
  if (control === undefined || alone === undefined) return 0;
  const aloneCosts = soleCosts(alone);
  const aloneByFork = new Map(aloneCosts.forks.map((fork, place) => [fork, aloneCosts.values[place]!]));
  const { forks, values } = soleCosts(control);
  const isCrowded = (fork: number, place: number) =>
    aloneByFork.has(fork) && values[place]! - aloneByFork.get(fork)! > Math.log(CROWDED);
  return forks.filter(isCrowded).length;
}

/** By workers, then role; the fastest first; what has no number last. */
export function inTableOrder(a: JudgedRow, b: JudgedRow): number {
  if (a.workers !== b.workers) return a.workers - b.workers;
  if (a.role !== b.role) return (a.role ?? "") < (b.role ?? "") ? -1 : 1;
  const cost = (row: JudgedRow) => (row.noNumber === undefined ? row.median : Number.POSITIVE_INFINITY);
  return cost(a) === cost(b) ? 0 : cost(a) - cost(b);
}
