import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { askFork } from "../../engine/measure/run/process.ts";
import { makePlan } from "../plan/make-plan.ts";
import { smokeRequest } from "../request.synthetic.ts";

const skip =
  (process.platform !== "linux" || Number.parseInt(process.versions.v8, 10) < 13) && "V8 notes nothing";

it("a fork notes what each worker's batches were compiled to, and leaves no file", { skip }, async () => {
  const plan = makePlan(await smokeRequest({ workers: [2], filters: ["pick/uniform-8/cas-ring"] }));
  const [{ race: _, ...planned }] = plan.groups as [(typeof plan.groups)[number]];
  // Compiled in the thread that runs, so that code is there when enough has run.
  const group = { ...planned, isCompiledAlike: true, warmUpSlices: 8 } as const;
  const { lab, patienceMs, seed, size } = plan;
  const folder = mkdtempSync(join(tmpdir(), "hotpath-compiled-"));
  const { NODE_COMPILE_CACHE: before } = process.env;
  process.env.NODE_COMPILE_CACHE = folder;
  try {
    const answer = await askFork(
      { kind: "race", lab, group, patienceMs, fork: 0, firstCore: 0, seed, size },
      { estimateMs: 60_000 },
    );
    assert.ok(answer.kind === "raced");
    for (const { name, compiled, workers } of answer.crews) {
      assert.equal(compiled?.length, workers.length, name);
      for (const version of compiled!) assert.match(version, /^\+?\d+'?$/, name);
    }
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("perf")),
      [],
    );
  } finally {
    if (before === undefined) delete process.env.NODE_COMPILE_CACHE;
    else process.env.NODE_COMPILE_CACHE = before;
    rmSync(folder, { recursive: true });
  }
});
