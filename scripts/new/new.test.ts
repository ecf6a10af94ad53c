import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { contractOf, primitives } from "../../structures/catalog.ts";
import { competitorFile } from "./competitor.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What the command reads and writes, and what checks it. */
const COPIED = ["structures", "suites", "scripts", "package.json", "tsconfig.json", "tsconfig.build.json"];

/** A copy of the repository, without its results. */
let copy: string;

before(() => {
  copy = mkdtempSync(join(tmpdir(), "hotpath-new-"));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  cpSync(join(ROOT, "results", "reviews"), join(copy, "results", "reviews"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
});

after(() => rmSync(copy, { recursive: true, force: true }));

/** Runs a module of the copy with these arguments. */
function run(...args: readonly string[]) {
  // Not as a part of this test's own run, or it would print nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawnSync(process.execPath, args, { cwd: copy, env, encoding: "utf8" });
}

const COMMAND = "scripts/new/command.ts";

function pathsIn(folder: string): string[] {
  return readdirSync(join(copy, folder), { recursive: true, encoding: "utf8" }).sort();
}

describe("new", () => {
  it("lays out a primitive that passes its test, is tidy, is exported, and races", () => {
    const made = run(COMMAND, "primitive", "try-me");
    assert.deepEqual([made.stdout, made.status], ["", 0], made.stderr);
    assert.match(made.stderr, /^wrote structures\/try-me\/try-me\.contract\.ts\n/);

    const tested = run("--test", "--test-reporter=tap", "structures/try-me/try-me.test.ts");
    assert.equal(tested.status, 0, tested.stdout);
    assert.match(tested.stdout, /ok \d+ - plain-counter\n[\s\S]*ok \d+ - skips-one\n/);
    const tidied = run("scripts/tidy/command.ts");
    assert.deepEqual([tidied.stderr, tidied.status], ["", 0]);
    assert.equal(run("structures/try-me/try-me.example.ts").stdout, "0 1 2\n");
    assert.match(
      readFileSync(join(copy, "structures/README.md"), "utf8"),
      /try-me\/competitors\/plain-counter\.ts/,
    );
    const listed = run("scripts/bench.ts", "try-me", "--list");
    assert.match(listed.stdout, /^try-me\/alone\/plain-counter\/1w .*\n/);
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
    assert.equal(run("scripts/tidy/command.ts").status, 0);
    assert.match(readFileSync(join(copy, "structures/README.md"), "utf8"), /draws\/competitors\/my-idea\.ts/);
  });

  for (const [words, problem] of [
    [[], "say what is new: "],
    [["competitor", "pick"], "say what is new: "],
    [["competitr"], "new competitr is unknown; there are, nearest first: competitor, primitive"],
    [["primitive", "pick"], "structures/pick exists: "],
    [["primitive", "engine"], "suites/engine exists: "],
    [["primitive", "Fast"], "Fast is no name here: "],
    [["primitive", "../fast"], "../fast is no name here: "],
    [["competitor", "pikc", "fast"], "pikc is no primitive; there are, nearest first: pick, "],
    [["competitor", "pick", "cas-ring"], "structures/pick/competitors/cas-ring.ts exists: "],
    [["competitor", "pick", "cas_ring"], "cas_ring is no name here: "],
  ] as const) {
    it(`refuses in a line, and writes nothing: ${words.join(" ") || "nothing"}`, () => {
      const before = [...pathsIn("structures"), ...pathsIn("suites")];
      const { stdout, stderr, status } = run(COMMAND, ...words);
      assert.deepEqual([stdout, status], ["", 2]);
      assert.ok(stderr.startsWith(problem), stderr);
      assert.equal(stderr.trimEnd().split("\n").length, 1);
      assert.deepEqual([...pathsIn("structures"), ...pathsIn("suites")], before);
    });
  }
});

describe("a new competitor says that it is a copy, and what it copies is found in every oracle", () => {
  for (const primitive of primitives()) {
    it(primitive, async () => {
      const { oracle } = await contractOf(primitive);
      const [text] = [...competitorFile({ root: ROOT, primitive, oracle, name: "my-idea" }).values()];
      assert.match(
        text!,
        new RegExp(`^/\\*\\*\n \\* A copy of ${oracle}, to be changed: .*\n \\*\n \\* Promise:`, "m"),
      );
      assert.match(text!, /^ \* Bet: the hypothesis that this file is there to test\.\n \* Source:/m);
      assert.match(text!, new RegExp(`^ {2}summary: "a copy of ${oracle}, to be changed",\n`, "m"));
      assert.doesNotMatch(text!, /variantOf/);
    });
  }
});
