import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { callsOf, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";

const ROOT = join(import.meta.dirname, "../..");
const COMMAND = "scripts/test/command.ts";

describe("npm test refuses paths that lead to no test, before anything is checked or run", () => {
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals.txt"),
    callsOf(join(ROOT, COMMAND)),
    import.meta.dirname,
  );
});

describe("test:changed on a fresh clone", () => {
  let clone: string;
  before(() => {
    clone = mkdtempSync(join(tmpdir(), "hotpath-clone-"));
    for (const name of ["structures", "suites", "scripts", "package.json", "package-lock.json"])
      cpSync(join(ROOT, name), join(clone, name), { recursive: true });
    // As npm ci leaves it: no test has been run.
    const packages = join(clone, "node_modules");
    mkdirSync(packages);
    for (const name of readdirSync(join(ROOT, "node_modules")).filter((name) => name !== ".cache"))
      symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
  });
  after(() => rmSync(clone, { recursive: true, force: true }));

  const listed = () => {
    // Not as a part of this test's own run, or it would print nothing.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = [COMMAND, "--list"];
    return spawnSync(process.execPath, args, { cwd: clone, env, encoding: "utf8" }).stdout.split("\n");
  };

  it("says first that everything is run, and how to run less", () => {
    const [first, ...others] = listed();
    assert.equal(
      first,
      "no test has passed here yet: every test file is run, which takes minutes; npm test -- PATH runs those below a path alone",
    );
    // Of no file is known how long it takes.
    assert.match(
      others.at(-2)!,
      /^(\d+) of \1 test files to run; 0 passed with all that they read as it is$/,
    );
  });

  it("says so where other packages or another Node passed them", () => {
    const memory = join(clone, "node_modules/.cache/hotpath-lab");
    mkdirSync(memory, { recursive: true });
    writeFileSync(join(memory, "passed.json"), JSON.stringify({ everything: "v20.0.0,arm64,", tests: {} }));
    assert.match(listed()[0]!, /^package-lock\.json or Node is not as it was when tests passed here: every /);
  });
});
