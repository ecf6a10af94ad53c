import { foldAt } from "../../pick/parts/rotation.ts";
import { Random } from "../../shared/sfc32.ts";
import { drawTickets, ticketsOnly } from "../parts/tickets.ts";
import type { SlotsCompetitor } from "../slots.contract.ts";

/**
 * The slots in turn, each worker taking sixteen consecutive turns at once from a shared counter.
 *
 * Promise: filling keeps all slots within one client for each worker of each other. Nothing once clients leave.
 * Progress: lock-free, by the fold of the counter alone; a take that finds a ticket at hand is wait-free.
 * Threads: any worker that attached.
 * Cost: a compare and an increment to take; for one take in 16 an Atomics.add and an integer remainder as well. Nothing
 *   to give.
 * Memory: one word; two numbers private to each worker.
 * Limits: a worker that stops or dies leaves up to 16 slots one client short: the slots of the tickets it drew last.
 * Bet: takes the contention out of shared-ticket for a spread that no server would notice.
 * Source: range allocation of sequence numbers, as databases do it; pick's leased-tickets-16.
 *
 * parts/tickets.ts lays out the bytes.
 */
export default {
  summary: "slots in turn, 16 consecutive tickets per shared Atomics.add",
  source: "range allocation of sequence numbers, as databases do it",
  variantOf: "shared-ticket",
  progress: "lock-free",
  /**
   * The tickets drawn are consecutive. They still are without the last ones, which the worker that drew last holds: in
   * these no two slots differ by more than 1. Of them the tickets that each other worker holds are missing. They are
   * consecutive as well, so each adds a difference of 1 at most.
   */
  spreadWhenFilling: (workers) => workers,
  spreadUnderChurn: () => Number.POSITIVE_INFINITY,
  readsLoads: false,
  ...ticketsOnly,

  attach(memory, slots, worker) {
    const fold = foldAt(slots);
    /** Slot of the next ticket held, and how many there are. */
    let next = 0;
    let held = 0;
    // Leases begin at the same few slots where the two numbers have a common factor: so would all workers, and one that
    // often restarts. A first lease of any size moves those after it elsewhere.
    let size = 1 + new Random(worker.seed).below(LEASE);
    return {
      take() {
        if (held === 0) {
          next = drawTickets(memory, fold, size) % slots;
          held = size;
          size = LEASE;
        }
        held--;
        const slot = next++;
        if (next === slots) next = 0;
        return slot;
      },
      give() {},
      counters: () => ({ held }),
    };
  },
} satisfies SlotsCompetitor;

/** Tickets of a lease: enough that the shared add hardly shows in their cost. Pick's sizes were tried. */
const LEASE = 16;
