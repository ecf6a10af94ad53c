import assert from "node:assert/strict";
import { it } from "node:test";
import gcraTable from "./competitors/gcra-table.ts";
import { keysThreads, lawByPhases } from "./limits.keys.examination.ts";

/** By night: as many takes as a busy server has in a minute. */
for (const workers of [4, 8])
  it(`limits: 10,000,000 takes on 100,000 keys by ${workers} workers are exact, key by key, and one is terminated`, async () => {
    const url = new URL("./competitors/gcra-table.ts", import.meta.url).href;
    const threads = keysThreads(workers);
    try {
      // One phase is left out.
      const sizes = { keys: 100_000, takes: 10_500_000, phases: 21 };
      const pool = { url, threads, workers, fatalPhase: 10 };
      assert.equal(await lawByPhases(gcraTable.byKey, sizes, pool), undefined);
    } finally {
      await threads.destroy();
    }
  });
