import futex from "../../locks/competitors/futex-three-state.ts";
import { STRIDE_WORDS } from "../../shared/layout.ts";
import { lockedReceiver, lockedSender } from "../parts/locked-ring.ts";
import type { QueuesCompetitor } from "../queues.contract.ts";
import lockedRing from "./locked-ring.ts";

/**
 * A ring behind one mutex whose producers never wait: the oldest message gives way where it is full.
 *
 * Promise: the newest messages, as many as it has places, in one order.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: that of locked-ring.
 * Memory: that of locked-ring.
 * Limits: those of locked-ring. Nobody is told of a message that gave way.
 * Bet: for samples and states, of which a late consumer wants the newest.
 * Source: the overwrite mode of the ring buffer of Linux' tracing, Documentation/trace/ring-buffer-design.rst.
 *
 *     word 0       lock   see locks/futex-three-state
 *     words 32 ..  ring   see parts/locked-ring.ts
 */
export default {
  ...lockedRing,
  summary: "ring of messages behind a three-state futex mutex, where the oldest give way to new ones",
  source: "Linux, Documentation/trace/ring-buffer-design.rst, overwrite mode",
  full: "drops-oldest",

  sender: (memory, setup) =>
    lockedSender(memory.subarray(STRIDE_WORDS), setup, futex.attach(memory), { dropsOldest: true }),

  receiver: (memory, setup) => lockedReceiver(memory.subarray(STRIDE_WORDS), setup, futex.attach(memory)),
} satisfies QueuesCompetitor;
