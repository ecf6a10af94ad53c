import { allocateRegion, type Region } from "../shared/layout.ts";
import { assertUint32, randomSeed, workerIdentity } from "../shared/worker-identity.ts";
import type { SlotAllocator, SlotsCompetitor } from "./slots.contract.ts";

/** What slots are allocated for. */
export interface SlotsSetup {
  /** 1 .. MOST_SLOTS. */
  readonly slots: number;
  /** 1 or more. */
  readonly workers: number;
  /** uint32; may decide where filling begins. */
  readonly seed: number;
}

/** What an allocator is to be made for. */
export interface SlotsOptions extends Omit<SlotsSetup, "seed"> {
  /** uint32; a random one if absent. */
  readonly seed?: number | undefined;
}

/** An allocator's memory, formatted, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface SlotsInstance extends SlotsSetup {
  readonly memory: Region;
}

/** Throws a RangeError for a setup that is outside its ranges. */
export function makeInstance(
  competitor: SlotsCompetitor,
  { slots, workers, seed = randomSeed() }: SlotsOptions,
): SlotsInstance {
  assertUint32("seed", seed);
  const memory = allocateRegion(competitor.words(slots, workers));
  competitor.format(memory, slots, workers, seed);
  return { memory, slots, workers, seed };
}

/**
 * The allocator of worker `index`, in whose thread this is called: once for each, which nobody checks. Throws a
 * RangeError for an index that is not in 0 .. workers - 1.
 */
export function attachTo(
  competitor: SlotsCompetitor,
  { memory, slots, workers, seed }: SlotsInstance,
  index: number,
): SlotAllocator {
  return competitor.attach(memory, slots, workerIdentity(index, workers, seed));
}
