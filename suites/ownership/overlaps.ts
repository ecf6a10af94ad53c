import {
  type Capacity,
  type ClaimsCompetitor,
  CONFLICT,
  type Ownership,
  privateOwnership,
} from "../../structures/ownership/ownership.contract.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import { drawFleet, type FleetPlan, type FlowEnds, LONGEST_FLOW_MS } from "./fleet.ts";
import { ORIGIN_MS } from "./population.ts";

/**
 * The ranges that a map makes of all claims of a fleet, heard in no order. It shows whether any two of an address
 * overlap, and how much of its time several owners claim.
 */
export interface OverlapParams {
  readonly fleet: FleetPlan;
  /** By which the clock of an owner's agent is wrong at most, either way. */
  readonly skewMsMost: number;
}

export interface Overlaps {
  /** Ranges that begin before one of their address ends that began no later. */
  readonly overlapping: number;
  /** Percent of the time that is in any range. */
  readonly conflicting: number;
}

const ORDER_STREAM = 5;
const SKEW_STREAM = 6;

export function capacityOf({ fleet, skewMsMost }: OverlapParams): Capacity {
  return {
    resources: fleet.resources,
    owners: fleet.owners,
    // A flow that begins right before the horizon ends behind it.
    windowMs: fleet.horizonMs + LONGEST_FLOW_MS + 2 * skewMsMost + 1,
    // More than claims are expected, as if no two of them met.
    ranges: fleet.resources * Math.ceil(fleet.horizonMs / 1000),
  };
}

/** With clocks that are right, and with the same claims by clocks that are not. */
export function overlapsOf(competitor: ClaimsCompetitor, params: OverlapParams, seed: number) {
  const { fleet, skewMsMost } = params;
  const { ends } = drawFleet(fleet, seed);
  const order = new Random(seed, ORDER_STREAM).shuffle(
    Int32Array.from({ length: ends.count }, (_, index) => index),
  );
  const random = new Random(seed, SKEW_STREAM);
  const skewsMs = Int32Array.from(
    { length: fleet.owners },
    () => random.below(2 * skewMsMost + 1) - skewMsMost,
  );
  const seenBy = (clocksMs: Int32Array) => {
    const ownership = privateOwnership(competitor, capacityOf(params), 0);
    ownership.trim(ORIGIN_MS);
    claimAll(ownership, ends, order, (owner) => ORIGIN_MS + skewMsMost + clocksMs[owner]!);
    return overlapsIn(ownership, fleet.resources);
  };
  return { right: seenBy(new Int32Array(fleet.owners)), wrong: seenBy(skewsMs), claims: ends.count };
}

function claimAll(
  ownership: Ownership,
  { resources, owners, starts, stops }: FlowEnds,
  order: Int32Array,
  originOf: (owner: number) => number,
): void {
  for (const end of order) {
    const owner = owners[end]!;
    const origin = originOf(owner);
    ownership.claim(resources[end]!, owner, origin + starts[end]!, origin + stops[end]!);
  }
}

export function overlapsIn(ownership: Pick<Ownership, "rangesOf">, resources: number): Overlaps {
  let overlapping = 0;
  let knownMs = 0;
  let conflictingMs = 0;
  for (let resource = 0; resource < resources; resource++) {
    let reached = Number.NEGATIVE_INFINITY;
    for (const { owner, start, end } of ownership.rangesOf(resource)) {
      if (start < reached) overlapping++;
      reached = Math.max(reached, end);
      knownMs += end - start;
      if (owner === CONFLICT) conflictingMs += end - start;
    }
  }
  return { overlapping, conflicting: knownMs === 0 ? 0 : (100 * conflictingMs) / knownMs };
}
