import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import type { PickCompetitor } from "./pick.contract.ts";
import { exploreMembers, type MembersModelLaw, membersModelLaws } from "./pick.members.model.ts";

const competitors = await loadCompetitors<PickCompetitor>("pick");

const faults = writtenIn<PickCompetitor, MembersModelLaw>(
  new URL("testdata/members-faults.txt", import.meta.url),
);

describe("pick: in every interleaving of workers and changes of members", () => {
  for (const { name, competitor } of competitors) {
    if (competitor.members === undefined) continue;
    it(`${name}: the laws hold`, () => {
      assert.deepEqual(exploreMembers(competitor), []);
    });
  }

  findsFaults("pick", membersModelLaws, faults, (mutant, { breaks }) => exploreMembers(mutant, breaks));
});
