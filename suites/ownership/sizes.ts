import type { Capacity, OwnershipCompetitor } from "../../structures/ownership/ownership.contract.ts";
import type { Placement } from "../engine/race.ts";
import { isPrivate, type LookupParams } from "./population.ts";

export const BASELINE = "sorted-arrays";
export const MAIN_RESOURCES = 100_000;
export const SMOKE: Pick<LookupParams, "resources" | "lookups"> = { resources: 64, lookups: 1024 };
/** What objects take for a range, and an interval tree with its nodes: more than was seen of any. */
const BYTES_PER_RANGE = 200;
const BYTES_PER_RANGE_OF_A_TREE = 600;
/** What a workload holds for a resource and for a lookup. */
const BYTES_PER_RESOURCE = 32;
const BYTES_PER_LOOKUP = 16;

/** What has no words keeps its ranges on the engine's heap. */
export function placementOf(competitor: OwnershipCompetitor, capacity: Capacity): Placement {
  return isPrivate(competitor, capacity) ? "objects" : "arena";
}

/** Of one worker at most; what a crew shares is put down to each. */
export function bytesFor(
  competitor: OwnershipCompetitor | undefined,
  capacity: Capacity,
  drawn: number,
): number {
  const { resources, ranges } = capacity;
  const words = competitor?.words(capacity) ?? 0;
  const perRange = competitor?.mostRanges === undefined ? BYTES_PER_RANGE : BYTES_PER_RANGE_OF_A_TREE;
  const own = words > 0 ? words * Int32Array.BYTES_PER_ELEMENT : ranges * perRange;
  return own + resources * BYTES_PER_RESOURCE + drawn * BYTES_PER_LOOKUP;
}
