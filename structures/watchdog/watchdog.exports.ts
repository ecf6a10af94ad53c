/** Notices an event loop that hangs, from another thread: since when, and where in its code. */
export { freeSeat } from "../shared/instance.ts";
export type { Silence } from "./parts/watch.ts";
export {
  attachWatchdog,
  type BeatOptions,
  type Hang,
  makeWatchdog,
  type WatchdogInstance,
  type WatchdogOptions,
  type WatchedLoop,
  type WatchOptions,
  watchdogText,
  watchLoops,
} from "./watchdog.instance.ts";
