import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor, loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import { exploreSlots, type SlotsLaw, slotsLaws, unexplored } from "./slots.model.ts";
import { mutants } from "./slots.mutants.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as SlotsCompetitor;

const competitors = await loadCompetitors<SlotsCompetitor>("slots");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

const faults = writtenIn<SlotsCompetitor, SlotsLaw>(new URL("testdata/model-faults.txt", import.meta.url));

describe("slots: in every interleaving of a few workers", () => {
  for (const { name, competitor } of explored) {
    it(`${name}: the laws hold`, () => {
      assert.deepEqual(exploreSlots(competitor), []);
    });
  }

  findsFaults("slots", slotsLaws, faults, (mutant, { breaks }) => exploreSlots(mutant, breaks));

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url, breaks, isRacy } of mutants) {
      if (isRacy) assert.notDeepEqual(exploreSlots(await load(url), breaks as SlotsLaw), [], name);
    }
  });
});
