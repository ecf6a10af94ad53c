import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, loadCompetitor, mutantsOf } from "../catalog.ts";
import seqlockSlots from "./competitors/seqlock-slots.ts";
import { contract, type OwnershipCompetitor } from "./ownership.contract.ts";
import { exploreLookups, interleavedLookups, mutants, scripts, unexplored } from "./ownership.model.ts";

const load = (url: string) => loadCompetitor(url, contract) as Promise<OwnershipCompetitor>;

describe("ownership: in every interleaving of a lookup with a writer", async () => {
  for (const { name, url } of competitorsOf("ownership")) {
    const competitor = await load(url);
    if (competitor.hears !== "claims" || unexplored(competitor) !== undefined) continue;
    it(`${name}: the answer was true at some instant, also where the writer stops for ever`, () =>
      assert.equal(interleavedLookups(competitor), undefined));
  }

  // More than the contract asks, which is content with each millisecond as it was before or after.
  it("seqlock-slots: so was an answer from both sides of a gap", () =>
    assert.equal(interleavedLookups(seqlockSlots, 3), undefined));

  for (const [name, { script, spoil }] of Object.entries(mutants)) {
    it(`${name} is caught in "${script}"`, () =>
      assert.equal(typeof exploreLookups(seqlockSlots, scripts[script]!, 0, spoil), "string"));
  }

  // What threads meet by luck, this meets for certain.
  it("a mutant that is wrong only beside a writer is caught", async () => {
    for (const mutant of mutantsOf("ownership")) {
      if ((await lawBrokenBy(mutant)) !== "seesSomeInstant") continue;
      const competitor = await load(mutant.url);
      assert.equal(competitor.hears, "claims");
      if (competitor.hears === "claims")
        assert.notEqual(interleavedLookups(competitor), undefined, mutant.name);
    }
  });
});
