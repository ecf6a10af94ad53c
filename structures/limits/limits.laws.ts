import type { LimitsCompetitor, LimitsSetup } from "./limits.contract.ts";

/**
 * The promises as pure functions over what was observed. Each returns undefined, or one sentence that says what broke
 * and by how much.
 */
type Claims = Pick<LimitsCompetitor, "refill" | "mostOver" | "mostLateNs">;

/** A take as it ended. */
export interface Take {
  /** What it read from the clock. */
  readonly atNs: number;
  readonly n: number;
  readonly isGranted: boolean;
  /** What `waitMs(n)` said before it; absent where the handle has none. */
  readonly waitMs?: number;
  /** Whether it came once the time was over that the refused take before it was to wait. */
  readonly hasWaited: boolean;
}

/** A take that was granted, in a thread of its own: it read the clock between these times. */
export interface Grant {
  readonly beganNs: number;
  readonly endedNs: number;
}

/**
 * In no window of time are more tokens granted than the capacity and what came in that time. Asked by a bucket that
 * holds as many and is never asked for what it does not hold: that is the same for all windows at once. Its arithmetic
 * is exact.
 */
export function neverOverLimit(
  claims: Claims,
  setup: LimitsSetup,
  takes: readonly Take[],
): string | undefined {
  const ideal = new IdealBucket(setup, burstsOf(claims));
  const most = unitsOf(claims.mostOver(setup));
  for (const { atNs, n, isGranted } of takes) {
    if (!isGranted) continue;
    const over = -ideal.take(n, atNs);
    if (over > most) return `neverOverLimit: ${tokensOf(over)} too many of ${n} granted at ${atNs} ns`;
  }
  return undefined;
}

/** The same for threads, of whose readings only the bounds are known, and takes of one token each. */
export function neverOverInWindows(
  claims: Claims,
  setup: LimitsSetup,
  grants: readonly Grant[],
): string | undefined {
  const byEnd = grants.toSorted((one, other) => one.endedNs - other.endedNs);
  const most = burstsOf(claims) * setup.capacity + claims.mostOver(setup) + FLOAT_TOKENS;
  for (const { beganNs } of grants) {
    let count = 0;
    for (const grant of byEnd) {
      if (grant.beganNs < beganNs) continue;
      count++;
      const windowNs = grant.endedNs - beganNs;
      if (count > most + (windowNs / NS_PER_S) * setup.perSecond)
        return `neverOverLimit: ${count} tokens were granted within ${windowNs} ns`;
    }
  }
  return undefined;
}

/**
 * A take alone is refused only where the bucket does not hold its tokens, but for what the claim allows it to be late.
 * With fixed windows, where the takes of one window's time, refused ones included, asked for more than a capacity.
 */
export function asMuchAsTheRateAllows(
  claims: Claims,
  setup: LimitsSetup,
  takes: readonly Take[],
): string | undefined {
  if (claims.refill === "window") return windowsGiveTheirs(claims, setup, takes);
  const ideal = new IdealBucket(setup, 1);
  for (const { atNs, n, isGranted } of takes) {
    if (isGranted) ideal.take(n, atNs);
    else if (ideal.overdueNs(n, atNs) > claims.mostLateNs(setup))
      return `asMuchAsTheRateAllows: ${n} refused at ${atNs} ns, ${ideal.overdueNs(n, atNs)} ns after they were there`;
  }
  return undefined;
}

function windowsGiveTheirs(claims: Claims, setup: LimitsSetup, takes: readonly Take[]): string | undefined {
  const windowNs = (setup.capacity / setup.perSecond) * NS_PER_S + claims.mostLateNs(setup);
  for (const [index, { atNs, isGranted }] of takes.entries()) {
    if (isGranted) continue;
    const asked = takes
      .slice(0, index + 1)
      .reduce((sum, take) => (take.atNs > atNs - windowNs ? sum + take.n : sum), 0);
    if (asked <= setup.capacity)
      return `asMuchAsTheRateAllows: refused at ${atNs} ns, with ${asked} asked for in its window`;
  }
  return undefined;
}

/** `waitMs` says 0 where a take is granted, and else how long it takes until it is, no more than the claim explains. */
export function waitIsRight(claims: Claims, setup: LimitsSetup, takes: readonly Take[]): string | undefined {
  const ideal = new IdealBucket(setup, 1);
  for (const { atNs, n, isGranted, waitMs, hasWaited } of takes) {
    if (waitMs === undefined) continue;
    if (isGranted !== (waitMs === 0))
      return `waitIsRight: ${waitMs} ms for a take that is granted: ${isGranted}`;
    if (hasWaited && !isGranted) return `waitIsRight: refused at ${atNs} ns, after its wait`;
    const longNs = waitMs * NS_PER_MS + ideal.overdueNs(n, atNs);
    if (!isGranted && longNs > claims.mostLateNs(setup))
      return `waitIsRight: ${waitMs} ms are ${longNs} ns too long`;
    if (isGranted) ideal.take(n, atNs);
  }
  return undefined;
}

/**
 * Workers that take from a full bucket, one token at a time until each is refused, get what it held. A worker that was
 * terminated meanwhile, and no other, may have taken one that nobody counted.
 */
export function tokensAreConserved(seen: {
  readonly held: number;
  readonly taken: number;
  readonly terminated: number;
}): string | undefined {
  const { held, taken, terminated } = seen;
  if (taken <= held && taken >= held - terminated) return undefined;
  return `tokensAreConserved: ${taken} of ${held} tokens were taken, and ${terminated} workers terminated`;
}

/**
 * What is left of the laws where only totals are known: no more was granted than the limit allows in that time, and no
 * less than was there whatever the times of the takes were.
 */
export function totalsKeepLimit(
  claims: Claims,
  setup: LimitsSetup,
  seen: { readonly granted: number; readonly least: number; readonly passedNs: number },
): string | undefined {
  const { granted, least, passedNs } = seen;
  const came = (passedNs / NS_PER_S) * setup.perSecond;
  if (granted > burstsOf(claims) * setup.capacity + came + claims.mostOver(setup) + FLOAT_TOKENS)
    return `neverOverLimit: ${granted} tokens were granted in ${passedNs} ns`;
  return granted < least
    ? `asMuchAsTheRateAllows: ${granted} tokens were granted, and at least ${least} were there`
    : undefined;
}

/** What all workers together asked of each key while the clock stood still, and were granted. */
export interface Phase {
  readonly atNs: number;
  readonly asked: ArrayLike<number>;
  readonly granted: ArrayLike<number>;
  /** Workers that were terminated amid their takes: each may have asked once that it did not count to its end. */
  readonly terminated: number;
}

/**
 * Each key is granted what its bucket holds, no more and no less. Where time stands still, that does not depend on the order
 * of takes of one token. The nanoseconds of a token have to be a power of two, so that nothing is rounded.
 */
export function everyKeyIsExact(setup: LimitsSetup, phases: readonly Phase[]): string | undefined {
  const tokenNs = NS_PER_S / setup.perSecond;
  const mostNs = setup.capacity * tokenNs;
  const levelsNs = new Float64Array(phases[0]!.asked.length).fill(mostNs);
  let beforeNs = phases[0]!.atNs;
  for (const { atNs, asked, granted, terminated } of phases) {
    let uncounted = terminated;
    for (const key of levelsNs.keys()) {
      const levelNs = Math.min(mostNs, levelsNs[key]! + atNs - beforeNs);
      const right = Math.min(asked[key]!, Math.floor(levelNs / tokenNs));
      if (granted[key] !== right && !(granted[key] === right - 1 && uncounted-- > 0))
        return `everyKeyIsExact: key ${key} was granted ${granted[key]} of ${asked[key]} at ${atNs} ns, and not ${right}`;
      levelsNs[key] = levelNs - right * tokenNs;
    }
    beforeNs = atNs;
  }
  return undefined;
}

function burstsOf({ refill }: Claims): number {
  return refill === "window" ? 2 : 1;
}

/** What is granted, in units of which a token and the tokens of a nanosecond are integers. */
class IdealBucket {
  readonly #most: bigint;
  readonly #perNs: bigint;
  #level: bigint;
  #atNs = 0n;

  constructor({ capacity, perSecond }: LimitsSetup, bursts: number) {
    this.#most = BigInt(capacity * bursts) * UNITS;
    this.#perNs = BigInt(perSecond * 2 ** UNIT_BITS);
    this.#level = this.#most;
  }

  /** Takes `n` tokens, there or not, and returns what is left, in units. */
  take(n: number, atNs: number): bigint {
    const level = this.#levelAt(atNs);
    this.#level = (level < this.#most ? level : this.#most) - BigInt(n) * UNITS;
    this.#atNs = BigInt(atNs);
    return this.#level;
  }

  /** For how long it has held `n` tokens; negative where it does not. */
  overdueNs(n: number, atNs: number): number {
    return Number(this.#levelAt(atNs) - BigInt(n) * UNITS) / Number(this.#perNs);
  }

  /** As if its capacity had no limit since the last take. */
  #levelAt(atNs: number): bigint {
    return this.#level + (BigInt(atNs) - this.#atNs) * this.#perNs;
  }
}

/** The last bit of LEAST_PER_SECOND is above 2^-70. */
const UNIT_BITS = 70;
const NS_PER_S = 1e9;
const NS_PER_MS = 1e6;
const UNITS = BigInt(NS_PER_S) << BigInt(UNIT_BITS);
/** What sums of doubles may be wrong by. */
const FLOAT_TOKENS = 1e-6;

function unitsOf(tokens: number): bigint {
  return BigInt(Math.ceil(tokens * 2 ** UNIT_BITS)) * BigInt(NS_PER_S);
}

function tokensOf(units: bigint): number {
  return Number(units) / Number(UNITS);
}
