import hashedWheel from "../../timers/competitors/hashed-wheel.ts";
import type { ConnectionsCompetitor } from "../connections.contract.ts";
import { onceCaughtUp } from "../parts/caught-up.ts";
import { watchWithTimeouts } from "../parts/over-timeouts.ts";

/**
 * A timeout for each connection on a hashed wheel of typed arrays, moved by every message.
 *
 * Promise: never early; late by the millisecond that a tick is, and what the event loop adds.
 * Progress: wait-free for one thread.
 * Threads: one; each server process has a watcher of its own.
 * Cost: a message unlinks its timer and links it into another slot, a constant number of stores. One native timer is
 *   armed for the next slot that has any.
 * Memory: 16 bytes for each place of the wheel and 36 beside it, and 270 kB for slots, however many are connected.
 * Limits: the capacity is fixed. A process that is busy for a second closes late by it, as with any of them.
 * Bet: it costs a server least of all that move a timer for each message, but so little that its sockets hide it.
 * Source: Varghese and Lauck, scheme 6; Erlang/OTP.
 */
export default {
  summary: "a Timeouts over hashed-wheel, refreshed by each message",
  source: "Varghese & Lauck 1987, scheme 6",
  progress: "wait-free",
  renewedBy: "messages",
  earliness: () => 0,
  lateness: () => 2,
  watch: (setup) => onceCaughtUp(setup, "messages", (inner) => watchWithTimeouts(hashedWheel, inner)),
} satisfies ConnectionsCompetitor;
