import { importCompetitor } from "../../../engine/measure/load/load.ts";
import { thrown } from "../../../engine/measure/plan/failures.ts";
import type { Failure, Say } from "../../../engine/measure/plan/protocol.ts";
import { progressReporter } from "../../../engine/measure/plan/protocol.ts";
import type { Outcome, Simulation } from "../../../shared/vocabulary.ts";
import { importSimulation } from "../described.ts";
import { unclearChart, unclearMetric, unclearSeries } from "../outcome.ts";
import type { SimulatedCell, SimulationJob } from "../outcomes.ts";

/** Runs a simulation from each of its seeds. */
export default async function simulate(
  { lab, scenario, entry, size }: SimulationJob,
  say: Say,
): Promise<SimulatedCell> {
  const { moduleUrl, scenario: name, seeds } = scenario;
  const simulation = await importSimulation(moduleUrl, name);
  const competitor = entry.name;
  const progress = progressReporter(seeds.length, say);
  const samples: Outcome["metrics"][] = [];
  let firstSeries: Outcome["series"] = {};
  for (const [index, seed] of seeds.entries()) {
    const simulated = await simulateOnce(simulation, { lab, entry }, size, seed);
    if (simulated.kind === "failed") {
      const { kind, reason } = simulated.failure;
      const failure = { kind, reason: seeds.length === 1 ? reason : `from seed ${seed}: ${reason}` };
      return { competitor, failure, samples: [], series: {} };
    }
    // An outcome may be large, and nothing else is kept of other seeds' outcomes.
    const { metrics, series } = simulated.outcome;
    samples.push(metrics);
    if (index === 0) firstSeries = series;
    progress.step();
  }
  return { competitor, samples, series: firstSeries };
}

type Simulated =
  | { readonly kind: "done"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly failure: Failure };

async function simulateOnce(
  simulation: Simulation<unknown, unknown>,
  { lab, entry }: Pick<SimulationJob, "lab" | "entry">,
  size: "full" | "smoke",
  seed: number,
): Promise<Simulated> {
  const params = simulation.params[size];
  const failed = (kind: Failure["kind"], reason: string) =>
    ({ kind: "failed", failure: { kind, reason } }) as const;
  try {
    const candidate = await importCompetitor(entry.url, lab);
    const outcome = simulation.run(candidate, params, seed);
    const broken = simulation.law(candidate, params, outcome);
    if (broken !== undefined) return failed("law", broken);
    const unclear =
      unclearMetric(outcome.metrics, simulation) ??
      unclearSeries(outcome.series) ??
      unclearChart(simulation.chart, outcome.series);
    return unclear === undefined ? { kind: "done", outcome } : failed("fault", unclear);
  } catch (error) {
    return failed("fault", thrown(error));
  }
}
