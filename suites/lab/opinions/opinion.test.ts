import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mutants } from "../../../structures/pick/pick.mutants.ts";
import type { CellRef } from "./cell.ts";
import { askOpinion, OPINION_ENGINES, type Question } from "./opinion.ts";

const PICK = new URL("../../pick/scenarios/uniform-8.ts", import.meta.url).href;
const HONEST = new URL("../../../structures/pick/competitors/per-worker-random.ts", import.meta.url).href;
const DIES = new URL("../faulty/dies.ts", import.meta.url).href;

const HANGS = new URL("../faulty/hangs.ts", import.meta.url).href;

/** Long enough for any process here to go on on a busy machine. */
const PATIENCE_MS = 60_000;

const picking: CellRef = {
  moduleUrl: PICK,
  scenario: "uniform-8",
  competitorUrl: HONEST,
  size: "smoke",
  seed: 42,
  fork: 0,
  extraWork: 0,
};

/** A module that exists only as its address. */
const moduleOf = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;

/**
 * A race that keeps its competitor's terms. Each batch of at most 8 is prepared for as many operations as it then has,
 * and once the batch is sized every one has `competitor.eachBatch`.
 */
const STRICT = moduleOf(`export default {
  kind: "race", scenario: "terms", title: "terms", operation: "op", headline: true, baseline: "any",
  params: { full: {}, smoke: {} },
  prepare: () => ({ sizes: [] }),
  attach(competitor, setup, shared) {
    let prepared = 0;
    const run = (operations) => {
      if (prepared !== operations) throw new Error("prepared for " + prepared + " and run for " + operations);
      prepared = 0;
      shared.sizes.push(operations);
      return operations;
    };
    const prepare = (operations) => { prepared = operations; };
    return competitor.forgetsToPrepare ? { run, mostOperations: 8 } : { run, prepare, mostOperations: 8 };
  },
  law({ eachBatch }, setup, { sizes }, [{ operations, checksum }]) {
    const sum = sizes.reduce((total, size) => total + size, 0);
    if (operations !== sum || checksum !== (sum | 0)) return "reported " + operations + " of " + sum;
    const last = sizes.slice(-10);
    return last.every((size) => size === eachBatch) ? undefined : "its batches have " + last.join();
  },
};`);

function strictly(competitor: object, extraWork: number): CellRef {
  const competitorUrl = moduleOf(`export default ${JSON.stringify(competitor)};`);
  return { ...picking, moduleUrl: STRICT, scenario: "terms", competitorUrl, extraWork };
}

function ask(engine: Question["engine"], cell: CellRef, memory = false) {
  return askOpinion({ engine, cell, cpuMs: 4, memory }, { patienceMs: PATIENCE_MS });
}

for (const engine of OPINION_ENGINES) {
  describe(`an opinion of ${engine}`, { concurrency: true }, () => {
    it("has figures in their order for a competitor that keeps its law", async () => {
      const { failure, nsPerOperation, samples, batch, heapBytesPerOperation } = await ask(engine, picking);
      assert.equal(failure, undefined);
      const { min, median, p75, p99, max, mean, low = mean, high = mean } = nsPerOperation!;
      const rising = [0, min, median, p75, p99, max];
      assert.deepEqual(
        rising,
        rising.toSorted((a, b) => a - b),
      );
      assert.ok(min > 0 && min <= mean && mean <= max);
      assert.equal(engine === "tinybench", low < mean && mean < high, "tinybench alone gives an interval");
      assert.ok(samples > 0 && batch > 1);
      assert.equal(heapBytesPerOperation, undefined, "memory was not asked for");
    });

    it("is none for a mutant, and names the law", async () => {
      const mutant = mutants.find(({ name }) => name === "skips-last")!;
      const opinion = await ask(engine, { ...picking, competitorUrl: mutant.url });
      assert.equal(opinion.failure?.kind, "law");
      assert.equal(opinion.nsPerOperation, undefined);
    });

    it("rests on batches that were each prepared for as many operations as they had", async () => {
      const opinion = await ask(engine, strictly({ eachBatch: 8 }, 0), true);
      assert.equal(opinion.failure, undefined);
      assert.equal(opinion.batch, 8);
      const { failure } = await ask(engine, strictly({ eachBatch: 8, forgetsToPrepare: true }, 0));
      assert.match(failure!.reason, /prepared for 0 and run for 1/, "the race notices");
    });

    it("counts half of the operations where as much again is extra work", async () => {
      const opinion = await ask(engine, strictly({ eachBatch: 8 }, 1));
      assert.equal(opinion.failure, undefined);
      assert.equal(opinion.batch, 4);
      const { failure } = await ask(engine, strictly({ eachBatch: 4 }, 1));
      assert.match(failure!.reason, /its batches have 8,8/, "the race notices");
    });

    it("is none where the process dies", async () => {
      const { failure } = await ask(engine, { ...picking, competitorUrl: DIES });
      assert.deepEqual(failure, { kind: "fault", reason: "its process died of SIGKILL" });
    });

    it("is none where the competitor cannot be loaded", async () => {
      const { failure } = await ask(engine, { ...picking, competitorUrl: moduleOf("throw new Error('no')") });
      assert.deepEqual(failure, { kind: "fault", reason: "it threw: no" });
    });

    it("is none where the competitor hangs before its first batch, or in one, and says which", async () => {
      const question = { engine, cpuMs: 4, memory: false };
      const unready = { ...picking, competitorUrl: moduleOf("for (;;);") };
      const patienceMs = 300;
      assert.deepEqual(
        (await askOpinion({ ...question, cell: unready }, { attachLimitMs: 300, patienceMs })).failure,
        { kind: "fault", reason: "hung: it did not attach within 0.3 s" },
      );
      const late = { ...picking, competitorUrl: HANGS };
      assert.deepEqual((await askOpinion({ ...question, cell: late }, { patienceMs })).failure, {
        kind: "fault",
        reason: "hung: it did not finish a batch within 0.3 s",
      });
    });

    it("is none where it is not waited for", async () => {
      const hangs = { ...picking, competitorUrl: moduleOf("for (;;);") };
      const signal = AbortSignal.abort();
      const { failure } = await askOpinion(
        { engine, cell: hangs, cpuMs: 4, memory: false },
        { signal, patienceMs: PATIENCE_MS },
      );
      assert.deepEqual(failure, { kind: "fault", reason: "its process died of SIGKILL" });
    });
  });
}

it("mitata weighs what an operation allocates, and nothing where it allocates nothing", async () => {
  const racing = (body: string) =>
    moduleOf(`const kept = []; export default {
      kind: "race", scenario: "heap", title: "heap", operation: "op", headline: true, baseline: "any",
      params: { full: {}, smoke: {} }, prepare: () => null, law: () => undefined,
      attach: () => ({ mostOperations: 500, run(operations) { ${body} return operations; } }),
    };`);
  const weigh = async (body: string) => {
    const cell = { ...picking, moduleUrl: racing(body), scenario: "heap" };
    const { failure, heapBytesPerOperation, gcNsPerOperation } = await ask("mitata", cell, true);
    assert.equal(failure, undefined);
    assert.ok(gcNsPerOperation! >= 0);
    return heapBytesPerOperation!;
  };
  // An array of a hundred small integers: 4 or 8 bytes each, and a header.
  const [allocating, idle] = await Promise.all([
    weigh("for (let i = 0; i < operations; i++) kept[i % 500] = new Array(100).fill(i);"),
    weigh("for (let i = 0; i < operations; i++) kept[0] = i;"),
  ]);
  assert.ok(allocating > 400 && allocating < 1200, `${allocating} B`);
  // What else its process allocates meanwhile is counted, too: more for each operation where it is held up.
  assert.ok(idle < 100, `${idle} B`);
});
