/** One worker's place in a crew: which of how many it is, and its own stream of randomness. */
export interface Seat {
  /** 0 .. workers - 1. */
  readonly index: number;
  readonly workers: number;
  /** What this worker does in a crew whose workers do different things; "worker" where all do the same. */
  readonly role: string;
  /** uint32, different for every seat and fork, the same for every competitor: rivals face the same workload. */
  readonly seed: number;
}

/**
 * Seat `index` of a crew whose `workers` all do the same. `seed`, a uint32, is the crew's own; each seat gets another one
 * made of it.
 */
export function seatOf(index: number, workers: number, seed: number): Seat {
  return { index, workers, role: "worker", seed: (seed ^ (index + 1)) >>> 0 };
}
