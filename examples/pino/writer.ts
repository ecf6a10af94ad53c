import { appendFileSync, closeSync, openSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { attachConsumer } from "hotpath-lab/queue";
import type { Writing } from "./destination.ts";

/** Parts of lines that are written at once. */
const MOST = 512;

/** Writes what comes, as much at once as there is, until the queue is closed and empty. */
const { queue, file, done } = workerData as Writing;
const lines = attachConsumer(queue, 0);
const out = openSync(file, "a");
for (let first = lines.receiveSync(); first !== undefined; first = lines.receiveSync()) {
  const parts = [first];
  for (let next = lines.tryReceive(); next !== undefined; next = lines.tryReceive())
    if (parts.push(next) === MOST) break;
  appendFileSync(out, Buffer.concat(parts));
}
closeSync(out);
Atomics.store(done, 0, 1);
Atomics.notify(done, 0);
