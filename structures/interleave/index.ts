export { type BrokenPromise, check, checkAsync, InterleavingError } from "./check.ts";
export type { Checked, Limits, Operation, Seen } from "./checked.ts";
export type { Coverage } from "./coverage.ts";
export { explore, exploreAsync, replay, replayAsync, search, searchAsync } from "./explore.ts";
export {
  type Bounds,
  type Exploration,
  type Failure,
  type Found,
  type Glimpse,
  type Part,
  type Program,
  ProgramError,
  type Self,
  type TracedAccess,
  type TracedStep,
  type Watcher,
} from "./program.ts";
