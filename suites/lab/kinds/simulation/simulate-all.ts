import { ReusedFork } from "../../../engine/measure/run/process.ts";
import type { Watched } from "../../../engine/measure/run/watched.ts";
import type { SimulatedCell, SimulationJob, SimulationResult } from "../outcomes.ts";
import { LANES, simulatedAtOnce, simulationEstimateMs } from "../pace.ts";
import type { LabPlan, SimulationPlan } from "../plan.ts";

const { href: SIMULATION } = new URL("./simulation.ts", import.meta.url);

/** Runs the simulations of a plan, one after the other, from the first that is not `done` on. */
export async function simulateAll(
  plan: LabPlan,
  done: number,
  watched: Watched,
  observer: { simulated(result: SimulationResult): void },
): Promise<void> {
  const { signal } = watched;
  const lanes = Array.from({ length: LANES }, () => new ReusedFork());
  try {
    for (const simulation of plan.simulations.slice(done)) {
      if (signal.aborted) return;
      const cells = await simulateOne(plan, simulation, lanes, watched);
      if (signal.aborted) return;
      observer.simulated({ plan: simulation, cells });
    }
  } finally {
    for (const lane of lanes) lane.end();
  }
}

/**
 * One competitor after the other in each process, as many processes as there are cores, because no clock is read. One
 * that dies or never ends loses its own cell only. The cells are in the order of the plan.
 */
async function simulateOne(
  { lab, size }: LabPlan,
  planned: SimulationPlan,
  lanes: readonly ReusedFork[],
  { clock, estimate, announce, signal }: Watched,
): Promise<readonly SimulatedCell[]> {
  const { simulation: _, entries, ...scenario } = planned;
  const estimateMs = simulationEstimateMs(planned, size);
  const atOnce = simulatedAtOnce(planned);
  const cells = new Map<string, SimulatedCell>();
  const waiting = entries.values();
  const carryOut = async (lane: ReusedFork) => {
    for (const entry of waiting) {
      if (signal.aborted) return;
      const { name: competitor } = entry;
      const label = `${scenario.primitive}/${scenario.scenario}/${competitor}, simulated`;
      const argument: SimulationJob = { lab, scenario, entry, size };
      const job = { kind: "call", module: SIMULATION, argument } as const;
      const begunMs = performance.now();
      const stretch = clock.begin(estimateMs / atOnce, label);
      const answer = await lane.ask(job, { estimateMs, progress: stretch.within, signal });
      stretch.end();
      estimate.ended("simulations", estimateMs, performance.now() - begunMs, atOnce);
      announce();
      if (answer.kind === "called") cells.set(competitor, answer.value as SimulatedCell);
      else if (answer.kind === "lost") {
        cells.set(competitor, { competitor, failure: answer.failure, samples: [], series: {} });
      }
    }
  };
  await Promise.all(lanes.map(carryOut));
  return entries.flatMap(({ name }) => cells.get(name) ?? []);
}
