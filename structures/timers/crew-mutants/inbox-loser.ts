import { allocateRegion, type Region } from "../../shared/layout.ts";
import honest, { InboxWheels } from "../competitors/inbox-wheels.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * Tries once to put a record into the inbox, and does not look whether it got there. It leaves its core in between, as
 * a preempted worker does. One that stores without comparing is a change in timers.model.test.ts: in threads it hangs.
 */
export default {
  ...honest,
  summary: "broken: leaves word in an inbox without looking whether it got there",
  attach: (memory, capacity, worker) => new InboxLoser(memory, capacity, worker),
} satisfies TimersCompetitor;

export const breaks = "conserved";

class InboxLoser extends InboxWheels {
  protected override push(memory: Region, top: number, below: number, record: number): void {
    const first = Atomics.load(memory, top);
    Atomics.store(memory, below, first);
    Atomics.wait(NEVER, 0, 0, PAUSE_MS);
    Atomics.compareExchange(memory, top, first, record);
  }
}

const NEVER = allocateRegion(1);
const PAUSE_MS = 0.02;
