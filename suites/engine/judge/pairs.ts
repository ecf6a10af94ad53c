import { mean, type Sample, studentQuantile } from "../statistics.ts";
import { type Entrant, type PreparedGroup, ratioPeers } from "./samples.ts";
import {
  type Estimate,
  type Judgement,
  judge,
  judgeLast,
  judgementOf,
  moderatedVariance,
  type Strictness,
} from "./verdict.ts";

/** Two rows of one table. */
export interface PairJudgement extends Judgement {
  /** Forks of the row that has fewer. */
  readonly forks: number;
  /** Where no process raced both: each was compared with the baseline beside it, and those ratios with each other. */
  readonly byWayOfBaseline: boolean;
}

/** A row of a table in one of its groups. */
export interface Place {
  readonly group: PreparedGroup;
  readonly entrant: Entrant;
}

/**
 * Compares any two rows of a table, the first to the second: fork by fork in the processes that raced both, where the
 * baseline that both were paired with falls out; otherwise by way of the baseline. Undefined where one of the two has
 * nothing to be compared by. The floor of their group holds, and by way of the baseline that of either.
 */
export function comparePair(
  ones: readonly Place[],
  others: readonly Place[],
  strictness: Strictness,
): PairJudgement | undefined {
  for (const one of ones) {
    const other = others.find(({ group }) => group === one.group);
    const judged = other === undefined ? undefined : withinGroup(one, other.entrant, strictness);
    if (judged !== undefined) return judged;
  }
  const [one, other] = [ones, others].map((places) => places.find(isJudgeable));
  return one === undefined || other === undefined ? undefined : byWayOfBaseline(one, other, strictness);
}

function isJudgeable({ group, entrant }: Place): boolean {
  return entrant.logRatios.values.length > 0 && group.floors.has(entrant.role);
}

function withinGroup(
  { group, entrant }: Place,
  other: Entrant,
  strictness: Strictness,
): PairJudgement | undefined {
  const floor = group.floors.get(entrant.role);
  const values = differences(entrant, other);
  if (floor === undefined || values.length === 0) return undefined;
  const peers = group.entrants
    .filter((peer) => peer !== entrant && peer !== other && peer.role === other.role)
    .map((peer) => differences(peer, other))
    .filter((peer) => peer.length > 0);
  return {
    ...judgeLast(
      (confidence) => judge({ values, peers, floor }, confidence),
      strictness,
      Math.max(entrant.cell.forks, other.cell.forks),
    ),
    forks: values.length,
    byWayOfBaseline: false,
  };
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

/** The difference of two means from different processes, with the freedom after Welch and Satterthwaite. */
function byWayOfBaseline(one: Place, other: Place, strictness: Strictness): PairJudgement {
  const sides = [one, other].map(({ group, entrant }) => {
    const { values } = entrant.logRatios;
    const { variance, freedom } = moderatedVariance(values, ratioPeers(group.entrants, entrant));
    return { values, freedom, squaredError: variance / values.length };
  });
  const [a, b] = [sides[0]!, sides[1]!];
  const floors = [one, other].map(({ group, entrant }) => group.floors.get(entrant.role)!);
  const floor = floors.reduce((product, each) => product * (1 + each), 1) - 1;
  return {
    ...judgeLast(
      (confidence) => judgementOf(differenceOf(a, b, confidence), floor, Math.max(...floors)),
      strictness,
      Math.max(one.entrant.cell.forks, other.entrant.cell.forks),
    ),
    forks: Math.min(a.values.length, b.values.length),
    byWayOfBaseline: true,
  };
}

interface Side {
  readonly values: Sample;
  readonly squaredError: number;
  readonly freedom: number;
}

function differenceOf(a: Side, b: Side, confidence: number): Estimate {
  const middle = mean(a.values) - mean(b.values);
  if (a.freedom === 0 || b.freedom === 0) {
    return { middle, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  }
  const squaredError = a.squaredError + b.squaredError;
  const spread = a.squaredError ** 2 / a.freedom + b.squaredError ** 2 / b.freedom;
  const freedom = spread === 0 ? a.freedom + b.freedom : Math.floor(squaredError ** 2 / spread);
  const reach = studentQuantile((1 + confidence) / 2, Math.max(1, freedom)) * Math.sqrt(squaredError);
  return { middle, low: middle - reach, high: middle + reach };
}
