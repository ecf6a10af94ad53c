import { type Bounds, explore, type Part } from "../interleave/index.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import type { Edit } from "../shared/mutated.ts";
import { Random } from "../shared/sfc32.ts";
import {
  type Capacity,
  type ClaimsCompetitor,
  CONFLICT,
  formatted,
  type Ownership,
} from "./ownership.contract.ts";
import { type Claim, type Evidence, inference } from "./ownership.laws.ts";

/**
 * Every interleaving of a lookup with a writer, on the competitor's own code. interleave-shared explores them. Readers
 * write nothing, so that what holds for one reader holds for any number.
 *
 * What this shows of short scripts: wherever the writer stops, a lookup ends, and says what was true at some instant
 * while it lasted. The writer keeps the bounds of that time. It counts its finished operations in a word that the reader
 * loads before it looks up, and it notes each operation that it begins.
 *
 * A lookup that finds a change begins anew: it goes back to the load that it made first. The model follows a lookup up
 * to there. What it does next is what a lookup does that begins then, through a handle attached then. The model visits
 * that one too, with fewer answers allowed. A lookup is taken to begin anew where it makes its first load more often than
 * any undisturbed lookup does. In addition, wherever the writer may stop, an undisturbed lookup has to end.
 *
 * Complete scripts need no such argument. They follow lookups however often these begin anew, beside a writer that may
 * stop for ever at any access. From every state there has to be a way to the end.
 *
 * Of the times between which nothing begins or ends for a resource (no claim, watermark or window), the model looks up
 * the first. It takes the lookups of the others to be the same.
 *
 * Memory is sequentially consistent, for plain loads too. seqlock-slots-plain-loads keeps its promise under this
 * assumption only. With plain loads as weak as ECMAScript allows, it breaks it.
 */
export interface Script {
  readonly capacity: Capacity;
  /** Done before the lookup may begin. */
  readonly before: readonly Op[];
  /** Done beside it. */
  readonly beside: readonly Op[];
  /** Explained above. It takes up to a hundred times as many states. */
  readonly isComplete?: boolean;
}

export type Op = Claim | { readonly trim: number };

/** What the writer and the reader share. */
interface Shared {
  readonly words: Region;
  /** One word: how many operations of the writer beside the lookup are over. */
  readonly over: Region;
}

/** Why the lookups of a competitor that hears claims cannot be explored, or undefined. */
export function unexplored({ words, needsLinear }: ClaimsCompetitor): string | undefined {
  if (needsLinear) return "its accesses are made by WebAssembly";
  return words(scripts.append!.capacity) === 0 ? "it shares nothing" : undefined;
}

/** A sentence about the first lookup that broke its promise, or how many states were visited. */
export function exploreLookups(
  competitor: ClaimsCompetitor,
  script: Script,
  toleranceMs = 0,
  bounds: Pick<Bounds, "weak"> = {},
): string | number {
  const stage = new Stage(competitor, script);
  const evidence = heardBy(script);
  let visited = 0;
  for (let resource = 0; resource < script.capacity.resources; resource++) {
    for (const t of timesOf(script, resource)) {
      const truths = evidence.map((heard) => inference(competitor.rule, heard, resource, t, toleranceMs));
      const found = stage.explore((reader) => reader.ownerAt(resource, t, toleranceMs), truths, bounds);
      if (typeof found === "string") return `resource ${resource} at ${t} ms: ${found}`;
      visited += found;
    }
  }
  return visited;
}

type LookUp = (reader: Ownership) => number;

/** What has been claimed before, and a writer and a reader of it. */
class Stage {
  readonly #competitor: ClaimsCompetitor;
  readonly #script: Script;
  readonly #memory: Shared;
  /** Readers of copies, in which nothing happens any more: one from before the first operation, and one after each. */
  readonly #undisturbed: readonly Ownership[];

  constructor(competitor: ClaimsCompetitor, script: Script) {
    this.#competitor = competitor;
    this.#script = script;
    const { memory: words } = formatted(competitor, script.capacity);
    this.#memory = { words, over: allocateRegion(1) };
    const first = this.#attach(words, "writer");
    for (const op of script.before) make(first, op);
    const changing = copyOf(words);
    const writer = this.#attach(changing, "writer");
    this.#undisturbed = [undefined, ...script.beside].map((op) => {
      if (op !== undefined) make(writer, op);
      return this.#attach(copyOf(changing), "reader");
    });
  }

  /** `truths`: the answer before the first operation and after each. */
  explore(lookUp: LookUp, truths: readonly number[], bounds: Pick<Bounds, "weak">): string | number {
    const memory = this.#memory;
    try {
      const firstLoads = Math.max(...this.#undisturbed.map((reader) => firstLoadsOf(() => lookUp(reader))));
      const threads = [[this.#writing(truths)], [this.#reading(lookUp, firstLoads)]];
      const { states, doomed, unfollowed } = explore<Shared>(
        // What the writer has noted is kept once it has stopped.
        this.#script.isComplete ? { memory, threads, mortal: WRITER, obituary() {} } : { memory, threads },
        {
          state: (seen) => {
            const begun = seen.threads[WRITER]!.notes.at(-1) ?? 0;
            const { notes, rests, done } = seen.threads[READER]!;
            if (notes.length > 0) assertTrue(notes[1]!, truths.slice(notes[0], begun + 1));
            else if (rests && !done) firstLoadsOf(() => lookUp(this.#attach(seen.memory.words, "reader")));
          },
        },
        bounds,
      );
      if (unfollowed !== undefined) return `not every schedule was visited: ${unfollowed}`;
      return doomed === 0 ? states : `no way out of ${doomed} of ${states} states`;
    } catch (error) {
      if (error instanceof Broken) return error.message;
      throw error;
    }
  }

  #writing(truths: readonly number[]): Part<Shared> {
    return ({ words, over }, { note }) => {
      const writer = this.#attach(words, "writer");
      for (const [index, op] of this.#script.beside.entries()) {
        note(index + 1);
        make(writer, op);
        // What changes nothing here need not be counted.
        if (truths[index] !== truths[index + 1]) Atomics.store(over, 0, index + 1);
      }
    };
  }

  #reading(lookUp: LookUp, firstLoads: number): Part<Shared> {
    const { isComplete = false } = this.#script;
    return ({ words, over }, { note }) => {
      const reader = this.#attach(words, "reader");
      const finished = Atomics.load(over, 0);
      const said = isComplete ? lookUp(reader) : saidAtOnce(firstLoads, () => lookUp(reader));
      if (said !== undefined) note(finished, said);
    };
  }

  #attach(memory: Region, role: "writer" | "reader"): Ownership {
    const index = role === "writer" ? WRITER : READER;
    return this.#competitor.attach(memory, this.#script.capacity, { index, workers: 2, role, seed: 1 });
  }
}

/** By the number of the thread. */
const WRITER = 0;
const READER = 1;

/** Ends an exploration that has found a broken promise. */
class Broken extends Error {}

function assertTrue(said: number, truths: readonly number[]): void {
  if (!truths.includes(said)) throw new Broken(`said ${said}, where it was ${truths.join(", then ")}`);
}

function make(writer: Ownership, op: Op): void {
  if ("trim" in op) writer.trim(op.trim);
  else writer.claim(op.resource, op.owner, op.start, op.end);
}

function copyOf(words: Region): Region {
  const copy = allocateRegion(words.length);
  copy.set(words);
  return copy;
}

/** More loads than any lookup makes that ends, in histories as short as these. */
const ENDLESS_LOADS = 2_000;

/** How often a lookup that nobody disturbs loads the word that it loads first. */
function firstLoadsOf(lookUp: () => number): number {
  let firstLoads = 0;
  let loads = 0;
  beforeLoads((isOfFirst) => {
    if (isOfFirst) firstLoads++;
    if (++loads > ENDLESS_LOADS) throw new Broken("a lookup does not end where the writer has stopped");
  }, lookUp);
  return firstLoads;
}

/** What a lookup says; undefined where it begins anew, which is where it makes one more first load than these. */
function saidAtOnce(mostFirstLoads: number, lookUp: () => number): number | undefined {
  let firstLoads = 0;
  try {
    return beforeLoads((isOfFirst) => {
      if (isOfFirst && ++firstLoads > mostFirstLoads) throw ANEW;
    }, lookUp);
  } catch (error) {
    if (error === ANEW) return undefined;
    throw error;
  }
}

const ANEW = new Error("a lookup begins anew");

/** Calls `intrude` before each atomic load of a lookup and says whether it is of the word that was loaded first. */
function beforeLoads(intrude: (isOfFirst: boolean) => void, lookUp: () => number): number {
  const { load } = Atomics;
  let first: number | undefined;
  Atomics.load = ((words: Int32Array, index: number) => {
    const byte = words.byteOffset + index * words.BYTES_PER_ELEMENT;
    first ??= byte;
    intrude(byte === first);
    return load(words, index);
  }) as typeof Atomics.load;
  try {
    return lookUp();
  } finally {
    Atomics.load = load;
  }
}

/** What has been heard before the first operation beside the lookup, and after each. */
function heardBy({ before, beside }: Script): Evidence[] {
  return [undefined, ...beside].map((_, count) => {
    const ops = [...before, ...beside.slice(0, count)];
    const watermark = Math.max(0, ...ops.map((op) => ("trim" in op ? op.trim : 0)));
    return { claims: ops.filter((op) => "owner" in op), watermark };
  });
}

/** The first time of each stretch in which nothing begins or ends that concerns a resource: no claim, watermark or window. */
function timesOf({ capacity, before, beside }: Script, resource: number): ReadonlySet<number> {
  const bounds = [0, capacity.windowMs];
  for (const op of [...before, ...beside]) {
    if ("trim" in op) bounds.push(op.trim, op.trim + capacity.windowMs);
    else if (op.resource === resource) bounds.push(op.start, op.end);
  }
  return new Set(bounds);
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
    isComplete: true,
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
    isComplete: true,
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
    isComplete: true,
    capacity: { ...room(1, 4), windowMs: 4 },
    before: [claim(0, A, 0, 4)],
    beside: [{ trim: 3 }, claim(0, B, 4, 7)],
  },
  // The watermark's low word wraps, and both of its words change.
  "trim across the end of a word": {
    capacity: room(1, 4),
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
  const before = ops(random.below(9));
  const beside = ops(1 + random.below(2));
  return { capacity: room(2, 24), before, beside, isComplete: beside.length === 1 };
}

/** One breach of each of the ground rules of seqlock-slots from the second on, as a fault of its writer. */
export const mutants: Readonly<Record<string, { readonly script: string; readonly fault: Edit }>> = {
  "publishes-a-slot-first": {
    script: "join",
    fault: [
      `    Atomics.store(memory, slot + START, start);
    Atomics.store(memory, slot + END, end);
    this.bump(first);
    Atomics.store(memory, slot + CODE, code);`,
      `    this.bump(first);
    Atomics.store(memory, slot + CODE, code);
    Atomics.store(memory, slot + START, start);
    Atomics.store(memory, slot + END, end);`,
    ],
  },
  "refills-a-slot-unseen": {
    script: "forget and reuse",
    fault: [
      "this.bump(first);\n    Atomics.store(memory, slot + CODE, code);",
      "Atomics.store(memory, slot + CODE, code);",
    ],
  },
  "empties-a-slot-unseen": {
    script: "join",
    fault: [
      "this.bump(first);\n    Atomics.store(this.#memory, slot + CODE, EMPTY);",
      "Atomics.store(this.#memory, slot + CODE, EMPTY);",
    ],
  },
  "claims-unseen": {
    script: "two claims of a millisecond",
    fault: ["if (isEarlier || isLater) this.bump(first);", ""],
  },
  "gives-a-block-away-unseen": {
    script: "give a block to another resource",
    fault: ["this.bump(first);\n    memory[block + VERSION] =", "memory[block + VERSION] ="],
  },
  "forgets-before-it-says-so": {
    script: "forget all",
    fault: [
      `        watermark.raise(at);
        for (let resource = 0; resource < resources; resource++) writer.forget(blockOf(resource), at | 0);`,
      `        for (let resource = 0; resource < resources; resource++) writer.forget(blockOf(resource), at | 0);
        watermark.raise(at);`,
    ],
  },
};
