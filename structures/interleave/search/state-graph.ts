import { scrambled } from "./draws.ts";

/**
 * States, numbered from 0 as they are first met, and the steps between them. All in typed arrays. A million strings in
 * a Map, and as many lists of steps, keep the garbage collector busy for longer than exploring them takes.
 */
export class StateGraph {
  #size = 0;
  /** The words of all states, one state after the other; and by number where each ends. */
  #words = new Int32Array(2 ** 12);
  #ends = new Int32Array(2 ** 8);
  #hashes = new Int32Array(2 ** 8);
  /** Numbers, each 1 more than it is, at the place of their hash or the next that is free; 0 where there is none. */
  #table = new Int32Array(2 ** 9);
  /**
   * By step, from 1 on: the state that it leads from, and the previous step that leads to the same state; 0 where there
   * is none.
   */
  #steps = 0;
  #froms = new Int32Array(2 ** 8);
  #others = new Int32Array(2 ** 8);
  /** By number: the last step that leads there, and how many steps the first way there has. */
  #lastTo = new Int32Array(2 ** 8);
  #depths = new Int32Array(2 ** 8);

  get size(): number {
    return this.#size;
  }

  /** The number of the state that has these words: the next one where it is new. */
  numberOf(words: readonly number[]): number {
    const hash = hashOf(words);
    const mask = this.#table.length - 1;
    let place = hash & mask;
    for (let entry = this.#table[place]!; entry !== 0; entry = this.#table[place]!) {
      const number = entry - 1;
      if (this.#hashes[number] === hash && this.#isAt(number, words)) return number;
      place = (place + 1) & mask;
    }
    return this.#add(words, hash, place);
  }

  wordsOf(number: number): Int32Array {
    return this.#words.subarray(this.#beginOf(number), this.#ends[number]);
  }

  /** Notes that one step leads from a state to another, by their numbers. */
  step(from: number, to: number): void {
    const step = ++this.#steps;
    if (this.#lastTo[to] === 0 && to !== 0) this.#depths[to] = this.#depths[from]! + 1;
    this.#froms = withRoom(this.#froms, step + 1);
    this.#others = withRoom(this.#others, step + 1);
    this.#froms[step] = from;
    this.#others[step] = this.#lastTo[to]!;
    this.#lastTo[to] = step;
  }

  depthOf(number: number): number {
    return this.#depths[number]!;
  }

  /** The states of the first way that led to a state, from the first to itself. */
  wayTo(number: number): number[] {
    const way = [number];
    for (let at = number; at !== 0; ) {
      let step = this.#lastTo[at]!;
      while (this.#others[step] !== 0) step = this.#others[step]!;
      at = this.#froms[step]!;
      way.push(at);
    }
    return way.reverse();
  }

  /** By number: 1 for the states from which steps lead to one of `ends`, and for the ends. */
  reaching(ends: readonly number[]): Uint8Array {
    const isReached = new Uint8Array(this.#size);
    for (const end of ends) isReached[end] = 1;
    const waiting = [...ends];
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      for (let step = this.#lastTo[state]!; step !== 0; step = this.#others[step]!) {
        const earlier = this.#froms[step]!;
        if (isReached[earlier] === 1) continue;
        isReached[earlier] = 1;
        waiting.push(earlier);
      }
    }
    return isReached;
  }

  #beginOf(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!;
  }

  #isAt(number: number, words: readonly number[]): boolean {
    const begin = this.#beginOf(number);
    if (this.#ends[number]! - begin !== words.length) return false;
    for (let at = 0; at < words.length; at++) if (this.#words[begin + at] !== words[at]) return false;
    return true;
  }

  #add(words: readonly number[], hash: number, place: number): number {
    const number = this.#size++;
    const begin = this.#beginOf(number);
    const end = begin + words.length;
    this.#words = withRoom(this.#words, end);
    this.#ends = withRoom(this.#ends, this.#size);
    this.#hashes = withRoom(this.#hashes, this.#size);
    this.#lastTo = withRoom(this.#lastTo, this.#size);
    this.#depths = withRoom(this.#depths, this.#size);
    this.#words.set(words, begin);
    this.#ends[number] = end;
    this.#hashes[number] = hash;
    this.#table[place] = this.#size;
    if (2 * this.#size > this.#table.length) this.#enlargeTable();
    return number;
  }

  #enlargeTable(): void {
    const table = new Int32Array(2 * this.#table.length);
    const mask = table.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let place = this.#hashes[number]! & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = number + 1;
    }
    this.#table = table;
  }
}

function hashOf(words: readonly number[]): number {
  let hash = words.length;
  for (let at = 0; at < words.length; at++) hash = scrambled(hash ^ words[at]!);
  return hash;
}

/** The same numbers in an array of at least this length. */
function withRoom(numbers: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  if (length <= numbers.length) return numbers;
  const larger = new Int32Array(2 * length);
  larger.set(numbers);
  return larger;
}
