/** What a program needs to share out slots; the allocators are modules of their own, `hotpath-lab/slots/<name>`. */
export { freeSeat } from "../shared/instance.ts";
export { MOST_SLOTS, type SlotAllocator, type SlotsCompetitor } from "./slots.contract.ts";
export {
  attachSlots,
  attachTo,
  makeInstance,
  makeSlots,
  type SlotsInstance,
  type SlotsOptions,
  type SlotsSetup,
} from "./slots.instance.ts";
