import { assertInteger, assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import type { Ramp } from "./slow-start.ts";

/** When a member is ejected, for how long, and how many at once. */
export interface EjectOptions {
  /** Failed requests less served ones that eject a member: 1 to 2^20, 3 if absent. */
  readonly failures?: number | undefined;
  /** How long a first ejection lasts, in ms: 1 to 2^28, 1,000 if absent. Each further one in a row lasts twice as long. */
  readonly forMs?: number | undefined;
  /** How long any ejection lasts at most, in ms: `forMs` to 2^28. If absent 60,000, or `forMs` where that is more. */
  readonly mostForMs?: number | undefined;
  /**
   * Which share of the members may be ejected at once: above 0, to 1; two thirds if absent. Of two or more members one may
   * be ejected whatever the share, and never all.
   */
  readonly mostShare?: number | undefined;
  /** A clock in ms from any beginning; if absent one that no change of the date moves. */
  readonly nowMs?: (() => number) | undefined;
}

type Rule = { readonly [Name in keyof Required<EjectOptions>]: NonNullable<EjectOptions[Name]> };

const KINDS: OptionKinds<EjectOptions> = {
  failures: "any",
  forMs: "any",
  mostForMs: "any",
  mostShare: "any",
  nowMs: "function",
};
const MOST_FAILURES = 2 ** 20;
const MOST_MS = 2 ** 28;
const LONG_MS = 60_000;

/** The rule that these options ask for. Throws a TypeError or a RangeError, in one line, for options that ask for none. */
function ruleOf(options: EjectOptions): Rule {
  assertOptions("eject", options, KINDS);
  const { failures = 3, forMs = 1_000, mostShare = 2 / 3, nowMs = () => performance.now() } = options;
  assertInteger("failures", failures, 1, MOST_FAILURES);
  assertInteger("forMs", forMs, 1, MOST_MS);
  const { mostForMs = Math.max(forMs, LONG_MS) } = options;
  assertInteger("mostForMs", mostForMs, forMs, MOST_MS);
  if (!(mostShare > 0 && mostShare <= 1))
    throw new RangeError(`mostShare ${shown(mostShare)} is not above 0 and at most 1`);
  return { failures, forMs, mostForMs, mostShare, nowMs };
}

/** What is known of one member. */
export class Standing {
  isEjected = false;
  /** Raised by each ejection. What was picked in an earlier round says nothing new. */
  round = 0;
  /** Failed requests less served ones, below `failures`. */
  ahead = 0;
  /** While it is ejected: when a trial is due. */
  untilMs = 0;
  isOnTrial = false;
  /** How long its last ejection was to last, and when that ended by a request that was served. */
  lastedMs = 0;
  backMs = Number.NEGATIVE_INFINITY;
  /** Requests that may be in flight there while it comes back slowly; Infinity otherwise. */
  allowance = Number.POSITIVE_INFINITY;
  /** While it is in its slow start. */
  ramp: Ramp | undefined;
}

/**
 * Which members of a roster are ejected. For one thread, which knows of each request when it was picked: unlike
 * ejecting.ts, whose state is a word for each backend that workers share.
 *
 * A member is **ejected** when its failed requests less its served ones, counted from 0 and never below, reach
 * `failures`. When its time is over one request goes there, as a **trial**. Of requests picked since the ejection, one
 * that is served ends it. The trial's failure ejects anew, and for twice as long; so does an ejection before the member has
 * served for as long as it was last ejected. A trial that its caller aborts is due again at once. If nothing is heard of
 * one for as long as the ejection lasted, another is due.
 *
 * No more than `mostShare` of the members are ejected. A further one takes the place of the one that has been ejected for
 * longest. That one is back without a trial, and is ejected again by its first failure. So members that all fail take
 * turns, and the first that serves is found.
 *
 * Source: Envoy, outlier detection: base_ejection_time, max_ejection_time, max_ejection_percent. There a surplus one stays
 * in, and one that fails fast then draws most requests. linkerd2-proxy, failure accrual: from 1 s to 1 min, doubled.
 */
export class Standings {
  readonly #rule: Rule;
  /** In the order of their ejections. */
  readonly #ejected = new Set<Standing>();
  readonly #cameBack: (standing: Standing) => void;
  #members = 0;

  /** Throws in one line for options that are wrong. `cameBack` hears of each that is no longer ejected. */
  constructor(options: EjectOptions, cameBack: (standing: Standing) => void = () => {}) {
    this.#rule = ruleOf(options);
    this.#cameBack = cameBack;
  }

  nowMs(): number {
    return this.#rule.nowMs();
  }

  /** When the next trial is due; Infinity where none is ejected. */
  get nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { untilMs } of this.#ejected) nextMs = Math.min(nextMs, untilMs);
    return nextMs;
  }

  /** How many members there are, after `left` is none. */
  resize(members: number, left?: Standing): void {
    this.#members = members;
    if (left !== undefined) this.#readmit(left);
    this.#makeRoom();
  }

  /** A request goes to a member that is ejected and due. */
  try(standing: Standing): void {
    standing.isOnTrial = true;
    standing.untilMs = this.nowMs() + standing.lastedMs;
  }

  /** How a request ended that was picked in this round; undefined where that says nothing about the member. */
  hear(standing: Standing, failed: boolean | undefined, round: number): void {
    if (round !== standing.round) return;
    if (failed === undefined) {
      if (standing.isOnTrial) standing.untilMs = this.nowMs();
    } else if (failed) this.#failed(standing);
    else if (standing.isEjected) this.#restore(standing);
    else standing.ahead = Math.max(0, standing.ahead - 1);
  }

  #failed(standing: Standing): void {
    if (standing.isEjected ? standing.isOnTrial : ++standing.ahead >= this.#rule.failures)
      this.#eject(standing);
  }

  #eject(standing: Standing): void {
    const { forMs, mostForMs } = this.#rule;
    const nowMs = this.nowMs();
    const isInRow = standing.isOnTrial || nowMs - standing.backMs < standing.lastedMs;
    standing.lastedMs = isInRow ? Math.min(2 * standing.lastedMs, mostForMs) : forMs;
    standing.untilMs = nowMs + standing.lastedMs;
    standing.isEjected = true;
    standing.isOnTrial = false;
    standing.round++;
    this.#ejected.delete(standing);
    this.#ejected.add(standing);
    this.#makeRoom();
  }

  #restore(standing: Standing): void {
    this.#readmit(standing);
    standing.ahead = 0;
    standing.backMs = this.nowMs();
  }

  /** Its ejection made room for another, and is forgotten: it says less of the member than of all. */
  #makeRoom(): void {
    const most = Math.min(Math.max(1, Math.floor(this.#rule.mostShare * this.#members)), this.#members - 1);
    for (const longest of this.#ejected) {
      if (this.#ejected.size <= most) return;
      this.#readmit(longest);
      longest.ahead = this.#rule.failures - 1;
      longest.backMs = Number.NEGATIVE_INFINITY;
    }
  }

  #readmit(standing: Standing): void {
    this.#ejected.delete(standing);
    standing.isEjected = false;
    standing.isOnTrial = false;
    standing.allowance = 1;
    this.#cameBack(standing);
  }
}
