import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { allocateLinear, allocateRegion, type Region } from "../shared/layout.ts";
import { seatOf } from "../shared/seat.ts";
import type { PickCompetitor, Picker, PickSetup } from "./pick.contract.ts";

/** A picker's memory, formatted, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface PickInstance {
  readonly memory: Region;
  readonly setup: PickSetup;
}

/** `leftover` is what stands in every word before format: 0, as in memory that is new, unless told. */
export function makeInstance(competitor: PickCompetitor, wanted: PickSetup, leftover = 0): PickInstance {
  const words = competitor.words(wanted);
  const allocated = competitor.needsLinear ? allocateLinear(words) : { memory: allocateRegion(words) };
  const { memory, ...linear } = allocated;
  const setup = { ...wanted, ...linear };
  if (leftover !== 0) memory.fill(leftover);
  competitor.format(memory, setup);
  return { memory, setup };
}

/** The picker of worker `index`, 0 .. workers - 1, in whose thread this is called: once for each. */
export function attachTo(competitor: PickCompetitor, { memory, setup }: PickInstance, index: number): Picker {
  return competitor.attach(memory, setup, seatOf(index, setup.workers, setup.seed));
}

/** What the thread beside the workers is given. */
export interface BackgroundTask extends PickInstance {
  /** Module of the competitor. */
  readonly url: string;
}

/**
 * Starts the thread that some pickers leave work to; resolves when it is ready, to how to end it: a race may be over in
 * less time than it takes to start a thread. It sleeps while no worker asks for anything and does not keep the process
 * alive.
 */
export async function startBackground(
  competitor: PickCompetitor,
  { memory, setup }: PickInstance,
): Promise<() => Promise<unknown>> {
  if (competitor.background === undefined) return async () => {};
  const workerData: BackgroundTask = { url: competitor.background.url, memory, setup };
  const thread = new Worker(new URL(BACKGROUND, import.meta.url), { workerData });
  // Rejects if the thread fails before it is ready.
  await once(thread, "message");
  thread.unref();
  return () => thread.terminate();
}

/** In the package this file is JavaScript and so is that one: the compiler mends imports, but no URLs. */
const BACKGROUND = import.meta.url.endsWith(".ts") ? "./pick.background.ts" : "./pick.background.js";
