import { pinThreads } from "../../engine/measure/machine/cores.ts";
import { messageOf } from "../../engine/measure/plan/failures.ts";
import type { Alone, CellFigures, CellSimulation } from "./cell-simulation.ts";
import type { PlannedCell } from "./plan.ts";

/** What a host is asked, and what it answers. */
export interface HostQuestion {
  readonly cell: PlannedCell;
  readonly alone: Alone;
  /** The core to run on; any if absent. */
  readonly core?: number | undefined;
}

export type CellAnswer =
  | { readonly kind: "simulated"; readonly cell: CellFigures }
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Answers with what `simulation` makes of each cell. The process stays on one core: to hand a token to a thread on the same
 * core takes a tenth of the time. Where no core can be chosen it runs where the system has it run.
 */
export function answering(simulation: CellSimulation): (question: HostQuestion) => Promise<CellAnswer> {
  let pinned: Promise<unknown> | undefined;
  return async ({ cell, alone, core }) => {
    // A process has the number of its first thread, and later threads run where that does.
    if (core !== undefined) pinned ??= pinThreads([{ thread: process.pid, core }]);
    await pinned;
    try {
      return { kind: "simulated", cell: await simulation.simulate(cell, alone) };
    } catch (error) {
      return { kind: "failed", reason: messageOf(error) };
    }
  };
}
