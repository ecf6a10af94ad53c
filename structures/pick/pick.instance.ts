import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { allocateLinear, allocateRegion, type Region } from "../shared/layout.ts";
import { assertUint32, assertWorkers, workerIdentity } from "../shared/worker-identity.ts";
import { HEAVIEST } from "./parts/weights.ts";
import type { Members, PickCompetitor, Picker, PickSetup } from "./pick.contract.ts";

/** A picker's memory, formatted, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface PickInstance {
  readonly memory: Region;
  readonly setup: PickSetup;
}

/**
 * Throws a RangeError for a setup that is outside its ranges, or that this picker refuses. `leftover` is what stands in
 * every word before format: 0, as in memory that is new, unless told.
 */
export function makeInstance(competitor: PickCompetitor, wanted: PickSetup, leftover = 0): PickInstance {
  assertSetup(wanted);
  const refusal = competitor.refuses?.(wanted);
  if (refusal !== undefined) throw new RangeError(`this picker cannot serve that setup: ${refusal}`);
  const words = competitor.words(wanted);
  const allocated = competitor.needsLinear ? allocateLinear(words) : { memory: allocateRegion(words) };
  const { memory, ...linear } = allocated;
  const setup = { ...wanted, ...linear };
  if (leftover !== 0) memory.fill(leftover);
  competitor.format(memory, setup);
  return { memory, setup };
}

function assertSetup({ backends, workers, seed, firstTicket, weights }: PickSetup): void {
  if (!(Number.isInteger(backends) && backends >= 1 && backends <= MOST_BACKENDS))
    throw new RangeError(`backends ${backends} is not an integer in 1 .. ${MOST_BACKENDS}`);
  assertWorkers(workers);
  assertUint32("seed", seed);
  assertUint32("firstTicket", firstTicket);
  if (weights === undefined) return;
  if (weights.length !== backends)
    throw new RangeError(`there are ${weights.length} weights for ${backends} backends: give one for each`);
  for (const weight of weights)
    if (!(Number.isInteger(weight) && weight >= 1 && weight <= HEAVIEST))
      throw new RangeError(`weight ${weight} is not an integer in 1 .. ${HEAVIEST}`);
}

const MOST_BACKENDS = 2 ** 20;

/**
 * The picker of worker `index`, in whose thread this is called: once for each, which nobody checks. Throws a RangeError
 * for an index that is not in 0 .. workers - 1.
 */
export function attachTo(competitor: PickCompetitor, { memory, setup }: PickInstance, index: number): Picker {
  return competitor.attach(memory, setup, workerIdentity(index, setup.workers, setup.seed));
}

/**
 * What changes the members of this instance while its workers pick; for any thread, a worker's or not. Throws an Error
 * for a picker whose members are fixed.
 */
export function membersOf(competitor: PickCompetitor, { memory, setup }: PickInstance): Members {
  if (competitor.members === undefined)
    throw new Error("the members of this picker are fixed: make a new instance, or take versioned-table");
  return competitor.members(memory, setup);
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
  // In the package this file is JavaScript and so is that one: the compiler mends imports, but no URLs.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const thread = new Worker(new URL(`./parts/background.worker.${extension}`, import.meta.url), {
    workerData,
  });
  // Rejects if the thread fails or ends before it is ready.
  const ended = once(thread, "exit").then(([code]) => {
    throw new Error(`the thread beside the workers exited with code: ${code}`);
  });
  ended.catch(() => {});
  await Promise.race([once(thread, "message"), ended]);
  thread.unref();
  return () => thread.terminate();
}
