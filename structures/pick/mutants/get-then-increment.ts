import { STRIDE_WORDS } from "../../shared/layout.ts";
import honest from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";

/**
 * Mutant: an Atomics.load and an Atomics.store where one `Atomics.add` belongs. Every access is atomic, the pick is not:
 * another worker's may come between, and is then undone.
 */
export const breaks = "ticketsAreConserved";
/** Only workers on different cores catch it, so a machine of one core cannot. */
export const racy = true;

export default {
  ...honest,
  summary: "mutant: atomic load, then atomic store",

  attach(memory, { backends }) {
    const rotation = memory.subarray(ROTATION, ROTATION + backends);
    return {
      pick() {
        const ticket = Atomics.load(memory, NEXT);
        Atomics.store(memory, NEXT, ticket + 1);
        return rotation[(ticket & 0x7fffffff) % backends]!;
      },
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
