import {
  attributed,
  type ChangesRule,
  type ClaimsRule,
  CONFLICT,
  inferred,
  isInferred,
  NO_EVIDENCE,
  NOBODY,
  type Range,
} from "./ownership.contract.ts";

/**
 * The laws of every ownership structure, as functions over what was seen. Each returns undefined, or one sentence that
 * says what broke. The specification works per millisecond and goes through all claims: slow, and plain.
 */

export interface Claim {
  readonly resource: number;
  /** Or CONFLICT: a peer's report that several owners have claimed it. */
  readonly owner: number;
  readonly start: number;
  readonly end: number;
}

/** What has been heard so far: every claim in the order of arrival, and the highest watermark. */
export interface Evidence {
  readonly claims: readonly Claim[];
  readonly watermark: number;
}

export interface Change {
  readonly resource: number;
  /** Or NOBODY. */
  readonly owner: number;
  readonly at: number;
  readonly arrivedAt: number;
}

/** One lookup and what it said. */
export interface Answer {
  readonly resource: number;
  readonly t: number;
  readonly said: number;
}

/** What a rule makes of the claims heard so far at one millisecond. */
export function ruling(
  rule: ClaimsRule,
  { claims, watermark }: Evidence,
  resource: number,
  t: number,
): number {
  if (t < watermark) return NO_EVIDENCE;
  if (rule === "trailing") return trailingAt(claims, resource, t);
  const covering = claims.filter((claim) => claim.resource === resource && claim.start <= t && t < claim.end);
  const first = covering[0]?.owner ?? NO_EVIDENCE;
  if (rule === "first-claim") return first;
  if (rule === "last-claim") return covering.at(-1)?.owner ?? NO_EVIDENCE;
  return covering.every(({ owner }) => owner === first) ? first : CONFLICT;
}

/** The source document's rule, heartbeat by heartbeat. */
function trailingAt(claims: readonly Claim[], resource: number, t: number): number {
  const ranges: Range[] = [];
  for (const { owner, start, end } of claims.filter((claim) => claim.resource === resource)) {
    const trailing = ranges.at(-1);
    if (trailing === undefined) ranges.push({ owner, start, end });
    else if (trailing.owner === owner) trailing.end = Math.max(trailing.end, end);
    else if (end > trailing.end) ranges.push({ owner, start: Math.max(start, trailing.end), end });
  }
  return ranges.find(({ start, end }) => start <= t && t < end)?.owner ?? NO_EVIDENCE;
}

/** The same with a tolerance: a gap of no more than `toleranceMs` between two ranges of one owner is inferred. */
export function inference(
  rule: ClaimsRule,
  heard: Evidence,
  resource: number,
  t: number,
  toleranceMs: number,
): number {
  const known = ruling(rule, heard, resource, t);
  if (known !== NO_EVIDENCE || t < heard.watermark) return known;
  let before = t - 1;
  let after = t + 1;
  while (after - before - 1 <= toleranceMs) {
    const owner = ruling(rule, heard, resource, before);
    const next = ruling(rule, heard, resource, after);
    if (owner !== NO_EVIDENCE && next !== NO_EVIDENCE)
      return owner === next && owner !== CONFLICT ? inferred(owner) : NO_EVIDENCE;
    if (owner === NO_EVIDENCE && --before < heard.watermark) return NO_EVIDENCE;
    if (next === NO_EVIDENCE) after++;
  }
  return NO_EVIDENCE;
}

/** What a log of changes says, with nothing forgotten but the time before the watermark. */
export function logged(
  rule: ChangesRule,
  changes: readonly Change[],
  watermark: number,
  resource: number,
  t: number,
): number {
  if (t < watermark) return NO_EVIDENCE;
  const heard = changes.filter((change) => change.resource === resource);
  if (rule === "arrival") return heard.findLast(({ arrivedAt }) => arrivedAt <= t)?.owner ?? NOBODY;
  return byEventTime(heard).findLast(({ at }) => at <= t)?.owner ?? NOBODY;
}

/**
 * Sorts changes in the order in which they happened. Of two changes at the same millisecond an assignment comes after a
 * release, which made room for it. Of two assignments the one with the greater owner comes last: any rule will do that
 * ignores the order of arrival.
 */
function byEventTime<T extends Pick<Change, "at" | "owner">>(changes: readonly T[]): T[] {
  return changes.toSorted((a, b) => a.at - b.at || a.owner - b.owner);
}

/** Every answer is what the rule makes of the claims, half-open, and nothing before the watermark. */
export function answersFollowClaims(
  rule: ClaimsRule,
  heard: Evidence,
  answers: readonly Answer[],
): string | undefined {
  return mismatch(answers, (resource, t) => ruling(rule, heard, resource, t), "the claims say");
}

/** Every answer with a tolerance is what the claims say, or what they suggest of a short gap. */
export function gapsAreBridged(
  rule: ClaimsRule,
  heard: Evidence,
  toleranceMs: number,
  answers: readonly Answer[],
): string | undefined {
  return mismatch(
    answers,
    (resource, t) => inference(rule, heard, resource, t, toleranceMs),
    `with a tolerance of ${toleranceMs} ms the claims say`,
  );
}

/** Every answer of a log is what its rule makes of the changes. */
export function answersFollowChanges(
  rule: ChangesRule,
  changes: readonly Change[],
  watermark: number,
  answers: readonly Answer[],
): string | undefined {
  return mismatch(answers, (resource, t) => logged(rule, changes, watermark, resource, t), "the changes say");
}

function mismatch(
  answers: readonly Answer[],
  truth: (resource: number, t: number) => number,
  whoSays: string,
): string | undefined {
  for (const { resource, t, said } of answers) {
    const right = truth(resource, t);
    if (said !== right)
      return `resource ${resource} at ${t} ms: said ${named(said)}, ${whoSays} ${named(right)}`;
  }
  return undefined;
}

/** A lookup beside claims and trims sees its millisecond as it was at one of the instants that the lookup spans. */
export function seesSomeInstant(
  rule: ClaimsRule,
  instants: readonly Evidence[],
  answers: readonly Answer[],
): string | undefined {
  for (const { resource, t, said } of answers) {
    const truths = instants.map((heard) => ruling(rule, heard, resource, t));
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

/** Claims that are moved by some milliseconds give the same answers that many milliseconds later. */
export function shiftMovesAnswers(
  answers: readonly Answer[],
  shifted: readonly Answer[],
): string | undefined {
  for (const [index, { resource, t, said }] of answers.entries()) {
    const moved = shifted[index]!;
    if (said !== moved.said)
      return `resource ${resource}: ${named(said)} at ${t} ms, but ${named(moved.said)} at ${moved.t} ms with all claims moved there`;
  }
  return undefined;
}

/** Claims cut in two anywhere say the same as whole ones. */
export function splittingChangesNothing(
  answers: readonly Answer[],
  others: readonly Answer[],
): string | undefined {
  for (const [index, { resource, t, said }] of answers.entries()) {
    const other = others[index]!.said;
    if (said !== other)
      return `resource ${resource} at ${t} ms: ${named(said)} by whole claims, ${named(other)} by the same cut in two`;
  }
  return undefined;
}

/** The ranges of a resource are sorted, disjoint, joined where they can be, in kept time, and what lookups say. */
export function rangesAreTheAnswers(
  ranges: readonly Range[],
  watermark: number,
  answers: readonly Answer[],
): string | undefined {
  let before: Range | undefined;
  for (const range of ranges) {
    const { start, end, owner } = range;
    if (end <= start) return `range [${start}, ${end}) is empty`;
    if (owner === NO_EVIDENCE || isInferred(owner)) return `range [${start}, ${end}) belongs to nobody`;
    if (start < watermark) return `range [${start}, ${end}) reaches before the watermark ${watermark}`;
    if (before !== undefined && start < before.end)
      return `range [${start}, ${end}) begins before [${before.start}, ${before.end}) ends`;
    if (before !== undefined && start === before.end && owner === before.owner)
      return `ranges [${before.start}, ${before.end}) and [${start}, ${end}) touch and both say ${named(owner)}`;
    before = range;
  }
  return mismatch(
    answers,
    (_, t) => ranges.find(({ start, end }) => start <= t && t < end)?.owner ?? NO_EVIDENCE,
    "its ranges say",
  );
}

/** A structure rebuilt from an export is the same, range by range. */
export function rebuiltIsTheSame(
  resource: number,
  ranges: readonly Range[],
  rebuilt: readonly Range[],
): string | undefined {
  const [was, is] = [ranges, rebuilt].map((list) =>
    list.map(({ start, end, owner }) => `[${start}, ${end}) ${named(owner)}`).join(" "),
  );
  return was === is ? undefined : `resource ${resource} was ${was}, and rebuilt is ${is}`;
}

/** A writer whose claims all lie in kept time has every one of them accepted. */
export function claimsAreKept(claims: number, accepted: number): string | undefined {
  return accepted === claims ? undefined : `claimsAreKept: ${accepted} of ${claims} claims were accepted`;
}

/**
 * Where the answer is known whatever the writer has done since, it was that answer. `expired` lookups found no evidence
 * for a time that retention had overtaken since they chose it.
 */
export function answersAreRight(lookups: number, right: number, expired: number): string | undefined {
  return right + expired === lookups
    ? undefined
    : `answersAreRight: ${lookups - right - expired} of ${lookups} lookups gave a wrong answer`;
}

/** `remembered`: lookups just before a watermark that still found evidence there after its trim. */
export function trimsForget(remembered: number): string | undefined {
  return remembered === 0
    ? undefined
    : `trimsForget: ${remembered} lookups before the watermark found evidence`;
}

function named(answer: number): string {
  if (answer === NO_EVIDENCE) return "no evidence";
  if (answer === CONFLICT) return "conflict";
  return isInferred(answer) ? `inferred owner ${attributed(answer)}` : `owner ${answer}`;
}
