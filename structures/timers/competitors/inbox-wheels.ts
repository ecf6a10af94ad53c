import { type Region, STRIDE_WORDS, wholeStrides } from "../../shared/layout.ts";
import type { WorkerIdentity } from "../../shared/worker-identity.ts";
import { occupied } from "../parts/bitmap.ts";
import { full, nextGeneration, placeMask } from "../parts/handles.ts";
import { NOTHING_NEAR } from "../parts/scans.ts";
import { detach, link, ticksToExpiry, unlink } from "../parts/slot-lists.ts";
import { deadlineTick, HORIZON } from "../parts/ticks.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";

/**
 * A hashed timing wheel for each worker, which only that worker touches, and an inbox beside it. There other workers
 * note the timers that they cancelled or refreshed. What counts is decided before that, on the timer's own state word.
 *
 * Promise: everything the contract asks, of a crew too; order fifo; never late. A worker's advance reports the timers
 *   that it added, and its nextExpiry speaks of these. Each wheel has its own clock. A deadline that another worker
 *   asks for counts from the clock of the timer's owner. It does so as the asking worker sees it, and again as the
 *   owner reads it. An advance that began before may be over by then, and the timer waits for the next.
 * Progress: blocking, but only between calls on the same timer. A refresh of another worker's timer shuts it for a few
 *   stores. Until then a cancel or refresh of it waits, and so does its owner when it finds it in the inbox.
 * Threads: any worker that attached; a worker's set belongs to one thread.
 * Cost: own add and refresh are the wheel's, with plain accesses; own cancel and each report a compareExchange more;
 *   an advance an atomic load more. Another worker's timer costs two compareExchanges and up to two atomic stores. Its
 *   owner pays an exchange per batch and two atomic accesses per timer. Several refreshes before it looks make one
 *   entry.
 * Memory: 32 bytes per place, 16 of them for other workers' changes, and 271 kB for the slots of each worker.
 * Limits: places are split evenly, so that a worker's share may be full while others are not: add throws then. A place
 *   that another worker freed is free when its owner looks into the inbox, which it does before each add. A timer
 *   cannot change owners. A worker that stops advancing reports nothing, and no other does it for it. One that dies
 *   while it refreshes another's timer blocks that owner.
 * Bet: as fast as a private wheel while workers keep to their own timers. It is the fastest for a crew while few
 *   changes concern other workers' timers.
 * Source: Go 1.14 to 1.22 (a heap per P, and a status word per timer that is changed by compareExchange). Tokio #7467;
 *   Treiber (1986) for the stack.
 *
 *     an area per worker, in whole strides:
 *     word 0          INBOX     the last record left for the owner, 0 if none; written and read by all, atomically
 *     word 32         LIVE      adds less reports and cancels made by this worker, of whosever timers; written by it,
 *                               plainly, read by all, atomically
 *     word 64         WHEEL     the wheel, whose words are counted from here; but for HANDLE and CLOCK only the owner
 *                               reads and writes them, plainly
 *     word 0          CLOCK     tick; also read plainly by a worker that refreshes another's timer
 *     word 1          FREE      first free record
 *     BITS   2,064    bit s & 31 of word s >>> 5: slot s is not empty
 *     HEADS 65,552    first record of slot s, the newest; at EXPIRING: of the timers due and not yet reported
 *     RECORDS         4 words per place of the owner's
 *       +0  due       tick
 *       +1  handle    the state, below; written and read by all, atomically; also plainly, by the owner: read, and
 *                     written when it adds
 *       +2  next      record, older in the same slot; while free, the next free record
 *       +3  previous  record, newer in the same slot; ~slot where there is none; NOWHERE while in no slot
 *     MAIL            4 words per place of the owner's
 *       +0  wanted    due that another worker asked for; written and read by the worker that has shut the timer
 *       +1  below     record that was left in the inbox before; written by the worker that leaves one, read by the owner, atomically
 *       +2  last      the handle given last, or the place before the first; written by the owner, plainly, read by all,
 *                     atomically
 *
 * A record is named by the index of its first word in its wheel, which is never 0: 0 is no record.
 *
 * Ground rules. The state of a timer with the handle h is
 *     h      live, and nothing in the inbox;
 *    -h      live, moved by another worker: `wanted` counts, and the record is in the inbox;
 *     SHUT   live, and the worker that shut it, from h or -h, is changing `wanted`; no other leaves this state;
 *     GONE   not live.
 * The worker that takes it to GONE by compareExchange has cancelled or reported it: so it happens once. From h the owner frees
 * the record at once. Another worker leaves it in the inbox before its call returns, and the owner frees what it finds
 * there GONE. From -h it is in the inbox already. The worker that shuts it from h leaves it in the inbox before opening it as
 * -h. The owner opens it as h after it took it out. So a record is never in the inbox twice, and is not freed while it
 * is in there or about to be.
 *
 * The owner drains its inbox when it advances, before the clock moves. It does not report a timer whose state is not h,
 * even if its old deadline has come meanwhile. It takes the timer out of its slot, and finds it in the inbox next time.
 */
export default {
  summary: "a private hashed wheel per worker; others' changes by a state word per timer and a Treiber stack",
  source: "Go 1.14 runtime/time.go; Tokio #7467; Treiber (1986)",
  progress: "blocking",
  order: "fifo",
  expiry: "advance",
  callers: "crew",
  lateness: () => 0,

  words: (capacity, workers) => workers * areaWords(shareOf(capacity, workers)),

  format(memory, capacity, workers) {
    const share = shareOf(capacity, workers);
    for (let worker = 0; worker < workers; worker++) {
      const start = worker * areaWords(share);
      memory.fill(0, start, start + WHEEL + RECORDS);
      const wheel = memory.subarray(start + WHEEL, start + areaWords(share));
      const places = Math.max(0, Math.min(share, capacity - worker * share));
      const mail = RECORDS + share * RECORD_WORDS;
      if (places > 0) wheel[FREE] = RECORDS;
      for (let index = 0; index < places; index++) {
        const record = RECORDS + index * RECORD_WORDS;
        wheel[record + HANDLE] = GONE;
        wheel[record + NEXT] = index + 1 < places ? record + RECORD_WORDS : NONE;
        wheel[mail + index * MAIL_WORDS + LAST] = worker * share + index;
      }
    }
  },

  attach: (memory, capacity, identity) => new InboxWheels(memory, capacity, identity),
} satisfies TimersCompetitor;

/** A rotation of 65.5 s at a tick of 1 ms, as in hashed-wheel. */
const SLOTS = 2 ** 16;
const SLOT_MASK = SLOTS - 1;
const EXPIRING = SLOTS;

const INBOX = 0;
const LIVE = STRIDE_WORDS;
const WHEEL = 2 * STRIDE_WORDS;

const CLOCK = 0;
const FREE = 1;
const BITS = 16;
const HEADS = BITS + SLOTS / 32 + 16;
const RECORDS = HEADS + SLOTS + 16;

const RECORD_WORDS = 4;
const DEADLINE = 0;
const HANDLE = 1;
const NEXT = 2;
const PREVIOUS = 3;
const NONE = 0;
/** In place of a record or a ~slot: neither in a slot nor in EXPIRING. */
const NOWHERE = -0x8000_0000;

const MAIL_WORDS = 4;
const WANTED = 0;
const BELOW = 1;
const LAST = 2;

/** States that are no handle and no negated one. */
const GONE = 0;
const SHUT = -0x8000_0000;

const shareOf = (capacity: number, workers: number) => Math.ceil(capacity / workers);
const areaWords = (share: number) => wholeStrides(WHEEL + RECORDS + share * (RECORD_WORDS + MAIL_WORDS));

export class InboxWheels implements TimerSet {
  readonly #memory: Region;
  readonly #capacity: number;
  readonly #mask: number;
  readonly #share: number;
  readonly #workers: number;
  /** By worker: its wheel. */
  readonly #wheels: readonly Region[];
  /** The same of this worker, the word where its area begins, and its first place. */
  protected readonly wheel: Region;
  readonly #area: number;
  readonly #first: number;
  /** The word of a wheel where MAIL begins. */
  readonly #mail: number;
  #live = 0;

  constructor(memory: Region, capacity: number, identity: WorkerIdentity) {
    this.#memory = memory;
    this.#capacity = capacity;
    this.#mask = placeMask(capacity);
    this.#share = shareOf(capacity, identity.workers);
    this.#workers = identity.workers;
    this.#wheels = Array.from({ length: identity.workers }, (_, worker) => {
      const start = worker * areaWords(this.#share);
      return memory.subarray(start + WHEEL, start + areaWords(this.#share));
    });
    this.wheel = this.#wheels[identity.index]!;
    this.#area = identity.index * areaWords(this.#share);
    this.#first = identity.index * this.#share;
    this.#mail = RECORDS + this.#share * RECORD_WORDS;
    this.#live = Atomics.load(memory, this.#area + LIVE);
  }

  add(deadline: number): number {
    const wheel = this.wheel;
    const tick = deadlineTick(wheel[CLOCK]!, deadline);
    // Plainly: what is not seen yet is found next time, unless its place is needed now.
    if (this.#memory[this.#area + INBOX] !== NONE || wheel[FREE] === NONE) this.#drain();
    const record = wheel[FREE]!;
    if (record === NONE) throw full(Math.max(0, Math.min(this.#share, this.#capacity - this.#first)));
    wheel[FREE] = wheel[record + NEXT]!;
    const last = this.#mailOf(record) + LAST;
    const handle = nextGeneration(wheel[last]!, this.#mask);
    // Plainly, and so is the state. Until this call returns no other worker knows the handle, and a worker that gets it
    // does so through Atomics. A caller with an earlier handle finds a state that is not its own, before and after.
    wheel[last] = handle;
    wheel[record + DEADLINE] = tick;
    this.insert(wheel, record, tick);
    wheel[record + HANDLE] = handle;
    this.#count(1);
    return handle;
  }

  cancel(handle: number): boolean {
    const place = handle & this.#mask;
    if (handle <= 0 || place >= this.#capacity) return false;
    const index = place - this.#first;
    const isOwn = index >= 0 && index < this.#share;
    const owner = isOwn ? -1 : Math.floor(place / this.#share);
    const wheel = isOwn ? this.wheel : this.#wheels[owner]!;
    const record = RECORDS + (isOwn ? index : place - owner * this.#share) * RECORD_WORDS;
    // A guess: mostly nothing is in the inbox.
    let state = handle;
    for (;;) {
      const found = Atomics.compareExchange(wheel, record + HANDLE, state, GONE);
      if (found === state) break;
      if (!this.#isLive(wheel, record, handle, found)) return false;
      state = found === SHUT ? handle : found;
    }
    if (state === handle) {
      if (isOwn) this.#free(record);
      else this.#leave(owner, record);
    }
    this.#count(-1);
    return true;
  }

  refresh(handle: number, deadline: number): boolean {
    const place = handle & this.#mask;
    const index = place - this.#first;
    if (index < 0 || index >= this.#share || place >= this.#capacity)
      return this.#refreshShared(handle, deadline);
    const wheel = this.wheel;
    const tick = deadlineTick(wheel[CLOCK]!, deadline);
    const record = RECORDS + index * RECORD_WORDS;
    // Plainly. If another worker has just changed the state, this refresh came before. A worker that could know learnt
    // of it through Atomics, and then so does this load.
    if (wheel[record + HANDLE] !== handle || handle <= 0) return this.#refreshShared(handle, deadline);
    unlink(wheel, record);
    wheel[record + DEADLINE] = tick;
    this.insert(wheel, record, tick);
    return true;
  }

  advance(now: number, out: Int32Array, budget: number): number {
    if (Atomics.load(this.#memory, this.#area + INBOX) !== NONE) this.#drain();
    const wheel = this.wheel;
    const limit = Math.min(budget, out.length);
    let count = this.#report(out, 0, limit);
    // The same course as hashed-wheel's.
    let barren = 0;
    let nearest = 0;
    while (count < limit) {
      const clock = wheel[CLOCK]!;
      const ahead = (now - clock) | 0;
      if (ahead <= 0) break;
      const step = occupied(wheel, BITS, SLOTS, clock, Math.min(ahead, SLOTS));
      if (step === 0) {
        wheel[CLOCK] = now | 0;
        break;
      }
      const tick = (clock + step) | 0;
      wheel[CLOCK] = tick;
      barren += step;
      nearest -= step;
      const wait = detach(wheel, tick);
      if (wait === 0) {
        count = this.#report(out, count, limit);
        barren = 0;
        continue;
      }
      if (barren === step || wait < nearest) nearest = wait;
      if (barren >= SLOTS) {
        const left = (now - tick) | 0;
        wheel[CLOCK] = (tick + Math.min(left, nearest - 1)) | 0;
        barren = 0;
      }
    }
    if (count > 0) this.#count(-count);
    return count;
  }

  nextExpiry(): number | undefined {
    if (Atomics.load(this.#memory, this.#area + INBOX) !== NONE) this.#drain();
    const wheel = this.wheel;
    const clock = wheel[CLOCK]!;
    if (wheel[HEADS + EXPIRING] !== NONE) return clock;
    const ticks = ticksToExpiry(wheel, clock);
    return ticks === NOTHING_NEAR ? undefined : (clock + ticks) | 0;
  }

  /** Exact while no worker is inside a call. */
  get size(): number {
    let size = 0;
    for (let worker = 0; worker < this.#workers; worker++) {
      size += Atomics.load(this.#memory, worker * areaWords(this.#share) + LIVE);
    }
    return size;
  }

  get clock(): number {
    return this.wheel[CLOCK]!;
  }

  /** Leaves a record in the inbox of its owner. Called once, by the worker that took it from the state h. */
  #leave(owner: number, record: number): void {
    const area = owner * areaWords(this.#share);
    this.push(this.#memory, area + INBOX, area + WHEEL + this.#mailOf(record) + BELOW, record);
  }

  /** Puts a record on the stack whose top is the word `top`; what was on top goes to the word `below`. */
  protected push(memory: Region, top: number, below: number, record: number): void {
    for (let first = Atomics.load(memory, top); ; ) {
      Atomics.store(memory, below, first);
      const found = Atomics.compareExchange(memory, top, first, record);
      if (found === first) return;
      first = found;
    }
  }

  /** Puts a record that this worker added or refreshed where its advance finds it at `tick`. */
  protected insert(wheel: Region, record: number, tick: number): void {
    link(wheel, record, tick & SLOT_MASK);
  }

  /** A refresh by a worker that is not the owner, or by the owner of a timer that another has moved. */
  #refreshShared(handle: number, deadline: number): boolean {
    const place = handle & this.#mask;
    const owner = place < this.#capacity ? Math.floor(place / this.#share) : 0;
    const wheel = this.#wheels[owner]!;
    // Plainly: an older clock only makes the horizon nearer and the least due sooner, and the owner looks at it again.
    const tick = deadlineTick(wheel[CLOCK]!, deadline);
    if (handle <= 0 || place >= this.#capacity) return false;
    const record = RECORDS + (place - owner * this.#share) * RECORD_WORDS;
    let state = handle;
    for (;;) {
      const found = Atomics.compareExchange(wheel, record + HANDLE, state, SHUT);
      if (found === state) break;
      if (!this.#isLive(wheel, record, handle, found)) return false;
      state = found === SHUT ? handle : found;
    }
    // Plainly: the store that opens it comes after, and the worker that shuts it next sees that.
    wheel[this.#mailOf(record) + WANTED] = tick;
    if (state === handle) this.#leave(owner, record);
    Atomics.store(wheel, record + HANDLE, -handle);
    return true;
  }

  /** Whether a state that was found is one of this handle's. A timer that is shut keeps its `last` until it is opened. */
  #isLive(wheel: Region, record: number, handle: number, state: number): boolean {
    if (state === SHUT) return Atomics.load(wheel, this.#mailOf(record) + LAST) === handle;
    return state === handle || state === -handle;
  }

  /** Takes all out of this worker's inbox: frees what was cancelled, and moves what was refreshed. */
  #drain(): void {
    const wheel = this.wheel;
    let record = Atomics.exchange(this.#memory, this.#area + INBOX, NONE);
    while (record !== NONE) {
      // Before it is opened, for then it may be left in the inbox again.
      const below = Atomics.load(wheel, this.#mailOf(record) + BELOW);
      const handle = wheel[this.#mailOf(record) + LAST]!;
      for (;;) {
        const state = Atomics.compareExchange(wheel, record + HANDLE, -handle, SHUT);
        if (state === GONE) {
          this.#free(record);
          break;
        }
        if (state !== -handle) continue;
        const tick = laterTick(wheel[CLOCK]!, wheel[this.#mailOf(record) + WANTED]!);
        if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);
        wheel[record + DEADLINE] = tick;
        link(wheel, record, tick & SLOT_MASK);
        Atomics.store(wheel, record + HANDLE, handle);
        break;
      }
      record = below;
    }
  }

  /** Frees a record of this worker's that is GONE and not in the inbox. */
  #free(record: number): void {
    const wheel = this.wheel;
    if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);
    wheel[record + NEXT] = wheel[FREE]!;
    wheel[FREE] = record;
  }

  /**
   * Writes the handles of EXPIRING that are still live and unmoved to `out` from index `count` up to `limit`, and frees
   * them. Returns the new count. The others come by the inbox.
   */
  #report(out: Int32Array, count: number, limit: number): number {
    const wheel = this.wheel;
    let reported = count;
    let record = wheel[HEADS + EXPIRING]!;
    if (record === NONE) return count;
    while (record !== NONE && reported < limit) {
      const next = wheel[record + NEXT]!;
      // Plainly: an old state is found out by compareExchange, which only the state h survives.
      const handle = wheel[record + HANDLE]!;
      wheel[record + PREVIOUS] = NOWHERE;
      if (handle > 0 && Atomics.compareExchange(wheel, record + HANDLE, handle, GONE) === handle) {
        out[reported++] = handle;
        wheel[record + NEXT] = wheel[FREE]!;
        wheel[FREE] = record;
      }
      record = next;
    }
    wheel[HEADS + EXPIRING] = record;
    if (record !== NONE) wheel[record + PREVIOUS] = ~EXPIRING;
    return reported;
  }

  #mailOf(record: number): number {
    // MAIL_WORDS are as many as RECORD_WORDS.
    return this.#mail + record - RECORDS;
  }

  #count(change: number): void {
    this.#live += change;
    // Plainly: only this worker writes it, and a worker that knows what it did sees it counted. A total made while others
    // are inside calls is of no one moment anyway.
    this.#memory[this.#area + LIVE] = this.#live;
  }
}

/**
 * The deadline that was found good by an older clock, by the clock of now. It throws nothing: a wait beyond the horizon
 * is one that was over long before.
 */
function laterTick(clock: number, wanted: number): number {
  const wait = (wanted - clock) | 0;
  return wait > 0 && wait <= HORIZON ? wanted : (clock + 1) | 0;
}
