import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { returnHandover, serveHandover } from "./handover.ts";

/** A thread that returns what is served until it is asked to end. */
function returning(words: Int32Array): Worker {
  const program = `
    import { workerData } from "node:worker_threads";
    import { returnHandover } from ${JSON.stringify(new URL("handover.ts", import.meta.url).href)};
    while (Atomics.load(workerData, 1) === 0) returnHandover(workerData, 0);
  `;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), { workerData: words });
}

describe("a handover", () => {
  it("is measured as often as it is served, and leaves its word as it was", async () => {
    const words = new Int32Array(new SharedArrayBuffer(8));
    const thread = returning(words);
    const ended = new Promise((resolve) => thread.once("exit", resolve));
    // Until the thread runs, no worker comes.
    while (serveHandover(words, 0) === 0);
    for (let slice = 0; slice < 200; slice++) {
      assert.ok(serveHandover(words, 0) >= 0);
      assert.equal(Atomics.load(words, 0), 0);
    }
    Atomics.store(words, 1, 1);
    await ended;
  });

  it("is given up where no worker comes, and a late worker returns at once", () => {
    const words = new Int32Array(new SharedArrayBuffer(4));
    assert.equal(serveHandover(words, 0), 0);
    assert.equal(words[0], 0);
    returnHandover(words, 0);
    assert.equal(words[0], 0);
  });
});
