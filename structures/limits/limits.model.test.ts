import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor, loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { type Mutant, planted, plantedIn } from "../shared/mutants.ts";
import { contract, type LimitsCompetitor } from "./limits.contract.ts";
import { exploreTakes, type LimitsLaw, limitsLaws, unexplored } from "./limits.model.ts";
import { mutants } from "./limits.mutants.ts";

const explored = (await loadCompetitors<LimitsCompetitor>("limits")).filter(
  ({ competitor }) => unexplored(competitor) === undefined,
);

/** Takes the word away while it computes what comes next. */
const takesTheWord = [
  [
    "const spent = Atomics.load(words, SPENT);\n          const next",
    "const spent = Atomics.exchange(words, SPENT, 1n);\n          if (spent === 1n) continue;\n          const next",
  ],
  [
    "if (Atomics.compareExchange(words, SPENT, spent, next) === spent) return true;",
    "Atomics.store(words, SPENT, next); return true;",
  ],
] as const;

const faults: Readonly<Record<string, Mutant<LimitsCompetitor, LimitsLaw>>> = {
  "a bucket that takes a stale clock for a full bucket": planted(
    "gcra-cas",
    "neverOverLimit",
    ["for (;;) {", "const read = BigInt(nowNs());\n        for (;;) {"],
    [
      "afterTake(scale, spent, cost, BigInt(nowNs()))",
      "afterTake(scale, spent << scale.shift > (read + 1n) * scale.rate ? FULL_SINCE_EVER : spent, cost, read)",
    ],
  ),
  "a 32-bit word that is read after the clock": planted(
    "gcra-int32",
    "neverOverLimit",
    ["const spent = Atomics.load(memory, SPENT);\n          const units", "const units"],
    [
      "const units = BigInt(nowNs()) * rate;\n          const left",
      "const units = BigInt(nowNs()) * rate; const spent = Atomics.load(memory, SPENT);\n          const left",
    ],
  ),
  "a bucket without a burst cap": plantedIn("limits/parts/gcra.ts", "gcra-cas", "neverOverLimit", [
    "return -(-units >> scale.shift) - scale.full + cost;",
    "return spent + cost;",
  ]),
  "a take in two steps": planted("gcra-cas", "tokensAreConserved", [
    "if (Atomics.compareExchange(words, SPENT, spent, next) === spent) return true;",
    "Atomics.store(words, SPENT, next); return true;",
  ]),
  "a take that does not ask whether its compare-exchange succeeded": planted("gcra-int32", "neverOverLimit", [
    "          if (Atomics.compareExchange(memory, SPENT, spent, (before + cost) | 0) === spent) return true;",
    "          Atomics.compareExchange(memory, SPENT, spent, (before + cost) | 0);\n          return true;",
  ]),
  "a token that a lost compare-exchange costs": planted("gcra-cas", "tokensAreConserved", [
    "if (Atomics.compareExchange(words, SPENT, spent, next) === spent) return true;",
    "if (Atomics.compareExchange(words, SPENT, spent, next) === spent) return true; Atomics.add(words, SPENT, cost);",
  ]),
  "a word that is taken away, and not given back by a take that is refused": planted(
    "gcra-cas",
    "everyWorkerFinishes",
    ...takesTheWord,
  ),
  "a word that is taken away meanwhile": planted("gcra-cas", "nobodyIsHeldUp", ...takesTheWord, [
    "if (next === undefined) return false;",
    "if (next === undefined) { Atomics.store(words, SPENT, spent); return false; }",
  ]),
};

describe("limits: in every interleaving of two workers and the time", () => {
  for (const { name, competitor } of explored)
    it(`${name}: the laws hold`, () => assert.deepEqual(exploreTakes(competitor), []));

  findsFaults("limits", limitsLaws, faults, (mutant, { breaks }) => exploreTakes(mutant, breaks));

  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url, isRacy } of mutants) {
      if (!isRacy) continue;
      const mutant = (await loadCompetitor(url, contract)) as LimitsCompetitor;
      assert.notDeepEqual(exploreTakes(mutant), [], name);
    }
  });
});
