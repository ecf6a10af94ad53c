import { overNodeTimers, refreshed } from "../event-loop.ts";

export default refreshed(
  "refreshed-objects-1m",
  "NodeTimers, whose timers are objects as Node's are",
  overNodeTimers,
);
