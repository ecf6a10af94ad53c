/** What a program needs for locks by key; `hotpath-lab/locks` has it, too. The competitors are modules of their own. */
export { freeSeat } from "../shared/instance.ts";
export type {
  Body,
  HeldKey,
  Key,
  Keyed,
  KeyedCompetitor,
  KeyedSetup,
  RequestOptions,
} from "./keyed.contract.ts";
export {
  attachLocks,
  createLocks,
  type Locks,
  type LocksInstance,
  type LocksSetup,
} from "./keyed.instance.ts";
export type { Nesting } from "./parts/striped.ts";
