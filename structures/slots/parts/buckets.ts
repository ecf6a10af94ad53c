import { bounded } from "../../shared/sfc32.ts";

/**
 * How many clients each slot has, kept so that a least loaded slot is at hand in O(1). It is a view of memory that
 * `LoadBuckets.format` made, private or shared. Thread rule: one thread at a time. In shared memory every call needs a
 * lock around it, which also orders the plain reads and writes here after the previous holder's.
 *
 * Which of several least loaded slots is taken: while slots are only taken, the next one by number. The order goes
 * round the ring from the slot that `format` was given. After a give it is any least loaded slot, drawn by a
 * golden-ratio sequence. It need not be the slot that was given last or the one that has been free for longest. Clients
 * time out when their slot is due, so in the order of giving the holes are sorted by when they come due next. The last
 * hole would put every newcomer's first heartbeat off for a whole interval; the first would bring it forward. The fleet
 * would then send fewer or more messages than its number says.
 *
 * The slots stand in one array in the order of their loads. Slots of equal load are a bucket, a range of the array, and
 * no bucket is empty. A slot whose load changes by one goes to its bucket's edge by one exchange. Then the edge moves
 * past it: the neighbour takes it in, or it becomes a new bucket. There are at most as many buckets as slots. Loads may
 * therefore be any number from 0 to 2^31 - 1 in memory that does not grow.
 *
 *     word 0               draws     the golden-ratio sequence, modulo 2^32
 *     word 1               unused    first bucket that is in no use, NONE if all are; the next stands in its `first`
 *     words 2 ..           order     the slots by ascending load
 *     then slots words     place     of each slot, its index in `order`
 *     then slots words     bucket    of each slot, the bucket it is in
 *     then slots words     load      of each bucket, the load of its slots
 *     then slots words     first     of each bucket, the index in `order` where it begins
 *     then slots words     end       of each bucket, the index after its last
 */
export class LoadBuckets {
  readonly #slots: number;
  readonly #head: Int32Array;
  readonly #order: Int32Array;
  readonly #place: Int32Array;
  readonly #bucket: Int32Array;
  readonly #load: Int32Array;
  readonly #first: Int32Array;
  readonly #end: Int32Array;

  /** Size in int32 words. */
  static words(slots: number): number {
    return HEAD_WORDS + 6 * slots;
  }

  /** All slots empty; the first to be taken is `start`, 0 .. slots - 1, then those after it round the ring. */
  static format(memory: Int32Array, slots: number, start = 0): void {
    const parts = partsOf(memory, slots);
    parts.head[DRAWS] = 0;
    // Slots leave a bucket from its end, hence backwards.
    for (let index = 0; index < slots; index++) {
      const slot = (start + slots - 1 - index) % slots;
      parts.order[index] = slot;
      parts.place[slot] = index;
    }
    parts.bucket.fill(0);
    parts.load[0] = 0;
    parts.first[0] = 0;
    parts.end[0] = slots;
    parts.head[UNUSED] = slots > 1 ? 1 : NONE;
    for (let bucket = 1; bucket < slots; bucket++)
      parts.first[bucket] = bucket + 1 < slots ? bucket + 1 : NONE;
  }

  /** `memory` begins with the words that `format` made for as many slots. */
  constructor(memory: Int32Array, slots: number) {
    const parts = partsOf(memory, slots);
    this.#slots = slots;
    this.#head = parts.head;
    this.#order = parts.order;
    this.#place = parts.place;
    this.#bucket = parts.bucket;
    this.#load = parts.load;
    this.#first = parts.first;
    this.#end = parts.end;
  }

  /** Load of the least loaded slots. */
  get least(): number {
    return this.#load[this.#bucket[this.#order[0]!]!]!;
  }

  /** Clients of `slot`. */
  loadOf(slot: number): number {
    return this.#load[this.#bucket[slot]!]!;
  }

  /** One more client for a least loaded slot, which is returned: 0 .. slots - 1. */
  takeLeast(): number {
    const bucket = this.#bucket[this.#order[0]!]!;
    const slot = this.#order[this.#end[bucket]! - 1]!;
    this.#raiseLast(bucket, slot);
    return slot;
  }

  /** One more client for `slot`, which must be 0 .. slots - 1. */
  addTo(slot: number): void {
    const bucket = this.#bucket[slot]!;
    this.#exchange(this.#place[slot]!, this.#end[bucket]! - 1);
    this.#raiseLast(bucket, slot);
  }

  /** One client less for `slot`. Throws an Error, and changes nothing, where it has none. */
  give(slot: number): void {
    const bucket = this.#bucket[slot]!;
    const load = this.#load[bucket]!;
    if (load === 0) throw new Error(`slot ${slot} has no client`);
    const at = this.#first[bucket]!;
    this.#exchange(this.#place[slot]!, at);
    const below = at > 0 ? this.#bucket[this.#order[at - 1]!]! : NONE;
    if (below === NONE || this.#load[below] !== load - 1) {
      if (this.#end[bucket] === at + 1) this.#load[bucket] = load - 1;
      else {
        this.#first[bucket] = at + 1;
        this.#bucket[slot] = this.#newBucket(load - 1, at);
      }
      return;
    }
    this.#bucket[slot] = below;
    this.#end[below] = at + 1;
    if (this.#end[bucket] === at + 1) this.#discard(bucket);
    else this.#first[bucket] = at + 1;
    // It stands last now and would be the next one taken: one of its bucket, itself among them, takes that place.
    const first = this.#first[below]!;
    const draw = (this.#head[DRAWS]! + GOLDEN_RATIO) | 0;
    this.#head[DRAWS] = draw;
    this.#exchange(at, first + bounded(draw, at + 1 - first));
  }

  /** Moves the edge between a bucket and the one above past `slot`, which stands last in it. */
  #raiseLast(bucket: number, slot: number): void {
    const at = this.#end[bucket]! - 1;
    const load = this.#load[bucket]! + 1;
    const isAlone = this.#first[bucket] === at;
    const above = at + 1 < this.#slots ? this.#bucket[this.#order[at + 1]!]! : NONE;
    if (above !== NONE && this.#load[above] === load) {
      this.#bucket[slot] = above;
      this.#first[above] = at;
      if (isAlone) this.#discard(bucket);
      else this.#end[bucket] = at;
    } else if (isAlone) {
      this.#load[bucket] = load;
    } else {
      this.#end[bucket] = at;
      this.#bucket[slot] = this.#newBucket(load, at);
    }
  }

  /** A bucket of one slot, the one at `at`. There is one unused: the slot leaves others behind in its old bucket. */
  #newBucket(load: number, at: number): number {
    const bucket = this.#head[UNUSED]!;
    this.#head[UNUSED] = this.#first[bucket]!;
    this.#load[bucket] = load;
    this.#first[bucket] = at;
    this.#end[bucket] = at + 1;
    return bucket;
  }

  #discard(bucket: number): void {
    this.#first[bucket] = this.#head[UNUSED]!;
    this.#head[UNUSED] = bucket;
  }

  #exchange(one: number, other: number): void {
    const slot = this.#order[one]!;
    const another = this.#order[other]!;
    this.#order[one] = another;
    this.#order[other] = slot;
    this.#place[another] = one;
    this.#place[slot] = other;
  }
}

function partsOf(memory: Int32Array, slots: number) {
  const part = (index: number) =>
    memory.subarray(HEAD_WORDS + index * slots, HEAD_WORDS + (index + 1) * slots);
  return {
    head: memory.subarray(0, HEAD_WORDS),
    order: part(0),
    place: part(1),
    bucket: part(2),
    load: part(3),
    first: part(4),
    end: part(5),
  };
}

const DRAWS = 0;
const UNUSED = 1;
const HEAD_WORDS = 2;
/** Where a bucket or a list has no further one. */
const NONE = -1;
/** 2^32 divided by the golden ratio, odd: its multiples modulo 2^32 fall evenly into ranges of any length (Knuth 6.4). */
const GOLDEN_RATIO = 0x9e3779b9;
