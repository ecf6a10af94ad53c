export { type BrokenPromise, check, checkAsync, InterleavingError } from "./check.ts";
export type { Checked, Limits, Operation, Seen } from "./checked.ts";
export type { Coverage } from "./coverage.ts";
export { explore, exploreAsync, replay, replayAsync, search, searchAsync } from "./explore.ts";
export type {
  Bounds,
  Exploration,
  Failure,
  Found,
  Glimpse,
  Part,
  Program,
  Self,
  TracedAccess,
  TracedStep,
  Watcher,
} from "./program.ts";
