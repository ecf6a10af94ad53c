import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, loadCompetitor, mutantsOf } from "../catalog.ts";
import { contract, type PickCompetitor } from "./pick.contract.ts";
import { explorePicks, models, mutants, type PickModel, unmodelled } from "./pick.model.ts";

describe("pick: in every interleaving of a few workers that pick a few times", () => {
  // A model that stands for several competitors is explored for all of them at once.
  const namesOf = new Map<PickModel, string[]>();
  for (const [name, sizes] of Object.entries(models)) {
    for (const model of sizes) namesOf.set(model, [...(namesOf.get(model) ?? []), name]);
  }
  for (const [model, names] of namesOf) {
    it(`${names.join(", ")}: the laws hold, and nobody waits for anybody`, () => {
      assert.deepEqual(explorePicks(model).broken, []);
    });
  }

  for (const [name, { breaks, model }] of Object.entries(mutants)) {
    it(`${name} breaks ${breaks}`, () => {
      const { broken } = explorePicks(model, breaks);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `expected ${breaks}, got ${broken.join("; ") || "nothing"}`,
      );
    });
  }

  it("takes-a-lock breaks nothing else", () => {
    assert.equal(explorePicks(mutants["takes-a-lock"]!.model).broken.length, 1);
  });

  it("every law has a mutant", () => {
    const named = Object.values(models).flatMap((sizes) =>
      sizes.flatMap(({ laws }) => laws.map(({ name }) => name)),
    );
    const broken = Object.values(mutants).map(({ breaks }) => breaks);
    const laws = new Set([...named, "everyWorkerFinishes", "nobodyIsHeldUp"]);
    assert.deepEqual(
      [...laws].filter((law) => !broken.includes(law)),
      [],
    );
  });

  it("a mutant that is a mutant too breaks the same law", async () => {
    for (const mutant of mutantsOf("pick").filter(({ name }) => name in mutants)) {
      assert.equal(mutants[mutant.name]!.breaks, await lawBrokenBy(mutant), mutant.name);
    }
  });

  // Those that block have their words behind a lock, of which the models of locks have been asked the same.
  it("every competitor that shares words without a lock has a model, or there is a reason", async () => {
    const missing: string[] = [];
    for (const { name, url } of competitorsOf("pick")) {
      const { progress, words } = (await loadCompetitor(url, contract)) as PickCompetitor;
      const isShared = words({ backends: 8, seed: 0, firstTicket: 0, workers: 2 }) > 0;
      if (progress !== "blocking" && isShared && !(name in models) && !unmodelled[name]) missing.push(name);
    }
    assert.deepEqual(missing, [], "give each a step model in pick.model.ts, or a reason in `unmodelled`");
  });

  it("models are of files that exist", () => {
    const names = competitorsOf("pick").map(({ name }) => name);
    const known = [...Object.keys(models), ...Object.keys(unmodelled)];
    assert.deepEqual(
      known.filter((name) => !names.includes(name)),
      [],
    );
  });
});
