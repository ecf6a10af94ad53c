import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { callOf } from "./arguments.ts";
import { temporaryRepository } from "./commits/repository.synthetic.ts";
import { raceBase } from "./race-base.ts";
import type { Report } from "./report.ts";

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

/** What a call in the repository printed as JSON, and its exit code. */
async function compared(...args: string[]) {
  const call = callOf(["count.bench.mjs", "--base", base, "--json", "-", ...args]);
  assert.ok(call.kind === "race");
  let text = "";
  const stream = { write: (more: string) => (text += more) } as unknown as NodeJS.WriteStream;
  const silent = { write() {} } as unknown as NodeJS.WriteStream;
  const output = {
    out: stream,
    err: silent,
    tool: "hotpath-race 0",
    startedMs: performance.now(),
    signal: new AbortController().signal,
  };
  const here = process.cwd();
  process.chdir(made.root);
  try {
    const code = await raceBase(call.request, base, output);
    return { code, rows: (JSON.parse(text) as Report & { commits: { rows: unknown[] } }).commits.rows };
  } finally {
    process.chdir(here);
  }
}

describe("a pair of commits", () => {
  it("races no longer than its verdict needs, however wide the interval is", async () => {
    const { code, rows } = await compared("--budget", "2m");
    const [{ verdict, processes }] = rows as [{ verdict: string; processes: number }];
    assert.deepEqual([verdict, processes, code], ["slower", 4, 3]);
  });
});
