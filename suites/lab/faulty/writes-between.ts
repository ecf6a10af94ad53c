import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Which fork starts at the first ticket. */
const isFirstFork = ({ firstTicket }: { readonly firstTicket: number }) => firstTicket === 0;

/**
 * Faulty: in the first fork it writes a word of its memory when it is looked at. That happens between two slices, where
 * other crews have theirs in their turns.
 */
export default {
  ...honest,
  summary: "faulty: writes between",
  words: () => 1,
  inspect(memory, setup) {
    if (isFirstFork(setup)) Atomics.add(memory, 0, 1);
    return honest.inspect();
  },
} satisfies PickCompetitor;
