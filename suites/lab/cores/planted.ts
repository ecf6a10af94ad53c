import type { Machine } from "./machine.ts";
import { nominalCosts } from "./machine.ts";
import { MILAN_X } from "./machines.ts";
import type { Simulated, Task } from "./simulated.ts";
import { Simulator } from "./simulator.ts";

/** A fault that was planted in a structure, beside the same structure without it. All figures are simulated. */
export interface PlantedFault {
  /** "false sharing" */
  readonly fault: string;
  readonly workers: number;
  readonly honest: PlantedFigures;
  readonly faulty: PlantedFigures;
}

export interface PlantedFigures {
  /** Sentence of the law that broke, beginning with its name. There is no time then. */
  readonly broken?: string;
  readonly nsPerOperation?: number;
  readonly transfersPerOperation: number;
}

/** The machine on which they are simulated, with a core for each worker. */
export const PLANTED_ON: Machine = MILAN_X;
export const PLANTED_WORKERS: readonly number[] = [2, 64];

/** In which a worker's own work takes so long between two operations, in ns on average. */
const FAULTS = [
  { fault: "false sharing", scenario: "false-sharing", localNs: 30 },
  { fault: "lost wake-up", scenario: "lost-wake-up", localNs: 500 },
  { fault: "convoy", scenario: "convoy", localNs: 40_000 },
] as const;

/** Each fault at each number of workers, in that order. The same for the same seed, a uint32. */
export async function plantedFaults(
  workerCounts: readonly number[] = PLANTED_WORKERS,
  operations = 4_000,
  seed = 1,
): Promise<PlantedFault[]> {
  const simulator = new Simulator();
  try {
    const found: PlantedFault[] = [];
    for (const { fault, scenario, localNs } of FAULTS) {
      const url = new URL(`planted/${scenario}.ts`, import.meta.url).href;
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
            topology: PLANTED_ON,
            costs: nominalCosts(PLANTED_ON),
            localNs,
            localWork: "after",
            atomicsAlone: 0,
            warmUp: 10 * workers,
            operations,
            seed,
          };
          return figuresOf(await simulator.simulate(task));
        };
        found.push({ fault, workers, honest: await figures("honest"), faulty: await figures("faulty") });
      }
    }
    return found;
  } finally {
    await simulator.close();
  }
}

function figuresOf({ broken, nsPerOperation, transfersPerOperation }: Simulated): PlantedFigures {
  return broken === undefined ? { nsPerOperation, transfersPerOperation } : { broken, transfersPerOperation };
}
