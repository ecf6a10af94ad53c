import { deserialize } from "node:v8";
import { parentPort, workerData } from "node:worker_threads";
import { attachConsumer, type Queue } from "../../structures/queues/queue.exports.ts";
import { type Entry, Schema, sumOf } from "./records.ts";
import { LONGEST, type ObjectsTask } from "./scenarios/objects.ts";

/** Takes objects as its task says that they come, and says what they add up to. */
const { way, count, queue } = workerData as ObjectsTask;
const schema = new Schema(LONGEST);
const decoder = new TextDecoder();
let [received, sum] = [0, 0];

function take(entry: Entry): void {
  sum += sumOf(entry);
  if (++received === count) parentPort!.postMessage(sum);
}

if (way === "clone") parentPort!.on("message", take);
else void takeFrames(queue);
parentPort!.postMessage("ready");

async function takeFrames(frames: Queue<"frames">): Promise<void> {
  const decode = {
    json: (frame: Uint8Array): Entry => JSON.parse(decoder.decode(frame)),
    serialized: (frame: Uint8Array): Entry => deserialize(frame),
    schema: (frame: Uint8Array) => schema.decode(frame),
  }[way as "json"];
  for await (const frame of attachConsumer(frames, 0)) take(decode(frame));
}
