export { explore, replay, search } from "./explore.ts";
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
