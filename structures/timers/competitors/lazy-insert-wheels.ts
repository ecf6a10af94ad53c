import type { Region } from "../../shared/layout.ts";
import { link, register } from "../parts/slot-lists.ts";
import type { TimersCompetitor } from "../timers.contract.ts";
import inboxWheels, { InboxWheels } from "./inbox-wheels.ts";

/**
 * The wheels and inboxes of inbox-wheels, with one difference. What a worker adds or refreshes waits in a list of its
 * own, newest first. All of it is registered with the wheel at once, before the clock moves. What is cancelled first
 * never gets into the wheel.
 *
 * Promise: as inbox-wheels. Order fifo; never late, because waiting timers are registered before the clock passes any
 *   deadline. An advance that leaves the clock where it is registers nothing.
 * Progress: blocking, as inbox-wheels. Registering waits for no other worker: the list is its worker's own.
 * Threads: any worker that attached; a worker's set belongs to one thread.
 * Cost: add, and cancel of a waiting timer, touch the timer's own record, the list's head and the neighbours in the
 *   list. These are the newest and so in the cache. What lives on is linked twice; a refresh takes a registered timer
 *   out of its slot at once. The first advance of a tick, and nextExpiry, visit each timer that waits twice. The rest
 *   is inbox-wheels'.
 * Memory: that of inbox-wheels.
 * Limits: the limits of inbox-wheels. Where nearly all timers outlive the tick in which they are added, it only does
 *   more. A worker that adds much in one tick has a longer advance after it.
 * Bet: where most requests are answered in the tick in which they are sent, and timeouts differ, it beats inbox-wheels,
 *   for their timers touch no slot. It loses little where timers live long. Where all timeouts are equal those of one
 *   tick share a slot, which is in the cache anyway.
 * Source: Tokio #6512 (timers registered when first polled). Tokio #7467 (per-worker wheels, a registration queue that
 *   is drained when the worker parks, a cancellation queue for other threads). pingora-timeout, fast_timeout. Unlike
 *   Tokio's, a timer is live and any worker can cancel it as soon as it is added. Other workers refresh it by the
 *   inbox. Unlike Pingora's, no deadline is rounded up to 10 ms, no thread keeps a clock, and a cancelled timer leaves
 *   at once.
 *
 *     words           those of inbox-wheels; and of its HEADS
 *     PENDING first record of the list of waiting timers, the newest; read and written by the owner, plainly
 *
 * Ground rules: as in inbox-wheels. Only the owner links and unlinks, so that other workers do not see the
 * difference. A timer in the inbox that waits is taken from the list to its slot when the inbox is drained.
 */
export default {
  ...inboxWheels,
  summary:
    "inbox-wheels whose own adds and refreshes wait in a list and are linked, all at once, before a tick",
  source: "Tokio #6512 and #7467; pingora-timeout fast_timeout",
  attach: (memory, capacity, identity) => new LazyInsertWheels(memory, capacity, identity),
} satisfies TimersCompetitor;

/** The second list beside the slots: the first is EXPIRING. */
const PENDING = 2 ** 16 + 1;

export class LazyInsertWheels extends InboxWheels {
  override advance(now: number, out: Int32Array, budget: number): number {
    if (((now - this.clock) | 0) > 0) register(this.wheel, PENDING);
    return super.advance(now, out, budget);
  }

  override nextExpiry(): number | undefined {
    register(this.wheel, PENDING);
    return super.nextExpiry();
  }

  protected override insert(wheel: Region, record: number): void {
    link(wheel, record, PENDING);
  }
}
