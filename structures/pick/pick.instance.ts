import { once } from "node:events";
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { assertInteger, assertOptions, type OptionKinds } from "../shared/arguments.ts";
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
import { type Members, PICKER, type PickCompetitor, type PickSetup } from "./pick.contract.ts";

/** What a picker is to be made for. */
export interface PickOptions extends Omit<PickSetup, "seed" | "firstTicket" | "linear"> {
  /**
   * uint32; random if absent, so that instances begin at different backends. Balancers that restart together then do
   * not send their first requests to the same one. Each picker says which orders differ beyond that.
   */
  readonly seed?: number | undefined;
  /** uint32; 0 if absent. */
  readonly firstTicket?: number | undefined;
}

/** A picker's formatted memory, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface PickInstance extends Stamped {
  readonly setup: PickSetup;
}

/**
 * Throws a RangeError for a setup that is outside its ranges, or that this picker refuses. Throws a TypeError for a
 * value that is no picker, and an Error for one that this runtime cannot run. `leftover` is the value of every word
 * before format; it defaults to 0, as in new memory.
 */
export function makePicker(competitor: PickCompetitor, options: PickOptions, leftover = 0): PickInstance {
  assertUsable(competitor, PICKER);
  assertOptions("makePicker", options, OPTIONS);
  const { seed = randomSeed(), firstTicket = 0 } = options;
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
  kind: PICKER,
};

function countsOf({ backends, workers }: PickSetup): Counts {
  return { backends, workers };
}

function assertSetup({ backends, workers, seed, firstTicket, weights }: PickSetup): void {
  assertInteger("backends", backends, 1, MOST_BACKENDS);
  assertWorkers(workers);
  assertUint32("seed", seed);
  assertUint32("firstTicket", firstTicket);
  if (weights === undefined) return;
  if (weights.length !== backends)
    throw new RangeError(`there are ${weights.length} weights for ${backends} backends: give one for each`);
  for (const weight of weights) assertInteger("weight", weight, 1, HEAVIEST);
}

const OPTIONS: OptionKinds<PickOptions> = {
  backends: "any",
  workers: "any",
  weights: "array",
  seed: "any",
  firstTicket: "any",
};

const MOST_BACKENDS = 2 ** 20;

/**
 * The picker of worker `index`, 0 .. workers - 1. Called in that worker's thread. A seat has one holder: another
 * attaches after `freeSeat`. Throws, in one line, for a value that this competitor's makePicker did not return, and
 * for an instance made for other backends or workers. Throws as well for an invalid index, and a seat that is taken.
 */
export function attachPicker<Competitor extends PickCompetitor>(
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
 * A picker for one thread, with memory of its own. `options` as `makePicker` takes them, or the number of backends alone:
 *
 *     const { pick, release } = picker(twoChoices, 8);
 *
 * Throws as `makePicker` does.
 */
export function picker<Competitor extends PickCompetitor>(
  competitor: Competitor,
  options: number | Omit<PickOptions, "workers">,
): ReturnType<Competitor["attach"]> {
  const setup = typeof options === "object" ? options : { backends: options };
  return attachPicker(competitor, makePicker(competitor, { ...setup, workers: 1 }), 0);
}

/**
 * Changes the members of this instance while its workers pick. For any thread, a worker's or not. Throws as attachPicker
 * does for a value that this competitor's makePicker did not return, and an Error for a picker whose members are
 * fixed.
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
   * Resolves once `isSettled` holds for all changes made by then. Wait for it before another backend gets the number of
   * a drained one. Where changes come faster than workers pick, free numbers run out. Rejects with an AbortError when
   * `signal` aborts. Looks every 5 ms, by a timer that keeps the process alive.
   */
  settled(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

const SETTLED_LOOK_MS = 5;

/** What the thread beside the workers receives. */
export interface BackgroundTask extends Omit<PickInstance, "stamp"> {
  /** Module of the competitor. */
  readonly url: string;
}

/**
 * Starts the thread that some pickers leave work to. Resolves when it is ready, with a function that ends it: a race
 * may end sooner than a thread starts. It sleeps while no worker asks for anything and does not keep the process alive.
 * Start it in a thread that outlives the workers: no other hears that it has ended. Rejects as attachPicker throws, where
 * such a thread already runs, and in a bundle, which has no file for it.
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
  // However it ends, no thread shuffles any more then.
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
 * What the thread beside the workers begins with. Bundlers must not see its URL. They would copy the file, but neither
 * its imports nor the competitor's own file, which it imports by name.
 */
function backgroundModule(): URL {
  // Absent where a bundler makes CommonJS of it.
  const here: string | undefined = import.meta.url;
  // In the package this file is JavaScript and so is that one: the compiler rewrites imports, but no URLs.
  const module = here && new URL(`parts/background.worker${extname(here)}`, here);
  if (module && existsSync(module)) return module;
  throw new Error(
    "the thread beside the workers begins with a file of hotpath-lab, and a bundle has none: make hotpath-lab external in your bundler",
  );
}

/** @deprecated Call it `makePicker`: every primitive has a name of its own for it. */
export const makeInstance = makePicker;

/** @deprecated Call it `attachPicker`. */
export const attachTo = attachPicker;
