import { holderOf, NOBODY, numberOf, OWNER_DIED, SLEEPERS as WAITERS } from "./holder-bits.ts";
import type { Region } from "./layout.ts";

/**
 * A holder word whose waiters stand in line, each with a ticket in a word of its own. Whoever releases it, or reports that
 * its holder has exited, hands it to the lowest ticket. See keyed/parts/fair-lock.ts, whose words these are.
 *
 *     word 0  state   written and read by every worker and by the reporter of exits, atomically
 *             bits 0 .. 23   holder: its index + 1, 0 where the lock is free
 *             bit 24         a waiter may have come since the holder last looked
 *             bit 25         a holder has died, and the data have not been declared consistent since
 *     word 1  next    the next ticket, never 0; drawn by every worker
 *     words 2 ..      by worker: its ticket, 0 where it does not wait. The worker writes it and sleeps on it. The one that
 *                     hands it the lock clears it, and so does the one that reports its exit.
 *
 * Ground rules.
 *
 * A waiter writes its ticket first and sets bit 24 afterwards. The holder clears bit 24 first and looks at the tickets
 * afterwards. Then it compares and exchanges the state. So it either sees a ticket, or bit 24 makes its exchange fail
 * and it looks again. No waiter is left behind on a free lock.
 *
 * A ticket that is cleared by somebody else, or taken back, may have been seen before by a holder that is about to hand
 * the lock over. Whoever clears it sets bit 24 as well, so that this exchange fails (`withdraw`).
 *
 * A waiter sleeps once it has seen a holder that will look for it. So nobody sleeps on a free lock, and of those that are
 * just arriving there anyone may take it.
 *
 * Only a holder hands the lock over, or the one that reports its exit, and from the holder to another: nobody else changes
 * who holds it, so an exchange that succeeds late cannot be one that is out of date.
 */
export const STATE = 0;
export const NEXT = 1;
export const TICKETS = 2;

export const NO_TICKET = 0;

/** The word of a worker, given by its number. */
export const ticketOf = (worker: number) => TICKETS + worker - 1;

/**
 * Hands the lock on if worker `index`, which has exited, held it, and takes that worker out of the line. `memory` are the
 * words of one lock with all its tickets, and nothing else.
 */
export function passInPlaceOf(memory: Region, index: number): void {
  if (withdraw(memory, index)) passOn(memory, numberOf(index), OWNER_DIED);
  // It may have handed the lock over without coming to wake the next holder. One that is not the holder any more, and
  // waits again, draws another ticket.
  const holder = holderOf(Atomics.load(memory, STATE));
  if (holder !== NOBODY) wake(memory, holder, Atomics.load(memory, ticketOf(holder)));
}

/** The worker with the lowest ticket, by its number, and that ticket; undefined where none waits. */
function firstInLine(memory: Region): { readonly worker: number; readonly ticket: number } | undefined {
  let first: { readonly worker: number; readonly ticket: number } | undefined;
  for (let word = TICKETS; word < memory.length; word++) {
    const ticket = Atomics.load(memory, word);
    if (ticket === NO_TICKET || (first !== undefined && ((ticket - first.ticket) | 0) > 0)) continue;
    first = { worker: numberOf(word - TICKETS), ticket };
  }
  return first;
}

/**
 * Hands the lock from its `holder`, the caller or a dead worker, to the first in line, or frees it. With
 * OWNER_DIED the data are inconsistent from now on. Does nothing where another holds it.
 */
export function passOn(memory: Region, holder: number, death = 0): void {
  for (;;) {
    let state = Atomics.load(memory, STATE);
    if (holderOf(state) !== holder) return;
    if ((state & WAITERS) !== 0) {
      if (Atomics.compareExchange(memory, STATE, state, state & ~WAITERS) !== state) continue;
      state &= ~WAITERS;
    }
    const first = firstInLine(memory);
    const died = (state & OWNER_DIED) | death;
    const next = first === undefined ? died : died | first.worker | WAITERS;
    if (Atomics.compareExchange(memory, STATE, state, next) !== state) continue;
    if (first !== undefined) wake(memory, first.worker, first.ticket);
    return;
  }
}

/** Sees to it that the holder looks at the tickets again; returns whether it will, or the state was another by then. */
export function hasAnnounced(memory: Region, state: number): boolean {
  return (state & WAITERS) !== 0 || Atomics.compareExchange(memory, STATE, state, state | WAITERS) === state;
}

/** Clears the ticket, so that a worker that is about to sleep on it does not. It may have come to see the state already. */
function wake(memory: Region, worker: number, ticket: number): void {
  Atomics.compareExchange(memory, ticketOf(worker), ticket, NO_TICKET);
  Atomics.notify(memory, ticketOf(worker), 1);
}

/** Takes a worker out of the line. Returns whether it holds the lock, which may have been handed to it before. */
export function withdraw(memory: Region, index: number): boolean {
  Atomics.store(memory, ticketOf(numberOf(index)), NO_TICKET);
  for (;;) {
    const state = Atomics.load(memory, STATE);
    const holder = holderOf(state);
    if (holder === numberOf(index)) return true;
    if (holder === NOBODY || hasAnnounced(memory, state)) return false;
  }
}
