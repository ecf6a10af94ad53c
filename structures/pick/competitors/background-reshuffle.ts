import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import { foldAt, shuffledRotation } from "../parts/rotation.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";

/**
 * Round robin over an order that a thread beside the workers shuffles again every now and then.
 *
 * Promise: every ticket is handed out once. Between two changes of the order every rotation is a permutation. The gap
 *   between any two backends is at most 1, and 1 more for every change.
 * Progress: wait-free with two exceptions. The fold of the counter is lock-free and runs once in about 2^29 picks. The
 *   notify takes the mutex of V8's one list of waiters: a thread that stops while it has that mutex holds up one pick
 *   in 2^16. The thread beside the workers waits for all of them; no worker ever waits for its shuffle.
 * Threads: any worker that attached, each on its own index; one background thread.
 * Cost: one Atomics.add, one integer remainder, a compare of the epoch and one of the ticket. An Atomics.store after a
 *   change of the order, and an Atomics.notify by one worker in 2^16 picks.
 * Memory: two strides, one more per worker, and two rotations of a word per backend.
 * Limits: between two changes the order repeats, and a request pattern with it: patterns are broken up in the long run
 *   only. A worker that stops picking, or dies, holds up every later change; the others go on in the order they have.
 * Bet: a changing order is all but free for the pickers: the epoch comes with the ticket.
 * Source: "Randomized Round Robin (Load Balancing) as Fast as Possible" (N. Portmann): "a separate thread could
 *   periodically scramble the array in the background". In place, as it stands there, rotations would lose backends
 *   (`reshuffles-in-place` of pick.mutants.ts). Waiting until all readers have moved on is quiescent-state-based reclamation
 *   (Hart, McKenney, Brown & Walpole, Performance of memory reclamation for lockless synchronization, 2007).
 *
 *     word 0           control      bits 31, 30: epoch; bits 29 .. 0: the next ticket    all threads, atomically
 *     words 1 .. 31    dead
 *     word 32          requests     changes asked for, modulo 2^32                       workers add, thread waits
 *     word 33          reshuffles   changes made, modulo 2^32                            thread adds, inspect reads
 *     words 34 .. 63   dead
 *     word 64 + 32 w   seen         latest epoch that worker w has seen                  worker w stores, thread loads
 *     then             even rotation the order of epochs 0 and 2, in whole strides        thread, plainly: see below
 *     then             odd rotation  the order of epochs 1 and 3, in whole strides        likewise
 */
export default {
  summary: "one shared Atomics.add index, order reshuffled by a thread of its own in a double buffer",
  source: "Portmann, Randomized Round Robin: background scrambling, by epochs",
  progress: "lock-free",
  order: "reshuffled",
  breaksPatterns: false,
  tickets: "linearizable",
  /**
   * The tickets of one epoch are consecutive and share a rotation, so that each epoch leaves a difference of 1 at most.
   */
  gapBound: (_setup, _picks, { reshuffles = 0 }) => 1 + reshuffles,
  wrapPoints: (backends) => [foldAt(backends, MOST_TICKETS)],
  dependsOnBackends: true,
  background: { url: import.meta.url, attach: attachBackground },

  words: ({ backends, workers }) => rotationOf(workers, backends, 2),

  format(memory, { backends, seed, firstTicket, workers }) {
    const rotation = shuffledRotation(backends, seed);
    memory.set(rotation, rotationOf(workers, backends, 0));
    memory.set(rotation, rotationOf(workers, backends, 1));
    Atomics.store(memory, REQUESTS, 0);
    Atomics.store(memory, RESHUFFLES, 0);
    // Epoch 0, which every worker counts as having seen: there is no earlier one for it to be in.
    for (let worker = 0; worker < workers; worker++) Atomics.store(memory, seenOf(worker), 0);
    Atomics.store(memory, CONTROL, firstTicket % foldAt(backends, MOST_TICKETS));
  },

  attach(memory, { backends, workers }, { index }) {
    const fold = foldAt(backends, MOST_TICKETS);
    const seenAt = seenOf(index);
    const evenRotation = rotationOf(workers, backends, 0);
    const rotationWords = wholeStrides(backends);
    let seen = Atomics.load(memory, seenAt);
    return {
      pick() {
        const control = Atomics.add(memory, CONTROL, 1);
        const epoch = control >>> EPOCH_SHIFT;
        const ticket = control & TICKET_MASK;
        if (epoch !== seen) {
          seen = epoch;
          // This worker's picks of the epoch before have read their rotation: the thread may have it.
          Atomics.store(memory, seenAt, epoch);
        }
        if (ticket >= fold) foldControl(memory, fold);
        if ((ticket & (PICKS_PER_REQUEST - 1)) === 0) {
          Atomics.add(memory, REQUESTS, 1);
          Atomics.notify(memory, REQUESTS);
        }
        // A plain read. The add above returned this epoch, so what the thread wrote before it began is visible here.
        // The thread writes no more to this rotation before this worker has stored a later epoch as seen.
        return memory[evenRotation + (epoch & 1) * rotationWords + (ticket % backends)]!;
      },
    };
  },

  inspect(memory, { backends, firstTicket, workers }) {
    const fold = foldAt(backends, MOST_TICKETS);
    const control = Atomics.load(memory, CONTROL);
    const ticket = control & TICKET_MASK;
    // While no worker picks, the thread may begin one more epoch but cannot touch this rotation: no worker sees that
    // epoch.
    const rotation = rotationOf(workers, backends, (control >>> EPOCH_SHIFT) & 1);
    return {
      handedOut: { count: (ticket - (firstTicket % fold) + fold) % fold, modulo: fold },
      rotation: [...memory.subarray(rotation, rotation + backends)],
      reshuffles: Atomics.load(memory, RESHUFFLES) >>> 0,
    };
  },
} satisfies PickCompetitor;

/**
 * The thread beside the workers. In epoch e it owns the rotation of epoch e - 1, which is that of e + 1, as soon as
 * every worker has seen e. A worker's picks follow one another and epochs only go up. So a worker that has seen e has
 * no pick of e - 1 left to finish. It shuffles that rotation and then begins epoch e + 1. By the same rule it cannot go
 * on to e + 2 while any worker is still in e. At most two epochs are ever in use, and two bits distinguish them with
 * one to spare.
 */
function attachBackground(memory: Region, { backends, workers, seed }: PickSetup) {
  // A stream of its own: format's shuffle uses stream 0 of the same seed.
  const random = new Random(seed, 1);
  let served = 0;
  return {
    sleep() {
      Atomics.wait(memory, REQUESTS, served);
    },

    step() {
      const requests = Atomics.load(memory, REQUESTS);
      if (requests === served) return false;
      served = requests;
      const epoch = Atomics.load(memory, CONTROL) >>> EPOCH_SHIFT;
      for (let worker = 0; worker < workers; worker++) {
        // Somebody may still read the idle rotation. The request is dropped; the next will come before long.
        if (Atomics.load(memory, seenOf(worker)) !== epoch) return false;
      }
      const idle = rotationOf(workers, backends, (epoch + 1) & 1);
      // Plain reads and writes: no other thread touches this rotation until the add below begins its epoch.
      random.shuffle(memory.subarray(idle, idle + backends));
      // Counted before it begins. A worker that looks in between, or after this thread was ended in between, then
      // allows for one change too many. It never allows for one too few.
      Atomics.add(memory, RESHUFFLES, 1);
      // Adds to the epoch alone: a carry out of bit 31 is lost, which takes epoch 3 to 0.
      Atomics.add(memory, CONTROL, 1 << EPOCH_SHIFT);
      return true;
    },
  };
}

/**
 * Takes one fold off the ticket unless another worker already has, as foldBack does for a counter alone. The ticket is
 * at or above the fold, so nothing is borrowed from the epoch. The fold is at most half of what the ticket's bits hold.
 * So the ticket cannot reach the epoch either before 2^29 more tickets have been handed out without one success here.
 */
function foldControl(memory: Region, fold: number): void {
  let control = Atomics.load(memory, CONTROL);
  while ((control & TICKET_MASK) >= fold) {
    const found = Atomics.compareExchange(memory, CONTROL, control, control - fold);
    if (found === control) return;
    control = found;
  }
}

const EPOCH_SHIFT = 30;
const TICKET_MASK = 2 ** EPOCH_SHIFT - 1;
/** Tickets are folded back below this. */
const MOST_TICKETS = 2 ** (EPOCH_SHIFT - 1);
/** A power of two, large enough that neither asking nor the change itself shows in the mean cost of a pick. */
const PICKS_PER_REQUEST = 2 ** 16;

const CONTROL = 0;
const REQUESTS = STRIDE_WORDS;
const RESHUFFLES = REQUESTS + 1;
const SEEN = 2 * STRIDE_WORDS;

/** Word of the latest epoch that this worker has seen. */
function seenOf(worker: number): number {
  return SEEN + worker * STRIDE_WORDS;
}

/** First word of the even rotation (0) or the odd one (1); of 2, the first word after both. */
function rotationOf(workers: number, backends: number, rotation: number): number {
  return seenOf(workers) + rotation * wholeStrides(backends);
}
