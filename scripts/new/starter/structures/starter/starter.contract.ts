import type { Contract } from "../shared/contract.ts";
import type { Traits } from "../shared/traits.ts";

/** Gives the numbers 0, 1, 2, ... in turn. */
export interface StarterCompetitor extends Traits {
  attach(): Starter;
}

/** Not to be passed to another thread. */
export interface Starter {
  /** The next number. */
  next(): number;
}

export const contract = {
  question: "Which way of giving numbers in turn costs least?",
  oracle: "plain-counter",
  fields: { attach: "function" },
  optional: {},
  footprint: () => "nothing shared",
} satisfies Contract<StarterCompetitor>;
