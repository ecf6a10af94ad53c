import type { Random } from "../../shared/sfc32.ts";
import { sumOf, type Weighed, weightsOf } from "./weights.ts";

/**
 * What the pickers by static stride share. Turns go round the backends, and a backend of weight w takes a turn where w
 * * round + phase passes a multiple of the largest weight.
 */

export function largestOf(weights: readonly number[]): number {
  return weights.reduce((largest, weight) => Math.max(largest, weight));
}

/** Shifts the turns that neighbours let pass against each other, so that two of equal weight seldom pass in a row. */
export function phaseOf(backend: number, largest: number): number {
  return (backend * Math.floor(largest / 2)) % largest;
}

/**
 * In any run of turns one backend gets as many of them as another or one more. Where weights are equal it takes them
 * all. Else it takes G w / largest of G turns, rounded up or down, so that of one more it takes two more at most.
 */
export function strideGapBound({ weights = [] }: Weighed): number {
  return weights.every((weight) => weight === weights[0]) ? 1 : 2;
}

/**
 * Let W be the sum of the weights, M the largest, and w a backend's. Its turns come once a round, and it takes a turn
 * where w * round + phase passes a multiple of M. So of any G turns in a row it takes G w / M + e with |e| < 1. A run
 * of turns that the picks so far stand for gives every backend G of them, and some one more (the part of a round):
 *   picks of this one = G w / M + e + p,  with p = w / M if it is among those, else 0
 *   all picks         = G W / M + E + P,  the sums of e and p over all backends
 * and its share is w / W of all picks. So it is off by (e - E w / W) + (p - P w / W). The second part is within 1, for
 * p and P w / W are both from 0 to w / M. In the first, e has the factor 1 - w / W and each other backend's e has w /
 * W. So with N backends it is below 1 - w / W + (N - 1) w / W. Together: below 2 + (N - 2) w / W, and w <= M.
 */
export function strideShareBound(setup: Weighed): number {
  const weights = weightsOf(setup);
  return 2 + (Math.max(0, setup.backends - 2) * largestOf(weights)) / sumOf(weights);
}

/**
 * The members, the backends with a weight above 0, in the order in which turns are taken, until it begins again. It has
 * as many places as the weights add up to in lowest terms. The members take part in an order that `random` shuffles.
 */
export function strideRotation(weights: readonly number[], random: Random): number[] {
  const members = random.shuffle(membersOf(weights));
  const divisor = divisorOf(weights);
  const largest = largestOf(weights) / divisor;
  const rotation: number[] = [];
  for (let round = 0; round < largest; round++) {
    for (const [at, member] of members.entries()) {
      const weight = weights[member]! / divisor;
      if ((weight * round + phaseOf(at, largest)) % largest >= largest - weight) rotation.push(member);
    }
  }
  return rotation;
}

/** Places of that rotation. */
export function strideRotationLength(weights: readonly number[]): number {
  return sumOf(weights) / divisorOf(weights);
}

function membersOf(weights: readonly number[]): Int32Array {
  return Int32Array.from(weights.keys()).filter((backend) => weights[backend]! > 0);
}

/** The greatest common divisor of the weights, of which at least one is not 0. */
function divisorOf(weights: readonly number[]): number {
  return weights.reduce(greatestCommonDivisor);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
