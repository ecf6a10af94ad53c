import { Handles } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { privateToThread } from "../parts/traits.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * The naive wheel with objects: 512 buckets of 100 ticks. Each is a linked list of timeout objects that count the
 * rounds of the wheel they still have to wait.
 *
 * Promise: everything the contract asks; order none; up to 100 ticks late, never early.
 * Progress: wait-free, but for the runtime's allocation.
 * Threads: one; every attach is a set of its own.
 * Cost: add and refresh allocate an object and append it to its bucket; cancel unlinks it. advance turns the wheel
 *   every 100 ticks and visits every timer of the bucket, whatever its round.
 * Memory: private: an object of five fields per timer and 12 bytes per place for handles.
 * Limits: every timer is visited each 51,200 ticks, whenever it is due. nextExpiry is the wheel's next turn, due or
 *   not. A caller that sleeps until then wakes as often as Netty's own thread does.
 * Bet: none; it is the wheel that most programs run, to show what objects and a coarse tick cost and save.
 * Source: Netty's HashedWheelTimer at its default tick and size. A deadline in bucket b is reported at the end of the
 *   bucket, so one at its very start is a whole bucket late. Netty passes adds and cancels from other threads to its
 *   own through queues; here they are done at once. It makes up for a long pause turn by turn. Here, after a rotation
 *   on which nothing was due, it skips all rotations on which nothing can be.
 */
export default {
  ...privateToThread,
  summary: "512 buckets of 100 ticks, linked lists of objects with a count of rounds left",
  source: "Netty HashedWheelTimer",
  variantOf: "hashed-wheel",
  order: "none",
  emulates:
    "refresh: cancels, adds a new object, and keeps the handle; the next wake-up: the wheel's next turn",
  lateness: () => TICKS_PER_TURN,
  attach: (_memory, capacity) => new HashedWheelRounds(capacity),
} satisfies TimersCompetitor;

/** Netty's 100 ms, at a tick of 1 ms. */
const TICKS_PER_TURN = 100;
const BUCKETS = 512;
const BUCKET_MASK = BUCKETS - 1;

class Timeout {
  readonly handle: number;
  rounds: number;
  bucket: Bucket;
  next: Timeout | undefined = undefined;
  previous: Timeout | undefined = undefined;

  constructor(handle: number, rounds: number, bucket: Bucket) {
    this.handle = handle;
    this.rounds = rounds;
    this.bucket = bucket;
  }
}

class Bucket {
  head: Timeout | undefined = undefined;
  tail: Timeout | undefined = undefined;

  append(timeout: Timeout): void {
    timeout.bucket = this;
    timeout.previous = this.tail;
    if (this.tail === undefined) this.head = timeout;
    else this.tail.next = timeout;
    this.tail = timeout;
  }

  remove(timeout: Timeout): void {
    const { next, previous } = timeout;
    if (previous === undefined) this.head = next;
    else previous.next = next;
    if (next === undefined) this.tail = previous;
    else next.previous = previous;
    timeout.next = undefined;
    timeout.previous = undefined;
  }
}

export class HashedWheelRounds implements TimerSet {
  readonly #handles: Handles;
  /** By place; undefined while free. */
  readonly #timeouts: (Timeout | undefined)[];
  readonly #buckets = Array.from({ length: BUCKETS }, () => new Bucket());
  /** Timers of a bucket that has ended, not yet reported. */
  readonly #expiring = new Bucket();
  #size = 0;
  /** The clock, but without wrapping: 2^32 is no multiple of a turn. */
  #elapsed = 0;
  /** Number of the turn that ends next. */
  #turn = 0;

  constructor(capacity: number) {
    this.#handles = new Handles(capacity);
    this.#timeouts = Array.from({ length: capacity }, () => undefined);
  }

  add(deadline: number): number {
    const tick = deadlineTick(this.clock, deadline);
    const handle = this.#handles.take();
    this.#file(handle, tick);
    this.#size++;
    return handle;
  }

  cancel(handle: number): boolean {
    if (!this.#handles.isLive(handle)) return false;
    this.#remove(handle);
    this.#release(handle);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const tick = deadlineTick(this.clock, deadline);
    if (!this.#handles.isLive(handle)) return false;
    this.#remove(handle);
    this.#file(handle, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    const limit = Math.min(budget, out.length);
    const target = this.#elapsed + Math.max(0, (now - this.clock) | 0);
    const end = Math.floor(target / TICKS_PER_TURN);
    let count = this.#report(out, 0, limit);
    // Turns since something was due, and the fewest rounds that a timer met on them still has to wait.
    let barren = 0;
    let fewest = 0;
    while (count < limit && this.#turn < end && this.#size > 0) {
      const rounds = this.#expire(this.#buckets[this.#turn & BUCKET_MASK]!);
      this.#turn++;
      this.#elapsed = this.#turn * TICKS_PER_TURN;
      if (this.#expiring.head !== undefined) {
        count = this.#report(out, count, limit);
        barren = 0;
        continue;
      }
      fewest = barren === 0 ? rounds : Math.min(fewest, rounds);
      if (++barren < BUCKETS) continue;
      this.#skip(Math.min(fewest, Math.floor((end - this.#turn) / BUCKETS)));
      barren = 0;
    }
    if (count >= limit) return count;
    this.#turn = end;
    this.#elapsed = target;
    return count;
  }

  nextExpiry(): number | undefined {
    if (this.#size === 0) return undefined;
    return this.#expiring.head === undefined ? ((this.#turn + 1) * TICKS_PER_TURN) | 0 : this.clock;
  }

  get size(): number {
    return this.#size;
  }

  get clock(): number {
    return this.#elapsed | 0;
  }

  #file(handle: number, deadline: number): void {
    const turn = Math.floor((this.#elapsed + ((deadline - this.clock) | 0)) / TICKS_PER_TURN);
    const rounds = Math.floor((turn - this.#turn) / BUCKETS);
    const bucket = this.#buckets[turn & BUCKET_MASK]!;
    const timeout = new Timeout(handle, rounds, bucket);
    bucket.append(timeout);
    this.#timeouts[this.#handles.placeOf(handle)] = timeout;
  }

  #remove(handle: number): void {
    const timeout = this.#timeouts[this.#handles.placeOf(handle)]!;
    timeout.bucket.remove(timeout);
  }

  #release(handle: number): void {
    this.#timeouts[this.#handles.placeOf(handle)] = undefined;
    this.#handles.release(handle);
    this.#size--;
  }

  /**
   * Moves the timers of a bucket that have no rounds left to `#expiring`, where they stay cancellable, and takes a
   * round from the others. Returns the fewest rounds that any of the others has left, Infinity if there are none.
   */
  #expire(bucket: Bucket): number {
    let fewest = Number.POSITIVE_INFINITY;
    for (let timeout = bucket.head; timeout !== undefined; ) {
      const next: Timeout | undefined = timeout.next;
      if (timeout.rounds === 0) {
        bucket.remove(timeout);
        this.#expiring.append(timeout);
      } else {
        timeout.rounds--;
        fewest = Math.min(fewest, timeout.rounds);
      }
      timeout = next;
    }
    return fewest;
  }

  /** Turns the wheel by whole rounds, no more than any timer has left. */
  #skip(rounds: number): void {
    if (rounds === 0) return;
    for (const bucket of this.#buckets) {
      for (let timeout = bucket.head; timeout !== undefined; timeout = timeout.next) timeout.rounds -= rounds;
    }
    this.#turn += rounds * BUCKETS;
    this.#elapsed = this.#turn * TICKS_PER_TURN;
  }

  #report(out: Int32Array, count: number, limit: number): number {
    for (let timeout = this.#expiring.head; timeout !== undefined && count < limit; ) {
      const { handle, next } = timeout;
      this.#expiring.remove(timeout);
      this.#release(handle);
      out[count++] = handle;
      timeout = next;
    }
    return count;
  }
}
