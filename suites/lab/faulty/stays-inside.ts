import honest from "../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../structures/pick/pick.contract.ts";

/** Which fork starts at the first ticket. */
const isFirstFork = ({ firstTicket }: { readonly firstTicket: number }) => firstTicket === 0;

/**
 * Faulty, as no competitor can be by mistake. In the first fork it does not leave the arena once it is warm: its
 * workers' threads no longer exchange any word for 0. So the engine finds two crews in one memory. Its first account
 * ends its warm-up.
 */
export default {
  ...honest,
  summary: "faulty: stays inside",
  attach(memory, setup, worker) {
    const counters = () => {
      if (isFirstFork(setup)) stay();
      return {};
    };
    return { ...honest.attach(memory, setup, worker), counters };
  },
} satisfies PickCompetitor;

function stay(): void {
  const exchange = Atomics.compareExchange as (...asked: readonly [Int32Array, ...number[]]) => number;
  const stays: typeof exchange = (words, index, expected, replacement) =>
    replacement === 0 ? expected! : exchange(words, index!, expected!, replacement!);
  Reflect.set(Atomics, "compareExchange", stays);
}
