import type { Key } from "../../keyed/keyed.contract.ts";
import { hashOf } from "../../keyed/parts/key.ts";
import { type Region, wholeStrides } from "../../shared/layout.ts";
import { assertTokens, type ClockNs, type KeyBuckets, type LimitsSetup } from "../limits.contract.ts";
import { longsAt } from "./clock.ts";
import { afterTake, waitMsOf } from "./gcra.ts";
import { type Scale, scaleOf } from "./scale.ts";

/**
 * A bucket for each key, in cells that keys come and go in. A key belongs to one bin, and has any cell of it. A cell is two
 * 64-bit words: whose it is, and what is spent (gcra.ts). Both have a number of the owner, and are written by
 * compare-exchange alone:
 *
 *     owner   48 bits of the key's hash, then the owner's number modulo 2^16
 *     spent   what is spent in 60 bits, then the owner's number modulo 2^4
 *
 * Where the numbers are the same, the bucket is the key's. Where that of spent is one ahead, the cell is free, and its
 * bucket full. A cell is made free only if its bucket is full: a key without a cell has a full bucket, so nothing is
 * forgotten. Then one of those that want the cell writes its key and the number. Each step leaves the cell whole, so a
 * thread may be terminated between any two.
 *
 * Ground rules, by which a key never has two buckets that are not full:
 *
 * - Spent only grows, and so does its number. A thread whose compare-exchange of spent succeeds knows that neither word
 *   changed since it loaded spent: the owner is written only while the numbers differ.
 * - A take that finds its bucket not full may go on at once. One that finds it full first looks at all other cells of the
 *   bin, after it has loaded spent. Of two cells with its key it frees the later one, and one that is full. Of two threads
 *   that do so for two cells, the one that looks later sees the other's cell, or has lost its own.
 * - It reads the clock after that: later than whoever found a bucket of this key full, and made it free.
 */
export class KeyTable implements KeyBuckets {
  readonly #scale: Scale;
  readonly #capacity: number;
  readonly #cells: number;
  readonly #lastBin: number;
  readonly #restNs: bigint;
  readonly #nowNs: ClockNs;
  readonly #words: BigInt64Array;
  /** The upper halves of owners, which tell most keys apart without a BigInt. */
  readonly #halves: Region;

  constructor(memory: Region, setup: Limit, { bins, cells, restNs = REST_NS }: TableSize, nowNs: ClockNs) {
    this.#scale = scaleOf(setup, FULL_BITS);
    this.#capacity = setup.capacity;
    this.#cells = cells;
    this.#restNs = BigInt(restNs);
    this.#lastBin = bins - 1;
    this.#nowNs = nowNs;
    this.#words = longsAt(memory, 0, bins * cells * LONGS);
    this.#halves = memory;
  }

  tryTake(key: Key, n = 1): boolean {
    assertTokens(n, this.#capacity);
    const name = this.#nameOf(key);
    const cost = BigInt(n) * this.#scale.token;
    for (;;) {
      const cell = this.#find(name);
      if (cell === undefined) {
        if (this.#claim(name) || this.#find(name) !== undefined) continue;
        return false;
      }
      const { at, word } = cell;
      let nowNs = BigInt(this.#nowNs());
      if (this.#isFull(word, nowNs)) {
        if (!this.#isOnly(name, cell, nowNs)) continue;
        nowNs = BigInt(this.#nowNs());
      }
      const next = afterTake(this.#scale, word >> NUMBER_BITS, cost, nowNs);
      if (next === undefined) return false;
      const taken = (next << NUMBER_BITS) | (word & NUMBERS);
      if (this.#spend(at, word, taken)) return true;
    }
  }

  waitMs(key: Key, n = 1): number {
    assertTokens(n, this.#capacity);
    const name = this.#nameOf(key);
    const cell = this.#find(name);
    if (cell === undefined) return this.#waitForCellMs(name);
    const cost = BigInt(n) * this.#scale.token;
    return waitMsOf(this.#scale, cell.word >> NUMBER_BITS, cost, BigInt(this.#nowNs()));
  }

  /** The first cell whose owner the key is: threads that look for it go through the bin in one order. */
  #find(name: Name): Cell | undefined {
    for (let place = 0; place < this.#cells; place++) {
      const cell = this.#cellOf(name, place);
      if (cell !== undefined) return cell;
    }
    return undefined;
  }

  /** The cell, if the key is its owner. Spent is loaded first: see the ground rules. */
  #cellOf(name: Name, place: number): Cell | undefined {
    const { hash, upper } = name;
    const at = this.#at(name, place);
    if (Atomics.load(this.#halves, 2 * at + UPPER) !== upper) return undefined;
    const word = Atomics.load(this.#words, at + this.#cells);
    const owner = Atomics.load(this.#words, at);
    return owner >> OWNER_BITS === hash && isSameNumber(owner, word) ? { place, at, word } : undefined;
  }

  /**
   * Makes a cell the key's: a free one, or else one that has been full for a while. False where all are other keys' that
   * are not; true also where another thread was faster, which may have found one for the same key.
   */
  #claim(name: Name): boolean {
    const words = this.#words;
    for (let place = 0; place < this.#cells; place++) {
      const at = this.#at(name, place);
      const word = Atomics.load(words, at + this.#cells);
      const owner = Atomics.load(words, at);
      if (isSameNumber(owner, word)) continue;
      this.#own(at, owner, word, name);
      return true;
    }
    const nowNs = BigInt(this.#nowNs());
    for (let place = 0; place < this.#cells; place++) {
      const at = this.#at(name, place);
      const word = Atomics.load(words, at + this.#cells);
      const owner = Atomics.load(words, at);
      if (!isSameNumber(owner, word)) return true;
      if (!this.#isFull(word, nowNs - this.#restNs)) continue;
      const free = this.#free(at, word, nowNs);
      if (free !== undefined) this.#own(at, owner, free, name);
      return true;
    }
    return false;
  }

  /** Makes the key the owner of a free cell, unless it had another since. */
  #own(at: number, owner: bigint, word: bigint, { hash }: Name): void {
    const number = (owner + 1n) & OWNER_NUMBERS;
    if (isSameNumber(number, word))
      Atomics.compareExchange(this.#words, at, owner, (hash << OWNER_BITS) | number);
  }

  /**
   * Whether no other cell is the key's. Another that is full is freed, if it is the later one in the bin; else this one is.
   * If not, the key has to be found again.
   */
  #isOnly(name: Name, { place: own, at: ownAt, word }: Cell, nowNs: bigint): boolean {
    for (let place = 0; place < this.#cells; place++) {
      const other = place === own ? undefined : this.#cellOf(name, place);
      if (other === undefined) continue;
      if (place > own && this.#isFull(other.word, nowNs)) {
        if (this.#free(other.at, other.word, nowNs) === undefined) return false;
      } else {
        this.#free(ownAt, word, nowNs);
        return false;
      }
    }
    return true;
  }

  /** The word of a full bucket's cell that is free from now on; undefined where it has changed. */
  #free(at: number, word: bigint, nowNs: bigint): bigint | undefined {
    const { rate, shift, full } = this.#scale;
    const spent = ((nowNs * rate) >> shift) - full;
    const free = (spent << NUMBER_BITS) | ((word + 1n) & NUMBERS);
    return this.#spend(at, word, free) ? free : undefined;
  }

  #spend(at: number, word: bigint, next: bigint): boolean {
    return Atomics.compareExchange(this.#words, at + this.#cells, word, next) === word;
  }

  #isFull(word: bigint, nowNs: bigint): boolean {
    const { rate, shift, full } = this.#scale;
    return word >> NUMBER_BITS <= ((nowNs * rate) >> shift) - full;
  }

  /** Until the first bucket of the bin is full, and its cell may be had. */
  #waitForCellMs(name: Name): number {
    const nowNs = BigInt(this.#nowNs());
    const waits = Array.from({ length: this.#cells }, (_, place) => {
      const word = Atomics.load(this.#words, this.#at(name, place) + this.#cells);
      return waitMsOf(this.#scale, word >> NUMBER_BITS, this.#scale.full, nowNs);
    });
    return Math.min(...waits);
  }

  /** Where the owner of a cell of the bin is; its spent is as many words behind it as there are cells. */
  #at({ first, begin }: Name, place: number): number {
    return first + ((begin + place) % this.#cells);
  }

  #nameOf(key: Key): Name {
    const lower = hashOf(key);
    const upper = hashOf(key, OTHER);
    const hash = (BigInt(upper) << 16n) | BigInt(lower >>> 16);
    const first = (lower & this.#lastBin) * this.#cells * LONGS;
    return { hash, upper, first, begin: lower >>> PLACE_SHIFT };
  }
}

/** A cell that was a key's when its spent was `word`. */
interface Cell {
  readonly place: number;
  readonly at: number;
  readonly word: bigint;
}

/** A key as cells know it. */
interface Name {
  /** 48 bits, signed. */
  readonly hash: bigint;
  /** The upper 32 of them. */
  readonly upper: number;
  /** Where its bin begins, and where in it the key is looked for first. */
  readonly first: number;
  readonly begin: number;
}

type Limit = Pick<LimitsSetup, "capacity" | "perSecond">;

/** How large a table is. `bins` is a power of two. */
export interface TableSize {
  readonly bins: number;
  readonly cells: number;
  /** For how long a bucket has been full before its cell may be another key's; a millisecond if absent. */
  readonly restNs?: number;
}

/**
 * Room for `keys` that are limited at a time, and three times more. A bin of 16 then has room for all its keys but in one
 * of a million.
 */
export function sizeFor(keys: number): TableSize {
  return { bins: 2 ** Math.ceil(Math.log2(Math.max(1, (keys * ROOM) / BIN_CELLS))), cells: BIN_CELLS };
}

export function tableWords({ bins, cells }: TableSize): number {
  return wholeStrides(bins * cells * LONGS * 2);
}

/** All cells free: the number of spent is 1, that of the owner 0. */
export function formatTable(memory: Region, { bins, cells }: TableSize): void {
  memory.fill(0);
  const words = longsAt(memory, 0, bins * cells * LONGS);
  for (let bin = 0; bin < bins; bin++)
    words.fill((FULL_SINCE_EVER << NUMBER_BITS) | 1n, (2 * bin + 1) * cells, (2 * bin + 2) * cells);
}

function isSameNumber(owner: bigint, word: bigint): boolean {
  return ((owner ^ word) & NUMBERS) === 0n;
}

/** Any even number: it makes of a key's hash another. */
const OTHER = 0x2c1b3c6c;
/** 64-bit words of a cell. */
const LONGS = 2;
/** A stride of owners and one of spent. */
const BIN_CELLS = 16;
const ROOM = 4;
/** Long enough for a take: threads do not take cells from each other that they have just made their own, again and again. */
const REST_NS = 1e6;
const OWNER_BITS = 16n;
const OWNER_NUMBERS = (1n << OWNER_BITS) - 1n;
const NUMBER_BITS = 4n;
const NUMBERS = (1n << NUMBER_BITS) - 1n;
/** Of a full bucket in ticks; as much again, and their sign, are in the 60 bits of spent. */
export const FULL_BITS = 58n;
const FULL_SINCE_EVER = -(2n ** 59n);
const PLACE_SHIFT = 26;
/** Of the two halves of a 64-bit word: the upper one. */
const UPPER = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;
