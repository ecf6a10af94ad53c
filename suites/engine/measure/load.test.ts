import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, it } from "node:test";
import type { SuiteModule } from "../suite.ts";
import { importRace, importSimulation, loadSuites, scenarioUrl } from "./load.ts";

const suites = await loadSuites();

describe("a suite", () => {
  for (const { suite, url } of suites) {
    it(`${suite.primitive}: has each scenario once, by files, those first that it puts in an order`, async () => {
      const { default: module } = (await import(url)) as { default: SuiteModule };
      const names = suite.scenarios.map(({ scenario }) => scenario);
      assert.equal(new Set(names).size, names.length);
      const files = [...new Set(names.map((name) => scenarioUrl(url, name)))];
      const folder = new URL("scenarios/", url);
      const order = (module.order ?? []).map((name) => new URL(`${name}.ts`, folder).href);
      assert.deepEqual(files.slice(0, order.length), order);
      const all = readdirSync(folder).map((file) => new URL(file, folder).href);
      assert.deepEqual(files.toSorted(), all.sort());
    });
  }
});

describe("a scenario", () => {
  const urlOf = (primitive: string) => suites.find(({ suite }) => suite.primitive === primitive)!.url;

  it("is found in the file of its name, or else in that of its curve", async () => {
    const [pick, timers] = [urlOf("pick"), urlOf("timers")];
    assert.equal(scenarioUrl(pick, "uniform-8"), new URL("scenarios/uniform-8.ts", pick).href);
    assert.equal(scenarioUrl(timers, "refresh-1m"), new URL("scenarios/refresh.ts", timers).href);
    assert.equal((await importRace(pick, "uniform-8")).scenario, "uniform-8");
    assert.equal((await importRace(timers, "refresh-1m")).scenario, "refresh-1m");
    assert.equal((await importSimulation(pick, "long-run")).scenario, "long-run");
  });

  it("is refused by the file that lacks it, and as what it is not", async () => {
    await assert.rejects(
      importRace(urlOf("timers"), "refresh-2m"),
      /timers\/scenarios\/refresh\.ts has no scenario refresh-2m$/,
    );
    await assert.rejects(importRace(urlOf("pick"), "long-run"), /long-run is no race/);
  });
});
