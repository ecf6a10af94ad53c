import honest, { Sweep } from "../competitors/sweep.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/** Remembers that a budget interrupted it until the scan has gone on, whatever became of what was left over. */
export default {
  ...honest,
  summary: "broken: nextExpiry is the clock although what was left over is cancelled",
  attach: (memory, capacity) => new WakefulSweep(memory, capacity),
} satisfies TimersCompetitor;

export const breaks = "wakesForLeftovers";

class WakefulSweep extends Sweep {
  #isInterrupted = false;

  override advance(now: number, out: Int32Array, budget: number): number {
    const count = super.advance(now, out, budget);
    this.#isInterrupted = count === Math.min(budget, out.length);
    return count;
  }

  override nextExpiry(): number | undefined {
    const next = super.nextExpiry();
    return next !== undefined && this.#isInterrupted ? this.clock : next;
  }
}
