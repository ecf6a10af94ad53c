import type { PickSetup } from "../pick.contract.ts";

/** What pickers by weight ask of a setup. */
export type Weighed = Pick<PickSetup, "backends" | "weights">;

/** The weight of each backend: where none are given, all weigh 1. */
export function weightsOf({ backends, weights }: Weighed): readonly number[] {
  return weights ?? new Array<number>(backends).fill(1);
}

export function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + weight);
}
