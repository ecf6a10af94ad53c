import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { writtenIn } from "../shared/mutants.ts";
import type { TimersCompetitor } from "./timers.contract.ts";
import { casts, exploreTimers, type TimersLaw, timersLaws, unexplored } from "./timers.model.ts";

/** Each with the cast that finds it. */
const faults = writtenIn<TimersCompetitor, TimersLaw, "cast">(
  new URL("testdata/model-faults.txt", import.meta.url),
);

const competitors = await loadCompetitors<TimersCompetitor>("timers");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

suite("timers: in every interleaving of a few workers that mean the same timers", () => {
  for (const { name, competitor } of explored) {
    test(name, () => {
      for (const [what, cast] of Object.entries(casts))
        assert.deepEqual(exploreTimers(competitor, cast), [], what);
    });
  }

  findsFaults("timers", timersLaws, faults, (mutant, { cast, breaks }) =>
    exploreTimers(mutant, casts[cast]!, breaks),
  );
});
