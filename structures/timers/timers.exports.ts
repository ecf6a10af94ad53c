/** What a program needs to use timers; the sets are modules of their own, `hotpath-lab/timers/<name>`. */
export { freeSeat } from "../shared/instance.ts";
export {
  LONGEST_DELAY_MS,
  type NativeTimer,
  type NativeTimers,
  Timeouts,
  type TimeoutsOptions,
} from "./parts/callbacks.ts";
export { MAX_CAPACITY, placeMask } from "./parts/handles.ts";
export {
  type Deadline,
  type DeadlineOptions,
  NodeTimers,
  type NodeTimersOptions,
  type PromiseOptions,
  type SetInterval,
  type SetTimeout,
  type Timeout,
  type TimerPromises,
} from "./parts/node-timers.ts";
export { HORIZON } from "./parts/ticks.ts";
export { privateTimers, type TimerSet, type TimersCompetitor } from "./timers.contract.ts";
export {
  attachTimers,
  attachTo,
  makeInstance,
  makeTimers,
  type TimersInstance,
  type TimersSetup,
} from "./timers.instance.ts";
