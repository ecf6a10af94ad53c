import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, beforeEach, describe, it } from "node:test";
import { BY_NIGHT, type Choice, choose, type Passed, stateOf, testFiles, testsOf } from "./choice.ts";
import { Sources } from "./reads.ts";

const root = mkdtempSync(join(tmpdir(), "hotpath-changed-"));
after(() => rmSync(root, { recursive: true }));

/** A lab of two primitives, with an engine and the tests of a command. */
const LAB = {
  "package.json": '{ "name": "lab", "workspaces": ["packages/tables"] }',
  "packages/tables/package.json": '{ "name": "tables" }',
  "packages/tables/src/index.ts": "export const tables = 1;",
  "README.md": "# Lab",
  "structures/catalog.ts": "export const HERE = 1;",
  "structures/shared/words.ts": "export const words = 1;",
  "structures/pick/pick.contract.ts": 'export const contract = { oracle: "locked" };',
  "structures/pick/pick.examination.ts":
    'import { a } from "../catalog.ts";\nnew URL("./pick.worker.ts", import.meta.url);',
  "structures/pick/pick.worker.ts": "",
  "structures/pick/pick.test.ts": 'import "./pick.examination.ts";\nimport "./competitors/ring.ts";',
  "structures/pick/parts/ring.ts": 'import "../../shared/words.ts";',
  "structures/pick/competitors/locked.ts": "",
  "structures/pick/competitors/ring.ts": 'import "../parts/ring.ts";',
  "structures/pick/competitors/ring-padded.ts": 'import ring from "./ring.ts";',
  "structures/pick/pick.mutants.ts":
    'const TABLE = {\n  ...writtenIn(new URL("testdata/mutants.txt")),\n  loses: like("locked", "isKept", {}),\n};',
  "structures/pick/testdata/mutants.txt": "## loses-too\nbreaks: isKept\nof: ring-padded\n-one\n",
  "structures/locks/locks.contract.ts": "",
  "structures/locks/locks.test.ts": 'import "../catalog.ts";',
  "structures/locks/competitors/ticket.ts": "",
  "structures/timers/timers.contract.ts": "",
  "structures/timers/competitors/wheel.ts": "",
  "structures/pick/pick.instance.ts": `new URL(\`parts/background.worker\${extname(here)}\`, here);`,
  "structures/pick/parts/background.worker.ts": "",
  "structures/pick/parts/observed.ts": 'import "../competitors/ring.ts";',
  "structures/pick/parts/door.ts": 'import "../competitors/ring.ts";',
  "suites/pick/suite.ts": 'import type { Words } from "../../structures/shared/words.ts";',
  "suites/pick/scenarios/uniform.ts":
    'import "../../shared/copies.ts";\nimport "../../../structures/pick/pick.instance.ts";',
  "suites/locks/scenarios/picking.ts": 'import ring from "../../../structures/pick/competitors/ring.ts";',
  "suites/timers/scenarios/picking.ts": 'import "../../../structures/pick/parts/door.ts";',
  "suites/shared/copies.ts": 'new URL("../../structures/", import.meta.url);',
  "suites/lab/suites.ts": 'import "../../structures/catalog.ts";',
  "suites/lab/instrument/smoke.test.ts":
    'import "../suites.ts";\nfor (const p of primitives()) competitorsOf(p);\nprocess.env.HOTPATH_COMPETITORS;',
  "suites/engine/judge/verdict.ts": '/** Not "../../pick/suite.ts". */\nimport { tables } from "tables";',
  "suites/engine/judge/verdict.test.ts": 'import "./verdict.ts";',
  "scripts/bench.ts":
    'import "../suites/lab/suites.ts";\nimport "../suites/engine/judge/verdict.ts";\nwrite("README.md");',
  "scripts/bench.test.ts": 'new URL("bench.ts", import.meta.url);\ncall("pick/uniform-8/ring");',
  "scripts/readme.test.ts": 'join(ROOT, "README.md");',
} as const;

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** What is to run after a change of a lab in which everything has passed. */
function chosenAfter(change: () => void): Record<string, Choice> {
  const before = new Sources(root);
  const passed = new Map<string, Passed>(testFiles(before).map((test) => [test, stateOf(before, test)]));
  change();
  const sources = new Sources(root);
  const choices = testFiles(sources).map(
    (test) => [test, choose(sources, test, passed.get(test), stateOf(sources, test))] as const,
  );
  return Object.fromEntries(choices.filter(([, { kind }]) => kind !== "none"));
}
const edited = (...paths: string[]) =>
  chosenAfter(() => write(Object.fromEntries(paths.map((path) => [path, "// other\n"]))));
const kindsOf = (choices: Record<string, Choice>) =>
  Object.fromEntries(Object.entries(choices).map(([test, { kind }]) => [test, kind]));

describe("test:changed runs", () => {
  beforeEach(() => {
    rmSync(root, { recursive: true });
    write(LAB);
  });

  it("nothing where nothing has changed, or only what no test reads", () => {
    assert.deepEqual(
      chosenAfter(() => {}),
      {},
    );
    assert.deepEqual(
      chosenAfter(() => write({ "notes.md": "new" })),
      {},
    );
  });

  it("of a changed competitor its own tests and races, and of competitors made of it", () => {
    const ring = "structures/pick/competitors/ring.ts";
    const choices = chosenAfter(() => write({ [ring]: `${LAB[ring]}\n// other\n` }));
    assert.deepEqual(kindsOf(choices), {
      "scripts/bench.test.ts": "whole",
      "structures/pick/pick.test.ts": "part",
      "suites/lab/instrument/smoke.test.ts": "part",
    });
    const part = choices["structures/pick/pick.test.ts"];
    assert.ok(part?.kind === "part");
    assert.deepEqual([...part.changed].sort(), ["pick/loses-too", "pick/ring", "pick/ring-padded"]);
    assert.deepEqual([...part.unchanged].sort(), ["pick/locked", "pick/loses"]);
  });

  it("of one that a scenario of another primitive imports the races of that primitive, too", () => {
    const part = edited("structures/pick/competitors/ring.ts")["suites/lab/instrument/smoke.test.ts"];
    assert.ok(part?.kind === "part");
    assert.deepEqual([...part.changed].sort(), [
      "locks/ticket",
      "pick/ring",
      "pick/ring-padded",
      "timers/wheel",
    ]);
  });

  it("no other test that only loads a competitor and does not name it", () => {
    assert.deepEqual(kindsOf(edited("structures/locks/competitors/ticket.ts")), {
      "structures/locks/locks.test.ts": "part",
      "suites/lab/instrument/smoke.test.ts": "part",
    });
  });

  it("everything that is held against an oracle which has changed", () => {
    const choices = edited("structures/pick/competitors/locked.ts");
    assert.equal(choices["structures/pick/pick.test.ts"]?.kind, "whole");
  });

  it("all that depends on which competitors there are, where one is added or removed", () => {
    const tests = [
      "scripts/bench.test.ts",
      "structures/pick/pick.test.ts",
      "suites/lab/instrument/smoke.test.ts",
    ];
    const added = chosenAfter(() => write({ "structures/pick/competitors/new.ts": "" }));
    assert.deepEqual(Object.keys(added), tests);
    const removed = chosenAfter(() => rmSync(join(root, "structures/pick/competitors/new.ts")));
    assert.deepEqual(Object.keys(removed), tests);
  });

  it("what reads a changed file by import, by a URL, from another process or by a package's name", () => {
    const whole = (path: string) => Object.keys(edited(path));
    assert.deepEqual(whole("structures/pick/pick.worker.ts"), ["structures/pick/pick.test.ts"]);
    assert.deepEqual(whole("suites/engine/judge/verdict.ts"), [
      "scripts/bench.test.ts",
      "suites/engine/judge/verdict.test.ts",
    ]);
    write(LAB);
    assert.deepEqual(whole("packages/tables/src/index.ts"), [
      "scripts/bench.test.ts",
      "suites/engine/judge/verdict.test.ts",
    ]);
    const ofSuites = ["scripts/bench.test.ts", "suites/lab/instrument/smoke.test.ts"];
    assert.deepEqual(whole("suites/pick/suite.ts"), ofSuites);
    assert.deepEqual(whole("suites/pick/scenarios/uniform.ts"), ofSuites);
    write(LAB);
    assert.deepEqual(whole("structures/pick/parts/background.worker.ts"), ofSuites);
    assert.deepEqual(whole("structures/pick/parts/observed.ts"), []);
  });

  it("for a page only the tests that read it, not those of code that writes it", () => {
    assert.deepEqual(Object.keys(edited("README.md")), ["scripts/readme.test.ts"]);
  });

  it("a test that has changed, and one that has never passed", () => {
    assert.deepEqual(Object.keys(edited("scripts/readme.test.ts")), ["scripts/readme.test.ts"]);
    const added = chosenAfter(() => write({ "scripts/new.test.ts": "" }));
    assert.deepEqual(added, {
      "scripts/new.test.ts": { kind: "whole", because: "it has not passed here" },
    });
  });
});

it("a test of one competitor is distinguished from the others by its name", () => {
  const others = testsOf(["pick/cas-ring", "pick/ticket"]);
  for (const name of ["cas-ring", "timers: cas-ring", "timers.callbacks: ticket", "ticket keeps it"])
    assert.match(name, others);
  for (const name of ["cas-ring-scattered", "pick: every law has a mutant", "ticketing", "wasm-cas-ring"])
    assert.doesNotMatch(name, others);
});

it("what runs by night is there", () => {
  for (const name of BY_NIGHT)
    assert.ok(existsSync(join(import.meta.dirname, "../..", `${name}.test.ts`)), name);
});
