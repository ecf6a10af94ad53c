import { nowNs } from "../measure/machine/clock.ts";
import type { Operation } from "./task.ts";
import { runOnce } from "./task-runner.ts";

/** How often each task has its turn, and for how long, in ns. */
const TURNS = 10;
const TURN_NS = 1e6;
/** Turns end sooner where they have taken this long together, in ns; each has one. */
const LONGEST_NS = 500e6;

/**
 * Runs operations in turn, so that code which they share has met all of them before one is measured, as in a thread that runs
 * them all. V8 compiles a shared call site for all that it has met. One that throws has no further turn.
 */
export async function runInTurn(operations: readonly Operation[], clock = nowNs): Promise<void> {
  const failed = new Set<Operation>();
  const latestNs = clock() + LONGEST_NS;
  for (let turn = 0; turn < TURNS && (turn === 0 || clock() < latestNs); turn++) {
    for (const operation of operations) {
      if (failed.has(operation)) continue;
      try {
        const untilNs = clock() + TURN_NS;
        do await runOnce(operation);
        while (clock() < untilNs);
      } catch {
        // The crew that races it says so.
        failed.add(operation);
      }
    }
  }
}
