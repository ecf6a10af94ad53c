import { closeSync, openSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { attachConsumer } from "../../structures/queues/queue.exports.ts";
import { LAST, type LogTask } from "./scenarios/log.ts";

/** The thread that writes a logger's lines, and says how many they were. */
const { way, queue } = workerData as LogTask;
const out = openSync(devNull, "w");
let lines = 0;

function end(): void {
  closeSync(out);
  parentPort!.postMessage({ lines });
}

if (way === "post")
  parentPort!.on("message", (line: string) => {
    if (line === LAST) return end();
    lines++;
    writeSync(out, line);
  });
else setImmediate(write);
parentPort!.postMessage("ready");

/** As much at once as there is. */
function write(): void {
  const consumer = attachConsumer(queue, 0);
  for (let first = consumer.receiveSync(); first !== undefined; first = consumer.receiveSync()) {
    const parts = [first];
    for (let next = consumer.tryReceive(); next !== undefined; next = consumer.tryReceive()) parts.push(next);
    lines += parts.length;
    writeSync(out, Buffer.concat(parts));
  }
  end();
}
