import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";
import type { SuiteModule } from "../suite.ts";
import { importRace, importSimulation, loadSuites, scenarioUrl } from "./load.ts";

const suites = await loadSuites();

describe("a suite", () => {
  for (const { suite, url } of suites) {
    it(`${suite.primitive}: has each scenario once, those that it puts in an order first`, async () => {
      const { default: module } = (await import(url)) as { default: SuiteModule };
      const { order = [], scenarios = [] } = module;
      const folder = new URL("scenarios/", url);
      const files = existsSync(folder) ? readdirSync(folder).map((file) => file.replace(/\.ts$/, "")) : [];
      const names = suite.scenarios.map(({ scenario }) => scenario);
      assert.deepEqual(names.slice(0, order.length), order);
      assert.deepEqual(names.toSorted(), [...scenarios.map(({ scenario }) => scenario), ...files].sort());
      assert.equal(new Set(names).size, names.length);
    });
  }
});

describe("a scenario", () => {
  const urlOf = (primitive: string) => suites.find(({ suite }) => suite.primitive === primitive)!.url;

  it("is found in a file of its own, or else in its suite", async () => {
    const [pick, locks] = [urlOf("pick"), urlOf("locks")];
    assert.equal(scenarioUrl(pick, "uniform-8"), new URL("scenarios/uniform-8.ts", pick).href);
    assert.equal(scenarioUrl(locks, "short-section"), locks);
    assert.equal((await importRace(pick, "uniform-8")).scenario, "uniform-8");
    assert.equal((await importRace(locks, "short-section")).scenario, "short-section");
    assert.equal((await importSimulation(pick, "long-run")).scenario, "long-run");
  });

  it("is refused by the file that lacks it, and as what it is not", async () => {
    await assert.rejects(
      importRace(urlOf("locks"), "no-section"),
      /locks\/suite\.ts has no scenario no-section$/,
    );
    await assert.rejects(importRace(urlOf("pick"), "long-run"), /long-run is no race/);
  });
});
