import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor, loadCompetitors } from "../catalog.ts";
import { assertBroken } from "../shared/broken.ts";
import { faultsIn } from "../shared/faults.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import { observedPickers } from "./parts/observed-pickers.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { explorePicks, type PickLaw, pickLaws, unexplored } from "./pick.model.ts";
import { mutants } from "./pick.mutants.ts";

const load = async (url: string) => (await loadCompetitor(url, contract)) as PickCompetitor;

/** Words of a region that takes seconds to explore; the ring of cas-ring, scattered or not, is the same code. */
const LARGE = 2 ** 20;
const isThorough = process.env.HOTPATH_THOROUGH === "1";

const competitors = await loadCompetitors<PickCompetitor>("pick");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

const TEXT_FAULTS = new URL("testdata/text-faults.txt", import.meta.url);
const faults = writtenIn<PickCompetitor, PickLaw>(new URL("testdata/model-faults.txt", import.meta.url));

describe("pick: in every interleaving of a few workers that pick a few times", () => {
  for (const { name, competitor } of explored) {
    const isLarge = competitor.words({ backends: 2, firstTicket: 0, workers: 3, seed: 1 }) > LARGE;
    it(`${name}: the laws hold`, { skip: isLarge && !isThorough && "by night" }, () => {
      assert.deepEqual(explorePicks(competitor), []);
    });
  }

  it("the pickers in WebAssembly: the laws hold of their text", async () => {
    for (const picker of Object.values(await observedPickers())) assert.deepEqual(explorePicks(picker), []);
  });

  for (const { name, of, breaks, edits } of faultsIn<PickLaw>(TEXT_FAULTS))
    it(`a text of ${of} that ${name} breaks ${breaks}`, async () => {
      const picker = (await observedPickers(...edits))[of as "wasm-cas-ring"];
      assertBroken(breaks, explorePicks(picker, breaks));
    });

  findsFaults("pick", pickLaws, faults, (mutant, { breaks }) => explorePicks(mutant, breaks));

  // What threads meet by luck, this meets for certain.
  it("mutants that are wrong only beside other workers are caught", async () => {
    for (const { name, url, breaks, isRacy } of mutants) {
      const competitor = await load(url);
      if (isRacy && unexplored(competitor) === undefined)
        assert.notDeepEqual(explorePicks(competitor, breaks as PickLaw), [], name);
    }
  });
});
