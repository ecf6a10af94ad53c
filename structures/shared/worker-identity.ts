import { assertInteger, shown } from "./arguments.ts";
import { Random } from "./sfc32.ts";

/** One worker's place in a crew: which of how many it is, and its own stream of randomness. */
export interface WorkerIdentity {
  /** 0 .. workers - 1. */
  readonly index: number;
  readonly workers: number;
  /** What this worker does in a crew whose workers do different things; "worker" where all do the same. */
  readonly role: string;
  /** uint32, different for every worker and fork, the same for every competitor: rivals face the same workload. */
  readonly seed: number;
  /** How many had this place before it, 0 where absent: a new holder does not begin as they did. */
  readonly generation?: number;
}

/**
 * Worker `index`, 0 .. workers - 1, of a crew whose `workers` all do the same. `seed`, a uint32, is the crew's own.
 * Each worker gets another one derived from it, unrelated to its neighbours' seeds and to the seeds of a crew with the
 * next one. Throws a RangeError for a value outside these ranges.
 */
export function workerIdentity(index: number, workers: number, seed: number): WorkerIdentity {
  assertWorkers(workers);
  assertUint32("seed", seed);
  assertInteger("worker", index, 0, workers - 1);
  return { index, workers, role: "worker", seed: derivedSeed(seed, index) };
}

/**
 * uint32 that (seed, index) lead to; neighbouring indices, and neighbouring seeds, have unrelated results. Not seed ^ index
 * or the like: crews whose seeds are neighbours, a number for each process say, would share the seeds of their workers.
 */
export function derivedSeed(seed: number, index: number): number {
  return Math.floor(new Random(seed, index).fraction() * 2 ** 32);
}

/**
 * Where among `places` a worker begins that goes round them by itself. It begins at `first` if it is the first holder
 * of its seat, else at a place that its seed decides. A worker that restarts often would else begin at the same one
 * each time.
 */
export function beginningOf({ generation = 0, seed }: WorkerIdentity, places: number, first: number): number {
  return generation === 0 ? first : new Random(seed).below(places);
}

/** More threads than a process can have, and few enough that a line of memory for each is no burden. */
export const MOST_WORKERS = 2 ** 16;

/** Throws a RangeError for an invalid number of workers. */
export function assertWorkers(workers: number): void {
  assertInteger("workers", workers, 1, MOST_WORKERS);
}

/** Throws a RangeError for a value, called `name`, that is no uint32. */
export function assertUint32(name: string, value: number): void {
  if (!(Number.isInteger(value) && value >= 0 && value < 2 ** 32))
    throw new RangeError(`${name} ${shown(value)} is not an integer in 0 .. 2^32 - 1`);
}

/** A uint32 that no two processes share but by chance: for callers that have no use for the same sequence twice. */
export function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!;
}
