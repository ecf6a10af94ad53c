import { foldAt, foldBack } from "../pick/parts/rotation.ts";
import { like, type Mutants, mutantAsked, mutantsIn, racy, writtenIn } from "../shared/mutants.ts";
import { VACANT } from "./competitors/ticket-shared-holes.ts";
import { NEXT } from "./parts/tickets.ts";
import type { SlotsCompetitor } from "./slots.contract.ts";

const TABLE: Mutants<SlotsCompetitor> = {
  ...writtenIn<SlotsCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** A worker that takes over a seat begins where all before it began. */
  "begins-again": like("per-worker-sequential", "restartsGoOn", (honest) => ({
    attach: (memory, slots, worker) => honest.attach(memory, slots, { ...worker, generation: 0 }),
  })),
  /** Leaves its counters at what the words held before, which is 0 in memory that is new. */
  "counts-on-zeroes": like("two-choices", "emptyAtFirst", () => ({ format() {} })),
  /** Random slots that nothing decides. */
  "draws-without-seed": like("per-worker-random", "seedDecides", (honest) => ({
    attach(memory, slots, worker) {
      const { give } = honest.attach(memory, slots, worker);
      return { take: () => Math.floor(Math.random() * slots), give };
    },
  })),
  /** Takes the least loaded slot and never hears of clients that leave. */
  "forgets-to-give": like("per-worker-least-loaded", "evenUnderChurn", (honest) => ({
    attach: (memory, slots, worker) => ({ ...honest.attach(memory, slots, worker), give() {} }),
  })),
  /** Never folds its counter back, which turns negative after 2^31 takes, and so do the slots. */
  "never-folds": like("shared-ticket", "foldedBack", () => ({
    attach: (memory, slots) => ({ take: () => Atomics.add(memory, NEXT, 1) % slots, give() {} }),
  })),
  /** Counts its slots from 1. */
  "one-too-far": like("per-worker-sequential", "slotsAreInRange", (honest) => ({
    attach(memory, slots, worker) {
      const { take, give } = honest.attach(memory, slots, worker);
      return { take: () => take() + 1, give };
    },
  })),
  /** A plain `++` where `Atomics.add` belongs. Alone it is right; two workers now and then draw the same ticket. */
  "plain-ticket": racy(
    like("shared-ticket", "evenFilling", () => ({
      attach(memory, slots) {
        const fold = foldAt(slots);
        return {
          take() {
            const ticket = memory[NEXT]!++;
            if (ticket >= fold) foldBack(memory, NEXT, fold);
            return ticket % slots;
          },
          give() {},
        };
      },
    })),
  ),
  /** Every worker seeds its generator alike, so that all of them choose the same slots. */
  "same-stream": like("per-worker-random", "noWorseThanChance", (honest) => ({
    attach: (memory, slots, worker) => honest.attach(memory, slots, { ...worker, seed: 1 }),
  })),
  /** Formats for whatever it is told. */
  "takes-any-setup": like("per-worker-random", "badInputIsRefused", () => ({ format() {} })),
  /** Shares a word and tells nothing of it, so that nothing holds it to its takes. */
  "tells-nothing": like("shared-ticket", "sharedWordsTell", () => ({ inspect: () => ({}) })),
  /** Counts a hole vacant twice, so that sooner or later a take searches for one that is not there. */
  "vacates-twice": like("ticket-shared-holes", "everyWorkerFinishes", (honest) => ({
    attach(memory, slots, worker) {
      const allocator = honest.attach(memory, slots, worker);
      return {
        ...allocator,
        give(slot) {
          allocator.give(slot);
          Atomics.add(memory, VACANT, 1);
        },
      };
    },
  })),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
