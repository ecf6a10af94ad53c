import { overNodeTimers, overTimeouts, refreshed } from "../event-loop.ts";

export default [
  refreshed("refreshed-1m", "Timeouts, whose timers are numbers", overTimeouts),
  refreshed("refreshed-objects-1m", "NodeTimers, whose timers are objects as Node's are", overNodeTimers),
];
