import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { competitorsOf } from "../../structures/catalog.ts";
import { importRace } from "../engine/measure/load/load.ts";
import type { SuiteModule } from "../shared/vocabulary.ts";
import { importSimulation } from "./kinds/described.ts";
import { moduleUrlOf } from "./plan/asked.ts";
import { checkContenders, loadSuite, loadSuites } from "./suites.ts";

const suites = await loadSuites();

describe("a suite", () => {
  for (const loaded of suites) {
    const { suite, url } = loaded;
    it(`${suite.primitive}: has each scenario once, by files, in its order first`, async () => {
      const { default: module } = (await import(url)) as { default: SuiteModule };
      const names = suite.scenarios.map(({ scenario }) => scenario);
      assert.equal(new Set(names).size, names.length);
      const files = [...new Set(names.map((name) => moduleUrlOf(loaded, name)))];
      const folder = new URL("scenarios/", url);
      const order = (module.order ?? []).map((name) => new URL(`${name}.ts`, folder).href);
      assert.deepEqual(files.slice(0, order.length), order);
      const all = readdirSync(folder).map((file) => new URL(file, folder).href);
      assert.deepEqual(files.toSorted(), all.sort());
    });
  }
});

describe("a scenario", () => {
  const moduleOf = (primitive: string, scenario: string) => {
    const loaded = suites.find(({ suite }) => suite.primitive === primitive)!;
    return moduleUrlOf(loaded, scenario);
  };

  it("is found in the file of its name, or in that of its curve", async () => {
    const [uniform, refresh] = [moduleOf("pick", "uniform-8"), moduleOf("timers", "refresh-1m")];
    assert.match(uniform, /\/pick\/scenarios\/uniform-8\.ts$/);
    assert.match(refresh, /\/timers\/scenarios\/refresh\.ts$/);
    assert.equal((await importRace(uniform, "uniform-8")).scenario, "uniform-8");
    assert.equal((await importRace(refresh, "refresh-1m")).scenario, "refresh-1m");
    const resonance = moduleOf("pick", "resonance");
    assert.equal((await importSimulation(resonance, "resonance")).scenario, "resonance");
  });

  it("is refused by the file that lacks it, and as what it is not", async () => {
    const refresh = moduleOf("timers", "refresh-1m");
    await assert.rejects(
      importRace(refresh, "refresh-2m"),
      /timers\/scenarios\/refresh\.ts has no scenario refresh-2m$/,
    );
    await assert.rejects(importRace(moduleOf("pick", "resonance"), "resonance"), /resonance is no race/);
  });
});

describe("the contenders of a scenario", () => {
  const rivals = competitorsOf("pick").flatMap(({ name }) => (name === "cas-ring" ? [] : [name]));
  const check = (contenders: readonly string[]) =>
    checkContenders("pick", { scenario: "made-up", baseline: "cas-ring", contenders });

  it("are its baseline and ten rivals at most", () => {
    check(["cas-ring"]);
    check([...rivals.slice(0, 10), "cas-ring"]);
    checkContenders("pick", { scenario: "made-up", baseline: "cas-ring" });
  });

  it("are refused in one line where one is unknown or named twice, the baseline is missing, or they are too many", () => {
    const refused = (contenders: readonly string[], message: RegExp) =>
      assert.throws(() => check(contenders), message);
    refused(
      ["cas-ring", "cas-rang"],
      /^Error: suite pick, made-up: its contender "cas-rang" is no competitor, or/,
    );
    refused(
      ["cas-ring", "no-op", "no-op"],
      /^Error: suite pick, made-up: its contender "no-op" .* named twice$/,
    );
    refused(["no-op"], /^Error: suite pick, made-up: its baseline "cas-ring" is not among its contenders$/);
    refused(
      ["cas-ring", ...rivals.slice(0, 11)],
      /^Error: suite pick, made-up: 11 of its contenders are rivals of its baseline, and 10 may be$/,
    );
  });

  it("are looked at when a suite is loaded", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hotpath-suite-"));
    try {
      mkdirSync(join(folder, "scenarios"));
      const text = 'export default { scenario: "made-up", baseline: "cas-ring", contenders: ["no-op"] };\n';
      writeFileSync(join(folder, "scenarios", "made-up.ts"), text);
      const url = pathToFileURL(join(folder, "suite.ts")).href;
      await assert.rejects(loadSuite(url, { primitive: "pick" }), /"cas-ring" is not among its contenders$/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
