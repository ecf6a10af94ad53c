/**
 * What most programs begin with. The structures are modules of their own, `hotpath-lab/pick/two-choices` for one, and
 * `hotpath-lab/<primitive>` has all that a primitive offers. `primitives` lists them; the build makes it.
 */
export {
  attachLock,
  type LockInstance,
  makeLock,
} from "./locks/locks.instance.ts";
export { withLock, withLockAsync } from "./locks/parts/acquire.ts";
export {
  attachOwnership,
  makeOwnership,
  type OwnershipInstance,
  type OwnershipSetup,
} from "./ownership/ownership.instance.ts";
export {
  type Balancer,
  type BalancerOptions,
  balancer,
  type Lease,
  type UseOptions,
} from "./pick/parts/balancer.ts";
export type { Picker } from "./pick/pick.contract.ts";
export {
  attachPicker,
  makePicker,
  type PickInstance,
  type PickOptions,
  picker,
} from "./pick/pick.instance.ts";
export { adopt } from "./shared/adopt.ts";
export { freeSeat, type Stamped } from "./shared/instance.ts";
export {
  attachSlots,
  makeSlots,
  type SlotsInstance,
  type SlotsOptions,
} from "./slots/slots.instance.ts";
export {
  attachTimers,
  makeTimers,
  type TimersInstance,
  type TimersSetup,
} from "./timers/timers.instance.ts";

/** An entry of `primitives`. */
export interface Primitive {
  /** What a program imports to use any of its competitors. */
  readonly module: string;
  /** What its competitors are raced to answer. */
  readonly question: string;
  /** By name. */
  readonly competitors: readonly Listed[];
}

export interface Listed {
  readonly name: string;
  /** What a program imports to use this one: its default export. */
  readonly module: string;
  /** What it is, in one line. */
  readonly summary: string;
  /** Where the idea comes from: paper, project or document. */
  readonly source: string;
  /** The progress guarantee of its operations, in the standard sense. */
  readonly progress: "wait-free" | "lock-free" | "blocking";
}
