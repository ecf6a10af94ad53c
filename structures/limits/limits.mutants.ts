import { like, type Mutants, mutantAsked, mutantsIn, planted, plantedIn, racy } from "../shared/mutants.ts";
import type { LimitsCompetitor } from "./limits.contract.ts";

const GCRA = "limits/parts/gcra.ts";
const SHARE = "limits/parts/share.ts";
const SCALE = "limits/parts/scale.ts";

const TABLE: Mutants<LimitsCompetitor> = {
  /** Keeps all that came while nobody took, however much that is. */
  "forgets-the-burst-cap": plantedIn(GCRA, "gcra-cas", "neverOverLimit", [
    "return -(-units >> scale.shift) - scale.full + cost;",
    "return spent + cost;",
  ]),
  /** Starts anew from ticks that are rounded down. */
  "rounds-for-the-taker": plantedIn(GCRA, "gcra-cas", "neverOverLimit", [
    "-(-units >> scale.shift) - scale.full + cost",
    "passed - scale.full + cost",
  ]),
  /** Subtracts two words as if neither had wrapped, and takes the bucket for one that is full. */
  "forgets-that-it-wraps": planted("gcra-int32", "neverOverLimit", [
    "(int32Of(units >> shift) - spent) | 0",
    "int32Of(units >> shift) - spent",
  ]),
  /** Keeps one token back. */
  "keeps-one-back": plantedIn(SCALE, "gcra-cas", "asMuchAsTheRateAllows", [
    "full: BigInt(capacity) * token",
    "full: BigInt(capacity - 1) * token",
  ]),
  /** Loads and stores in two steps, so that two workers may take the same token. */
  "takes-in-two-steps": racy(
    planted("gcra-cas", "tokensAreConserved", [
      "if (Atomics.compareExchange(words, SPENT, spent, next) === spent) return true;",
      "Atomics.store(words, SPENT, next); return true;",
    ]),
  ),
  /** Gives each worker as much as the largest part: of 10 tokens 12 to 4 workers. */
  "rounds-shares-up": plantedIn(SHARE, "per-worker-share", "tokensAreConserved", [
    "Math.floor((capacity + index) / workers)",
    "Math.ceil(capacity / workers) + 0 * index",
  ]),
  /** Says that a token is there a nanosecond before it is. */
  "waits-too-short": plantedIn(GCRA, "gcra-cas", "waitIsRight", [
    "Number(dueNs - nowNs) / NS_PER_MS",
    "Number(dueNs - nowNs - 1n) / NS_PER_MS",
  ]),
  /** Takes any limit that it is given. */
  "takes-any-setup": like("gcra-cas", "badInputIsRefused", () => ({ words: () => 64 })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
