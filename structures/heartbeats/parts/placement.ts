import {
  checkedSlots,
  type HeartbeatCompetitor,
  type HeartbeatScheduler,
  NO_DEVIATION,
  RESOLUTION,
} from "../heartbeats.contract.ts";
import { SlotBook } from "./roster.ts";

/**
 * Schedulers that choose a slot when a client connects and keep it while it is connected. They differ in the choice
 * alone, and in what they must remember to make it.
 */
export interface Placement {
  /** The slot of a client that connects, 0 .. slots - 1. */
  choose(client: number): number;
  /** Called when the client in this slot has left. */
  free?(slot: number): void;
}

/** What every such scheduler promises, but for the spread. */
export const PLACED = {
  progress: "wait-free",
  resolution: RESOLUTION,
  deviation: () => NO_DEVIATION,
  spread: Number.POSITIVE_INFINITY,
  spreadOfSurvivors: Number.POSITIVE_INFINITY,
} satisfies Partial<HeartbeatCompetitor>;

/** A competitor's `create` from how it places. `placement` is called once for each scheduler. */
export function placing(
  placement: (slots: number, seed: number) => Placement,
): HeartbeatCompetitor["create"] {
  return (interval, seed, askedSlots): HeartbeatScheduler => {
    const slots = checkedSlots(interval, seed, askedSlots);
    const book = new SlotBook(interval, slots);
    const { choose, free } = placement(slots, seed);
    return {
      connect(client, now) {
        book.expect(client);
        return book.assign(client, choose(client), now);
      },
      beat: (client, now) => book.next(client, now),
      disconnect(client) {
        const slot = book.release(client);
        free?.(slot);
      },
    };
  };
}
