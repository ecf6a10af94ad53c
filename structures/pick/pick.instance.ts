import { once } from "node:events";
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import {
  assertMadeBy,
  assertUsable,
  type Counts,
  leaveSeat,
  type Reading,
  type Stamped,
  seated,
  stampOf,
  takeSeat,
} from "../shared/instance.ts";
import { allocateFor } from "../shared/layout.ts";
import { assertUint32, assertWorkers, randomSeed } from "../shared/worker-identity.ts";
import { HEAVIEST } from "./parts/weights.ts";
import type { Members, PickCompetitor, PickSetup } from "./pick.contract.ts";

/** What a picker is to be made for. */
export interface PickOptions extends Omit<PickSetup, "seed" | "firstTicket" | "linear"> {
  /**
   * uint32; a random one if absent, so that instances begin at different backends: balancers that restart together do not
   * send their first requests to the same one. Which orders differ beyond that, each picker says.
   */
  readonly seed?: number | undefined;
  /** uint32; 0 if absent. */
  readonly firstTicket?: number | undefined;
}

/** A picker's memory, formatted, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface PickInstance extends Stamped {
  readonly setup: PickSetup;
}

/**
 * Throws a RangeError for a setup that is outside its ranges, or that this picker refuses; a TypeError for what is no
 * picker, and an Error for one that this runtime cannot run. `leftover` is what stands in
 * every word before format: 0, as in memory that is new, unless told.
 */
export function makeInstance(
  competitor: PickCompetitor,
  { seed = randomSeed(), firstTicket = 0, ...options }: PickOptions,
  leftover = 0,
): PickInstance {
  assertUsable(competitor);
  const wanted = { ...options, seed, firstTicket };
  assertSetup(wanted);
  if (wanted.weights !== undefined && competitor.shareBound === undefined)
    throw new RangeError("this picker has no weights: leave them out, or take one whose order is by weight");
  const refusal = competitor.refuses?.(wanted);
  if (refusal !== undefined) throw new RangeError(`this picker cannot serve that setup: ${refusal}`);
  const { memory, ...linear } = allocateFor(competitor, competitor.words(wanted));
  const setup = { ...wanted, ...linear };
  if (leftover !== 0) memory.fill(leftover);
  competitor.format(memory, setup);
  return { memory, setup, stamp: stampOf(competitor, countsOf(setup)) };
}

const READING: Reading<PickInstance> = {
  counts: ({ setup }) => countsOf(setup),
  seed: ({ setup }) => setup.seed,
};

function countsOf({ backends, workers }: PickSetup): Counts {
  return { backends, workers };
}

function assertSetup({ backends, workers, seed, firstTicket, weights }: PickSetup): void {
  if (!(Number.isInteger(backends) && backends >= 1 && backends <= MOST_BACKENDS))
    throw new RangeError(`backends ${backends} is not an integer in 1 .. ${MOST_BACKENDS}`);
  assertWorkers(workers);
  assertUint32("seed", seed);
  assertUint32("firstTicket", firstTicket);
  if (weights === undefined) return;
  if (!(Array.isArray(weights) || ArrayBuffer.isView(weights)))
    throw new TypeError(`weights ${weights} is no array: give a weight for each backend, or leave them out`);
  if (weights.length !== backends)
    throw new RangeError(`there are ${weights.length} weights for ${backends} backends: give one for each`);
  for (const weight of weights)
    if (!(Number.isInteger(weight) && weight >= 1 && weight <= HEAVIEST))
      throw new RangeError(`weight ${weight} is not an integer in 1 .. ${HEAVIEST}`);
}

const MOST_BACKENDS = 2 ** 20;

/**
 * The picker of worker `index`, 0 .. workers - 1, in whose thread this is called. A seat has one holder: another attaches
 * after `freeSeat`. Throws, in one line, for what this competitor's makeInstance did not return, an instance whose
 * backends or workers are not those it was made for, an index that is no worker's, and a seat that is taken.
 */
export function attachTo<Competitor extends PickCompetitor>(
  competitor: Competitor,
  instance: PickInstance,
  index: number,
): ReturnType<Competitor["attach"]> {
  return seated(
    competitor,
    instance,
    index,
    READING,
    (worker) =>
      // TypeScript takes the call for one of PickCompetitor's own attach.
      competitor.attach(instance.memory, instance.setup, worker) as ReturnType<Competitor["attach"]>,
  );
}

/**
 * What changes the members of this instance while its workers pick; for any thread, a worker's or not. Throws as
 * attachTo does for what this competitor's makeInstance did not return, and an Error for a picker whose members are fixed.
 */
export function membersOf(competitor: PickCompetitor, instance: PickInstance): SettlingMembers {
  assertMadeBy(competitor, instance, READING);
  if (competitor.members === undefined)
    throw new Error("the members of this picker are fixed: make a new instance, or take versioned-table");
  const members = competitor.members(instance.memory, instance.setup);
  return {
    ...members,
    async settled({ signal } = {}) {
      signal?.throwIfAborted();
      while (!members.isSettled()) await setTimeout(SETTLED_LOOK_MS, undefined, { signal });
    },
  };
}

/** Members whose changes can be waited for. */
export interface SettlingMembers extends Members {
  /**
   * Resolves once `isSettled`, of all changes made by then. Wait for it before the number of a drained backend is given to
   * another: where changes come faster than workers pick, free numbers run out. Rejects with an AbortError when `signal`
   * aborts. Looks each 5 ms, by a timer that keeps the process alive.
   */
  settled(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

const SETTLED_LOOK_MS = 5;

/** What the thread beside the workers is given. */
export interface BackgroundTask extends Omit<PickInstance, "stamp"> {
  /** Module of the competitor. */
  readonly url: string;
}

/**
 * Starts the thread that some pickers leave work to; resolves when it is ready, to how to end it: a race may be over in
 * less time than it takes to start a thread. It sleeps while no worker asks for anything and does not keep the process
 * alive. Start it in a thread that outlives the workers: no other hears that it has ended. Rejects as attachTo throws,
 * where such a thread runs already, and in a bundle, which has no file for it to begin with.
 */
export async function startBackground(
  competitor: PickCompetitor,
  instance: PickInstance,
): Promise<() => Promise<void>> {
  assertMadeBy(competitor, instance, READING);
  if (competitor.background === undefined) return async () => {};
  const begin = backgroundModule();
  const { memory, setup, stamp } = instance;
  if (takeSeat(stamp.seats, setup.workers) === undefined)
    throw new Error("this instance has its background thread: end that before you start another");
  const workerData: BackgroundTask = { url: competitor.background.url, memory, setup };
  const thread = new Worker(begin, { workerData });
  // However it ends, nobody shuffles any more then.
  thread.once("exit", () => leaveSeat(stamp.seats, setup.workers));
  // Rejects if the thread fails or ends before it is ready.
  const ended = once(thread, "exit").then(([code]) => {
    throw new Error(`the thread beside the workers exited with code: ${code}`);
  });
  ended.catch(() => {});
  await Promise.race([once(thread, "message"), ended]);
  thread.unref();
  return async () => {
    await thread.terminate();
  };
}

/**
 * What the thread beside the workers begins with. Bundlers must not see its URL: they would take the file along, but
 * neither what it imports nor the competitor's own file, which it imports by name.
 */
function backgroundModule(): URL {
  // Absent where a bundler makes CommonJS of it.
  const here: string | undefined = import.meta.url;
  // In the package this file is JavaScript and so is that one: the compiler mends imports, but no URLs.
  const module = here && new URL(`parts/background.worker${extname(here)}`, here);
  if (module && existsSync(module)) return module;
  throw new Error(
    "the thread beside the workers begins with a file of hotpath-lab, and a bundle has none: make hotpath-lab external in your bundler",
  );
}
