import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { golden } from "../../suites/engine/golden.trials.ts";
import { itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
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
  "suites/engine/race.ts": "export {};\n",
  "suites/engine/racing.ts": 'import "./judge/judge.ts";\n',
  "suites/engine/schema/record.ts": "export {};\n",
  "suites/engine/measure/plan/plan.ts": 'import "../../schema/record.ts";\nimport "../../race.ts";\n',
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

/** What may not be, each as one file with a text. */
const DISORDERLY: Readonly<Record<string, readonly [path: string, text: string]>> = {
  "structures import no suite": ["structures/pick/pick.laws.ts", 'import "../../suites/engine/race.ts";'],
  "the schema does not import what judges": ["suites/engine/schema/record.ts", 'import "../judge/judge.ts";'],
  "what judges does not import what prints": [
    "suites/engine/judge/verdict.ts",
    'import type { Progress } from "../table/progress.ts";',
  ],
  "a table does not import the pages that show it": [
    "suites/lab/tables/brief.ts",
    'import type { Page } from "../pages/pages.ts";',
  ],
  "what measures does not import what judges, not even late": [
    "suites/engine/measure/run/run.ts",
    'const judged = await import("../../judge/judge.ts");',
  ],
  "the instrument imports no structure, not even in a test": [
    "suites/engine/measure/run/run.test.ts",
    'import "../../../../structures/pick/pick.contract.ts";',
  ],
  "the instrument does not import what uses it": [
    "suites/engine/racing.ts",
    'import "../lab/store/results.ts";',
  ],
  "a suite does not import the lab": [
    "suites/pick/scenarios/uniform-8.ts",
    'import "../../lab/store/results.ts";',
  ],
  "a plan does not import what carries it out, not even its types": [
    "suites/engine/measure/plan/failures.ts",
    'import type { Run } from "../run/run.ts";',
  ],
  "a layer does not import what joins the layers": [
    "suites/engine/table/stream.ts",
    'export { race } from "../racing.ts";',
  ],
  "a leaf imports no layer": ["suites/engine/statistics.ts", 'import "./schema/record.ts";'],
  "a suite does not import what carries it out": [
    "suites/pick/scenarios/uniform-8.ts",
    'import "../../engine/measure/plan/plan.ts";',
  ],
  "nothing imports a test": ["structures/pick/pick.model.ts", 'import "./pick.test.ts";'],
  "nothing imports another command": ["scripts/nightly.ts", 'import "./compare/plan.ts";'],
  "a name says what is in the file": ["suites/pick/pick-utils.ts", "export {};"],
  "a competitor's header says what it bets on": [
    "structures/pick/competitors/random.ts",
    ORDERLY["structures/pick/competitors/random.ts"]!.replace(" * Bet: none.\n", ""),
  ],
  "a suite's header says what it does not measure": [
    "suites/pick/suite.ts",
    ORDERLY["suites/pick/suite.ts"]!.replace(" * Not measured: all else.\n", ""),
  ],
  "suites import no script, which is wrong twice": [
    "suites/pick/serving.ts",
    'import "../../scripts/bench.ts";',
  ],
};

it("each thing out of order has a line", (test) => {
  const said = Object.entries(DISORDERLY).map(([rule, [path, text]]) =>
    [rule, ...problemsWith({ [path]: text }).map((problem) => `    ${problem}`), ""].join("\n"),
  );
  golden(test, "testdata/problems.txt", said.join(""));
});

describe("tidy", () => {
  const call = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, "command.ts"), ...args], { encoding: "utf8" });
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals.txt"),
    (args) => call(...args),
    import.meta.dirname,
  );
});
