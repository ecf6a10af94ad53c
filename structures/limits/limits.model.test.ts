import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor, loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import { contract, type LimitsCompetitor } from "./limits.contract.ts";
import { exploreTakes, type LimitsLaw, limitsLaws, unexplored } from "./limits.model.ts";
import { mutants } from "./limits.mutants.ts";

const explored = (await loadCompetitors<LimitsCompetitor>("limits")).filter(
  ({ competitor }) => unexplored(competitor) === undefined,
);

const faults = writtenIn<LimitsCompetitor, LimitsLaw>(new URL("testdata/model-faults.txt", import.meta.url));

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
