import type { PickSetup } from "../pick.contract.ts";

/** What pickers by weight ask of a setup. */
export type Weighed = Pick<PickSetup, "backends" | "weights">;

/** The weight of each backend: where none are given, all weigh 1. */
export function weightsOf({ backends, weights }: Weighed): readonly number[] {
  return weights ?? new Array<number>(backends).fill(1);
}

export function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}

/** The largest weight that a backend may have. */
export const HEAVIEST = 65_535;

/** Throws a RangeError for a backend that does not exist. */
export function assertBackend(backend: number, backends: number): void {
  if (backend >>> 0 !== backend || backend >= backends)
    throw new RangeError(`backend ${backend} is not an integer in 0 .. ${backends - 1}`);
}

/** Throws a RangeError for a change of members that names a backend or a weight that there is not. */
export function assertChanges(
  changes: Iterable<readonly [backend: number, weight: number]>,
  backends: number,
): void {
  for (const [backend, weight] of changes) {
    assertBackend(backend, backends);
    if (!(Number.isInteger(weight) && weight >= 0 && weight <= HEAVIEST))
      throw new RangeError(`weight ${weight} is not an integer in 0 .. ${HEAVIEST}`);
  }
}
