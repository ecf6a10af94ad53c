import { assertOptions, type OptionKinds } from "../shared/arguments.ts";
import {
  assertUsable,
  type Counts,
  type Reading,
  type Stamped,
  seated,
  stampOf,
  type Usable,
} from "../shared/instance.ts";
import type { Allocation, LinearMemory, Region } from "../shared/layout.ts";
import { assertWorkers, type WorkerIdentity } from "../shared/worker-identity.ts";
import {
  type Attribution,
  type Capacity,
  firstKept,
  formatted,
  MAP,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";

/** The capacity of a map, and its number of workers: one claims and trims, the rest look up. */
export interface OwnershipSetup extends Capacity {
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
  /**
   * The watermark that it begins with, in ms: claims may reach windowMs further until it is trimmed. Half a window before
   * the present if absent.
   */
  readonly since?: number;
}

/** A map's formatted memory, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface OwnershipInstance extends Stamped, Allocation {
  readonly setup: Required<OwnershipSetup>;
}

const OPTIONS: OptionKinds<OwnershipSetup> = {
  resources: "any",
  owners: "any",
  windowMs: "any",
  ranges: "any",
  workers: "any",
  since: "any",
};

/** The worker that claims and trims. */
export const WRITER = 0;

/**
 * Throws a RangeError for a setup that is outside its ranges, or whose window is longer than this structure can
 * distinguish times.
 */
export function makeOwnership(competitor: OwnershipCompetitor, wanted: OwnershipSetup): OwnershipInstance {
  assertUsable(competitor, MAP);
  assertOptions("makeOwnership", wanted, OPTIONS);
  assertWorkers(wanted.workers);
  const allocation = formatted(competitor, wanted);
  const setup = { ...wanted, since: wanted.since ?? firstKept(wanted) };
  const { workers } = setup;
  const writer = { index: WRITER, workers, role: "writer", seed: 0 };
  competitor.attach(allocation.memory, setup, writer, allocation.linear).trim(setup.since);
  return { ...allocation, setup, stamp: stampOf(competitor, countsOf(setup)) };
}

const READING: Reading<OwnershipInstance> = {
  counts: ({ setup }) => countsOf(setup),
  // Nothing here draws random numbers: any seed will do.
  seed: () => 0,
  kind: MAP,
};

function countsOf({ workers, resources, owners, windowMs, ranges }: OwnershipSetup): Counts {
  return { workers, resources, owners, windowMs, ranges };
}

/**
 * The map as worker `index`, 0 .. workers - 1, has it. Called in that worker's thread. Where workers share the map,
 * only worker WRITER claims and trims; on any other both throw an Error. Where the map has no words, each worker fills
 * a replica of its own. A seat has one holder: another attaches after `freeSeat`. To replace a writer that ended within
 * a call, make another instance and `rebuild` it. Throws, in one line, for a value that this competitor's makeOwnership
 * did not return, and for an instance made for other workers or another capacity. Throws as well for an invalid index,
 * and a seat that is taken.
 */
export function attachOwnership<Handle extends Attribution>(
  competitor: Usable & {
    attach(memory: Region, capacity: Capacity, worker: WorkerIdentity, linear?: LinearMemory): Handle;
    words(capacity: Capacity): number;
  },
  instance: OwnershipInstance,
  index: number,
): Handle {
  return seated(competitor, instance, index, READING, (worker) => {
    const { memory, linear, setup } = instance;
    const isShared = competitor.words(setup) > 0;
    const role = index === WRITER ? "writer" : "reader";
    const handle = competitor.attach(memory, setup, isShared ? { ...worker, role } : worker, linear);
    if (!isShared) handle.trim(setup.since);
    return isShared && role === "reader" ? readOnly(handle, index) : handle;
  });
}

/** The same handle, which looks up as before. Changes throw, because a second writer would undo the first one's. */
function readOnly<Handle extends Attribution>(handle: Handle, index: number): Handle {
  const refuse = () => {
    throw new Error(`worker ${index} looks up: claim and trim in worker ${WRITER} alone`);
  };
  return Object.assign(handle, { claim: refuse, trim: refuse });
}

/** @deprecated Call it `makeOwnership`: every primitive has a name of its own for it. */
export const makeInstance = makeOwnership;

/** @deprecated Call it `attachOwnership`. */
export const attachTo = attachOwnership;
