import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { itRefuses, type Refusals } from "../../suites/lab/command/command.trials.ts";
import { problemsIn } from "./rules.ts";

/** A repository in which nothing is out of order, small enough to be made anew for each rule. */
const ORDERLY: Readonly<Record<string, string>> = {
  "structures/pick/pick.contract.ts": "export const contract = {};\n",
  "structures/pick/pick.test.ts": 'import "./pick.contract.ts";\n',
  "structures/pick/competitors/random.ts": header(
    "Promise: every backend.",
    "Progress: wait-free.",
    "Threads: one.",
    "Cost: one draw.",
    "Memory: none.",
    "Limits: none.",
    "Bet: none.",
    "Source: textbook.",
  ),
  "suites/pick/suite.ts": `import "../../structures/pick/pick.contract.ts";
${header("Question: which?", "Workload: picks.", "Not measured: all else.", "How to run: npm run bench.")}`,
  "suites/engine/suite.ts": "export {};\n",
  "suites/engine/racing.ts": 'import "./judge/judge.ts";\n',
  "suites/engine/schema/record.ts": "export {};\n",
  "suites/engine/measure/plan/plan.ts": 'import "../../schema/record.ts";\nimport "../../suite.ts";\n',
  "suites/engine/measure/run/run.ts": 'import "../plan/plan.ts";\n',
  "suites/engine/judge/judge.ts": 'import "../measure/plan/plan.ts";\n',
  "suites/engine/judge/judge.test.ts": 'import "../table/progress.ts";\n',
  "suites/engine/table/progress.ts": 'import { judge } from "../judge/judge.ts";\n',
  "suites/lab/tables/races.ts": 'import { judge } from "../../engine/judge/judge.ts";\n',
  "suites/lab/pages/pages.ts": 'import "../tables/races.ts";\n',
  "suites/lab/store/results.ts": 'import("../pages/pages.ts");\n',
  "suites/pick/faults.test.ts": 'import "../lab/store/results.ts";\n',
  "scripts/bench.ts": 'import "../suites/engine/racing.ts";\n',
  "scripts/compare/command.ts": 'import "./plan.ts";\n',
  "scripts/compare/plan.ts": "export {};\n",
};

function header(...lines: readonly string[]): string {
  return `/**\n${lines.map((line) => ` * ${line}\n`).join("")} */\nexport default {};\n`;
}

/** What is out of order in the orderly repository with these files in it. */
function problemsWith(planted: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), "hotpath-tidy-"));
  try {
    for (const [path, text] of Object.entries({ ...ORDERLY, ...planted })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return problemsIn(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

it("a repository in order has no findings", () => {
  assert.deepEqual(problemsWith({}), []);
});

describe("one line for each thing out of order", () => {
  for (const [rule, path, text, problem] of [
    [
      "structures import no suite",
      "structures/pick/pick.laws.ts",
      'import "../../suites/engine/suite.ts";',
      "structures must not import suites/engine/suite.ts",
    ],
    [
      "the schema does not import what judges",
      "suites/engine/schema/record.ts",
      'import "../judge/judge.ts";',
      "schema must not import suites/engine/judge/judge.ts: data goes one way",
    ],
    [
      "what judges does not import what prints",
      "suites/engine/judge/verdict.ts",
      'import type { Progress } from "../table/progress.ts";',
      "judge must not import suites/engine/table/progress.ts: data goes one way",
    ],
    [
      "a table does not import the pages that show it",
      "suites/lab/tables/brief.ts",
      'import type { Page } from "../pages/pages.ts";',
      "lab/tables must not import suites/lab/pages/pages.ts: data goes one way",
    ],
    [
      "what measures does not import what judges, not even late",
      "suites/engine/measure/run/run.ts",
      'const judged = await import("../../judge/judge.ts");',
      "measure/run must not import suites/engine/judge/judge.ts: data goes one way",
    ],
    [
      "the instrument imports no structure, not even in a test",
      "suites/engine/measure/run/run.test.ts",
      'import "../../../../structures/pick/pick.contract.ts";',
      "suites/engine must not import structures/pick/pick.contract.ts",
    ],
    [
      "the instrument does not import what uses it",
      "suites/engine/racing.ts",
      'import "../lab/store/results.ts";',
      "suites/engine must not import suites/lab/store/results.ts",
    ],
    [
      "a suite does not import the lab",
      "suites/pick/scenarios/uniform-8.ts",
      'import "../../lab/store/results.ts";',
      "suites must not import suites/lab/store/results.ts",
    ],
    [
      "a plan does not import what carries it out, not even its types",
      "suites/engine/measure/plan/failures.ts",
      'import type { Run } from "../run/run.ts";',
      "measure/plan must not import suites/engine/measure/run/run.ts: data goes one way",
    ],
    [
      "a layer does not import what joins the layers",
      "suites/engine/table/stream.ts",
      'export { race } from "../racing.ts";',
      "table must not import suites/engine/racing.ts: data goes one way",
    ],
    [
      "a leaf imports no layer",
      "suites/engine/statistics.ts",
      'import "./schema/record.ts";',
      "a leaf of the engine must not import suites/engine/schema/record.ts: data goes one way",
    ],
    [
      "a suite does not import what carries it out",
      "suites/pick/scenarios/uniform-8.ts",
      'import "../../engine/measure/plan/plan.ts";',
      "a suite must not import suites/engine/measure/plan/plan.ts: it describes, the engine carries it out",
    ],
    [
      "nothing imports a test",
      "structures/pick/pick.model.ts",
      'import "./pick.test.ts";',
      "nothing imports a test, this imports structures/pick/pick.test.ts",
    ],
    [
      "nothing imports another command",
      "scripts/nightly.ts",
      'import "./compare/plan.ts";',
      "nothing imports a script, this imports scripts/compare/plan.ts",
    ],
    [
      "a name says what is in the file",
      "suites/pick/pick-utils.ts",
      "export {};",
      "its name says nothing about what is in it",
    ],
    [
      "a competitor's header says what it bets on",
      "structures/pick/competitors/random.ts",
      ORDERLY["structures/pick/competitors/random.ts"]!.replace(" * Bet: none.\n", ""),
      'its header has no line "Bet:"',
    ],
    [
      "a suite's header says what it does not measure",
      "suites/pick/suite.ts",
      ORDERLY["suites/pick/suite.ts"]!.replace(" * Not measured: all else.\n", ""),
      'its header has no line "Not measured:"',
    ],
  ] as const) {
    it(rule, () => {
      assert.deepEqual(problemsWith({ [path]: text }), [`${path}: ${problem}`]);
    });
  }

  it("suites import no script, which is wrong twice", () => {
    const own = "suites/pick/serving.ts";
    assert.deepEqual(problemsWith({ [own]: 'import "../../scripts/bench.ts";' }), [
      `${own}: suites must not import scripts/bench.ts`,
      `${own}: nothing imports a script, this imports scripts/bench.ts`,
    ]);
  });
});

describe("tidy", () => {
  const call = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, "command.ts"), ...args], { encoding: "utf8" });
  const refusals: Refusals = [
    [["structures"], /^tidy takes no words: remove structures$/m],
    [["--fix"], /^Unknown option '--fix': npm run tidy -- --help lists all$/m],
  ];
  itRefuses(refusals, (args) => call(...args));
});
