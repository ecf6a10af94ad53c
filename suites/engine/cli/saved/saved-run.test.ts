import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { urlOf } from "../../capture/address.ts";
import { goldenCases } from "../../golden.trials.ts";
import { type SyntheticGroup, syntheticGroup } from "../../judge/judge.synthetic.ts";
import { judgeScenario } from "../../judge/judge.ts";
import { withScratch } from "../../measure/machine/scratch.ts";
import { COMPILED_ALIKE } from "../../schema/flags.ts";
import { present } from "../../words/present.ts";
import { temporaryRepository } from "../commits/repository.synthetic.ts";
import type { Raced } from "../report.ts";
import { against, againstText } from "./against.ts";
import { loadRun, type SavedRun, savedRun, saveRun } from "./saved-run.ts";

const TRUTH: SyntheticGroup = {
  costsNs: { t0: 100, t1: 150, t2: 200 },
  workers: 1,
  forks: 8,
  rounds: 20,
  sliceNoise: 0.003,
  forkNoise: 0.002,
  roundNoise: 0,
  seed: 1,
};
const NAMES = ["destr", "JSON / parse", "devalue"];

/** A run of three tasks, or of the first ones. */
function runOf(
  truth: Partial<SyntheticGroup> = {},
  folder = "/package",
  emptyNs?: number,
  isCompiledAlike?: true,
): SavedRun {
  const file = pathToFileURL(join(folder, "bench", "parse.bench.js")).href;
  const contestants = NAMES.slice(0, Object.keys({ ...TRUTH, ...truth }.costsNs).length).map((name) => ({
    label: name,
    url: urlOf({ file, ending: "pause", key: { groups: ["parse"], name, ordinal: 0 } }),
  }));
  const judged = judgeScenario([syntheticGroup({ ...TRUTH, ...truth })]);
  const near = judged.rows.filter((row) => row.noNumber === undefined && row.median < 3 * (emptyNs ?? 0));
  const raced: Raced = {
    race: { title: "parse", workers: 1, baseline: 0, contestants, ...present({ isCompiledAlike }) },
    judged,
    results: [],
    groups: [],
    emptyNs,
    near: new Set(near.map(({ competitor }) => competitor)),
  };
  return savedRun([raced], 7, folder);
}

const THEN = runOf();

/** The run with other values of its only table. */
function withTable(run: SavedRun, table: Partial<SavedRun["tables"][number]>): SavedRun {
  return { ...run, tables: [{ ...run.tables[0]!, ...table }] };
}

describe("a run that is saved by name", () => {
  it("comes back as it was, from the package's cache, without its controls", () =>
    withScratch("saved", async (folder) => {
      mkdirSync(join(folder, "node_modules"));
      const run = runOf({}, folder);
      assert.equal(
        saveRun(run, "before", folder),
        "Saved as before in node_modules/.cache/hotpath-race/before.json.",
      );
      assert.deepEqual(loadRun("before", folder), run);
      const [{ tasks }] = run.tables as [SavedRun["tables"][number]];
      assert.deepEqual(tasks.map(({ name }) => name).sort(), [...NAMES].sort());
      assert.ok(tasks.every(({ file, ns }) => file === "bench/parse.bench.js" && ns.length === 8));
    }));

  it("has the commit of its folder, whatever a git hook says", (t) => {
    const repository = temporaryRepository();
    t.after(repository.remove);
    const hash = repository.commit({ "a.js": "" });
    assert.deepEqual(runOf({}, repository.root).commit, { hash, dirty: false });
    return withScratch("saved", async (folder) => {
      process.env.GIT_DIR = join(repository.root, ".git");
      t.after(() => delete process.env.GIT_DIR);
      assert.equal(runOf({}, folder).commit, null);
    });
  });

  it("has no task that the race did not judge, and says so", () =>
    withScratch("saved", async (folder) => {
      const run = runOf({ costsNs: { t0: 4, t1: 150, t2: 200 } }, folder, 4);
      const label = "bench/parse.bench.js: parse / destr";
      assert.deepEqual(run.tables[0]!.tasks.map(({ name }) => name).sort(), ["JSON / parse", "devalue"]);
      assert.deepEqual(run.unjudged, [label]);
      assert.match(saveRun(run, "a", folder), new RegExp(`\\nNot judged, so not saved: ${label}\\.$`));
    }));

  it("is replaced by the same name only, which is said, and leaves no other file", () =>
    withScratch("saved", async (folder) => {
      assert.equal(saveRun(THEN, "a", folder), "Saved as a in .hotpath-race/a.json.");
      saveRun(THEN, "b", folder);
      const other = runOf({ seed: 2 });
      assert.match(saveRun(other, "a", folder), /, in place of the run that had this name\.$/);
      assert.deepEqual([loadRun("a", folder), loadRun("b", folder)], [other, THEN]);
      assert.deepEqual(readdirSync(join(folder, ".hotpath-race")).sort(), ["a.json", "b.json"]);
    }));

  it("is refused in one line for a name that is a path, or that a disk may take for another", () =>
    withScratch("saved", async (folder) => {
      for (const name of ["", "../a", "a/b", ".a", "Main", "a".repeat(81), "a\n"])
        assert.throws(() => saveRun(THEN, name, folder), /^Error: ".*" cannot name a run: [^\n]*$/s, name);
      assert.equal(existsSync(join(folder, ".hotpath-race")), false);
    }));

  it("is not found under another name: one line says which there are", () =>
    withScratch("saved", async (folder) => {
      assert.throws(() => loadRun("main", folder), /no run is saved as "main": there is none;/);
      for (const name of ["b", "a"]) saveRun(THEN, name, folder);
      assert.throws(
        () => loadRun("main", folder),
        /no run is saved as "main": the saved runs are a, b; --save main saves one$/,
      );
    }));

  it("is refused where its file is damaged, of another kind or of another version", () =>
    withScratch("saved", async (folder) => {
      saveRun(THEN, "a", folder);
      const path = join(folder, ".hotpath-race", "a.json");
      const [table] = THEN.tables;
      const ofTable = (other: object) => ({ tables: [{ ...table, ...other }] });
      for (const [wrong, line] of [
        [readFileSync(path, "utf8").slice(0, -10), /is no saved run; save the run again with --save a$/],
        ["{}", /is no saved run/],
        [{ version: 2 }, /has version 2, and this reads 1/],
        ...[
          { unjudged: [1] },
          { tables: {} },
          { tables: [null] },
          ofTable({ floor: "0" }),
          ofTable({ tasks: [{ ...table!.tasks[0], ns: [0] }] }),
        ].map((other) => [other, /is damaged/] as const),
      ] as const) {
        writeFileSync(path, typeof wrong === "string" ? wrong : JSON.stringify({ ...THEN, ...wrong }));
        assert.throws(() => loadRun("a", folder), line);
      }
    }));
});

describe("a run against a saved one", () => {
  it("says what is slower and faster, or why it cannot, and on what that rests", (test) => {
    const twice = runOf({ costsNs: { t0: 200, t1: 300, t2: 400 } });
    const fewer = runOf({ costsNs: { t0: 100, t1: 150 } });
    const unjudged = runOf({ costsNs: { t0: 4, t1: 150, t2: 200 } }, "/package", 4);
    const tenth = runOf({ costsNs: { t0: 100, t1: 150, t2: 220 }, seed: 4 });
    const wide = (run: SavedRun) => withTable(run, { floor: 0.04 });
    // More processes make no difference certain that one of them could show: a run counts as one.
    const noisy = (seed: number, times: number) =>
      runOf({
        forkNoise: 0.03,
        forks: 40,
        seed,
        costsNs: { t0: 100 * times, t1: 150 * times, t2: 200 * times },
      });
    const { controlNs } = twice.tables[0]!;
    const runs: Readonly<Record<string, readonly [SavedRun, SavedRun?]>> = {
      "15 % more, 15 % less and equal": [
        runOf({ costsNs: { t0: 100, t1: 150 * 1.15, t2: 200 / 1.15 }, seed: 2 }),
      ],
      "8 % in 40 noisy processes": [noisy(9, 1.08), noisy(8, 1)],
      "a tenth": [tenth],
      "a tenth below the floors of both": [wide(tenth), wide(THEN)],
      "twice as much": [twice],
      "another processor": [{ ...twice, machine: { ...twice.machine, cpu: "Other CPU" } }],
      "another runtime": [{ ...twice, runtime: { ...twice.runtime, version: "0.10.0" } }],
      "other flags": [{ ...twice, runtime: { ...twice.runtime, flags: ["--jitless"] } }],
      "compiled alike": [runOf({}, "/package", undefined, true)],
      "a control that takes longer": [withTable(twice, { controlNs: controlNs! * 1.06 })],
      "another state": [withTable(twice, { state: "quiet" })],
      "no floor": [withTable(twice, { floor: null })],
      "no control": [withTable(twice, { controlNs: null })],
      "floors that differ": [withTable(fewer, { floor: 0.0123 }), withTable(THEN, { floor: null })],
      "fewer tasks": [fewer],
      "more tasks": [THEN, fewer],
      "no task": [withTable(fewer, { tasks: [] })],
      "a task that was not judged": [unjudged],
      "a task that was not judged then": [THEN, unjudged],
    };
    const at = { at: "2026-11-26T10:11:12.000Z", commit: null };
    const machine = { ...THEN.machine, cpu: "Made Up" };
    const made = (run: SavedRun): SavedRun => ({
      ...run,
      ...at,
      machine: run.machine.cpu === THEN.machine.cpu ? machine : run.machine,
      runtime: {
        ...run.runtime,
        version: run.runtime.version === THEN.runtime.version ? "24.0.0" : run.runtime.version,
        flags: run.runtime.flags.filter((flag) => flag === "--jitless" || flag === COMPILED_ALIKE),
      },
    });
    const texts = Object.entries(runs).map(([name, [now, then = THEN]]) => [
      name,
      againstText(against(made(now), made(then), "before")),
    ]);
    goldenCases(test, "testdata/against.md", Object.fromEntries(texts));
  });

  it("has intervals that reach at least 2 % further than what processes show, and as far as the control strayed", () => {
    const now = runOf({ seed: 3 });
    const { controlNs } = now.tables[0]!;
    const [least, ...strayed] = [1, 1 / 1.04, 1.04].map((times) => {
      const run = withTable(now, { controlNs: controlNs! * times });
      const { low, high } = against(run, THEN, "before").rows[0]!.ratio;
      return Math.log(high / low) / 2;
    });
    assert.ok(least! > Math.log(1.02));
    for (const reach of strayed)
      assert.ok(Math.abs(reach - least! - Math.log(1.04 / 1.02)) < 1e-3, `${reach}`);
  });
});
