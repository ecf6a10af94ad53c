import { assertOptions, type OptionKinds } from "../shared/arguments.ts";
import { assertUsable, type Kind, type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateFor, type LinearMemory } from "../shared/layout.ts";
import { assertUint32, randomSeed } from "../shared/worker-identity.ts";
import type { SlotAllocator, SlotsCompetitor } from "./slots.contract.ts";

/** What slots are allocated for. */
export interface SlotsSetup {
  /** 1 .. MOST_SLOTS. */
  readonly slots: number;
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
  /** uint32; may decide where filling begins. */
  readonly seed: number;
}

/** The setup of an allocator. */
export interface SlotsOptions extends Omit<SlotsSetup, "seed"> {
  /** uint32; a random one if absent. */
  readonly seed?: number | undefined;
}

/** An allocator's formatted memory, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface SlotsInstance extends SlotsSetup, Stamped {
  /** The Memory that the words view, where the allocator needs one. */
  readonly linear?: LinearMemory;
}

const ALLOCATOR: Kind = {
  what: "allocator of slots",
  module: "hotpath-lab/slots/shared-ticket",
  mark: "spreadWhenFilling",
};
const OPTIONS: OptionKinds<SlotsOptions> = { slots: "any", workers: "any", seed: "any" };

/** Throws a RangeError for a setup that is outside its ranges. */
export function makeSlots(competitor: SlotsCompetitor, options: SlotsOptions): SlotsInstance {
  assertUsable(competitor, ALLOCATOR);
  assertOptions("makeSlots", options, OPTIONS);
  const { slots, workers, seed = randomSeed() } = options;
  assertUint32("seed", seed);
  const allocation = allocateFor(competitor, competitor.words(slots, workers));
  competitor.format(allocation.memory, slots, workers, seed);
  return { ...allocation, slots, workers, seed, stamp: stampOf(competitor, { slots, workers }) };
}

/**
 * The allocator of worker `index`, 0 .. workers - 1. Called in that worker's thread. A seat has one holder: another
 * attaches after `freeSeat`. Throws, in one line, for a value that this competitor's makeSlots did not return, and
 * for an instance made for other slots or workers. Throws as well for an invalid index, and a seat that is taken.
 */
export function attachSlots(
  competitor: SlotsCompetitor,
  instance: SlotsInstance,
  index: number,
): SlotAllocator {
  return seated(competitor, instance, index, READING, (worker) =>
    competitor.attach(instance.memory, instance.slots, worker, instance.linear),
  );
}

const READING: Reading<SlotsInstance> = {
  counts: ({ slots, workers }) => ({ slots, workers }),
  seed: ({ seed }) => seed,
  kind: ALLOCATOR,
};

/** @deprecated Call it `makeSlots`: every primitive has a name of its own for it. */
export const makeInstance = makeSlots;

/** @deprecated Call it `attachSlots`. */
export const attachTo = attachSlots;
