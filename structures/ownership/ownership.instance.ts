import { type Counts, type Reading, type Stamped, seated, stampOf, type Usable } from "../shared/instance.ts";
import type { Allocation, LinearMemory, Region } from "../shared/layout.ts";
import { assertWorkers, type WorkerIdentity } from "../shared/worker-identity.ts";
import {
  type Attribution,
  type Capacity,
  firstKept,
  formatted,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";

/** What a map is made for, and by how many workers it is used: one that claims and trims, and those that look up. */
export interface OwnershipSetup extends Capacity {
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
  /**
   * The watermark that it begins with, in ms: claims may reach windowMs further until it is trimmed. Half a window before
   * the present if absent.
   */
  readonly since?: number;
}

/** A map's memory, formatted, and what it was formatted for: plain data, which crosses to workers as it is. */
export interface OwnershipInstance extends Stamped, Allocation {
  readonly setup: Required<OwnershipSetup>;
}

/** The worker that claims and trims. */
export const WRITER = 0;

/** Throws a RangeError for a setup that is outside its ranges, or longer than this structure can keep times apart. */
export function makeInstance(competitor: OwnershipCompetitor, wanted: OwnershipSetup): OwnershipInstance {
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
};

function countsOf({ workers, resources, owners, windowMs, ranges }: OwnershipSetup): Counts {
  return { workers, resources, owners, windowMs, ranges };
}

/**
 * The map as worker `index`, 0 .. workers - 1, has it, in whose thread this is called. Where workers share the map,
 * worker WRITER claims and trims, and to the others both are an Error; where it is of no words each worker has a replica
 * of its own to fill. A seat has one holder: another attaches after `freeSeat`; in place of a writer that ended within a
 * call, make another instance and `rebuild` it. Throws, in one line, for what this competitor's makeInstance did not return,
 * an instance whose workers or capacity are not those it was made for, an index that is no worker's, and a seat that is
 * taken.
 */
export function attachTo<Handle extends Attribution>(
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

/** The same handle, which looks up as before: what it is asked to change, one writer would undo for the other. */
function readOnly<Handle extends Attribution>(handle: Handle, index: number): Handle {
  const refuse = () => {
    throw new Error(`worker ${index} looks up: claim and trim in worker ${WRITER} alone`);
  };
  return Object.assign(handle, { claim: refuse, trim: refuse });
}
