import type { Contrast } from "../schema/verdict.ts";
import type { Sample } from "../statistics.ts";
import { type Entrant, type PreparedGroup, ratioPeers } from "./samples.ts";
import { differenceOf, evidenceOf } from "./verdict.ts";

/** Two rows of one table. */
export interface PairContrast extends Contrast {
  /** Where no process raced both: each was compared with the baseline beside it, and those ratios with each other. */
  readonly byWayOfBaseline: boolean;
}

/** A row of a table in one of its groups. */
export interface Place {
  readonly group: PreparedGroup;
  readonly entrant: Entrant;
}

/**
 * The contrast of any two rows of a table, the first to the second: fork by fork in the processes that raced both, where
 * the baseline that both were paired with falls out; otherwise by way of the baseline. Undefined where one of the two has
 * nothing to be compared by. The floor of their group holds, and by way of the baseline those of both.
 */
export function contrastOf(ones: readonly Place[], others: readonly Place[]): PairContrast | undefined {
  for (const one of ones) {
    const other = others.find(({ group }) => group === one.group);
    const seen = other === undefined ? undefined : withinGroup(one, other.entrant);
    if (seen !== undefined) return { ...seen, byWayOfBaseline: false };
  }
  const [one, other] = [ones, others].map((places) =>
    places.map(toBaseline).find((seen) => seen !== undefined),
  );
  return one === undefined || other === undefined
    ? undefined
    : { ...differenceOf(one, other), byWayOfBaseline: true };
}

function toBaseline({ group, entrant }: Place): Contrast | undefined {
  const floor = group.floors.get(entrant.role);
  const { values } = entrant.logRatios;
  if (floor === undefined || values.length === 0) return undefined;
  return contrast(values, ratioPeers(group.entrants, entrant), floor, entrant.cell.forks);
}

function withinGroup({ group, entrant }: Place, other: Entrant): Contrast | undefined {
  const floor = group.floors.get(entrant.role);
  const values = differences(entrant, other);
  if (floor === undefined || values.length === 0) return undefined;
  const peers = group.entrants
    .filter((peer) => peer !== entrant && peer !== other && peer.role === other.role)
    .map((peer) => differences(peer, other))
    .filter((peer) => peer.length > 0);
  return contrast(values, peers, floor, Math.max(entrant.cell.forks, other.cell.forks));
}

/** Of values that share one floor; so many processes `raced` them. */
export function contrast(values: Sample, peers: readonly Sample[], floor: number, raced: number): Contrast {
  return { ...evidenceOf(values, peers), floor, widest: floor, forks: values.length, raced };
}

/** Logarithm of one / other in every fork that has both. */
function differences(one: Entrant, other: Entrant): Sample {
  const ofOther = logRatioByFork(other);
  return [...logRatioByFork(one)].flatMap(([fork, value]) =>
    ofOther.has(fork) ? [value - ofOther.get(fork)!] : [],
  );
}

/** Of the baseline to itself: 0, in every fork that has it. */
function logRatioByFork({ cell, logCosts, logRatios }: Entrant): Map<number, number> {
  if (cell.kind === "baseline") return new Map(logCosts.forks.map((fork) => [fork, 0]));
  return new Map(logRatios.forks.map((fork, place) => [fork, logRatios.values[place]!]));
}
