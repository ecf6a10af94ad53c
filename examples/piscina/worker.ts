import { threadId } from "node:worker_threads";
import { attachPicker, type Picker } from "hotpath-lab/pick";
import rotatingRoundRobin from "hotpath-lab/pick/rotating-round-robin";
import { workerData } from "piscina";
import type { Shared } from "./pool.ts";

let picker: Picker | undefined;

/** The task: sends a request to the backend whose turn it is. Here it returns that backend's number and its own thread. */
export default function request(): { readonly backend: number; readonly thread: number } {
  picker ??= attached(workerData as Shared);
  return { backend: picker.pick(), thread: threadId };
}

/** By the first seat that no thread holds. There is one: see poolOf. */
function attached(shared: Shared): Picker {
  const { holders } = shared;
  const seat = holders.findIndex((_, at) => Atomics.compareExchange(holders, at, 0, threadId) === 0);
  return attachPicker(rotatingRoundRobin, shared.picker, seat);
}
