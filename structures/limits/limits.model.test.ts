import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitor, loadCompetitors } from "../catalog.ts";
import { faultsBreakLaws, findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import { mutatedModule } from "../shared/mutated.ts";
import { contract, type LimitsCompetitor } from "./limits.contract.ts";
import { exploreKeys, keysLaws, type TableModule } from "./limits.keys.model.ts";
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

describe("limits: by key, in every interleaving of two workers and the time", () => {
  it("the laws hold", () => assert.deepEqual(exploreKeys(), []));

  faultsBreakLaws(new URL("testdata/table-faults.txt", import.meta.url), keysLaws, async (fault) => {
    const file = new URL(`../${fault.in}`, import.meta.url).href;
    return exploreKeys(await mutatedModule<TableModule>(file, ...fault.edits), fault.breaks);
  });
});
