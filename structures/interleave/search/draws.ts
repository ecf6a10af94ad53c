/**
 * The finaliser of MurmurHash3 (Austin Appleby, 2011): an int32 whose every bit depends on every bit of `key`, and
 * another one for every other key.
 */
export function scrambled(key: number): number {
  let bits = key;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Successive numbers at random, 0 .. 2^32 - 1, the same for the same seed (SplitMix: Steele, Lea & Flood 2014). */
export function* drawn(seed: number): Generator<number, never> {
  for (let at = scrambled(seed); ; at = (at + 0x9e3779b9) | 0) yield scrambled(at) >>> 0;
}

/**
 * Draws schedules by priorities, as PCT does (Burckhardt, Kothari, Musuvathi & Nagarakatte, 2010). Threads have an order
 * drawn at random, and the first that can go on takes each step; at `depth` - 1 steps drawn at random it falls behind all
 * others. The depth of a fault is the number of pairs of steps whose order it depends on. With n threads and k
 * steps, each schedule meets a fault of that depth with a probability of at least 1 / (n k^(depth - 1)).
 */
export class Priorities {
  readonly #random: Generator<number, never>;
  readonly #threads: number;
  readonly #depth: number;
  /** Steps of the longest schedule so far, and schedules that were drawn for as many. */
  #longest = 1;
  #drawn = 0;
  /** Whether a thread had several steps to choose from, of which the probability knows nothing. */
  #isOther = false;
  #order: number[] = [];
  #falls: readonly number[] = [];
  #steps = 0;

  constructor(threads: number, depth: number, seed: number) {
    this.#threads = threads;
    this.#depth = depth;
    this.#random = drawn(seed);
  }

  /** Before the first step of each schedule. */
  begin(): void {
    this.#steps = 0;
    this.#order = [];
    for (let thread = 0; thread < this.#threads; thread++)
      this.#order.splice(this.#below(thread + 1), 0, thread);
    this.#falls = Array.from({ length: this.#depth - 1 }, () => this.#below(this.#longest));
  }

  /** The step that comes next. */
  chosen<Move extends { readonly thread: number }>(moves: readonly Move[]): Move {
    const first = () => this.#order.find((thread) => moves.some((move) => move.thread === thread))!;
    for (const at of this.#falls) {
      if (at !== this.#steps) continue;
      const thread = first();
      this.#order = [...this.#order.filter((other) => other !== thread), thread];
    }
    this.#steps++;
    const thread = first();
    const own = moves.filter((move) => move.thread === thread);
    if (own.length > 1) this.#isOther = true;
    return own[this.#below(own.length)]!;
  }

  /** After the last step. */
  end(): void {
    if (this.#steps > this.#longest) this.#drawn = 0;
    else this.#drawn++;
    this.#longest = Math.max(this.#longest, this.#steps);
  }

  /** The probability, at most, with which all schedules so far missed a fault of that depth; undefined where it is not known. */
  get missed(): number | undefined {
    if (this.#isOther) return undefined;
    const meets = 1 / (this.#threads * this.#longest ** (this.#depth - 1));
    return (1 - meets) ** this.#drawn;
  }

  #below(limit: number): number {
    return this.#random.next().value % limit;
  }
}
