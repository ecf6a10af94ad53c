import type { Simulated, Task } from "./machine/simulated.ts";
import type { PlannedCell, PlannedTask } from "./plan.ts";
import { structureOf } from "./record.ts";

/** The runs of one worker alone that a crew's local work is what remains of. */
export interface Alone extends Pick<Task, "scenario" | "moduleUrl" | "seed"> {
  /** Whose local work it is: the competitor's own, or the baseline's where nothing was measured of it. */
  readonly of: Pick<Task, "competitor" | "url">;
  /** What that waits for one operation; undefined where it was not measured either, and local work is 0. */
  readonly measuredNs: number | undefined;
}

/** What came of a cell: the figures with the machine's own costs, and with each draw. */
export interface CellFigures {
  readonly workers: number;
  readonly localNs: number;
  readonly nominal: Simulated;
  /** None where a crew hands lines over so often that a draw would take too long. */
  readonly draws: readonly Simulated[];
}

/** `Simulator`, or in a test what stands for it. */
export interface Simulates {
  simulateInTurn(first: Task, further: (figures: Simulated) => readonly Task[]): Promise<Simulated[]>;
}

/** A thread that goes on with its next access takes this part of the time of one that hands over to another, about. */
const ACCESSES_PER_HANDOVER = 60;

/** Twice the time within which all workers of a crew begin. Before it is over, the window would show who was first. */
const BEGINNING_NS = 200;

/** Simulates cells, one after the other. Runs of one worker are kept, as each worker count wants the same. */
export class CellSimulation {
  readonly #simulator: Simulates;
  readonly #alone = new Map<string, Promise<Simulated[]>>();

  constructor(simulator: Simulates) {
    this.#simulator = simulator;
  }

  /**
   * With as many operations, and draws, as the handovers of a first short run leave room for. With as much local work that
   * one worker alone takes what was measured, whatever accesses cost.
   */
  async simulate(cell: PlannedCell, alone: Alone): Promise<CellFigures> {
    const { workers } = cell.nominal;
    const planned = [cell.nominal, ...cell.draws];
    const accesses = await this.#runAlone(planned, alone, cell.nominal);
    const broken = accesses.find((run) => run.broken !== undefined);
    if (broken !== undefined) return { workers, localNs: 0, nominal: broken, draws: [] };
    const ofLocalWork = await this.#runAlone(planned, alone, alone.of);
    const [nominal, ...draws] = planned.map((task, index): Task => {
      const { nsPerOperation, atomicsPerOperation: atomicsAlone } = accesses[index]!;
      const localNs = Math.max(0, (alone.measuredNs ?? 0) - ofLocalWork[index]!.nsPerOperation);
      const operationsAtFirst = BEGINNING_NS / Math.max(1e-3, localNs + nsPerOperation);
      const warmUp = Math.max(task.warmUp, workers * Math.ceil(operationsAtFirst));
      return { ...task, warmUp, localNs, atomicsAlone };
    }) as [Task, ...Task[]];
    const { localNs } = nominal;

    const windows = await this.#simulator.simulateInTurn(
      { ...nominal, operations: cell.fewest, leastNs: 0 },
      (short) => {
        const perOperation = short.transfersPerOperation + short.accessesPerOperation / ACCESSES_PER_HANDOVER;
        const fitted = (task: Task, room: number): Task => {
          return { ...task, operations: Math.min(task.operations, Math.floor(room / perOperation)) };
        };
        const long = fitted(nominal, cell.handovers.nominal);
        if (long.operations <= cell.fewest && nominal.leastNs === undefined) return [];
        const fitting = draws.map((draw) => fitted(draw, cell.handovers.draw));
        return [long, ...fitting.filter(({ operations }) => operations >= workers)];
      },
    );
    const [short, figures = short, ...drawn] = windows as [Simulated, ...Simulated[]];
    return { workers, localNs, nominal: figures, draws: drawn };
  }

  /**
   * One worker of a competitor, with the costs of each task, for as long as its window lasts, and nothing to do besides its
   * shared accesses.
   */
  #runAlone(
    planned: readonly PlannedTask[],
    { scenario, moduleUrl, seed }: Alone,
    { competitor, url }: Alone["of"],
  ): Promise<Simulated[]> {
    const crews = planned.map((task): Task => {
      const crew = { ...task, scenario, moduleUrl, seed, competitor, url, workers: 1 };
      return { ...crew, localNs: 0, atomicsAlone: 0 };
    });
    const key = JSON.stringify([structureOf(crews[0]!), crews.map(({ costs, leastNs }) => [costs, leastNs])]);
    const known = this.#alone.get(key);
    if (known !== undefined) return known;
    const runs = this.#simulator.simulateInTurn(crews[0]!, () => crews.slice(1));
    this.#alone.set(key, runs);
    return runs;
  }
}
