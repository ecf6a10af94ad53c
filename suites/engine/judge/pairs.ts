import type { Contrast } from "../schema/verdict.ts";
import type { Sample } from "../statistics.ts";
import { type Entrant, type Place, type Prepared, ratioPeers } from "./samples.ts";
import { differenceOf, evidenceOf } from "./verdict.ts";

/** Two rows of one table. */
export interface PairContrast extends Contrast {
  /** Where no process raced both: each was compared with the baseline beside it, and those ratios with each other. */
  readonly byWayOfBaseline: boolean;
}

/**
 * The contrast of any two rows of a table, the first to the second: fork by fork in the processes that raced both, where
 * the baseline that both were paired with falls out; otherwise by way of the baseline. Undefined where one of the two has
 * nothing to be compared by. The floor of their group holds, and by way of the baseline those of both. Where only one of
 * them is judged in the quiet state both are taken of all slices, so that the ratio is of one state, and turned round it is
 * its inverse.
 */
export function contrastOf(ones: readonly Place[], others: readonly Place[]): PairContrast | undefined {
  if (others.some(isOfBaseline)) return direct(firstOf(ones, toBaseline));
  if (ones.some(isOfBaseline)) return direct(turned(firstOf(others, toBaseline)));
  const areQuiet = [...ones, ...others].every(isQuiet);
  const [mine, theirs] = areQuiet ? [ones, others] : [ones.map(ofAnyState), others.map(ofAnyState)];
  const together = firstOf(mine, (one) => {
    const other = theirs.find(({ group }) => group.group === one.group.group);
    return other === undefined ? undefined : withinGroup(one, other.entrant);
  });
  if (together !== undefined) return direct(together);
  const [one, other] = [firstOf(mine, toBaseline), firstOf(theirs, toBaseline)];
  return one === undefined || other === undefined
    ? undefined
    : { ...differenceOf(one, other), byWayOfBaseline: true };
}

function isQuiet({ group }: Prepared): boolean {
  return group.state === "quiet";
}

function isOfBaseline({ entrant }: Prepared): boolean {
  return entrant.cell.kind === "baseline";
}

function ofAnyState(place: Place): Prepared {
  return place.ofAnyState;
}

/** Of the first row that gives one. */
function firstOf<Row>(
  rows: readonly Row[],
  seenOf: (row: Row) => Contrast | undefined,
): Contrast | undefined {
  for (const row of rows) {
    const seen = seenOf(row);
    if (seen !== undefined) return seen;
  }
  return undefined;
}

function direct(seen: Contrast | undefined): PairContrast | undefined {
  return seen === undefined ? undefined : { ...seen, byWayOfBaseline: false };
}

/** The second row to the first. */
function turned(seen: Contrast | undefined): Contrast | undefined {
  return seen === undefined ? undefined : { ...seen, middle: -seen.middle };
}

function toBaseline({ group, entrant }: Prepared): Contrast | undefined {
  const floor = group.floors.get(entrant.role);
  const { values } = entrant.logRatios;
  if (floor === undefined || values.length === 0) return undefined;
  return contrast(values, ratioPeers(group.entrants, entrant), floor, entrant.cell.forks);
}

function withinGroup({ group, entrant }: Prepared, other: Entrant): Contrast | undefined {
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

/** Logarithm of one / other, which is not the baseline, in every fork that has both. */
function differences(one: Entrant, other: Entrant): Sample {
  if (one.cell.kind === "baseline") return other.logRatios.values.map((value) => -value);
  const ofOther = logRatioByFork(other);
  return [...logRatioByFork(one)].flatMap(([fork, value]) =>
    ofOther.has(fork) ? [value - ofOther.get(fork)!] : [],
  );
}

function logRatioByFork({ logRatios }: Entrant): Map<number, number> {
  return new Map(logRatios.forks.map((fork, place) => [fork, logRatios.values[place]!]));
}
