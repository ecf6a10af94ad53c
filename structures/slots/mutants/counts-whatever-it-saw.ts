import honest from "../competitors/least-loaded-counters.ts";
import claimed from "../competitors/least-loaded-counters-claimed.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/** Mutant: counts its client whatever the slot has become since it was seen, and claims what only a claim gives. */
export const breaks = "evenFilling";
/** Workers that take turns never meet in it: on one core they hardly do. */
export const racy = true;

export default {
  ...claimed,
  summary: "mutant: Atomics.add where compareExchange belongs",
  attach: honest.attach,
} satisfies SlotsCompetitor;
