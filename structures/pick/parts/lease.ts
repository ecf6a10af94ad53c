import { STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import { foldAt, foldBack, shuffledRotation, ticketsSince } from "./rotation.ts";

/**
 * Round robin whose workers take several consecutive tickets at once and pick them one by one. This is all that the
 * pickers by lease have in common; they differ only in how many.
 *
 *     word 0           next       the next ticket, 0 .. fold + leases in flight   every worker, atomically
 *     words 1 .. 31    dead, so that the rotation does not share the counter's lines
 *     words 32 ..      rotation   the backends in shuffled order                  written by format only
 */
export function leasedTickets(lease: number) {
  return {
    summary: `pre-shuffled order, ${lease} consecutive tickets per shared Atomics.add`,
    source: "batching; range allocation of sequence numbers, as databases do it",
    progress: "lock-free",
    order: "rotation",
    breaksPatterns: false,
    tickets: "conserved",
    /**
     * The tickets taken by all workers are consecutive, so that no two backends differ by more than 1 in them. Of these
     * the tickets that each worker still holds are missing. They are consecutive as well, so the difference is again 1
     * at most, for every worker. One that takes over a seat is a worker more.
     */
    gapBound: ({ workers }) => workers + 1,
    wrapPoints: (backends) => [foldAt(backends)],
    dependsOnBackends: true,

    words: ({ backends }) => ROTATION + wholeStrides(backends),

    format(memory, { backends, seed, firstTicket }) {
      memory.set(shuffledRotation(backends, seed), ROTATION);
      Atomics.store(memory, NEXT, firstTicket % foldAt(backends));
    },

    attach(memory, { backends }, worker) {
      // A private copy of the rotation that goes on for a lease past its end, so that no lease has to wrap half-way.
      const rotation = Int32Array.from(
        { length: backends + lease },
        (_, at) => memory[ROTATION + (at % backends)]!,
      );
      // The fold is a multiple of the rotation and need not be a multiple of the lease. A lease that begins below it
      // and ends above goes on through the rotation as any other.
      const fold = foldAt(backends);
      /** The tickets held belong to `rotation[position]` up to, and without, `rotation[end]`. */
      let position = 0;
      let end = 0;
      // Leases begin at the same few backends where the two numbers have a common factor: so would all workers, and one that
      // often restarts. A first lease of any size moves those after it elsewhere.
      let size = 1 + new Random(worker.seed).below(lease);
      return {
        pick() {
          if (position === end) {
            const ticket = Atomics.add(memory, NEXT, size);
            if (ticket >= fold) foldBack(memory, NEXT, fold);
            position = ticket % backends;
            end = position + size;
            size = lease;
          }
          return rotation[position++]!;
        },
        counters: () => ({ heldAt: position, heldCount: end - position }),
      };
    },

    inspect(memory, { backends, firstTicket }) {
      return {
        handedOut: ticketsSince(memory, NEXT, firstTicket, foldAt(backends)),
        rotation: [...memory.subarray(ROTATION, ROTATION + backends)],
      };
    },
  } satisfies PickCompetitor;
}

const NEXT = 0;
const ROTATION = STRIDE_WORDS;
