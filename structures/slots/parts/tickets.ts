import { foldAt, foldBack, ticketsSince } from "../../pick/parts/rotation.ts";
import type { Region } from "../../shared/layout.ts";
import { assertSetup, type SlotsCompetitor, type SlotsState } from "../slots.contract.ts";

/**
 * Slots by ticket: a counter that all workers share, whose value modulo the slots is the next slot. It is folded back
 * by whole passes over the slots before it leaves the int32 range, as in pick/parts/rotation.ts. If it wrapped at 2^32,
 * the order would jump there wherever the number of slots does not divide 2^32. The slots it leaves out would stay one
 * client short.
 *
 *     word 0   next   the next ticket   every worker, atomically
 *
 * At rest it is 0 .. fold. A draw that begins below the fold leaves the counter as it is, and the next one takes the
 * fold off. Draws in progress come on top during calls.
 */
export const NEXT = 0;
export const TICKET_WORDS = 1;

/** Words, format and inspect of allocators that share nothing but the counter. */
export const ticketsOnly = {
  words(slots, workers) {
    assertSetup(slots, workers);
    return TICKET_WORDS;
  },
  format(memory, slots, workers, seed) {
    assertSetup(slots, workers, seed);
    formatTickets(memory, slots, seed);
  },
  inspect: (memory, slots, _workers, seed) => ({ tickets: ticketsDrawn(memory, slots, seed) }),
} satisfies Pick<SlotsCompetitor, "words" | "format" | "inspect">;

/** The first ticket is the seed, as far as one below the fold can be. */
export function formatTickets(memory: Region, slots: number, seed: number): void {
  Atomics.store(memory, NEXT, seed % foldAt(slots));
}

/** The next ticket, which is below the fold plus what is drawn meanwhile. */
export function drawTicket(memory: Region, fold: number): number {
  const ticket = Atomics.add(memory, NEXT, 1);
  if (ticket >= fold) foldBack(memory, NEXT, fold);
  return ticket;
}

export function ticketsDrawn(
  memory: Region,
  slots: number,
  seed: number,
): NonNullable<SlotsState["tickets"]> {
  return { ...ticketsSince(memory, NEXT, seed, foldAt(slots)), word: Atomics.load(memory, NEXT) };
}
