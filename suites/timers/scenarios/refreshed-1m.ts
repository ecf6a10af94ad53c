import { overTimeouts, refreshed } from "../event-loop.ts";

export default refreshed("refreshed-1m", "Timeouts, whose timers are numbers", overTimeouts);
