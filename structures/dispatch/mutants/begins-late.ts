import honest from "../competitors/ring-of-slots.ts";
import type { DispatchCompetitor } from "../dispatch.contract.ts";

/** Mutant: begins a second after its start, so that clients due in the next one are taken in this. */
export const breaks = "onTime";

export default {
  ...honest,
  summary: "mutant: ring of slots that begins a second late",
  create: (clients, reach, start = 0) => honest.create(clients, reach, start + 1),
} satisfies DispatchCompetitor;
