import { failureRecord } from "../../engine/judge/assemble.ts";
import type { SeriesChart, Tail } from "../../shared/vocabulary.ts";
import type { BenchRecord, SimulationRecord, SurveyRecord } from "../schema/record.ts";
import { bandOf, valuesPerColumn } from "./band.ts";
import type { SimulationResult, SurveyResult } from "./outcomes.ts";
import type { LabPlan, SurveyPlan } from "./plan.ts";

/** Turns what a run saw of a simulation into its part of the record. */
export function simulationRecord({ plan, cells }: SimulationResult): SimulationRecord {
  const { primitive, scenario, simulation, seeds } = plan;
  const several = seeds.length > 1;
  const { chart } = simulation;
  const perColumn = columnLength(chart, cells);
  return {
    primitive,
    scenario,
    title: simulation.title,
    metrics: { ...simulation.metrics },
    absent: [...plan.absent],
    ...(several ? { seeds: [...seeds] } : {}),
    ...(chart === undefined ? {} : { chart: chartRecord(chart) }),
    cells: cells.map(({ competitor, failure, samples, series }) => ({
      name: `${primitive}/${scenario}/${competitor}`,
      competitor,
      baseline: competitor === simulation.baseline,
      ...failureRecord(failure),
      metrics: Object.fromEntries(
        Object.entries(samples[0] ?? {}).map(([key, figure]) => [key, digits(figure)]),
      ),
      ...(several ? { samples: samplesByMetric(samples, Object.keys(simulation.metrics)) } : {}),
      ...seriesRecord(series, chart, perColumn),
    })),
  };
}

/** Each metric of each seed, null where it lacks. */
export function samplesByMetric(
  samples: readonly Readonly<Record<string, number>>[],
  metrics: readonly string[],
): Record<string, (number | null)[]> {
  return Object.fromEntries(
    metrics.map((key) => [
      key,
      samples.map(({ [key]: figure }) => (figure === undefined ? null : digits(figure))),
    ]),
  );
}

type SeriesOf = Readonly<Record<string, readonly number[]>>;

/** How many values share a column of a chart's band, in all its cells; 1 where it draws none. */
export function columnLength(
  chart: Pick<SeriesChart, "low" | "lines"> | undefined,
  cells: readonly { readonly failure?: unknown; readonly series: SeriesOf }[],
): number {
  if (chart?.low === undefined) return 1;
  const { low } = chart;
  const drawn = cells.filter(({ failure, series }) => failure === undefined && series[low] !== undefined);
  return valuesPerColumn(Math.max(1, ...drawn.map(({ series }) => series[low]!.length)), drawn.length);
}

/** The series of a cell. Where its chart draws a band, what is drawn of them instead. */
export function seriesRecord(
  series: SeriesOf,
  chart: Pick<SeriesChart, "low" | "high" | "lines"> | undefined,
  perColumn: number,
): Pick<SimulationRecord["cells"][number], "series" | "band"> {
  const low = chart?.low === undefined ? undefined : series[chart.low];
  const high = chart?.high === undefined ? undefined : series[chart.high];
  const kept = Object.entries(series).filter(([, values]) => values !== low && values !== high);
  return {
    series: Object.fromEntries(kept.map(([key, values]) => [key, values.map(digits)])),
    ...(low === undefined || high === undefined
      ? {}
      : { band: bandOf(low.map(digits), high.map(digits), perColumn) }),
  };
}

/** Whole numbers as they are, others to five digits: as many as any table prints. */
function digits(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(5));
}

function chartRecord(chart: SeriesChart): NonNullable<SimulationRecord["chart"]> {
  return chart.lines === undefined
    ? { ...chart }
    : { ...chart, lines: chart.lines.map((line) => ({ ...line })) };
}

export function surveyRecord({ plan, cells }: SurveyResult): SurveyRecord {
  const { primitive, scenario, survey } = plan;
  return {
    primitive,
    scenario,
    title: survey.title,
    metrics: { ...survey.metrics },
    absent: [...plan.absent],
    ...(plan.runtimes === undefined ? {} : { runtimes: [...plan.runtimes] }),
    ...(survey.kind === "tail" ? { tail: tailRecord(survey, plan) } : {}),
    cells: cells.map(({ competitor, failure, forks }) => ({
      name: `${primitive}/${scenario}/${competitor}`,
      competitor,
      baseline: competitor === survey.baseline,
      ...failureRecord(failure),
      forks: forks.map((metrics) => ({ ...metrics })),
    })),
  };
}

function tailRecord(
  { family, workers, intervalUs }: Tail<unknown, unknown, unknown>,
  { oversubscribed }: SurveyPlan,
): NonNullable<SurveyRecord["tail"]> {
  return { family, workers, oversubscribed, intervalUs };
}

/** The record's part on overviews: nothing where no suite of the plan has one. */
export function overviewRecords({ overviews }: Pick<LabPlan, "overviews">): Pick<BenchRecord, "overviews"> {
  if (overviews.length === 0) return {};
  return {
    overviews: overviews.map(({ primitive, overview: { title, columns }, variants }) => ({
      primitive,
      title,
      variants: [...variants],
      columns: columns.map((column) => ({ ...column })),
    })),
  };
}
