import { runtimeTimers } from "../../timers/parts/callbacks.ts";
import type { DeadlineLoop } from "../deadlines.contract.ts";

/** The runtime's event loop, with the timers that are global now. */
export function runtimeLoop(): DeadlineLoop {
  return { ...runtimeTimers(), now: () => performance.now() };
}
