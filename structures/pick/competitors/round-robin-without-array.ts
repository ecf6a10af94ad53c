import { STRIDE_WORDS } from "../../shared/layout.ts";
import { beginningIn, foldAt, foldBack, plainRotation, ticketsSince } from "../parts/rotation.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import shuffledRoundRobin from "./shuffled-round-robin.ts";

/**
 * shuffled-round-robin without a shuffle: the backends in plain order from one that the seed draws. The remainder is
 * the backend, and no array is read.
 *
 * Promise: that of shuffled-round-robin.
 * Progress: as shuffled-round-robin.
 * Threads: as shuffled-round-robin.
 * Cost: one Atomics.add and one integer remainder; no element is read, and no bounds are checked.
 * Memory: as shuffled-round-robin; the rotation is there for inspection.
 * Limits: as shuffled-round-robin; and all instances follow one order, from different backends on.
 * Bet: the element and the check of its bounds are not what a pick is mainly due to: without both it is hardly faster.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann), which names "the bounds-check the
 *   runtime does when accessing the array" among three things that a pick is mainly due to. This takes away more than it.
 *
 * The memory is that of shuffled-round-robin, word for word, with the rotation 0, 1, 2 and on. The counter begins at
 * the ticket of the first backend.
 */
export default {
  ...shuffledRoundRobin,
  summary: "plain order, one shared Atomics.add index, modulo, and no array to read",
  source: "Portmann, Randomized Round Robin: Increment and Modulo, without its array",
  variantOf: "shuffled-round-robin",

  format(memory, setup) {
    shuffledRoundRobin.format(memory, { ...setup, firstTicket: beginningIn(setup, setup.backends) });
    memory.set(plainRotation(setup.backends), ROTATION);
  },

  attach(memory, { backends }) {
    const fold = foldAt(backends);
    return {
      pick() {
        const ticket = Atomics.add(memory, NEXT, 1);
        if (ticket >= fold) foldBack(memory, NEXT, fold);
        return ticket % backends;
      },
    };
  },

  inspect(memory, setup) {
    const { backends, firstTicket } = setup;
    const first = beginningIn(setup, backends);
    const rotation = plainRotation(backends);
    return {
      handedOut: ticketsSince(memory, NEXT, first, foldAt(backends)),
      // As tickets are counted outside, from firstTicket on.
      rotation: [...rotation.map((backend) => (backend + backends + first - firstTicket) % backends)],
    };
  },
} satisfies PickCompetitor;

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
