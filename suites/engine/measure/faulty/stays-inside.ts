import honest from "../../../../structures/pick/competitors/per-worker-random.ts";
import type { PickCompetitor } from "../../../../structures/pick/pick.contract.ts";

/** Which fork starts at the first ticket. */
const isFirstFork = ({ firstTicket }: { readonly firstTicket: number }) => firstTicket === 0;

/** Slices of a warm-up in the tests, with the one that ends it. */
const WARM_UP_SLICES = 5;

/**
 * Faulty, as no competitor can be by mistake: in the first fork it does not leave the arena once it is warm, because nothing
 * is exchanged for 0 any more in the threads of its workers. So the engine finds two crews in one memory.
 */
export default {
  ...honest,
  summary: "faulty: stays inside",
  attach(memory, setup, worker) {
    if (isFirstFork(setup)) stayAfter(WARM_UP_SLICES);
    return honest.attach(memory, setup, worker);
  },
} satisfies PickCompetitor;

function stayAfter(slices: number): void {
  const exchange = Atomics.compareExchange as (...asked: readonly [Int32Array, ...number[]]) => number;
  let left = slices;
  const stays: typeof exchange = (words, index, expected, replacement) =>
    replacement === 0 && left-- <= 0 ? expected! : exchange(words, index!, expected!, replacement!);
  Reflect.set(Atomics, "compareExchange", stays);
}
