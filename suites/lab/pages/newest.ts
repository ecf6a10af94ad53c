import { FEWEST_OF_GROUP } from "../../engine/judge/division.ts";
import { FEWEST_OF_STATE } from "../../engine/judge/samples.ts";
import { scenarioOf } from "../../engine/measure/plan/plan.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { JudgedRow, JudgedScenario } from "../../engine/schema/verdict.ts";
import { median } from "../../engine/statistics.ts";
import { type Curve, curvesOf, sizesOf } from "../pictures/curves.ts";
import { NO_CONTENDER } from "../schema/contenders.ts";
import type { BenchRecord, OverviewRecord, SimulationRecord } from "../schema/record.ts";
import { partsOf } from "../schema/record-file.ts";
import type { JudgedRecord, Verdicts } from "../schema/verdict.ts";
import type { BetweenRuns } from "../verdicts/between-runs.ts";
import { joinedTables, judgedRecord, tablesAt } from "../verdicts/judge-record.ts";

/**
 * The published results of a primitive, table by table. All races of a scenario at one worker count come from the newest
 * record that has them, and so does a simulation or a survey. So a scenario can be measured again without the others, and
 * at eight workers without its races at one. Where the newest record has contenders alone, older records keep the rows of
 * the others, in separate tables. A record of cores farther apart than newer ones met keeps its tables, too. The races
 * of a scenario on several runtimes also come from one record. Pure.
 */
export interface Newest {
  /** As of a single record, in the order of the scenarios. */
  readonly verdicts: Verdicts;
  readonly simulations: readonly SimulationRecord[];
  readonly overviews: readonly OverviewRecord[];
  /** Competitors that newer tables omit as no contenders, each from its newest record, with its baseline. */
  readonly others: readonly Others[];
  /** Whole tables of far cores that newer records did not meet. */
  readonly ofOtherStates: readonly OfOtherState[];
  /** The records that these results come from, the newest first; at least one. */
  readonly sources: readonly Source[];
}

/** Rows of an older record, of one scenario. */
export interface Others {
  readonly judged: JudgedScenario;
  readonly source: Source;
}

/** A table of an older record. */
export interface OfOtherState extends Others {
  /** How long a line took between these far cores, in ns. */
  readonly handoverNs: number;
}

/** A record, its verdicts, and the parts of it that no newer record has. */
export interface Source extends NewestPart, JudgedRecord {}

/** A record, and the parts of it that no newer record has. */
interface NewestPart extends RecordFile {
  /** By scenario, and the worker counts at which it is the newest; `UNRACED` alone of a simulation or a survey. */
  readonly scenarios: ReadonlyMap<string, ReadonlySet<number>>;
  /** Names of the competitors that the newest tables omit, by scenario and worker count. */
  readonly others: ReadonlyMap<string, ReadonlyMap<number, ReadonlySet<string>>>;
  /** How long a line took between far cores that newer records did not meet, by scenario as it was raced and worker count. */
  readonly states: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

export interface RecordFile {
  /** The record's name in its folder. */
  readonly file: string;
  readonly record: BenchRecord;
}

/** Stands for the worker count of a scenario that is no race. */
const UNRACED = 0;

/**
 * The newest results of all `records` of a primitive, given newest last, judged. Only the named `scenarios` are included,
 * in this order. Undefined if there is none.
 */
export function newestOf(
  records: readonly RecordFile[],
  scenarios: readonly string[],
  betweenRuns?: BetweenRuns,
): Newest | undefined {
  const sources = newestParts(records, scenarios)
    .map((part) => ({ ...part, ...judgedRecord(part.record, betweenRuns) }))
    .filter((source) => source.scenarios.size + source.others.size > 0 || ofOtherStates(source).length > 0);
  if (sources.length === 0) return undefined;
  const placeOf = ({ scenario }: { readonly scenario: string }) => scenarios.indexOf(scenarioOf(scenario));
  const inOrder = <Part extends { readonly scenario: string }>(pick: (source: Source) => readonly Part[]) =>
    sources.flatMap((source) => ownOf(source, pick(source))).toSorted((a, b) => placeOf(a) - placeOf(b));
  const races = Map.groupBy(sources.flatMap(racesOf), ({ scenario }) => scenario);
  return {
    verdicts: {
      races: [...races.values()]
        .map((judged) => joinedTables(judged as [JudgedScenario, ...JudgedScenario[]]))
        .toSorted((a, b) => placeOf(a) - placeOf(b)),
      // All simulations before all surveys, as in a record.
      metrics: [
        ...inOrder(({ verdicts }) => verdicts.metrics.filter(({ kind }) => kind === "simulation")),
        ...inOrder(({ verdicts }) => verdicts.metrics.filter(({ kind }) => kind === "survey")),
      ],
    },
    simulations: inOrder(({ record }) => record.simulations),
    overviews: sources.find(({ record }) => record.overviews !== undefined)?.record.overviews ?? [],
    others: sources.flatMap(othersOf),
    ofOtherStates: sources.flatMap(ofOtherStates),
    sources,
  };
}

/**
 * The records that are the newest of any table of these scenarios, the newest record first. Judges no record, because that
 * takes seconds.
 *
 * A page shows the worker counts of a scenario side by side, so they must agree in everything that `commonOf` names. A
 * record that differs from the newest in this contributes nothing.
 */
function newestParts(records: readonly RecordFile[], scenarios: readonly string[]): NewestPart[] {
  const parts: NewestPart[] = [];
  for (const { file, record } of records.toReversed()) {
    const own = new Map<string, ReadonlySet<number>>();
    const others = new Map<string, ReadonlyMap<number, ReadonlySet<string>>>();
    const states = new Map<string, Map<number, number>>();
    for (const [scenario, counts] of countsByScenario(record)) {
      if (!scenarios.includes(scenario)) continue;
      const newer = parts.filter((part) => part.scenarios.has(scenario));
      if (newer[0] !== undefined && commonIn(newer[0].record, scenario) !== commonIn(record, scenario))
        continue;
      const left = [...counts].filter((count) => !newer.some((part) => hasOf(part, scenario, count)));
      if (left.length > 0) own.set(scenario, new Set(left));
      const kept = [...counts].map((count) => [count, keptOf(record, parts, scenario, count)] as const);
      const known = kept.filter(([, names]) => names.size > 0);
      if (known.length > 0) others.set(scenario, new Map(known));
      for (const count of counts) {
        if (left.includes(count)) continue;
        for (const [raced, ns] of lackingIn(record, parts, scenario, count))
          states.set(raced, (states.get(raced) ?? new Map()).set(count, ns));
      }
    }
    if (own.size + others.size + states.size > 0)
      parts.push({ file, record, scenarios: own, others, states });
  }
  return parts;
}

/** The competitors of a record that the newest table omits as no contenders, and that no record in between has. */
function keptOf(
  record: BenchRecord,
  newer: readonly NewestPart[],
  scenario: string,
  workers: number,
): ReadonlySet<string> {
  const newest = newer.find((part) => hasOf(part, scenario, workers));
  const known = new Set(newer.flatMap(({ others }) => [...(others.get(scenario)?.get(workers) ?? [])]));
  const leftOut = groupsOf(newest?.record, scenario, workers)
    .flatMap(({ absent = [] }) => absent)
    .filter(({ reason, competitor }) => reason === NO_CONTENDER && !known.has(competitor));
  const names = new Set(leftOut.map(({ competitor }) => competitor));
  const cells = groupsOf(record, scenario, workers).flatMap((group) => group.cells);
  return new Set(cells.map(({ competitor }) => competitor).filter((name) => names.has(name)));
}

/** Distances of cores within this factor of one another are one state. */
const SAME_STATE = 1.5;

/**
 * How far apart cores were that a record met and none of the newer ones which a page reads for this table, by scenario as
 * it was raced. What rows say of far cores is not asked: there is no other record of them.
 */
function lackingIn(
  record: BenchRecord,
  newer: readonly NewestPart[],
  scenario: string,
  workers: number,
): ReadonlyMap<string, number> {
  const isOfTable = (group: GroupRecord) =>
    scenarioOf(group.scenario) === scenario && group.workers === workers;
  const isKnown = newer.some(
    (part) => hasOf(part, scenario, workers) && distancesIn(part.record.groups.filter(isOfTable)).length > 0,
  );
  // Where no newer one was measured in any state, distances say nothing.
  if (!isKnown) return new Map();
  const names = new Set(record.groups.filter(isOfTable).map((group) => group.scenario));
  const lacking = [...names].flatMap((raced) => {
    const met = newer
      .filter((part) => hasOf(part, scenario, workers) || part.states.get(raced)?.has(workers) === true)
      .flatMap((part) => distancesIn(groupsOf(part.record, raced, workers)));
    const [far] = distancesIn(groupsOf(record, raced, workers), ["far"]);
    return far === undefined || met.some((ns) => isSameState(ns, far)) ? [] : [[raced, far] as const];
  });
  return new Map(lacking);
}

function isSameState(oneNs: number, otherNs: number): boolean {
  return Math.max(oneNs / otherNs, otherNs / oneNs) < SAME_STATE;
}

/** How long lines took in the states that the baseline was seen in by as many processes as a row's group needs, in ns. */
function distancesIn(
  groups: readonly GroupRecord[],
  states: readonly ("quiet" | "far")[] = ["quiet", "far"],
): number[] {
  return states.flatMap((state) => {
    const seen = groups.flatMap(({ cells, handovers }) => {
      const ns = state === "quiet" ? handovers?.nearNs : handovers?.farNs;
      const [role] = Object.values(cells.find(({ kind }) => kind === "baseline")?.roles ?? {});
      const counts = role?.[state]?.costNs.counts ?? [];
      return ns === undefined ? [] : counts.filter((count) => count >= FEWEST_OF_STATE).map(() => ns);
    });
    return seen.length < FEWEST_OF_GROUP ? [] : [median(seen)];
  });
}

/** The groups of a table; without groups that were raced on several runtimes, whose scenarios have another name. */
function groupsOf(record: BenchRecord | undefined, scenario: string, workers: number): GroupRecord[] {
  return (record?.groups ?? []).filter((group) => group.scenario === scenario && group.workers === workers);
}

/** The worker counts of each scenario in a record. */
function countsByScenario(record: BenchRecord): ReadonlyMap<string, ReadonlySet<number>> {
  const counts = new Map<string, Set<number>>();
  for (const part of partsOf(record)) {
    const scenario = scenarioOf(part.scenario);
    if (!counts.has(scenario)) counts.set(scenario, new Set());
    counts.get(scenario)!.add("workers" in part ? part.workers : UNRACED);
  }
  return counts;
}

function hasOf({ scenarios }: NewestPart, scenario: string, workers: number): boolean {
  return scenarios.get(scenario)?.has(workers) ?? false;
}

/** How a run differs from others whose figures do not compare. */
export interface ComparableRun extends Pick<BenchRecord, "methodVersion"> {
  readonly machine: Pick<BenchRecord["machine"], "slug">;
  readonly runtime: Pick<BenchRecord["runtime"], "version">;
}

/** What all tables on the page of a scenario have in common. A title describes the work, so a new title means other work. */
function commonOf({ machine, runtime, methodVersion }: ComparableRun, title: string): string {
  return [machine.slug, runtime.version, methodVersion, title].join(" ");
}

function commonIn(record: BenchRecord, scenario: string): string {
  return commonOf(record, partsOf(record).find((part) => scenarioOf(part.scenario) === scenario)!.title);
}

/** Whether a page of these records keeps a scenario's table at a worker count that the newer record lacks. */
export function keepsTable(
  records: readonly RecordFile[],
  run: ComparableRun,
  { scenario, title }: { readonly scenario: string; readonly title: string },
  workers: number,
): boolean {
  return newestParts(records, [scenario]).some(
    (part) => hasOf(part, scenario, workers) && commonOf(run, title) === commonIn(part.record, scenario),
  );
}

/** A source's verdicts on the races that it is the newest of. */
function racesOf({ verdicts, scenarios }: Source): JudgedScenario[] {
  return verdicts.races.flatMap((judged) => {
    const own = scenarios.get(scenarioOf(judged.scenario)) ?? new Set();
    if (judged.conditions.every(({ workers }) => own.has(workers))) return [judged];
    const tables = tablesAt(judged, own);
    return tables.conditions.length === 0 ? [] : [tables];
  });
}

/** The rows that newer tables lack, with the baseline and A/A control that they were judged by. */
function othersOf(source: Source): Others[] {
  return source.verdicts.races.flatMap((judged) => {
    const names = source.others.get(judged.scenario);
    if (names === undefined) return [];
    const own = tablesAt(judged, new Set(names.keys()));
    const isKept = ({ kind, workers, competitor }: JudgedRow) =>
      kind !== "rival" || names.get(workers)!.has(competitor);
    return [{ judged: { ...own, rows: own.rows.filter(isKept), absent: [] }, source }];
  });
}

/** The tables of a source that met far cores which newer ones did not. */
function ofOtherStates(source: Source): OfOtherState[] {
  return source.verdicts.races.flatMap((judged) =>
    [...(source.states.get(judged.scenario) ?? [])].map(([workers, handoverNs]) => {
      return { judged: tablesAt(judged, new Set([workers])), source, handoverNs };
    }),
  );
}

/**
 * All rows of each scenario, for looking one up: those of the newest tables and of the others, with their contrasts. The
 * ratios of a row come from its own record.
 */
export function withOthers({ verdicts, others }: Newest): Verdicts {
  return { ...verdicts, races: verdicts.races.map((judged) => others.reduce(beside, judged)) };
}

function beside(judged: JudgedScenario, { judged: older, source }: Others): JudgedScenario {
  if (older.scenario !== judged.scenario) return judged;
  const added = older.rows.filter(({ kind }) => kind === "rival");
  const isAdded = (cell: string) => added.some((row) => row.cell === cell);
  const whole = source.verdicts.races.find(({ scenario }) => scenario === judged.scenario)!;
  const rows = judged.rows.map((row) => {
    const then = whole.rows.find(({ cell }) => cell === row.cell);
    if (row.noNumber !== undefined || then === undefined || then.noNumber !== undefined) return row;
    return { ...row, against: [...row.against, ...then.against.filter(({ cell }) => isAdded(cell))] };
  });
  const conditions = judged.conditions.map((own) => {
    return { ...own, judged: own.judged + added.filter(({ workers }) => workers === own.workers).length };
  });
  return { ...judged, rows: [...rows, ...added], conditions };
}

/** The simulations or surveys that a source's record is the newest of. */
export function ownOf<Part extends { readonly scenario: string }>(
  { scenarios }: Source,
  parts: readonly Part[],
): Part[] {
  return parts.filter(({ scenario }) => scenarios.has(scenarioOf(scenario)));
}

/** The records of a scenario, the newest first. */
export function sourcesOf({ sources }: Newest, scenario: string): readonly [Source, ...Source[]] {
  const [newest, ...older] = sources.filter(({ scenarios }) => scenarios.has(scenarioOf(scenario)));
  if (newest === undefined) throw new Error(`no record has the scenario ${scenario}`);
  return [newest, ...older];
}

/** The version of the method that measured a scenario. */
export function methodOf(newest: Newest, scenario: string): number {
  return sourcesOf(newest, scenario)[0].record.methodVersion;
}

/** Whether different versions of the method measured its scenarios. */
export function hasSeveralMethods({ sources }: Newest): boolean {
  return new Set(sources.map(({ record }) => record.methodVersion)).size > 1;
}

export interface CurveOfSource {
  readonly curve: Curve;
  readonly source: Source;
}

/**
 * Its curves. Times of different methods and days do not compare, so each curve comes from one record: of the records with
 * the fewest workers, the newest that has the most points.
 */
export function newestCurves({ sources }: Newest): CurveOfSource[] {
  const all = sources.flatMap((source) =>
    curvesOf(source.verdicts.races).map((curve): CurveOfSource => ({ curve, source })),
  );
  const byName = Map.groupBy(all, ({ curve }) => curve.points[0]!.point.curve);
  return [...byName.values()].map((same) => {
    const [first] = same.toSorted(
      (a, b) => a.curve.workers - b.curve.workers || sizesOf(b.curve).length - sizesOf(a.curve).length,
    );
    return first!;
  });
}
