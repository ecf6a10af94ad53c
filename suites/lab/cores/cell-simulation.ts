import type { PlannedCell, PlannedTask } from "./plan.ts";
import { structureOf } from "./record.ts";
import type { Simulated, Task } from "./simulated.ts";

/** The runs of one worker alone that a crew's local work is what remains of. */
export interface Alone extends Pick<Task, "scenario" | "moduleUrl" | "seed"> {
  /** Whose local work it is: the competitor's own, or the baseline's where nothing was measured of it. */
  readonly of: Pick<Task, "competitor" | "url">;
  /** What that waits for one operation; undefined where it was not measured either, and local work is 0. */
  readonly measuredNs: number | undefined;
}

/** What came of a cell: the figures with the machine's own costs, and with each draw. */
export interface SimulatedCell {
  readonly workers: number;
  readonly localNs: number;
  readonly nominal: Simulated;
  /** None where a crew hands lines over so often that a draw would take too long. */
  readonly draws: readonly Simulated[];
}

/** `Simulator`, or in a test what stands for it. */
export interface Simulates {
  simulate(task: Task): Promise<Simulated>;
}

/** A thread that goes on with its next access takes this part of the time of one that hands over to another, about. */
const ACCESSES_PER_HANDOVER = 60;

/** Simulates cells, one after the other. Runs of one worker are kept, as each worker count wants the same. */
export class CellSimulation {
  readonly #simulator: Simulates;
  readonly #alone = new Map<string, Promise<Simulated>>();

  constructor(simulator: Simulates) {
    this.#simulator = simulator;
  }

  /** With as many operations, and draws, as the handovers of a first short run leave room for. */
  async simulate({ nominal, draws, fewest, handovers }: PlannedCell, alone: Alone): Promise<SimulatedCell> {
    const { workers } = nominal;
    const task = await this.#taskOf(nominal, alone);
    const short = await this.#simulator.simulate({ ...task, operations: fewest });
    const perOperation = short.transfersPerOperation + short.accessesPerOperation / ACCESSES_PER_HANDOVER;
    const fitting = (most: number, room: number) => Math.min(most, Math.floor(room / perOperation));
    const operations = fitting(nominal.operations, handovers.nominal);
    const isEnough = short.broken !== undefined || operations <= fewest;
    const figures = isEnough ? short : await this.#simulator.simulate({ ...task, operations });
    const drawn: Simulated[] = [];
    for (const draw of draws) {
      const fits = fitting(draw.operations, handovers.draw);
      if (fits < workers || short.broken !== undefined) break;
      drawn.push(await this.#simulator.simulate({ ...(await this.#taskOf(draw, alone)), operations: fits }));
    }
    return { workers, localNs: task.localNs, nominal: figures, draws: drawn };
  }

  /** With as much local work that one worker alone takes what was measured, whatever its accesses cost. */
  async #taskOf(task: PlannedTask, alone: Alone): Promise<Task> {
    const { nsPerOperation } = await this.#runAlone(task, alone, alone.of);
    const { atomicsPerOperation } = await this.#runAlone(task, alone, task);
    const localNs = Math.max(0, (alone.measuredNs ?? 0) - nsPerOperation);
    return { ...task, localNs, atomicsAlone: atomicsPerOperation };
  }

  /** One worker of a competitor, with the costs of `task` and nothing to do besides its shared accesses. */
  #runAlone(
    task: PlannedTask,
    { scenario, moduleUrl, seed }: Alone,
    { competitor, url }: Alone["of"],
  ): Promise<Simulated> {
    const warmUp = task.warmUp / task.workers;
    const crew = { ...task, scenario, moduleUrl, seed, competitor, url, workers: 1, warmUp };
    const key = JSON.stringify([structureOf(crew), crew.costs, crew.operations]);
    const known = this.#alone.get(key);
    if (known !== undefined) return known;
    const run = this.#simulator.simulate({ ...crew, localNs: 0, atomicsAlone: 0 });
    this.#alone.set(key, run);
    return run;
  }
}
