import { MILAN_X } from "../data/machines.ts";
import { nominalCosts } from "../machine/machine.ts";
import type { Simulated, Task } from "../machine/simulated.ts";
import { Simulator } from "../machine/simulator.ts";
import { kept, type PlantedFault } from "../record.ts";

/** It has a core for each worker. */
const MACHINE = MILAN_X;
const WORKERS: readonly number[] = [2, 64];
const OPERATIONS = 2_000;

/** A worker's own work between two operations takes `localNs` on average. */
const FAULTS = [
  { fault: "false sharing", scenario: "false-sharing", localNs: 30 },
  { fault: "lost wake-up", scenario: "lost-wake-up", localNs: 500 },
  { fault: "convoy", scenario: "convoy", localNs: 80_000 },
] as const;

/**
 * Each fault at each number of workers, in that order. The same for the same seed, a uint32. It takes half a minute at
 * full size, and far longer where the threads of the process run on several cores.
 */
export async function plantedFaults(
  seed: number,
  workerCounts: readonly number[] = WORKERS,
  operations = OPERATIONS,
): Promise<PlantedFault[]> {
  const simulator = new Simulator();
  try {
    const found: PlantedFault[] = [];
    for (const { fault, scenario, localNs } of FAULTS) {
      const url = new URL(`./${scenario}.ts`, import.meta.url).href;
      for (const workers of workerCounts) {
        const figures = async (competitor: "honest" | "faulty") => {
          const task: Task = {
            primitive: "planted",
            scenario,
            moduleUrl: url,
            competitor,
            url: `${url}#${scenario}/${competitor}`,
            size: "full",
            workers,
            topology: MACHINE,
            costs: nominalCosts(MACHINE),
            localNs,
            localWork: "after",
            atomicsAlone: 0,
            warmUp: 10 * workers,
            operations,
            seed,
          };
          return figuresOf(await simulator.simulate(task));
        };
        const [honest, faulty] = [await figures("honest"), await figures("faulty")];
        found.push({ fault, machine: MACHINE.name, workers, honest, faulty });
      }
    }
    return found;
  } finally {
    await simulator.close();
  }
}

/** Of a law that broke there is no time. */
function figuresOf(simulated: Simulated): PlantedFault["honest"] {
  const { broken, nsPerOperation, transfersPerOperation } = kept(simulated);
  return broken === undefined ? { nsPerOperation, transfersPerOperation } : { broken, transfersPerOperation };
}
