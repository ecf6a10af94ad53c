export { type BrokenPromise, check, checkAsync, InterleavingError } from "./check/check.ts";
export type { Checked, Limits, Operation, Seen } from "./check/checked.ts";
export type { Coverage } from "./check/coverage.ts";
export { explore, exploreAsync, replay, replayAsync, search, searchAsync } from "./search/explore.ts";
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
} from "./search/program.ts";
