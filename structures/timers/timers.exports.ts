/** What a program needs to use timers; the sets are modules of their own, `hotpath-lab/timers/<name>`. */
export { type NativeTimer, type NativeTimers, Timeouts, type TimeoutsOptions } from "./timers.callbacks.ts";
export { privateTimers, type TimerSet, type TimersCompetitor } from "./timers.contract.ts";
export { MAX_CAPACITY, placeMask } from "./timers.handles.ts";
export { HORIZON } from "./timers.ticks.ts";
