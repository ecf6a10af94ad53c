import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { golden } from "../../suites/engine/golden.trials.ts";
import { withScratch } from "../../suites/engine/measure/machine/scratch.ts";
import { type Budgets, type CodeFile, lowerBudgets, overBudget } from "./budgets.ts";
import { foreignWords, namedTwice } from "./names.ts";

const files = (folder: string, count: number, text = "1;\n"): CodeFile[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${folder}/file-${index}.ts`, text }));

const BUDGETS: Budgets = {
  files: {
    "structures/pick": { most: 17, why: "roles" },
    "structures/shared": { most: 20, why: "leaves" },
  },
  lines: {
    "structures/pick": { source: 10, tests: 0 },
    "structures/shared": { source: 100, tests: 0 },
    "suites/lab/pages": { source: 100, tests: 2 },
  },
};

/** Two rooms with more files than they may have, one with fewer than its exception says, and one that is new. */
const HEAVY: readonly CodeFile[] = [
  ...files("structures/pick", 18),
  ...files("structures/pick/competitors", 40),
  ...files("structures/shared", 19),
  ...files("suites/lab/pages", 16),
  { name: "suites/lab/pages/pages.test.ts", text: "1;\n2;\n3;\n" },
  ...files("suites/lab/new", 1),
];

it("a room that is too heavy has a line that says what to do", (test) => {
  golden(test, "testdata/budgets.txt", `${overBudget(HEAVY, BUDGETS).join("\n")}\n`);
});

it("budgets are lowered to what is there, in steps, and none is raised", () =>
  withScratch("budgets", async (root) => {
    const path = join(root, "scripts/tidy/budgets.json");
    mkdirSync(join(root, "scripts/tidy"), { recursive: true });
    writeFileSync(path, JSON.stringify(BUDGETS));
    lowerBudgets(root, HEAVY);
    assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), {
      files: {
        "structures/pick": { most: 17, why: "roles" },
        "structures/shared": { most: 19, why: "leaves" },
      },
      lines: {
        "structures/pick": { source: 10, tests: 0 },
        "structures/shared": { source: 50, tests: 0 },
        "suites/lab/new": { source: 50, tests: 0 },
        "suites/lab/pages": { source: 50, tests: 2 },
      },
    });
  }));

it("a package exports a type's name once", () => {
  const exported = (name: string, text = "export interface Seen {}\n") => ({ name, text });
  assert.deepEqual(
    namedTwice([
      exported("suites/engine/judge/samples.ts"),
      exported("suites/engine/race.ts", "export type Seen = number;\n"),
      exported("suites/engine/race.test.ts"),
      exported("suites/lab/pages/seen.ts"),
    ]),
    ["suites/engine/race.ts: exports a type Seen, as suites/engine/judge/samples.ts does: rename one"],
  );
});

it("the instrument names no primitive, no folder and no script of this repository", () => {
  const said = (text: string) =>
    foreignWords(
      [
        { name: "structures/pick/pick.contract.ts", text: "" },
        { name: "suites/engine/race.ts", text },
        { name: "suites/engine/race.test.ts", text },
        { name: "suites/lab/lab.ts", text },
      ],
      ["bench", "build"],
    ).map((line) => /know (.*):/.exec(line)?.[1]);
  assert.deepEqual(said("// pick/uniform-8\n// see results/pick\n// npm run bench -- x"), [
    "pick/u",
    "results/p",
    "npm run bench",
  ]);
  assert.deepEqual(said('import "../pick/x.ts";\n// npm run build, node:pick/promises, a pick'), []);
});
