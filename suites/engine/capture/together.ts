import { nowNs } from "../measure/machine/clock.ts";
import type { Operation } from "./task.ts";
import { runOnce } from "./task-runner.ts";

/** How often each task has its turn at least, and for how long, in ns. */
const TURNS = 10;
const TURN_NS = 1e6;
/**
 * Turns take this long together, in ns. A loop of 4,000 square roots had its final code after 100 ms. In slices of a
 * millisecond it had seemed to be warm in code half as fast.
 */
const LEAST_NS = 100e6;
/** They end sooner than after `TURNS` where they have taken this long, in ns; each task has one. */
const LONGEST_NS = 500e6;

/**
 * Runs one operation, or several in turn, until V8 has compiled what they do. Code that several share has then met all of them
 * before one is measured, as in a thread that runs them all. One that throws has no further turn.
 */
export async function runInTurn(operations: readonly Operation[], clock = nowNs): Promise<void> {
  const failed = new Set<Operation>();
  const begunNs = clock();
  const isOver = (turn: number) =>
    clock() - begunNs >= (turn < TURNS ? LONGEST_NS : LEAST_NS) || failed.size === operations.length;
  for (let turn = 0; turn === 0 || !isOver(turn); turn++) {
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
