import { ejecting } from "../parts/ejecting.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import twoChoices from "./two-choices.ts";

/**
 * two-choices that hears how requests ended, and for a while picks no backend whose requests fail.
 *
 * Promise: the promise of two-choices among the backends that are not ejected. A backend is ejected for 10 s when its
 *   failed requests exceed its served ones by 5, and then gets one request for a trial. Where all are ejected it is
 *   two-choices again.
 * Progress: lock-free: an outcome takes a compare-exchange, and only while requests of that backend fail.
 * Threads: any worker that attached; a request may be released by another worker than the one that picked.
 * Cost: a pick of two-choices and a plain load of a word that is written only while requests fail; a release and a load. A
 *   pick that comes upon an ejected backend reads the clock, a word of each backend, and picks again.
 * Memory: that of two-choices, one stride, and a word for each backend; privately 16 bytes more.
 * Limits: does not detect a backend that hangs; two choices alone avoid it. One that fails less than half of its
 *   requests is seldom ejected, and attracts somewhat more than its share. A failure that is the request's fault, not
 *   the backend's, is to be reported as none. A backend that no pick came upon for six days may wait as long for its
 *   trial.
 * Bet: costs hardly more than two-choices, whose counters alone take a backend that fails at once for the least loaded.
 * Source: Envoy's outlier detection and the half-open state of a circuit breaker (M. Nygard, Release It!, 2007); undici's
 *   BalancedPool lowers the weight of an upstream that fails.
 *
 * two-choices.ts lays out the first bytes, parts/ejecting.ts the rest.
 */
export default {
  ...ejecting(twoChoices),
  summary: "two-choices that ejects a backend for 10 s whose requests fail",
  source: "Envoy, outlier detection; Nygard, circuit breaker",
  progress: "lock-free",
  variantOf: "two-choices",
} satisfies PickCompetitor;
