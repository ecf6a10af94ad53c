import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import type { Mutant } from "./mutants.ts";
import { Sources } from "./reads.ts";
import { partFor, tried } from "./trial.ts";

/** A primitive of two competitors whose law is that one and one are two. */
const LAB = {
  "package.json": '{ "name": "lab", "type": "module" }',
  "structures/sums/competitors/adds.ts": `import { one } from "../parts/one.ts";
export const two = (): number => one() + one();
/** Nobody asks for three. */
export const three = () => two() + one();
`,
  "structures/sums/competitors/knows.ts": "export const two = () => 2;\n",
  "structures/sums/mutants/forgets.ts":
    'import { one } from "../parts/one.ts";\nexport const two = () => one();\n',
  "structures/sums/sums.contract.ts": "export const SUM = 2;\n",
  "structures/sums/parts/one.ts": "export const one = () => 1;\n",
  "structures/sums/adds.test.ts": "",
  "structures/sums/sums.test.ts": `import { test } from "node:test";
import { SUM } from "./sums.contract.ts";
const load = (folder, name) => import(\`./\${folder}/\${name}.ts\`);
for (const name of ["adds", "knows"])
  test(name, async () => {
    const { two } = await load("competitors", name);
    if (two() !== SUM) throw new Error("not two");
  });
test("mutants: forgets", async () => {
  const { two } = await load("mutants", "forgets");
  if (two() === 2) throw new Error("not caught");
});
`,
  "structures/threads/threads.test.ts": `import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
test("a worker", async () => {
  const [code] = await once(new Worker(new URL("./ends.worker.ts", import.meta.url), { execArgv: [] }), "exit");
  if (code !== 0) throw new Error("it ended badly");
});
`,
  "structures/threads/ends.worker.ts": "process.exitCode = 0;\n",
};

const root = realpathSync(mkdtempSync(join(tmpdir(), "hotpath-mutants-")));
after(() => rmSync(root, { recursive: true }));
for (const [file, text] of Object.entries(LAB)) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
const sources = new Sources(root);

// Or the runner takes its own run for one within this test, and leaves it out.
delete process.env.NODE_TEST_CONTEXT;

/** Longer than any of these tests. */
const PATIENT_MS = 60_000;

function mutant(file: string, was: string, replacement: string): Mutant {
  const from = sources.text(file).indexOf(was);
  return { file, line: 1, from, to: from + was.length, replacement, mutator: "of a test" };
}

async function endOf(one: Mutant | undefined, area = "sums", patienceMs = PATIENT_MS) {
  const { ended, by } = await tried(root, partFor(sources, area, one?.file), one, patienceMs);
  return by === undefined ? ended : `${ended} by ${by}`;
}

describe("a mutant", () => {
  const ADDS = "structures/sums/competitors/adds.ts";

  it("is killed by the first test that fails", async () => {
    assert.equal(await endOf(mutant(ADDS, "one() + one()", "(one() - one())")), "killed by adds");
  });

  it("is killed in what a competitor reads", async () => {
    assert.equal(await endOf(mutant("structures/sums/parts/one.ts", "1", "(2)")), "killed by adds");
  });

  it("is killed in a worker", async () => {
    const ends = mutant("structures/threads/ends.worker.ts", "0", "(1)");
    assert.equal(await endOf(ends, "threads"), "killed by a worker");
  });

  it("survives where no test asks", async () => {
    assert.equal(await endOf(mutant(ADDS, "two() + one()", "(two() - one())")), "survived");
  });

  it("hangs where a test does not end", async () => {
    // However short the patience, this outlasts it.
    const endless = mutant("structures/sums/competitors/knows.ts", "2", "{ for (;;); }");
    assert.equal(await endOf(endless, "sums", 2_000), "hung");
  });

  it("is there for its own trial alone", async () => {
    assert.equal(await endOf(undefined), "survived");
  });
});

describe("the tests that can detect a mutant", () => {
  const leftOut = (file?: string) => {
    const { leaveOut } = partFor(sources, "sums", file);
    return [
      "adds",
      "adds keeps it",
      "knows",
      "mutants: forgets",
      "forgets: a fault breaks sums",
      "all of them",
    ].filter((name) => leaveOut.test(name));
  };

  it("are the tests of competitors that it reaches, and of no planted fault", () => {
    assert.deepEqual(leftOut("structures/sums/parts/one.ts"), [
      "knows",
      "mutants: forgets",
      "forgets: a fault breaks sums",
    ]);
    assert.deepEqual(leftOut("structures/sums/sums.contract.ts"), [
      "mutants: forgets",
      "forgets: a fault breaks sums",
    ]);
    assert.deepEqual(leftOut(), ["mutants: forgets", "forgets: a fault breaks sums"]);
  });

  it("begin with the examination", () => {
    assert.deepEqual(partFor(sources, "sums").files, [
      "structures/sums/sums.test.ts",
      "structures/sums/adds.test.ts",
    ]);
  });
});
