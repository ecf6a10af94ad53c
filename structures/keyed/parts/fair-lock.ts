import type { LockCompetitor, RobustLock } from "../../locks/locks.contract.ts";
import { lockedTwice, unlockedAnothers, unlockedFree } from "../../locks/parts/misuse.ts";
import type { Region } from "../../shared/layout.ts";

/**
 * A mutex that outlives its holder and its waiters, and is handed over in the order of arrival.
 *
 * A queue of linked nodes breaks where a worker in the middle dies. Here every waiter has a word of its own with the
 * number of its ticket, as in Lamport's bakery, and whoever releases the lock looks for the lowest. A dead worker's word
 * is cleared, and the queue has no gap. The holder is named in the state, as in robust-futex, so a dead holder's place
 * can be passed on as well.
 *
 * It keeps the laws of a RobustLock, but for one: `unlock` after a death leaves the data inconsistent, for the next
 * holder to mend. One task at a time may wait on a handle.
 *
 * Arrival is the moment at which a worker writes its ticket. A worker that finds the lock free and nobody waiting takes
 * it without a ticket.
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
export const fairLock = {
  deadHolder: "recovers",

  words: (workers: number) => TICKETS + workers,

  format(memory: Region) {
    memory.fill(0);
    Atomics.store(memory, NEXT, 1);
  },

  workerExited(memory: Region, index: number) {
    if (withdraw(memory, index)) passOn(memory, numberOf(index), OWNER_DIED);
    // It may have handed the lock over without coming to wake the next holder. One that is not the holder any more, and
    // waits again, draws another ticket.
    const holder = holderOf(Atomics.load(memory, STATE));
    if (holder !== NOBODY) wake(memory, holder, Atomics.load(memory, ticketOf(holder)));
  },

  attach(memory: Region, { index }: { readonly index: number }): RobustLock {
    const me = numberOf(index);
    const mine = ticketOf(me);
    let spins = 0;
    let parks = 0;

    /** The private copy of its word, which others clear. */
    let ticket = NO_TICKET;

    const served = (): undefined => {
      ticket = NO_TICKET;
      Atomics.store(memory, mine, NO_TICKET);
    };

    const lockOrAnnounce = (): number | undefined => {
      for (;;) {
        const state = Atomics.load(memory, STATE);
        if (holderOf(state) === me) {
          if (ticket === NO_TICKET) throw lockedTwice();
          return served();
        }
        if (Atomics.load(memory, mine) === NO_TICKET) {
          ticket = drawn(memory);
          Atomics.store(memory, mine, ticket);
        } else if (holderOf(state) === NOBODY) {
          if (Atomics.compareExchange(memory, STATE, state, state | me) === state) return served();
        } else if (hasAnnounced(memory, state)) return ticket;
      }
    };

    const lockContended = (): void => {
      spins++;
      for (let value = lockOrAnnounce(); value !== undefined; value = lockOrAnnounce()) {
        spins++;
        if (Atomics.wait(memory, mine, value) !== "not-equal") parks++;
      }
    };

    const unlock = (): void => {
      const found = Atomics.compareExchange(memory, STATE, me, FREE);
      if (found === me) return;
      if (holderOf(found) !== me) throw holderOf(found) === NOBODY ? unlockedFree() : unlockedAnothers();
      passOn(memory, me);
    };

    const isAfterDeath = (): boolean => {
      const state = Atomics.load(memory, STATE);
      return holderOf(state) === me && (state & OWNER_DIED) !== 0;
    };

    return {
      lock() {
        if (Atomics.compareExchange(memory, STATE, FREE, me) !== FREE) lockContended();
      },
      tryLock() {
        const found = Atomics.compareExchange(memory, STATE, FREE, me);
        if (found === FREE) return true;
        // Free, and its last holder died.
        return found === OWNER_DIED && Atomics.compareExchange(memory, STATE, found, found | me) === found;
      },
      unlock,
      word: memory.subarray(mine, mine + 1),
      lockOrAnnounce,
      leave() {
        ticket = NO_TICKET;
        return withdraw(memory, index);
      },
      get ownerDied() {
        return isAfterDeath();
      },
      markConsistent() {
        Atomics.and(memory, STATE, ~OWNER_DIED);
      },
      unlockInconsistent: unlock,
      get spins() {
        return spins;
      },
      get parks() {
        return parks;
      },
    };
  },
} satisfies Omit<LockCompetitor, "summary" | "source" | "progress">;

const STATE = 0;
const NEXT = 1;
const TICKETS = 2;

const FREE = 0;
const HOLDER = 2 ** 24 - 1;
const NOBODY = 0;
const WAITERS = 2 ** 24;
const OWNER_DIED = 2 ** 25;
const NO_TICKET = 0;

const numberOf = (index: number) => index + 1;
const holderOf = (state: number) => state & HOLDER;
const ticketOf = (worker: number) => TICKETS + worker - 1;

/** The numbers wrap, and leave out the one that means no ticket. */
function drawn(memory: Region): number {
  return Atomics.add(memory, NEXT, 1) || Atomics.add(memory, NEXT, 1);
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
function passOn(memory: Region, holder: number, death = 0): void {
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
function hasAnnounced(memory: Region, state: number): boolean {
  return (state & WAITERS) !== 0 || Atomics.compareExchange(memory, STATE, state, state | WAITERS) === state;
}

/** Clears the ticket, so that a worker that is about to sleep on it does not. It may have come to see the state already. */
function wake(memory: Region, worker: number, ticket: number): void {
  Atomics.compareExchange(memory, ticketOf(worker), ticket, NO_TICKET);
  Atomics.notify(memory, ticketOf(worker), 1);
}

/** Takes a worker out of the line. Returns whether it holds the lock, which may have been handed to it before. */
function withdraw(memory: Region, index: number): boolean {
  Atomics.store(memory, ticketOf(numberOf(index)), NO_TICKET);
  for (;;) {
    const state = Atomics.load(memory, STATE);
    const holder = holderOf(state);
    if (holder === numberOf(index)) return true;
    if (holder === NOBODY || hasAnnounced(memory, state)) return false;
  }
}
