import { cellName, type GroupPlan, type Plan } from "../measure/plan.ts";
import type { CrewResult, Failure, Slice } from "../measure/protocol.ts";
import type { GroupResult, SimulationResult, SurveyResult } from "../measure/run.ts";
import type { SeriesChart } from "../suite.ts";
import type {
  BenchRecord,
  CellRecord,
  ForkRecord,
  GroupRecord,
  SimulationRecord,
  SurveyRecord,
} from "./record.ts";

/** Turns what a run saw of one group into its part of the record, dropping nothing. */
export function groupRecord({ plan, forks }: GroupResult): GroupRecord {
  const { race } = plan;
  return {
    primitive: plan.primitive,
    scenario: plan.scenario,
    title: race.title,
    operation: race.operation,
    workers: plan.workers,
    roles: Array.from({ length: plan.workers }, (_, index) => race.role?.(index, plan.workers) ?? "worker"),
    oversubscribed: plan.oversubscribed,
    sliceMs: plan.sliceMs,
    rounds: plan.rounds,
    columns: { ...race.columns },
    ...(race.point === undefined ? {} : { point: { ...race.point } }),
    absent: [...plan.absent],
    lostForks: forks.flatMap(({ fork, failure }) =>
      failure === undefined ? [] : [{ fork, reason: failure.reason }],
    ),
    mostThreads: Math.max(...forks.map(({ threads }) => threads)),
    mostRssBytes: Math.max(...forks.map(({ maxRssBytes }) => maxRssBytes)),
    cells: plan.crews.map((crew) => cellRecord(plan, crew, forks)),
  };
}

export function simulationRecord({ plan, cells }: SimulationResult): SimulationRecord {
  const { primitive, scenario, simulation, seeds } = plan;
  const several = seeds.length > 1;
  return {
    primitive,
    scenario,
    title: simulation.title,
    metrics: { ...simulation.metrics },
    absent: [...plan.absent],
    ...(several ? { seeds: [...seeds] } : {}),
    ...(simulation.chart === undefined ? {} : { chart: chartRecord(simulation.chart) }),
    cells: cells.map(({ competitor, failure, samples, series }) => ({
      name: `${primitive}/${scenario}/${competitor}`,
      competitor,
      baseline: competitor === simulation.baseline,
      ...(failure === undefined ? {} : { failure }),
      metrics: { ...samples[0] },
      ...(several ? { samples: samples.map((metrics) => ({ ...metrics })) } : {}),
      series: Object.fromEntries(Object.entries(series).map(([key, values]) => [key, [...values]])),
    })),
  };
}

function chartRecord(chart: SeriesChart): NonNullable<SimulationRecord["chart"]> {
  if (chart.lines === undefined) return { ...chart };
  const lines = chart.lines.map((line) => ({ ...line }));
  if (chart.along === undefined) return { ...chart, lines };
  return { ...chart, lines, along: { ...chart.along, at: [...chart.along.at] } };
}

export function surveyRecord({ plan, cells }: SurveyResult): SurveyRecord {
  const { primitive, scenario, survey } = plan;
  return {
    primitive,
    scenario,
    title: survey.title,
    metrics: { ...survey.metrics },
    absent: [...plan.absent],
    cells: cells.map(({ competitor, failure, forks }) => ({
      name: `${primitive}/${scenario}/${competitor}`,
      competitor,
      baseline: competitor === survey.baseline,
      ...(failure === undefined ? {} : { failure }),
      forks: forks.map((metrics) => ({ ...metrics })),
    })),
  };
}

/** The record's part on overviews: nothing where no suite of the plan has one. */
export function overviewRecords({ overviews }: Pick<Plan, "overviews">): Pick<BenchRecord, "overviews"> {
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

function cellRecord(
  plan: GroupPlan,
  crew: GroupPlan["crews"][number],
  forks: GroupResult["forks"],
): CellRecord {
  const results = forks.flatMap(({ fork, crews }) =>
    crews.filter(({ name }) => name === crew.name).map((result) => ({ fork, result })),
  );
  const failure =
    results.find(({ result }) => result.failure !== undefined)?.result.failure ?? lostAll(forks);
  return {
    name: cellName(plan.primitive, plan.scenario, crew.name, plan.workers),
    competitor: crew.name,
    kind: crew.kind,
    ...(failure === undefined ? {} : { failure }),
    forks: results.map(({ fork, result }) => forkRecord(fork, result)),
  };
}

/** The failure of a cell that no fork lived to measure. */
function lostAll(forks: GroupResult["forks"]): Failure | undefined {
  return forks.every(({ failure }) => failure !== undefined) ? forks[0]?.failure : undefined;
}

function forkRecord(fork: number, { warmUp, batches, slices }: CrewResult): ForkRecord {
  const perWorker = (pick: (worker: Slice["workers"][number]) => number) =>
    slices.map(({ workers }) => workers.map((worker) => Math.round(pick(worker))));
  // Workers of different roles may report different counters.
  const names = new Set(slices[0]?.workers.flatMap(({ counters }) => Object.keys(counters)));
  return {
    fork,
    warmUp,
    batches: [...batches],
    rounds: slices.map(({ round }) => round),
    operations: perWorker(({ operations }) => operations),
    startNs: perWorker(({ startNs }) => startNs),
    endNs: perWorker(({ endNs }) => endNs),
    // Left out where nothing ever was: most races prepare nothing.
    ...(slices.some(({ workers }) => workers.some(({ preparingNs }) => preparingNs > 0))
      ? { preparingNs: perWorker(({ preparingNs }) => preparingNs) }
      : {}),
    operationsWithRamps: perWorker(({ operationsWithRamps }) => operationsWithRamps),
    counters: Object.fromEntries(
      [...names].map((name) => [
        name,
        slices.map(({ workers }) => workers.map(({ counters }) => counters[name] ?? 0)),
      ]),
    ),
  };
}
