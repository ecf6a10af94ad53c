import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { callOf } from "./arguments.ts";
import { temporaryRepository } from "./commits/repository.synthetic.ts";
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
  const said = { out: "", err: "" };
  const into = (name: "out" | "err") =>
    ({ write: (more: string) => (said[name] += more) }) as unknown as NodeJS.WriteStream;
  const output = {
    out: into("out"),
    err: into("err"),
    tool: "hotpath-race 0",
    startedMs: performance.now(),
    signal: new AbortController().signal,
  };
  const here = process.cwd();
  process.chdir(root);
  try {
    return { code: await raceBase(call.request, base, output), ...said };
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

describe("bench files that the base lacks", () => {
  for (const [title, file, expected] of [
    [
      "are the first, and race without a comparison",
      "index.js",
      /^main has no bench file to compare with.*$/m,
    ],
    [
      "are compared with none where others were there",
      "perf/old.bench.js",
      /^0 compared, 0 unchanged, 0 not compared\.$/m,
    ],
  ] as const)
    it(title, async () => {
      const own = temporaryRepository();
      own.commit({ [file]: "" });
      own.write({ "bench/a.bench.js": "" });
      const { code, err } = await compared(own.root, "main", "bench");
      own.remove();
      // The file has no task: that ends it before anything races.
      assert.match(err, expected);
      assert.equal(code, 2);
    });
});
