import { type Access, LONG } from "../memory/access.ts";
import type { Moment, Step } from "./moments.ts";
import type { Move } from "./state.ts";

/** What threads do to a word, as bits. */
const READS = 1;
const WRITES = 2;
const WAITS = 4;

/** What two accesses to one word do is the same in both orders unless one writes, or both deal with its waiters. */
const interferes = (one: number, other: number): boolean =>
  ((one | other) & WRITES) !== 0 || (one & other & WAITS) !== 0;

type Uses = ReadonlyMap<number, number>;
const NOTHING: Uses = new Map();

/**
 * Partial-order reduction: in most states a few of the threads are enough, because what the others will ever do makes no
 * difference to the next steps of these few. Their other orders lead to the same ends (persistent sets: Godefroid 1996,
 * Partial-Order Methods for the Verification of Concurrent Systems, 4.1).
 *
 * What a thread will do is learnt by exploring, for each of its parts. Whenever it is found to do more, all is visited anew;
 * the last time nothing more was found. In that visit no access can be missing: the first of a schedule that is not known
 * could be made sooner, in a state that was visited.
 *
 * That no thread is put off for ever: one of the steps leads its thread further in its history, which is no way round a
 * cycle of states. Where none does, all steps are taken (the cycle proviso; Peled 1994, Combining Partial Order Reductions
 * with On-the-Fly Model-Checking).
 */
export class Reduction {
  /** By thread and part, for each word what it does to it: in the part, and from it on. */
  readonly #uses: Map<number, number>[][];
  #later: (Uses | undefined)[][];
  /** Moments that were looked at. */
  #seen = 0;

  constructor(threads: number) {
    this.#uses = Array.from({ length: threads }, () => []);
    this.#later = Array.from({ length: threads }, () => []);
  }

  /** Takes in what was found out. Returns whether a thread does more than was known. */
  learn(moments: readonly Moment[]): boolean {
    let isMore = false;
    for (; this.#seen < moments.length; this.#seen++) {
      const { thread, part, next } = moments[this.#seen]!;
      if (next === undefined || next.word < 0) continue;
      this.#uses[thread]![part] ??= new Map();
      const uses = this.#uses[thread]![part]!;
      for (const word of wordsOf(next)) {
        const known = uses.get(word) ?? 0;
        if ((known | usesOf(next)) === known) continue;
        uses.set(word, known | usesOf(next));
        isMore = true;
      }
    }
    if (isMore) this.#later = this.#uses.map(() => []);
    return isMore;
  }

  /** Those of the moves that are enough. The first threads come first, so that one group is done after the other. */
  enough(moves: readonly Move[], moments: readonly Moment[]): readonly Move[] {
    if (moves.length < 2) return moves;
    let known = 0;
    const met = new Map<number, number>();
    for (const { thread, access } of moves) {
      const { next } = moments[thread]!;
      // What ends a wait, or a time limit that does, makes a difference to others as the wait itself does.
      met.set(thread, this.#metBy(thread, next?.kind === "wait" ? next : access, moments));
    }
    for (const [thread, { next }] of moments.entries()) {
      if (next === undefined) continue;
      if (!met.has(thread)) met.set(thread, this.#metBy(thread, next as Access, moments));
      known |= 1 << thread;
    }
    const made = progressOf(moments);
    let enough = moves;
    for (const { thread } of moves) {
      const few = closed(1 << thread, met);
      // Of a thread that was left nothing is known.
      if ((few & ~known) !== 0) continue;
      const chosen = moves.filter((move) => (few & (1 << move.thread)) !== 0);
      if (chosen.length === moves.length) continue;
      if (!chosen.some(({ state }) => progressOf(state.moments) > made)) continue;
      if (chosen.length === 1) return chosen;
      if (enough === moves) enough = chosen;
    }
    return enough;
  }

  /** The other threads that may still do something that the order with this access makes a difference to, as bits. */
  #metBy(thread: number, access: Access | undefined, moments: readonly Moment[]): number {
    if (access === undefined) return 0;
    const words = wordsOf(access);
    const use = usesOf(access);
    let met = 0;
    for (const [other, { part, thrown }] of moments.entries()) {
      if (other === thread || thrown !== undefined) continue;
      const later = this.#laterOf(other, part);
      if (words.some((word) => interferes(use, later.get(word) ?? 0) && later.has(word))) met |= 1 << other;
    }
    return met;
  }

  #laterOf(thread: number, part: number): Uses {
    const known = this.#later[thread]![part];
    if (known !== undefined) return known;
    const parts = this.#uses[thread]!;
    let later = NOTHING;
    for (let at = parts.length - 1; at >= part; at--) {
      const together = new Map(later);
      for (const [word, use] of parts[at] ?? []) together.set(word, use | (together.get(word) ?? 0));
      later = together;
    }
    this.#later[thread]![part] = later;
    return later;
  }
}

/** Rises with each step of a thread, unless it goes round a loop. */
function progressOf(moments: readonly Moment[]): number {
  return moments.reduce((sum, { part, depth }) => sum + part * LONGER_THAN_PARTS + depth, 0);
}

const LONGER_THAN_PARTS = 2 ** 40;

/** These threads, with all that they meet, and that those meet. */
function closed(threads: number, met: ReadonlyMap<number, number>): number {
  let all = threads;
  for (;;) {
    let more = all;
    for (const [thread, others] of met) if ((all & (1 << thread)) !== 0) more |= others;
    if (more === all) return all;
    all = more;
  }
}

const wordsOf = ({ word, lane }: Pick<Step, "word" | "lane">): number[] =>
  lane === LONG ? [word, word + 1] : [word];

function usesOf({ kind }: Pick<Step, "kind">): number {
  if (kind === "read" || kind === "load") return READS;
  if (kind === "notify") return WAITS;
  return kind === "wait" || kind === "waitAsync" ? READS | WAITS : WRITES;
}
