import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { contract, type TimersCompetitor } from "./timers.contract.ts";
import { EVERYBODY_FINISHES, exploreTimers, models, mutants, unmodelled } from "./timers.model.ts";

suite("timers: in every interleaving of a few workers that mean the same timers", () => {
  for (const [name, casts] of Object.entries(models)) {
    for (const [cast, model] of Object.entries(casts)) {
      test(`${name}: ${cast}`, () => assert.deepEqual(exploreTimers(model), []));
    }
  }

  for (const [name, { breaks, model }] of Object.entries(mutants)) {
    test(`${name}: breaks ${breaks}`, () => {
      const broken = exploreTimers(model, breaks);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `expected ${breaks}, got ${broken.join("; ") || "nothing"}`,
      );
    });
  }

  test("every law has a mutant", () => {
    const named = Object.values(models).flatMap((casts) =>
      Object.values(casts).flatMap(({ laws }) =>
        laws.filter(({ once }) => once === undefined).map(({ name }) => name),
      ),
    );
    const broken = Object.values(mutants).map(({ breaks }) => breaks);
    assert.deepEqual(
      [...named, EVERYBODY_FINISHES].filter((law) => !broken.includes(law)),
      [],
    );
  });

  test("every competitor for a crew has a model, or there is a reason; and models are of such", async () => {
    const crews: string[] = [];
    for (const { name, url } of competitorsOf("timers")) {
      if (((await loadCompetitor(url, contract)) as TimersCompetitor).callers === "crew") crews.push(name);
    }
    assert.deepEqual([...Object.keys(models), ...Object.keys(unmodelled)].sort(), crews);
  });
});
