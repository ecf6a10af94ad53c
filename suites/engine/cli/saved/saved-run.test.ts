import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { urlOf } from "../../capture/address.ts";
import { type SyntheticGroup, syntheticGroup } from "../../judge/judge.synthetic.ts";
import { judgeScenario } from "../../judge/judge.ts";
import { withScratch } from "../../measure/machine/scratch.ts";
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
function runOf(truth: Partial<SyntheticGroup> = {}, folder = "/package", emptyNs?: number): SavedRun {
  const file = pathToFileURL(join(folder, "bench", "parse.bench.js")).href;
  const contestants = NAMES.slice(0, Object.keys({ ...TRUTH, ...truth }.costsNs).length).map((name) => ({
    label: name,
    url: urlOf({ file, ending: "pause", key: { groups: ["parse"], name, ordinal: 0 } }),
  }));
  const judged = judgeScenario([syntheticGroup({ ...TRUTH, ...truth })]);
  const near = judged.rows.filter((row) => row.noNumber === undefined && row.median < 3 * (emptyNs ?? 0));
  const raced: Raced = {
    race: { title: "parse", workers: 1, baseline: 0, contestants },
    judged,
    results: [],
    groups: [],
    emptyNs,
    near: new Set(near.map(({ competitor }) => competitor)),
  };
  return savedRun([raced], 7, folder);
}

const THEN = runOf();

/** The verdict on each task. */
function verdictsOn(now: SavedRun, then = THEN): Record<string, string> {
  return Object.fromEntries(
    against(now, then, "before").rows.map(({ label, verdict }) => [label.split("parse / ")[1]!, verdict]),
  );
}

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
      const costsNs = { t0: 4, t1: 150, t2: 200 };
      const run = runOf({ costsNs }, folder, 4);
      const label = "bench/parse.bench.js: parse / destr";
      assert.deepEqual(run.tables[0]!.tasks.map(({ name }) => name).sort(), ["JSON / parse", "devalue"]);
      assert.deepEqual(run.unjudged, [label]);
      assert.match(saveRun(run, "a", folder), new RegExp(`\\nNot judged, so not saved: ${label}\\.$`));
      const { rows, notes, onlyNow, onlyThen } = against(run, THEN, "before");
      assert.equal(rows.length, 2);
      assert.deepEqual([onlyNow, onlyThen], [[], []]);
      assert.equal(notes.at(-1), `Not judged, so not compared: ${label}.`);
      assert.equal(against(THEN, run, "before").notes.at(-1), `Not judged in "before": ${label}.`);
    }));

  it("is replaced by the same name only, which is said, and leaves no other file", () =>
    withScratch("saved", async (folder) => {
      const first = saveRun(THEN, "a", folder);
      assert.equal(first, "Saved as a in .hotpath-race/a.json.");
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
      const text = readFileSync(path, "utf8");
      const table = THEN.tables[0]!;
      for (const [wrong, line] of [
        [text.slice(0, -10), /is no saved run; save the run again with --save a$/],
        ["{}", /is no saved run/],
        [JSON.stringify({ ...THEN, version: 2 }), /has version 2, and this reads 1/],
        [JSON.stringify({ ...THEN, unjudged: [1] }), /is damaged/],
        [JSON.stringify({ ...THEN, tables: {} }), /is damaged/],
        [JSON.stringify({ ...THEN, tables: [null] }), /is damaged/],
        [JSON.stringify({ ...THEN, tables: [{ ...table, floor: "0" }] }), /is damaged/],
        [
          JSON.stringify({ ...THEN, tables: [{ ...table, tasks: [{ ...table.tasks[0], ns: [0] }] }] }),
          /is damaged/,
        ],
      ] as const) {
        writeFileSync(path, wrong);
        assert.throws(() => loadRun("a", folder), line);
      }
    }));
});

describe("a run against a saved one", () => {
  it("calls what takes 15 % more slower, 15 % less faster, and what is equal the same", () => {
    const costsNs = { t0: 100, t1: 150 * 1.15, t2: 200 / 1.15 };
    const { destr, ...others } = verdictsOn(runOf({ costsNs, seed: 2 }));
    assert.deepEqual(others, { "JSON / parse": "slower", devalue: "faster" });
    assert.equal(destr, "same");
  });

  it("has intervals that reach at least 2 % further than what processes show, and as far as the control strayed", () => {
    const now = runOf({ seed: 3 });
    const { controlNs } = now.tables[0]!;
    const reachOf = (run: SavedRun) => {
      const { low, high } = against(run, THEN, "before").rows[0]!.ratio;
      return Math.log(high / low) / 2;
    };
    const strayed = [1, 1 / 1.04, 1.04].map((times) =>
      reachOf(withTable(now, { controlNs: controlNs! * times })),
    );
    assert.ok(strayed[0]! > Math.log(1.02));
    for (const reach of strayed.slice(1))
      assert.ok(Math.abs(reach - strayed[0]! - Math.log(1.04 / 1.02)) < 1e-3, `${reach} ${strayed[0]}`);
  });

  it("takes a run for one process: more processes make no difference certain that one of them could show", () => {
    const noise = { forkNoise: 0.03, forks: 40 };
    const [then, now] = [
      runOf({ ...noise, seed: 8 }),
      runOf({ ...noise, seed: 9, costsNs: { t0: 108, t1: 162, t2: 216 } }),
    ];
    assert.deepEqual(new Set(Object.values(verdictsOn(now, then))), new Set(["cannot tell"]));
  });

  it("does not call a difference below the floors of both runs one", () => {
    const now = runOf({ costsNs: { t0: 100, t1: 150, t2: 220 }, seed: 4 });
    const wide = { floor: 0.04 };
    assert.equal(verdictsOn(now).devalue, "slower");
    assert.equal(verdictsOn(withTable(now, wide), withTable(THEN, wide)).devalue, "cannot tell");
  });

  it("has no verdict where the machine differs, and says in what", () => {
    const now = runOf({ costsNs: { t0: 200, t1: 300, t2: 400 } });
    const { controlNs } = now.tables[0]!;
    const different: [SavedRun, RegExp][] = [
      [{ ...now, machine: { ...now.machine, cpu: "Other CPU" } }, /the processor is Other CPU, and was /],
      [
        { ...now, runtime: { ...now.runtime, version: "0.10.0" } },
        /the runtime is Node\.js 0\.10\.0, and was /,
      ],
      [{ ...now, runtime: { ...now.runtime, flags: ["--jitless"] } }, /flags is --jitless, and was /],
      [withTable(now, { controlNs: controlNs! * 1.06 }), /the control takes 106\.0 % of what it took/],
      [withTable(now, { state: "quiet" }), /most slices are of the state "quiet", and were of "any"/],
    ];
    for (const [other, line] of different) {
      const { rows, notes } = against(other, THEN, "before");
      assert.deepEqual(new Set(rows.map(({ verdict }) => verdict)), new Set(["the machine differs"]));
      assert.match(notes.join("\n"), line);
    }
    assert.equal(verdictsOn(now).destr, "slower");
  });

  it("has no verdict without a floor or a control", () => {
    const now = runOf({ costsNs: { t0: 200, t1: 300, t2: 400 } });
    assert.deepEqual(
      new Set(Object.values(verdictsOn(withTable(now, { floor: null })))),
      new Set(["no power"]),
    );
    const uncontrolled = Object.values(verdictsOn(withTable(now, { controlNs: null })));
    assert.deepEqual(new Set(uncontrolled), new Set(["cannot tell"]));
  });

  it("says that it is not paired, and lists tasks that only one of the two has", () => {
    const fewer = runOf({ costsNs: { t0: 100, t1: 150 } });
    const { rows, notes, onlyThen } = against(fewer, { ...THEN, at: "2026-11-26T10:11:12.000Z" }, "before");
    assert.equal(rows.length, 2);
    assert.deepEqual(onlyThen, ["bench/parse.bench.js: parse / devalue"]);
    assert.match(notes[0]!, /^Not paired: "before" ran on 2026-11-26 10:11 UTC/);
    assert.equal(notes.at(-1), 'Only in "before": bench/parse.bench.js: parse / devalue.');
    assert.deepEqual(against(THEN, fewer, "before").onlyNow, onlyThen);
    const lines = againstText(against(fewer, THEN, "before")).split("\n");
    assert.match(lines[0]!, /^task +now \/ then +interval +verdict$/);
    assert.match(lines[1]!, /^bench\/parse\.bench\.js: parse \/ destr +1 +0\.9\d+ to 1\.0\d+ +same$/);
    assert.match(lines[4]!, /^Not paired: /);
    const none = againstText(against(withTable(fewer, { tasks: [] }), THEN, "before"));
    assert.doesNotMatch(none, /^task/m);
    const floors = [withTable(fewer, { floor: 0.0123 }), withTable(THEN, { floor: null })] as const;
    assert.equal(against(...floors, "before").notes[1], "The noise floor is 1.2 %, and was not measured.");
  });
});
