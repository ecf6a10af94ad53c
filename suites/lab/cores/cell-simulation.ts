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
  readonly draws: readonly Simulated[];
}

/** `Simulator`, or in a test what stands for it. */
export interface Simulates {
  simulate(task: Task): Promise<Simulated>;
}

/** Simulates cells, one after the other. Runs of one worker are kept, as each worker count wants the same. */
export class CellSimulation {
  readonly #simulator: Simulates;
  readonly #alone = new Map<string, Promise<Simulated>>();

  constructor(simulator: Simulates) {
    this.#simulator = simulator;
  }

  async simulate({ nominal, draws }: PlannedCell, alone: Alone): Promise<SimulatedCell> {
    const { localNs, figures } = await this.#figuresOf(nominal, alone);
    const drawn: Simulated[] = [];
    for (const draw of draws) drawn.push((await this.#figuresOf(draw, alone)).figures);
    return { workers: nominal.workers, localNs, nominal: figures, draws: drawn };
  }

  /** With as much local work that one worker alone takes what was measured, whatever its accesses cost. */
  async #figuresOf(
    task: PlannedTask,
    alone: Alone,
  ): Promise<{ readonly localNs: number; readonly figures: Simulated }> {
    const { nsPerOperation } = await this.#runAlone(task, alone, alone.of);
    const { atomicsPerOperation: atomicsAlone } = await this.#runAlone(task, alone, task);
    const localNs = Math.max(0, (alone.measuredNs ?? 0) - nsPerOperation);
    return { localNs, figures: await this.#simulator.simulate({ ...task, localNs, atomicsAlone }) };
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
