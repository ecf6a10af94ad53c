import { judgeScenario } from "../../../suites/engine/judge/judge.ts";
import type { GroupRecord } from "../../../suites/engine/schema/record.ts";
import type { Conditions, JudgedMeasured, JudgedScenario } from "../../../suites/engine/schema/verdict.ts";
import type { BenchRecord } from "../../../suites/lab/schema/record.ts";
import type { JudgedMetrics, Spread } from "../../../suites/lab/schema/verdict.ts";
import { apartAs, type Labels, lowestRatioFirst } from "../../../suites/lab/tables/races.ts";
import { withAnotherRun } from "../../../suites/lab/verdicts/another-run.ts";
import { judgeSimulation, judgeSurvey } from "../../../suites/lab/verdicts/metrics.ts";
import { baselinesOf, rebased } from "../../../suites/lab/verdicts/rebase.ts";
import { limitsOf, needsOf, type View } from "./address.ts";
import type { CompetitorData, PrimitiveData, RecordFile } from "./site-data.ts";

/** What a view shows of the races: judged anew from the record's digests, in this page. No document, no network. */
export interface Contest {
  readonly scenario: string;
  readonly source: RecordFile;
  /** Records that have the scenario, the newest first. */
  readonly sources: readonly RecordFile[];
  /** Of the workers that are shown, with the ratios to the baseline that was asked for, and of all who are left. */
  readonly judged: JudgedScenario;
  readonly conditions: Conditions;
  /** Worker counts to choose from: those of the record that was asked for, or else of all. */
  readonly workers: readonly number[];
  readonly baseline: string | undefined;
  /** The one that was raced as such. */
  readonly racedBaseline: string | undefined;
  readonly baselines: readonly string[];
  /** What its tables borrow of repeated runs. */
  readonly betweenRuns: PrimitiveData["betweenRuns"];
  /** The rows that compete, the lowest ratio first. */
  readonly rivals: readonly JudgedMeasured[];
  /** Competitors with a number that do not fulfil what is required. */
  readonly unfit: readonly string[];
}

/** A figure of a simulation or a survey, by `scenario/metric`. */
export interface Figure {
  readonly key: string;
  readonly title: string;
  readonly unit: string;
  readonly digits: number;
  readonly of: ReadonlyMap<string, Spread>;
}

/** What the views of a contest are given. */
export interface ContestProps {
  readonly data: PrimitiveData;
  readonly contest: Contest;
  readonly view: View;
  readonly repository: string;
}

/** Undefined where no record has races of the scenario. */
export function contestOf(data: PrimitiveData, view: View): Contest | undefined {
  const { scenario = firstRace(data), chosen } = view;
  if (scenario === undefined) return undefined;
  const groupsOf = ({ record }: RecordFile) => record.groups.filter((group) => group.scenario === scenario);
  const sources = data.records.filter((file) => groupsOf(file).length > 0).toReversed();
  if (sources.length === 0) return undefined;
  const asked = sources.find(({ file }) => file === chosen.record);
  const offered = (asked === undefined ? sources : [asked]).flatMap(groupsOf);
  const workers = [...new Set(offered.map((group) => group.workers))].toSorted((a, b) => a - b);
  const shown = workers.find((count) => String(count) === chosen.workers) ?? usualWorkers(offered);
  // The newest that has the worker count: scenarios may be published at some of them alone.
  const source = asked ?? sources.find((each) => groupsOf(each).some((group) => group.workers === shown))!;
  const groups = groupsOf(source);
  const judged = judgedAt(source.record, groups, shown, data.betweenRuns);
  const [{ baseline: racedBaseline }] = judged.conditions as [Conditions];
  const baselines = baselinesOf(judged);
  const baseline = baselines.find((name) => name === chosen.base) ?? racedBaseline;
  const all = baseline === undefined ? judged : rebased(judged, baseline);
  const figures = figuresOf(data);
  const isFit = ({ competitor, kind }: { competitor: string; kind: string }) =>
    competitor === baseline || kind === "aa-control" || fulfils(data, figures, view, competitor);
  const rows = all.rows.filter(isFit);
  const labels = labelsIn(data);
  const rivals = rows.flatMap((row) =>
    row.noNumber === undefined && apartAs(row, labels) === undefined ? [row] : [],
  );
  return {
    scenario,
    source,
    sources,
    judged: { ...all, rows },
    conditions: all.conditions[0]!,
    workers,
    baseline,
    racedBaseline,
    baselines,
    betweenRuns: data.betweenRuns,
    rivals: rivals.toSorted(lowestRatioFirst),
    unfit: [...new Set(all.rows.filter((row) => !isFit(row)).map(({ competitor }) => competitor))],
  };
}

/** Scenarios that some record has races of, in the order of the suite; those of the headline first. */
export function racesIn({ records, scenarios }: PrimitiveData): string[] {
  const raced = new Set(records.flatMap(({ record }) => record.groups.map(({ scenario }) => scenario)));
  const known = scenarios.map(({ scenario }) => scenario).filter((scenario) => raced.has(scenario));
  return [...known, ...[...raced].filter((scenario) => !known.includes(scenario))];
}

export function firstRace(data: PrimitiveData): string | undefined {
  const races = racesIn(data);
  const headline = data.scenarios.find(({ scenario, isHeadline }) => isHeadline && races.includes(scenario));
  return headline?.scenario ?? races[0];
}

/** The most workers that had a core each, or the fewest. */
function usualWorkers(groups: readonly GroupRecord[]): number {
  const own = groups.filter(({ oversubscribed }) => !oversubscribed).map(({ workers }) => workers);
  return own.length === 0 ? Math.min(...groups.map(({ workers }) => workers)) : Math.max(...own);
}

const judgedBefore = new WeakMap<BenchRecord, Map<string, JudgedScenario>>();

/**
 * One table of a scenario. All of them are judged together, by one noise floor. Many rows take a tenth of a second, and a
 * click is no reason to do so again.
 */
export function judgedAt(
  record: BenchRecord,
  groups: readonly GroupRecord[],
  workers: number,
  betweenRuns: PrimitiveData["betweenRuns"],
): JudgedScenario {
  const known = judgedBefore.get(record) ?? new Map<string, JudgedScenario>();
  judgedBefore.set(record, known);
  const { scenario } = groups[0]!;
  const judged = known.get(scenario) ?? withAnotherRun(judgeScenario(groups), betweenRuns);
  known.set(scenario, judged);
  const ofTable = (part: { readonly workers: number }) => part.workers === workers;
  return { ...judged, conditions: judged.conditions.filter(ofTable), rows: judged.rows.filter(ofTable) };
}

export function labelsIn({ competitors, oracle }: PrimitiveData): Labels {
  const named = (isMeant: (competitor: CompetitorData) => boolean) =>
    new Set(competitors.filter(isMeant).map(({ name }) => name));
  return {
    oracle,
    lowerBounds: named(({ isLowerBound }) => isLowerBound),
    variants: named(({ isVariant }) => isVariant),
    yardsticks: new Map(
      competitors.flatMap(({ name, yardstickOf }) =>
        yardstickOf === undefined ? [] : [[name, yardstickOf] as const],
      ),
    ),
  };
}

/** Whether a competitor is all that is required. One that says nothing of a trait, or has no such figure, is not. */
function fulfils(
  { competitors }: PrimitiveData,
  figures: readonly Figure[],
  view: View,
  name: string,
): boolean {
  const competitor = competitors.find((other) => other.name === name);
  return (
    needsOf(view).every(([trait, values]) => {
      const value = competitor?.traits[trait];
      return value !== undefined && values.includes(value);
    }) &&
    limitsOf(view).every(([key, limit]) => {
      const spread = figures.find((figure) => figure.key === key)?.of.get(name);
      return spread !== undefined && spread.value <= limit;
    })
  );
}

const figuresBefore = new WeakMap<PrimitiveData, Figure[]>();

/** Every figure of simulations and surveys, each of the newest record that has its scenario. */
export function figuresOf(data: PrimitiveData): Figure[] {
  const known = figuresBefore.get(data);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const judged = data.records.toReversed().flatMap(({ record: { simulations, surveys = [] } }) =>
    [...simulations.map(judgeSimulation), ...surveys.map(judgeSurvey)].filter(({ scenario }) => {
      const isNews = !seen.has(scenario);
      seen.add(scenario);
      return isNews;
    }),
  );
  const order = data.scenarios.map(({ scenario }) => scenario);
  const figures = judged
    .toSorted((a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario))
    .flatMap(figuresIn);
  figuresBefore.set(data, figures);
  return figures;
}

function figuresIn({ scenario, metrics, rows }: JudgedMetrics): Figure[] {
  return Object.entries(metrics).map(([key, { title, unit, digits }]) => ({
    key: `${scenario}/${key}`,
    title: `${scenario}: ${title}`,
    unit,
    digits,
    of: new Map(
      rows.flatMap(({ competitor, spreads }) =>
        spreads[key] === undefined ? [] : [[competitor, spreads[key]] as const],
      ),
    ),
  }));
}
