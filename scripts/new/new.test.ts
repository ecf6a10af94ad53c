import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { contractOf, examinationOf, loadCompetitor, primitives } from "../../structures/catalog.ts";
import type { DispatchCompetitor } from "../../structures/dispatch/dispatch.contract.ts";
import { importCompetitor } from "../../suites/engine/measure/load/load.ts";
import { allocateWith, separate } from "../../suites/engine/words/layout.ts";
import { callsOf, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { LAB, loadSuites } from "../../suites/lab/suites.ts";
import { candidateText } from "./candidate.ts";
import { competitorFile } from "./competitor.ts";
import { scenarioFile } from "./scenario.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What the command reads and writes, what it builds the package of, and what checks it. */
const BUILT = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "CHANGELOG.md",
  "LICENSE",
  "SECURITY.md",
];
const COPIED = ["structures", "suites", "scripts", "examples", ...BUILT];

/** A copy of the repository, without its results; and a folder for what lies outside of it. */
const copy = mkdtempSync(join(tmpdir(), "hotpath-new-"));
const elsewhere = mkdtempSync(join(tmpdir(), "hotpath-candidates-"));
for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
cpSync(join(ROOT, "results", "reviews"), join(copy, "results", "reviews"), { recursive: true });
for (const folder of [copy, elsewhere]) symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
after(() => {
  for (const folder of [copy, elsewhere]) rmSync(folder, { recursive: true, force: true });
});

/** Runs a module of the copy with these arguments. */
function run(...args: readonly string[]) {
  // Not as a part of this test's own run, or it would print nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const compiledOnce = { NODE_COMPILE_CACHE: join(copy, ".compiled") };
  return spawnSync(process.execPath, args, { cwd: copy, env: { ...env, ...compiledOnce }, encoding: "utf8" });
}

const COMMAND = "scripts/new/command.ts";

/** Of structures and suites in the copy. */
const allPaths = () =>
  ["structures/", "suites/"].flatMap((folder) =>
    readdirSync(join(copy, folder), { recursive: true }).map((path) => folder + path),
  );
const before = allPaths();

describe("new refuses what it cannot make, in a line, and writes nothing", () => {
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals.txt"),
    callsOf(join(copy, COMMAND), { cwd: copy }),
    copy,
  );

  it("and all is as before", () => {
    assert.deepEqual(allPaths(), before);
  });
});

describe("new", () => {
  it("lays out a primitive that passes its test, is exported, and races", () => {
    const made = run(COMMAND, "primitive", "try-me");
    assert.deepEqual([made.stdout, made.status], ["", 0], made.stderr);
    assert.match(made.stderr, /^(wrote| +) structures\/try-me\/try-me\.contract\.ts$/m);

    const tested = run("--test", "--test-reporter=tap", "structures/try-me/try-me.test.ts");
    assert.equal(tested.status, 0, tested.stdout);
    assert.match(
      tested.stdout,
      /ok \d+ - plain-counter\n[\s\S]*ok \d+ - typed-array-counter\n[\s\S]*ok \d+ - skips-one\n/,
    );
    assert.equal(run("structures/try-me/try-me.example.ts").stdout, "0 1 2\n");
    assert.match(
      readFileSync(join(copy, "structures/README.md"), "utf8"),
      /try-me\/competitors\/plain-counter\.ts/,
    );
    const listed = run("scripts/bench.ts", "try-me", "--list");
    assert.match(
      listed.stdout,
      /^try-me\/alone\/plain-counter\/1w .*\n(.*\n)?try-me\/alone\/typed-array-counter\/1w /,
    );
  });

  it("lays out a scenario, whose cells are raced, of any primitive", async () => {
    const made = run(COMMAND, "scenario", "pick", "my-own");
    assert.deepEqual([made.stdout, made.status], ["", 0], made.stderr);
    assert.equal(made.stderr, "wrote suites/pick/scenarios/my-own.ts\n");
    for (const loaded of await loadSuites()) {
      if (loaded.suite.primitive === "pick") continue;
      for (const [path, text] of await scenarioFile(loaded, "my-own")) writeFileSync(join(copy, path), text);
    }
    const cells = primitives().map((primitive) => `${primitive}/my-own`);
    const listed = run("scripts/bench.ts", "--list", ...cells);
    assert.equal(listed.status, 0, listed.stderr);
    for (const cell of cells) assert.match(listed.stdout, new RegExp(`^${cell}/`, "m"));
  });

  it("lays out a candidate that keeps its primitive's laws wherever it is moved", async () => {
    const made = run(COMMAND, "candidate", join(elsewhere, "first", "my-idea.ts"));
    assert.deepEqual([made.stdout, made.status], ["", 0], made.stderr);
    const moved = join(elsewhere, "my-idea.mts");
    renameSync(join(elsewhere, "first", "my-idea.ts"), moved);
    const { examine } = await examinationOf("pick");
    assert.deepEqual(await examine(pathToFileURL(moved).href), []);
  });

  it("lays out a competitor that keeps its primitive's laws and stands on the shelf", () => {
    const made = run(COMMAND, "competitor", "draws", "my-idea");
    assert.deepEqual([made.stdout, made.status], ["", 0], made.stderr);
    const tested = run(
      "--test",
      "--test-name-pattern=my-idea",
      "--test-reporter=tap",
      "structures/draws/draws.test.ts",
    );
    assert.equal(tested.status, 0, tested.stdout);
    assert.match(tested.stdout, /ok \d+ - my-idea\n/);
    assert.match(readFileSync(join(copy, "structures/README.md"), "utf8"), /draws\/competitors\/my-idea\.ts/);
  });

  it("lays out what is tidy and compiles, all of it", () => {
    const tidied = run("scripts/tidy/command.ts");
    assert.deepEqual([tidied.stderr, tidied.status], ["", 0]);
    const include = ["structures/shared/*.d.ts", ...allPaths().filter((path) => !before.includes(path))];
    writeFileSync(join(copy, "tsconfig.made.json"), JSON.stringify({ extends: "./tsconfig.json", include }));
    const compiled = run("node_modules/.bin/tsc", "--noEmit", "-p", "tsconfig.made.json");
    assert.deepEqual([compiled.stdout, compiled.status], ["", 0]);
  });
});

describe("a candidate imports nothing of the lab, and fits its contract", () => {
  for (const primitive of primitives()) {
    it(primitive, async () => {
      const contract = await contractOf(primitive);
      const text = await candidateText({ root: ROOT, primitive, oracle: contract.oracle });
      // What a primitive's contract is made of, a candidate's owner has: undici, for dispatchers.
      assert.doesNotMatch(text, /^import .* from "(?!node:|undici")|import\(/m);
      assert.match(
        text,
        new RegExp(`\\* A copy of ${contract.oracle}, to be changed: .*\n \\*\n \\* Promise:`),
      );
      const path = join(elsewhere, `my-${primitive}.js`);
      writeFileSync(path, text);
      await loadCompetitor(pathToFileURL(path).href, contract);
    });
  }

  it("and what it allocates it takes from where the lab takes it", async () => {
    const own = pathToFileURL(join(elsewhere, "my-dispatch.js")).href;
    const competitor = (await importCompetitor(own, LAB)) as DispatchCompetitor;
    const lengths: number[] = [];
    allocateWith({
      ...separate,
      bytes(length) {
        lengths.push(length);
        return separate.bytes(length);
      },
    });
    try {
      competitor.create(1, 60, 0);
      assert.equal(lengths.length, 1);
    } finally {
      allocateWith(undefined);
    }
  });
});

describe("a new competitor says that it is a copy, and what it copies is found in every oracle", () => {
  for (const primitive of primitives()) {
    it(primitive, async () => {
      const { oracle } = await contractOf(primitive);
      const [text] = [...competitorFile({ root: ROOT, primitive, oracle, name: "my-idea" }).values()];
      for (const part of [
        `/\\*\\*\n \\* A copy of ${oracle}, to be changed: .*\n \\*\n \\* Promise:`,
        " \\* Bet: the hypothesis that this file is there to test\\.\n \\* Source:",
        ` {2}summary: "a copy of ${oracle}, to be changed",\n`,
      ])
        assert.match(text!, new RegExp(`^${part}`, "m"));
      assert.doesNotMatch(text!, /variantOf/);
    });
  }
});
