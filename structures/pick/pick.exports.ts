/** What a program needs to use a picker; the pickers are modules of their own, `hotpath-lab/pick/<name>`. */
export { freeSeat } from "../shared/instance.ts";
export {
  type Balancer,
  type BalancerOptions,
  balancer,
  type Lease,
  type UseOptions,
} from "./parts/balancer.ts";
export { type Ejecting, type EjectionOptions, ejecting } from "./parts/ejecting.ts";
export type { SlowStartOptions } from "./parts/slow-start.ts";
export type {
  EjectionClaims,
  Latencies,
  LatencyClaims,
  Members,
  PickCompetitor,
  Picker,
  PickSetup,
  Probes,
} from "./pick.contract.ts";
export {
  attachPicker,
  attachTo,
  makeInstance,
  makePicker,
  membersOf,
  type PickInstance,
  type PickOptions,
  picker,
  type SettlingMembers,
  startBackground,
} from "./pick.instance.ts";
