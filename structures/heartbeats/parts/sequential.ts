import { checkedSlots, type HeartbeatScheduler } from "../heartbeats.contract.ts";
import { Roster } from "./roster.ts";

/**
 * The two ways in which the source takes the slots in turn without tying them to the clock. The turn decides the first
 * heartbeat alone, and each later one is due one interval after the last. `firstDue` makes a time of a slot's offset in
 * seconds.
 */
export function inTurn(
  interval: number,
  seed: number,
  askedSlots: number | undefined,
  firstDeadline: (offset: number, now: number) => number,
): HeartbeatScheduler {
  const slots = checkedSlots(interval, seed, askedSlots);
  const width = interval / slots;
  const roster = new Roster();
  // From 1 on, which the source leaves open: from 0 on the first client would beat in second 0, where its graph has none.
  let turn = 1 % slots;
  return {
    connect(client, now) {
      roster.admit(client);
      const deadline = firstDeadline(turn * width, now);
      turn = turn + 1 === slots ? 0 : turn + 1;
      return deadline;
    },
    beat(client, now) {
      roster.assertPresent(client);
      return now + interval;
    },
    disconnect: (client) => roster.dismiss(client),
  };
}
