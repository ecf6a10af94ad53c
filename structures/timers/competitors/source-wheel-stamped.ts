import { SLOTS, SourceWheel, type Task, TICKS_PER_SECOND } from "../parts/source-wheel.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimersCompetitor } from "../timers.contract.ts";

/**
 * The wheel of the source document where a message writes when it came, as on the document's heap, instead of removing
 * and adding its task. A task that is due looks whether its connection was heard since, and if so is added for another
 * whole interval.
 *
 * Promise: everything the contract asks; order none. It is late by less than the interval in whole seconds. A look
 *   right before the deadline finds the connection alive, and the next is an interval later.
 * Progress: wait-free; an advance also adds anew all postponed tasks on its way, however many, whatever the budget.
 * Threads: one; every attach is a set of its own.
 * Cost: a refresh to after the next look reads one word and writes two; to before it, that of source-wheel, as are add
 *   and cancel. A look that finds the connection alive makes an object and writes two maps.
 * Memory: that of source-wheel, and 12 bytes per place.
 * Limits: the limits of source-wheel. A connection that falls silent is held up to twice its timeout. No rotation is
 *   late.
 * Bet: with the same stamp as the heap the source's wheel costs no more than it, so that comparing them compares wheel
 *   and heap.
 * Source: the source document's PHP class TimerWheel, its turns counted from the second before, and section 5: when the
 *   hand passes, the check of last_message_time is made.
 */
export default {
  ...privateToThread,
  summary:
    "the source document's wheel where a message writes a stamp, and a task that is due compares it with now",
  source: "source document, PHP class TimerWheel, with the stamp of its sections 3 and 5",
  variantOf: "source-wheel",
  order: "none",
  emulates:
    "callbacks by ids written down; a budget by one slot more for what it leaves over; a stamp by the deadline that it comes to",
  lateness: (delay) => Math.ceil(delay / TICKS_PER_SECOND) * TICKS_PER_SECOND - 1,
  attach: (_memory, capacity) => new StampedSourceWheel(capacity),
} satisfies TimersCompetitor;

class StampedSourceWheel extends SourceWheel {
  /** By place: the deadline that the latest stamp comes to, and the ticks from the stamp to it. */
  readonly #deadlines: Int32Array;
  readonly #intervals: Int32Array;
  /** By place: the tick of the next look. */
  readonly #looks: Int32Array;

  constructor(capacity: number) {
    super(capacity, (delay) => Math.floor((delay - 1) / SLOTS));
    this.#deadlines = new Int32Array(capacity);
    this.#intervals = new Int32Array(capacity);
    this.#looks = new Int32Array(capacity);
  }

  override add(deadline: number): number {
    const tick = deadlineTick(this.clock, deadline);
    const handle = super.add(tick);
    this.#stamp(handle, tick);
    this.#looks[this.handles.placeOf(handle)] = this.tickAfter(this.delayOf(tick));
    return handle;
  }

  override refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.clock, deadline);
    if (!this.handles.isLive(handle)) return false;
    const place = this.handles.placeOf(handle);
    const look = this.#looks[place]!;
    // Looks at or behind the clock were left over by a budget.
    if (((look - this.clock) | 0) <= 0 || ((tick - look) | 0) < 0) {
      super.refresh(handle, tick);
      this.#looks[place] = this.tickAfter(this.delayOf(tick));
    }
    this.#stamp(handle, tick);
    return true;
  }

  #stamp(handle: number, tick: number): void {
    const place = this.handles.placeOf(handle);
    this.#deadlines[place] = tick;
    this.#intervals[place] = (tick - this.clock) | 0;
  }

  protected override isPutOff(task: Task): boolean {
    const place = this.handles.placeOf(task.id);
    if (((this.#deadlines[place]! - this.clock) | 0) <= 0) return false;
    const delay = Math.ceil(this.#intervals[place]! / TICKS_PER_SECOND);
    this.#looks[place] = this.tickAfter(delay);
    this.putOff(task, delay);
    return true;
  }
}
