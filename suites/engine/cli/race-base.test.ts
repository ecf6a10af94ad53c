import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { callOf } from "./arguments.ts";
import { temporaryRepository } from "./commits/repository.synthetic.ts";
import { madeOutput } from "./output.synthetic.ts";
import { raceBase } from "./race-base.ts";

/** A task that takes this many steps, and up to a half more from process to process. */
const counting = (steps: number) => `
const steps = ${steps} * (1 + (process.pid % 6) / 10);
export const count = () => { let n = 0; while (n < steps) n++; return n; };
`;
const made = temporaryRepository();
after(() => made.remove());
const base = made.commit({
  "count.bench.mjs": "export const count = () => { let n = 0; while (n < 1000) n++; return n; };",
});
made.commit({ "count.bench.mjs": counting(20_000) });

/** What a call in a repository printed, and its exit code. */
async function compared(root: string, base: string, ...args: string[]) {
  const call = callOf(["--base", base, "--json", "-", ...args]);
  assert.ok(call.kind === "race");
  const { printed, output } = madeOutput();
  const here = process.cwd();
  process.chdir(root);
  try {
    return { code: await raceBase(call.request, base, output), ...printed };
  } finally {
    process.chdir(here);
  }
}

describe("a pair of commits", () => {
  it("races no longer than its verdict needs, however wide the interval is", async () => {
    const { code, out } = await compared(made.root, base, "count.bench.mjs", "--budget", "2m");
    const { commits } = JSON.parse(out) as { commits: { rows: [{ verdict: string; processes: number }] } };
    const [{ verdict, processes }] = commits.rows;
    assert.deepEqual([verdict, processes, code], ["slower", 4, 3]);
  });
});

describe("a base", () => {
  const [FIRST, NONE] = [
    /^main has no bench file to compare with.*$/m,
    /^0 compared, 0 unchanged, 0 not compared\.$/m,
  ];
  for (const [title, before, now, expected] of [
    ["without a bench file has nothing to compare with", "index.js", "bench/a.bench.js", FIRST],
    ["that has one of another folder is compared with", "perf/old.bench.js", "bench/a.bench.js", NONE],
    ["that has one of another name is compared with", "perf/old.js", "perf/a.js", NONE],
    ["that has the same is compared with", "perf/a.js", "perf/a.js", NONE],
  ] as const)
    it(title, async () => {
      const own = temporaryRepository();
      own.commit({ [before]: "" });
      rmSync(join(own.root, before));
      own.write({ [now]: "// No task: that ends it before anything races." });
      const { code, err } = await compared(own.root, "main", dirname(now));
      own.remove();
      assert.match(err, expected);
      assert.equal(code, 2);
    });
});
