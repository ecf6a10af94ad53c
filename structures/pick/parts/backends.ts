import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import type { PickCompetitor, Picker, PickSetup, Probes } from "../pick.contract.ts";

/**
 * A picker that probes, with backends to answer it. Each counts its requests in flight in a word of its own, behind the
 * picker's words, and answers at once with that count. The count is also the latency, for a request waits for the ones
 * before it. So it can run where no network is, in races and under the laws. Any other picker is returned as it is.
 *
 *     word 32 * backend   in flight   requests picked and not released   every worker: written atomically, read plainly
 *     then                the picker's words
 */
export function withBackends(competitor: PickCompetitor, nowMs: () => number): PickCompetitor {
  if (competitor.probes === undefined) return competitor;
  const behind = (memory: Region, setup: PickSetup) => memory.subarray(wordsOf(setup));
  return {
    ...competitor,
    words: (setup) => wordsOf(setup) + competitor.words(setup),

    format(memory, setup) {
      for (let backend = 0; backend < setup.backends; backend++)
        Atomics.store(memory, backend * STRIDE_WORDS, 0);
      competitor.format(behind(memory, setup), setup);
    },

    attach(memory, setup, worker) {
      const picker = competitor.attach(behind(memory, setup), setup, worker);
      return answered(memory, picker as Picker & { readonly probes: Probes }, nowMs);
    },

    inspect: (memory, setup) => ({
      ...competitor.inspect(behind(memory, setup), setup),
      inFlight: Array.from({ length: setup.backends }, (_, backend) =>
        Atomics.load(memory, backend * STRIDE_WORDS),
      ),
    }),
  };
}

function answered(memory: Region, picker: Picker & { readonly probes: Probes }, nowMs: () => number): Picker {
  const { probes } = picker;
  let picks = 0;
  return {
    ...picker,
    pick() {
      if (picks++ % PICKS_PER_TURN === 0) probes.advance(nowMs());
      const backend = picker.pick();
      Atomics.add(memory, backend * STRIDE_WORDS, 1);
      for (let asked = probes.next(); asked !== -1; asked = probes.next()) {
        // A plain load: what a backend answers is out of date when it is heard, whatever the network.
        const inFlight = memory[asked * STRIDE_WORDS]!;
        probes.answer(asked, inFlight, inFlight);
      }
      return backend;
    },
    release(backend) {
      Atomics.sub(memory, backend * STRIDE_WORDS, 1);
      picker.release?.(backend);
    },
  };
}

/** Picks in one turn of a busy server's event loop, during which the clock is read once. */
const PICKS_PER_TURN = 64;

function wordsOf({ backends }: PickSetup): number {
  return backends * STRIDE_WORDS;
}
