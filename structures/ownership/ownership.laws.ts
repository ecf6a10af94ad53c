import { CONFLICT, NO_EVIDENCE } from "./ownership.contract.ts";

/**
 * What every ownership structure owes, as functions over what was seen. Each returns undefined, or one sentence that
 * says what broke.
 */

export interface Claim {
  readonly resource: number;
  readonly owner: number;
  readonly start: number;
  readonly end: number;
}

/** What has been heard so far: every claim, and the highest watermark. */
export interface Evidence {
  readonly claims: readonly Claim[];
  readonly watermark: number;
}

/** One lookup and what it said. */
export interface Answer {
  readonly resource: number;
  readonly t: number;
  readonly said: number;
}

/** The specification: what the claims heard so far say about one millisecond. */
function evidenceAt({ claims, watermark }: Evidence, resource: number, t: number): number {
  if (t < watermark) return NO_EVIDENCE;
  let evidence = NO_EVIDENCE;
  for (const claim of claims) {
    if (claim.resource !== resource || t < claim.start || t >= claim.end) continue;
    if (evidence === NO_EVIDENCE) evidence = claim.owner;
    else if (evidence !== claim.owner) return CONFLICT;
  }
  return evidence;
}

/** Every answer is what the claims say, half-open, and nothing before the watermark. */
export function answersFollowEvidence(heard: Evidence, answers: readonly Answer[]): string | undefined {
  for (const { resource, t, said } of answers) {
    const evidence = evidenceAt(heard, resource, t);
    if (said !== evidence)
      return `resource ${resource} at ${t} ms: said ${named(said)}, the claims say ${named(evidence)}`;
  }
  return undefined;
}

/** A lookup beside claims and trims sees its millisecond as it was at one of the instants that the lookup spans. */
export function seesSomeInstant(
  instants: readonly Evidence[],
  answers: readonly Answer[],
): string | undefined {
  for (const { resource, t, said } of answers) {
    const truths = instants.map((heard) => evidenceAt(heard, resource, t));
    if (!truths.includes(said))
      return `resource ${resource} at ${t} ms: said ${named(said)}, where it was ${truths.map(named).join(", then ")}`;
  }
  return undefined;
}

/** The same claims in another order, or some of them twice, give the same answers to the same lookups. */
export function orderDoesNotMatter(
  answers: readonly Answer[],
  others: readonly Answer[],
): string | undefined {
  for (const [index, { resource, t, said }] of answers.entries()) {
    const other = others[index]!.said;
    if (said !== other)
      return `resource ${resource} at ${t} ms: ${named(said)} in one order of claims, ${named(other)} in another`;
  }
  return undefined;
}

/** A claim adds evidence: no point goes back to unclaimed, leaves a conflict, or turns from one owner to another. */
export function evidenceOnlyGrows(before: readonly Answer[], after: readonly Answer[]): string | undefined {
  for (const [index, { resource, t, said }] of before.entries()) {
    const now = after[index]!.said;
    if (now !== said && now !== CONFLICT && said !== NO_EVIDENCE)
      return `resource ${resource} at ${t} ms: a claim turned ${named(said)} into ${named(now)}`;
  }
  return undefined;
}

/** A writer whose claims all lie in kept time has every one of them accepted. */
export function claimsAreKept(claims: number, accepted: number): string | undefined {
  return accepted === claims ? undefined : `${accepted} of ${claims} claims were accepted`;
}

/**
 * Where the answer is known whatever the writer has done since, it was that one. `expired` lookups found no evidence
 * for a time that retention had overtaken since they chose it.
 */
export function answersAreRight(lookups: number, right: number, expired: number): string | undefined {
  return right + expired === lookups
    ? undefined
    : `${lookups - right - expired} of ${lookups} lookups gave a wrong answer`;
}

/** `remembered`: lookups just before a watermark that still found evidence there after its trim. */
export function trimsForget(remembered: number): string | undefined {
  return remembered === 0 ? undefined : `${remembered} lookups before the watermark found evidence`;
}

function named(answer: number): string {
  if (answer === NO_EVIDENCE) return "no evidence";
  return answer === CONFLICT ? "conflict" : `owner ${answer}`;
}
