import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, liarsOf, loadCompetitor } from "../catalog.ts";
import { contract, type OwnershipCompetitor } from "./ownership.contract.ts";
import { exploreLookups, interleavedLookups, mutants, scripts } from "./ownership.model.ts";
import sharedSlots from "./shared-slots.ts";

const load = (url: string) => loadCompetitor(url, contract) as Promise<OwnershipCompetitor>;

describe("ownership: in every interleaving of a lookup with a writer", async () => {
  for (const { name, url } of competitorsOf("ownership")) {
    const competitor = await load(url);
    const isShared = competitor.words(scripts.append!.capacity) > 0;
    // A variant is its original with other loads, plain ones perhaps, at which no run could be held up.
    if (competitor.hears !== "claims" || !isShared || competitor.variantOf !== undefined) continue;
    it(`${name}: the answer was true at some instant, also where the writer stops for ever`, () =>
      assert.equal(interleavedLookups(competitor), undefined));
  }

  // More than the contract asks, which is content with each millisecond as it was before or after.
  it("shared-slots: so was an answer from both sides of a gap", () =>
    assert.equal(interleavedLookups(sharedSlots, 3), undefined));

  for (const [name, { script, spoil }] of Object.entries(mutants)) {
    it(`${name} is caught in "${script}"`, () =>
      assert.equal(typeof exploreLookups(sharedSlots, scripts[script]!, 0, spoil), "string"));
  }

  // What threads meet by luck, this meets for certain.
  it("a liar that is wrong only beside a writer is caught", async () => {
    for (const liar of liarsOf("ownership")) {
      if ((await lawBrokenBy(liar)) !== "seesSomeInstant") continue;
      const competitor = await load(liar.url);
      assert.equal(competitor.hears, "claims");
      if (competitor.hears === "claims")
        assert.notEqual(interleavedLookups(competitor), undefined, liar.name);
    }
  });
});
