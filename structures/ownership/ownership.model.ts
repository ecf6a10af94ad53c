import { allocateFor, allocateRegion, type Region } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import {
  BLOCK_WORDS,
  BLOCKS,
  CODE,
  EMPTY,
  FIRST_SLOT,
  NEXT,
  SLOT_WORDS,
  VERSION,
} from "./competitors/seqlock-slots.ts";
import { type Capacity, type ClaimsCompetitor, CONFLICT, formatted } from "./ownership.contract.ts";
import { type Claim, type Evidence, inference } from "./ownership.laws.ts";

/**
 * Every interleaving of a lookup with a writer's stores, on the structure's own code, not on a transcription of it.
 *
 * That is possible because readers write nothing: to a lookup the writer is a list of stores, however it came by them. So
 * the writer runs once, alone, and its stores are noted. Then the lookup runs again and again, while the stores are
 * made, in their order, between its loads. Other readers make no difference to it, so that what holds for one holds for
 * any number.
 *
 * It does not run every schedule. Of the schedules that look the same to a lookup, it runs the first. A schedule says
 * for each load up to which store the writer has come. From there a run goes on to its end without further stores, as
 * if the writer had stopped for ever. Then each of its other loads in turn is made to find a later store to its word
 * instead (stateless model checking by what reads from what: Abdulla et al. 2019).
 *
 * It does not use the explorer of shared/program-laws.ts, because to a lookup the writer is only that list of stores.
 * Schedules that look the same to a lookup run once here. The explorer would visit each access of the writer beside
 * each of the lookup.
 *
 * What this shows: whatever the script and wherever the writer stops, a lookup ends, and says what was true at some
 * instant while it lasted. It is shown of short scripts, and of writers that go on a few times during a lookup. Memory is
 * sequentially consistent, as it is for Atomics; what the writer stores plainly, readers must not load and do not see.
 */
export interface Script {
  readonly capacity: Capacity;
  /** Done before the lookup may begin. */
  readonly before: readonly Op[];
  /** Done beside it. */
  readonly beside: readonly Op[];
  /** The first time asked about; 0 if absent. */
  readonly fromMs?: number;
}

export type Op = Claim | { readonly trim: number };

export interface Store {
  readonly word: number;
  readonly value: number;
}

/** What a mutant makes of the stores of one operation. */
export type Spoil = (stores: readonly Store[]) => readonly Store[];

/** Why the lookups of a competitor that hears claims cannot be explored, or undefined. */
export function unexplored({ words, variantOf, needsLinear }: ClaimsCompetitor): string | undefined {
  if (needsLinear) return "its accesses are made by WebAssembly";
  if (words(scripts.append!.capacity) === 0) return "it shares nothing";
  return variantOf === "seqlock-slots" ? "it loads plainly, which this model does not see" : undefined;
}

/** A sentence about the first lookup that broke its promise, or how many different lookups kept it. */
export function exploreLookups(
  competitor: ClaimsCompetitor,
  script: Script,
  toleranceMs = 0,
  spoil: Spoil = (stores) => stores,
): string | number {
  const { capacity } = script;
  const { memory: first, linear } = formatted(competitor, capacity);
  const worker = { index: 0, workers: 2, role: "writer", seed: 1 };
  const writer = competitor.attach(first, capacity, worker, linear);
  const evidence = heardBy(script);
  for (const op of script.before) make(op);
  const words = Int32Array.from(first);
  const operations = script.beside.map((op) => spoil(storesOf(() => make(op))));
  const stores = operations.flat();
  /** How many stores have been made before the first operation beside the lookup, and after each. */
  const storesAfter = [0];
  for (const { length } of operations) storesAfter.push(storesAfter.at(-1)! + length);

  function make(op: Op): void {
    if ("trim" in op) writer.trim(op.trim);
    else writer.claim(op.resource, op.owner, op.start, op.end);
  }

  /** Operations with all their stores among the first `made`. */
  const finished = (made: number) => storesAfter.findLastIndex((count) => count <= made);
  /** Operations that have a store among the first `made`, or that made none, and all earlier operations. */
  const begun = (made: number) =>
    Math.max(
      finished(made),
      storesAfter.findIndex((count) => count >= made),
    );

  const { memory, linear: besides } = allocateFor(competitor, words.length);
  let lookups = 0;
  for (let resource = 0; resource < capacity.resources; resource++) {
    for (let t = script.fromMs ?? 0; t < endOf(script); t++) {
      const truths = evidence.map((heard) => inference(competitor.rule, heard, resource, t, toleranceMs));
      for (let begin = 0; begin <= stores.length; begin++) {
        for (const { said, end } of lookupsFrom(begin)) {
          lookups++;
          const possible = truths.slice(finished(begin), begun(end) + 1);
          if (!possible.includes(said))
            return `resource ${resource} at ${t} ms: said ${said} between stores ${begin} and ${end}, where it was ${possible.join(", then ")}`;
        }
      }

      /** All lookups that begin after that number of stores. */
      function* lookupsFrom(begin: number): Generator<{ said: number; end: number }> {
        const open: number[][] = [[]];
        for (let schedule = open.pop(); schedule !== undefined; schedule = open.pop()) {
          memory.set(words);
          const worker = { index: 1, workers: 2, role: "reader", seed: 1 };
          const reader = competitor.attach(memory, capacity, worker, besides);
          const beside = new Beside(memory, stores, begin, schedule);
          const said = beside.run(() => reader.ownerAt(resource, t, toleranceMs));
          yield { said, end: beside.made };
          open.push(...beside.alternatives());
        }
      }
    }
  }
  return lookups;
}

/**
 * How often the writer goes on while a lookup is in progress. A lookup that looks again begins anew, and so does a
 * lookup that begins then, which is explored as well. A mistake therefore has to happen in the few turns after its last
 * beginning.
 */
const MOST_TURNS = 3;

/** More loads than any lookup makes that ends, in histories as short as these. */
const ENDLESS_LOADS = 2_000;

/** The writer beside one run of a lookup: before load number n of it, the number of stores made in all is `schedule[n]`. */
class Beside {
  /** How many stores have been made. */
  made: number;
  readonly #memory: Region;
  readonly #stores: readonly Store[];
  readonly #begin: number;
  readonly #schedule: readonly number[];
  /** Words in the order of loading. */
  readonly #loaded: number[] = [];

  constructor(memory: Region, stores: readonly Store[], begin: number, schedule: readonly number[]) {
    this.#memory = memory;
    this.#stores = stores;
    this.#begin = begin;
    this.#schedule = schedule;
    this.made = 0;
    this.#makeUpTo(begin);
  }

  run(lookup: () => number): number {
    const { load } = Atomics;
    Atomics.load = ((memory: Int32Array, index: number) => {
      const word = (memory.byteOffset - this.#memory.byteOffset) / Int32Array.BYTES_PER_ELEMENT + index;
      this.#makeUpTo(this.#schedule[this.#loaded.length] ?? this.made);
      this.#loaded.push(word);
      if (this.#loaded.length > ENDLESS_LOADS) throw new Error("a lookup does not end");
      return load(memory, index);
    }) as typeof Atomics.load;
    try {
      return lookup();
    } finally {
      Atomics.load = load;
    }
  }

  /** Schedules that are like this one up to a load not yet scheduled, which then finds a later store. */
  *alternatives(): Generator<number[]> {
    const turns = this.#schedule.filter((made, load) => made > (this.#schedule[load - 1] ?? this.#begin));
    if (turns.length === MOST_TURNS) return;
    for (let load = this.#schedule.length; load < this.#loaded.length; load++) {
      for (let store = this.made; store < this.#stores.length; store++) {
        if (this.#stores[store]!.word !== this.#loaded[load]) continue;
        const unchanged = new Array<number>(load - this.#schedule.length).fill(this.made);
        yield [...this.#schedule, ...unchanged, store + 1];
      }
    }
  }

  #makeUpTo(count: number): void {
    for (; this.made < count; this.made++) {
      const { word, value } = this.#stores[this.made]!;
      this.#memory[word] = value;
    }
  }
}

/** The atomic stores that an operation makes. */
function storesOf(operation: () => void): Store[] {
  const stores: Store[] = [];
  const { store } = Atomics;
  Atomics.store = ((memory: Int32Array, index: number, value: number) => {
    stores.push({ word: memory.byteOffset / Int32Array.BYTES_PER_ELEMENT - FIRST_WORD + index, value });
    return store(memory, index, value);
  }) as typeof Atomics.store;
  try {
    operation();
  } finally {
    Atomics.store = store;
  }
  return stores;
}

/** Where a region's words begin in its buffer. */
const FIRST_WORD = allocateRegion(1).byteOffset / Int32Array.BYTES_PER_ELEMENT;

/** What has been heard before the first operation beside the lookup, and after each. */
function heardBy({ before, beside }: Script): Evidence[] {
  return [undefined, ...beside].map((_, count) => {
    const ops = [...before, ...beside.slice(0, count)];
    const watermark = Math.max(0, ...ops.map((op) => ("trim" in op ? op.trim : 0)));
    return { claims: ops.filter((op) => "owner" in op), watermark };
  });
}

/** A time past everything that the script mentions. */
function endOf({ before, beside }: Script): number {
  return Math.max(...[...before, ...beside].map((op) => ("trim" in op ? op.trim : op.end))) + 2;
}

const WRAP_MS = 2 ** 32;

const A = 0;
const B = 1;
const C = 2;

function claim(resource: number, owner: number, start: number, end: number): Claim {
  return { resource, owner, start, end };
}

/** Room for this number of ranges, in which seqlock-slots has blocks; three owners, and a ring of time that soon turns over. */
function room(resources: number, ranges: number): Capacity {
  return { resources, owners: 3, windowMs: 16, ranges };
}

/** One for each thing that a writer may do to a range beside a lookup, and for each pair that must be distinguished. */
export const scripts: Readonly<Record<string, Script>> = {
  prolong: {
    capacity: room(1, 4),
    before: [claim(0, A, 1, 3)],
    beside: [claim(0, A, 3, 4), claim(0, A, 0, 6), claim(0, A, 5, 6)],
  },
  append: {
    capacity: room(1, 8),
    before: [claim(0, A, 0, 1), claim(0, B, 2, 3), claim(0, A, 4, 5)],
    beside: [claim(0, B, 5, 6), claim(0, C, 4, 7), claim(0, CONFLICT, 2, 3)],
  },
  "two claims of a millisecond": {
    capacity: room(1, 4),
    before: [claim(0, A, 2, 4), claim(0, B, 0, 2)],
    beside: [claim(0, A, 4, 6), claim(0, B, 1, 6)],
  },
  join: {
    capacity: room(1, 4),
    before: [claim(0, A, 4, 6), claim(0, A, 8, 10), claim(0, B, 0, 2)],
    beside: [claim(0, A, 5, 9)],
  },
  "join three": {
    capacity: room(1, 8),
    before: [claim(0, A, 0, 1), claim(0, B, 0, 2), claim(0, A, 2, 3), claim(0, C, 3, 4), claim(0, A, 4, 5)],
    beside: [claim(0, A, 1, 4)],
  },
  "forget and reuse": {
    capacity: room(1, 4),
    before: [claim(0, A, 0, 3), claim(0, B, 4, 6)],
    beside: [{ trim: 4 }, claim(0, C, 6, 8)],
  },
  "forget all": {
    capacity: room(1, 4),
    before: [claim(0, A, 0, 3), claim(0, B, 2, 4)],
    beside: [{ trim: 5 }, claim(0, C, 5, 7)],
  },
  "window turns over": {
    capacity: { ...room(1, 4), windowMs: 4 },
    before: [claim(0, A, 0, 4)],
    beside: [{ trim: 3 }, claim(0, B, 4, 7)],
  },
  // The watermark's low word wraps, and both of its words change.
  "trim across the end of a word": {
    capacity: room(1, 4),
    fromMs: WRAP_MS - 4,
    before: [{ trim: WRAP_MS - 4 }, claim(0, A, WRAP_MS - 4, WRAP_MS + 6)],
    beside: [{ trim: WRAP_MS - 3 }, { trim: WRAP_MS - 1 }, { trim: WRAP_MS + 2 }],
  },
  "give a block to another resource": {
    capacity: room(2, 8),
    before: [
      ...[claim(0, A, 0, 1), claim(0, B, 2, 3), claim(0, A, 4, 5), claim(0, B, 6, 7), claim(0, A, 8, 9)],
      ...[claim(1, A, 0, 1), claim(1, B, 2, 3), claim(1, A, 4, 5), claim(1, B, 6, 7)],
    ],
    beside: [claim(0, A, 5, 8), claim(1, C, 1, 2)],
  },
};

/** Random scripts, beside the ones written above. */
const DRAWN = 40;

/** What breaks in one of the scripts, or undefined. */
export function interleavedLookups(competitor: ClaimsCompetitor, toleranceMs = 0): string | undefined {
  const drawn = Array.from({ length: DRAWN }, (_, seed) => [`drawn ${seed}`, drawScript(seed)] as const);
  for (const [name, script] of [...Object.entries(scripts), ...drawn]) {
    const seen = exploreLookups(competitor, script, toleranceMs);
    if (typeof seen === "string") return `${name}: ${seen}`;
  }
  return undefined;
}

/** A short script with times so small that claims meet, the same for the same seed. */
function drawScript(seed: number): Script {
  const random = new Random(seed);
  let watermark = 0;
  const op = (): Op => {
    if (random.below(6) === 0) {
      watermark += 1 + random.below(3);
      return { trim: watermark };
    }
    const owner = random.below(12) === 0 ? CONFLICT : random.below(3);
    const start = watermark + random.below(7);
    return claim(random.below(8) === 0 ? 1 : 0, owner, start, start + 1 + random.below(4));
  };
  const ops = (count: number) => Array.from({ length: count }, op);
  return { capacity: room(2, 24), before: ops(random.below(9)), beside: ops(1 + random.below(2)) };
}

/** One breach of each of the ground rules of seqlock-slots from the second on, as a change of its writer's stores. */
export const mutants: Readonly<Record<string, { readonly script: string; readonly spoil: Spoil }>> = {
  "publishes-a-slot-first": {
    script: "join",
    spoil: (stores) => stores.toSorted((a, b) => rankOf(a) - rankOf(b)),
  },
  "refills-a-slot-unseen": {
    script: "forget and reuse",
    spoil: (stores) => withoutVersion(stores, (_, next) => isPart(next, CODE) && next!.value !== EMPTY),
  },
  "empties-a-slot-unseen": {
    script: "join",
    spoil: (stores) => withoutVersion(stores, (_, next) => isPart(next, CODE) && next!.value === EMPTY),
  },
  "claims-unseen": {
    script: "two claims of a millisecond",
    spoil: (stores) => withoutVersion(stores, () => true),
  },
  "gives-a-block-away-unseen": {
    script: "give a block to another resource",
    spoil: (stores) => withoutVersion(stores, (before) => before !== undefined && isNext(before)),
  },
  "forgets-before-it-says-so": {
    script: "forget all",
    spoil: (stores) => [
      ...stores.filter(({ word }) => word >= BLOCKS),
      ...stores.filter(({ word }) => word < BLOCKS),
    ],
  },
};

/** Without those steps of a version that `isLeftOut` picks by the stores around them. */
function withoutVersion(
  stores: readonly Store[],
  isLeftOut: (before: Store | undefined, next: Store | undefined) => boolean,
): Store[] {
  return stores.filter((store, at) => !(isVersion(store) && isLeftOut(stores[at - 1], stores[at + 1])));
}

/** Versions, then what a filled slot says, then its times. */
function rankOf(store: Store): number {
  if (isVersion(store)) return 0;
  return isPart(store, CODE) ? 1 : 2;
}

function isVersion({ word }: Store): boolean {
  return word >= BLOCKS && word % BLOCK_WORDS === VERSION;
}

function isNext({ word }: Store): boolean {
  return word >= BLOCKS && word % BLOCK_WORDS === NEXT;
}

/** Whether a store is to that part of a slot. */
function isPart(store: Store | undefined, part: number): boolean {
  if (store === undefined || store.word < BLOCKS) return false;
  const inBlock = store.word % BLOCK_WORDS;
  return inBlock >= FIRST_SLOT && (inBlock - FIRST_SLOT) % SLOT_WORDS === part;
}
