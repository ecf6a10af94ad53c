import assert from "node:assert/strict";
import { it } from "node:test";
import { startWorkers } from "./threads.ts";

it("a thread gets its task, and no code beside the program finds it in workerData", async () => {
  const program = `data:text/javascript,${encodeURIComponent(
    'import { workerData } from "node:worker_threads"; export default (task) => [task, Object.keys(workerData)];',
  )}`;
  const threads = startWorkers(program, 1, () => {});
  try {
    assert.deepEqual(await threads.run({ gate: 1 }), [{ gate: 1 }, ["program"]]);
  } finally {
    await threads.destroy();
  }
});
