import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, loadCompetitor, mutantsOf } from "../catalog.ts";
import { contract, type SlotsCompetitor } from "./slots.contract.ts";
import { exploreSlots, models, mutants, type SlotsModel } from "./slots.model.ts";

describe("slots: in every interleaving of a few workers", () => {
  // Models that stand for several competitors are explored for all of them at once.
  const namesOf = new Map<readonly SlotsModel[], string[]>();
  for (const [name, sizes] of Object.entries(models))
    namesOf.set(sizes, [...(namesOf.get(sizes) ?? []), name]);
  for (const [sizes, names] of namesOf) {
    it(`${names.join(", ")}: the laws hold, no schedule deadlocks, and a worker that stops holds nobody up`, () => {
      for (const model of sizes) assert.deepEqual(exploreSlots(model), []);
    });

    it(`${names.join(", ")}: the spreads are reached`, () => {
      for (const model of sizes.filter(({ spread }) => spread > 0 && Number.isFinite(spread))) {
        const law = model.replacements === 0 ? "evenFilling" : "evenUnderChurn";
        const broken = exploreSlots({ ...model, spread: model.spread - 1 }, law);
        assert.ok(
          broken.some((sentence) => sentence.startsWith(`${law}:`)),
          `${law}: a spread of ${model.spread} is claimed for takes ${model.takes} of ${model.slots} slots, and less would do`,
        );
      }
    });
  }

  for (const [name, { breaks, model }] of Object.entries(mutants)) {
    it(`${name} breaks ${breaks}`, () => {
      const broken = exploreSlots(model, breaks);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `expected ${breaks}, got ${broken.join("; ") || "nothing"}`,
      );
    });
  }

  it("every law has a mutant", () => {
    const laws = [
      "evenFilling",
      "evenUnderChurn",
      "conserved",
      "foldedBack",
      "everyWorkerFinishes",
      "nobodyIsHeldUp",
    ];
    const broken = Object.values(mutants).map(({ breaks }) => breaks);
    assert.deepEqual(
      laws.filter((law) => !broken.includes(law)),
      [],
    );
  });

  it("a mutant that is a mutant too breaks the same law", async () => {
    for (const mutant of mutantsOf("slots").filter(({ name }) => name in mutants)) {
      assert.equal(mutants[mutant.name]!.breaks, await lawBrokenBy(mutant), mutant.name);
    }
  });

  // What threads meet by luck, a model meets for certain.
  it("every racy mutant has a mutant of its name", async () => {
    const racy: string[] = [];
    for (const { name, url } of mutantsOf("slots")) {
      if (((await import(url)) as { racy?: boolean }).racy) racy.push(name);
    }
    assert.deepEqual(
      racy.filter((name) => !(name in mutants)),
      [],
    );
  });

  // Those that block have their words behind a lock, of which the models of locks have been asked the same.
  it("every competitor that shares words without a lock has a model", async () => {
    const names: string[] = [];
    for (const { name, url } of competitorsOf("slots")) {
      const { progress, words } = (await loadCompetitor(url, contract)) as SlotsCompetitor;
      if (progress !== "blocking" && words(600, 2) > 0) names.push(name);
    }
    assert.deepEqual(Object.keys(models).toSorted(), names.toSorted());
  });
});
