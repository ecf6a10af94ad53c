import type { LockCompetitor, RobustLock } from "../../locks/locks.contract.ts";
import { lockedTwice, unlockedAnothers, unlockedFree } from "../../locks/parts/misuse.ts";
import { holderOf, NOBODY, numberOf, OWNER_DIED } from "../../shared/holder-bits.ts";
import type { Region } from "../../shared/layout.ts";
import {
  hasAnnounced,
  NEXT,
  NO_TICKET,
  passInPlaceOf,
  passOn,
  STATE,
  TICKETS,
  ticketOf,
  withdraw,
} from "../../shared/ticket-words.ts";
import type { StripeLock } from "./stripe.ts";

/**
 * A mutex that outlives its holder and its waiters, and is handed over in the order of arrival.
 *
 * A queue of linked nodes breaks where a worker in the middle dies. Here every waiter has a word of its own with the
 * number of its ticket, as in Lamport's bakery. The worker that releases the lock looks for the lowest ticket. A dead
 * worker's word is cleared, and the queue has no gap. The holder is named in the state, as in robust-futex, so a dead holder's place
 * can be passed on as well.
 *
 * It keeps the laws of a RobustLock, but for one: `unlock` after a death leaves the data inconsistent, for the next
 * holder to mend. One task at a time may wait on a handle.
 *
 * Arrival is the moment at which a worker writes its ticket. A worker that finds the lock free and nobody waiting takes
 * it without a ticket.
 *
 * shared/ticket-words.ts draws the words and has the ground rules.
 */
export const fairLock = {
  deadHolder: "recovers",
  hasTickets: true,

  words: (workers: number) => TICKETS + workers,

  format(memory: Region) {
    memory.fill(0);
    Atomics.store(memory, NEXT, 1);
  },

  workerExited: passInPlaceOf,

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
} satisfies StripeLock & Pick<LockCompetitor, "deadHolder">;

const FREE = 0;

/** The numbers wrap, and leave out the one that means no ticket. */
function drawn(memory: Region): number {
  return Atomics.add(memory, NEXT, 1) || Atomics.add(memory, NEXT, 1);
}
