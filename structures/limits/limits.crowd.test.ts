import assert from "node:assert/strict";
import { it } from "node:test";
import { Piscina } from "piscina";
import gcraTable from "./competitors/gcra-table.ts";
import { KEYS_WORKER, lawByPhases } from "./limits.keys.examination.ts";

/** By night: as many takes as a busy server has in a minute. */
it("limits: 10,000,000 takes on 100,000 keys by 4 workers are exact, key by key", async () => {
  const url = new URL("./competitors/gcra-table.ts", import.meta.url).href;
  const threads = new Piscina({ filename: KEYS_WORKER, minThreads: 4, maxThreads: 4, execArgv: [] });
  try {
    const sizes = { keys: 100_000, takes: 10_000_000, phases: 20 };
    assert.equal(await lawByPhases(gcraTable.byKey, sizes, { url, threads, workers: 4 }), undefined);
  } finally {
    await threads.destroy();
  }
});
