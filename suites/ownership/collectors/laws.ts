import { CONFLICT } from "../../../structures/ownership/ownership.contract.ts";
import type { ClaimStream } from "../../../structures/ownership/parts/stream.ts";

/**
 * What a run of collectors promises, whatever happens to it. Each law is undefined, or one sentence that says what
 * broke.
 */

/** Of the lookups that were made, in percent; and all that were wrong, as a count. */
export interface Shares {
  readonly wrong: number;
  readonly lookups: number;
  readonly missingAfterHoldback: number;
  readonly missingAtLast: number;
}

/** By how many points the shares may differ from the simulation's: a claim comes later by the steps that a peer is ahead. */
const MOST_POINTS = 0.5;

export function nobodyIsBlamedWrongly(wrong: number, lookups: number): string | undefined {
  return wrong === 0
    ? undefined
    : `nobodyIsBlamedWrongly: ${wrong} of ${lookups} lookups blamed the wrong owner, though all claims were true`;
}

export function everyQuestionIsAsked(unserved: number): string | undefined {
  return unserved === 0 ? undefined : `everyQuestionIsAsked: ${unserved} lookups were not made`;
}

/** From how many different things they know. */
export function collectorsAgree(different: number): string | undefined {
  return different === 1 ? undefined : `collectorsAgree: collectors know ${different} different things`;
}

export function acknowledgedIsKnown(unknown: number, acknowledged: number): string | undefined {
  return unknown === 0
    ? undefined
    : `acknowledgedIsKnown: of ${acknowledged} acknowledged claims that nobody had to forget, collectors do not know ${unknown}`;
}

export function sharesAreTheSimulations(seen: Shares, simulated: Shares): string | undefined {
  for (const key of ["missingAfterHoldback", "missingAtLast"] as const)
    if (Math.abs(seen[key] - simulated[key]) > MOST_POINTS)
      return `sharesAreTheSimulations: ${key} is ${seen[key].toFixed(2)} %, in the simulation ${simulated[key].toFixed(2)} %`;
  return undefined;
}

/**
 * How many of these claims a collector does not know to the last millisecond, from a watermark on. It may know one as
 * its owner's, or as claimed by several.
 */
export function countUnknown(claims: ClaimStream, known: ClaimStream, watermark: number): number {
  const firsts = firstsOf(known);
  let unknown = 0;
  for (let claim = 0; claim < claims.resources.length; claim++) {
    const end = claims.ends[claim]!;
    let coveredTo = Math.max(watermark, claims.starts[claim]!);
    const resource = claims.resources[claim]!;
    for (
      let at = firsts.get(resource) ?? known.resources.length;
      known.resources[at] === resource && coveredTo < end;
      at++
    ) {
      if (known.ends[at]! <= coveredTo) continue;
      const isItsOwn = known.owners[at] === claims.owners[claim] || known.owners[at] === CONFLICT;
      if (known.starts[at]! > coveredTo || !isItsOwn) break;
      coveredTo = known.ends[at]!;
    }
    if (coveredTo < end) unknown++;
  }
  return unknown;
}

/** Where the ranges of each resource begin; an export has them together, in the order of time. */
function firstsOf({ resources }: ClaimStream): Map<number, number> {
  const firsts = new Map<number, number>();
  for (const [at, resource] of resources.entries()) if (!firsts.has(resource)) firsts.set(resource, at);
  return firsts;
}
