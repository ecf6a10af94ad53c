import { setImmediate as turn } from "node:timers/promises";
import { Random } from "../../../structures/shared/sfc32.ts";
import type { Unruliness } from "./orders.ts";
import type { Hear } from "./transport.ts";

/** Has messages come twice and overtake each other: whoever hears through this hears all of them, but not as they were told. */
export function heardUnruly(hear: Hear, { seed, doubled, turnsMost }: Unruliness): Hear {
  const random = new Random(seed);
  const hearLate = async (message: Uint8Array) => {
    for (let turns = random.below(turnsMost + 1); turns > 0; turns--) await turn();
    hear(message);
  };
  return (message) => {
    const again = random.fraction() < doubled;
    void hearLate(message);
    if (again) void hearLate(message);
  };
}
