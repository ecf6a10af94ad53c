import { allocateRegion } from "../../shared/layout.ts";
import { type DispatchCompetitor, type DispatchList, NOBODY } from "../dispatch.contract.ts";
import {
  alreadyListed,
  assertSetup,
  clockAfter,
  deadlineSecond,
  isClient,
  lastSecond,
} from "../parts/seconds.ts";

/**
 * A list for every second within reach, in a ring that the clock goes round, as in ring-of-slots. But each list is a
 * chain of blocks that hold thirty clients side by side.
 *
 * Promise: everything the contract asks; clients that became due together are taken in no order that means anything.
 * Progress: wait-free.
 * Threads: one; every list is private.
 * Cost: O(1) for enter, remove and take. A clock that moves visits each second it passes, at most `reach` of them, and
 *   each block of the seconds that have clients. enter and take write to the last block of a list and to the client's
 *   word, which no later step waits for. remove also writes to the client's block and to the word of the client that
 *   replaces it there.
 * Memory: 8.3 bytes per client, and up to 128 for each second that has clients, for the block that is not full. 4 bytes
 *   for each second of the reach, rounded up to a power of two.
 * Limits: the reach is fixed and costs memory whether it is used or not. A second with few clients still has a whole
 *   block.
 * Bet: at a million clients a linked list waits for memory at every client, because only one record shows where the
 *   next is. A block shows thirty at once, and the processor fetches them together.
 * Source: Varghese & Lauck (1987), scheme 4; unrolled linked lists, Shao, Reppy & Appel, "Unrolling Lists" (1994).
 *
 *     words     1 per client: where it stands in the blocks; UNLISTED if nowhere
 *     lasts     1 per list: where the client stands that was entered last; EMPTY if there is none. The list of second s
 *               is s & mask; the list behind these holds those due at or before the clock
 *     blocks    32 words each, block 0 unused, so that no client stands at 0. All of a list but the last one are full.
 *       +0  list        the list it belongs to
 *       +1  previous    the block before it in its list, or the next free one; NO_BLOCK if there is none
 *       +2  clients
 */
export default {
  summary: "ring of one list per second, each a chain of blocks of 30 clients",
  source: 'Varghese & Lauck (1987), scheme 4; Shao, Reppy & Appel, "Unrolling Lists" (1994)',
  progress: "wait-free",
  order: "any",
  create: (clients, reach, start = 0) => new RingOfBlocks(clients, reach, start),
} satisfies DispatchCompetitor;

/** Two cache lines, which processors like to fetch in pairs. A power of two: a word's index gives its block. */
const BLOCK_WORDS = 32;
const IN_BLOCK = BLOCK_WORDS - 1;
const LIST = 0;
const PREVIOUS = 1;
const FIRST_CLIENT = 2;
const CLIENTS_PER_BLOCK = BLOCK_WORDS - FIRST_CLIENT;

const UNLISTED = 0;
const EMPTY = 0;
const NO_BLOCK = 0;

class RingOfBlocks implements DispatchList {
  readonly #clients: number;
  readonly #reach: number;
  readonly #words: Int32Array;
  readonly #lasts: Int32Array;
  readonly #blocks: Int32Array;
  readonly #listMask: number;
  /** The list of the clients that are due. */
  readonly #deadline: number;
  #free: number;
  readonly #last: number;
  /** 0 until the constructor sets it, so that V8 knows it for a small integer from the beginning. */
  #clock = 0;

  constructor(clients: number, reach: number, start: number) {
    assertSetup(clients, reach, start);
    // Seconds clock + 1 .. clock + reach have a list each; the clock's own is empty, as its clients are due.
    const lists = 2 ** (32 - Math.clz32(reach - 1));
    // Every list may have a block that holds one client; and one more is in use while a list changes hands.
    const mostLists = Math.min(clients, reach + 1);
    const blocks = Math.ceil((clients + mostLists * (CLIENTS_PER_BLOCK - 1)) / CLIENTS_PER_BLOCK) + 1;
    this.#clock = start;
    this.#last = lastSecond(start);
    this.#clients = clients;
    this.#reach = reach;
    this.#words = allocateRegion(clients);
    this.#lasts = allocateRegion(lists + 1);
    this.#blocks = allocateRegion((blocks + 1) * BLOCK_WORDS);
    this.#listMask = lists - 1;
    this.#deadline = lists;
    this.#free = BLOCK_WORDS;
    for (let block = BLOCK_WORDS; block < blocks * BLOCK_WORDS; block += BLOCK_WORDS)
      this.#blocks[block + PREVIOUS] = block + BLOCK_WORDS;
  }

  enter(client: number, deadline: number): void {
    const second = deadlineSecond(client, deadline, this.#clients, this.#clock, this.#reach);
    if (this.#words[client] !== UNLISTED) throw alreadyListed(client);
    this.#push(second === this.#clock ? this.#deadline : second & this.#listMask, client);
  }

  remove(client: number): boolean {
    if (!isClient(client, this.#clients)) return false;
    const word = this.#words[client]!;
    if (word === UNLISTED) return false;
    const last = this.#pop(this.#blocks[blockOf(word) + LIST]!);
    this.#blocks[word] = last;
    this.#words[last] = word;
    // After the last took its place, because the client may have been the last itself.
    this.#words[client] = UNLISTED;
    return true;
  }

  take(now: number): number {
    if (now !== this.#clock) this.#moveTo(now);
    if (this.#lasts[this.#deadline] === EMPTY) return NOBODY;
    const client = this.#pop(this.#deadline);
    this.#words[client] = UNLISTED;
    return client;
  }

  /** Whole lists change hands, so that a list stands for one second only, however far the clock jumps. */
  #moveTo(now: number): void {
    const clock = clockAfter(now, this.#clock, this.#last);
    const last = Math.min(clock, this.#clock + this.#reach);
    for (let second = this.#clock + 1; second <= last; second++) this.#becomesDue(second & this.#listMask);
    this.#clock = clock;
  }

  #becomesDue(list: number): void {
    const lasts = this.#lasts;
    const blocks = this.#blocks;
    // Where others are due still, two blocks would not be full: one of them is emptied client by client.
    if (lasts[this.#deadline] !== EMPTY) {
      while (lasts[list] !== EMPTY && (lasts[list]! & IN_BLOCK) !== IN_BLOCK)
        this.#push(this.#deadline, this.#pop(list));
    }
    const last = lasts[list]!;
    if (last === EMPTY) return;
    let oldest = blockOf(last);
    blocks[oldest + LIST] = this.#deadline;
    while (blocks[oldest + PREVIOUS] !== NO_BLOCK) {
      oldest = blocks[oldest + PREVIOUS]!;
      blocks[oldest + LIST] = this.#deadline;
    }
    lasts[list] = EMPTY;
    const lastDeadline = lasts[this.#deadline]!;
    if (lastDeadline === EMPTY) {
      lasts[this.#deadline] = last;
      return;
    }
    // Full blocks go behind the one that may not be.
    const newest = blockOf(lastDeadline);
    blocks[oldest + PREVIOUS] = blocks[newest + PREVIOUS]!;
    blocks[newest + PREVIOUS] = blockOf(last);
  }

  #push(list: number, client: number): void {
    const blocks = this.#blocks;
    const last = this.#lasts[list]!;
    let word = last + 1;
    if (last === EMPTY || (word & IN_BLOCK) === 0) {
      const block = this.#free;
      this.#free = blocks[block + PREVIOUS]!;
      blocks[block + LIST] = list;
      blocks[block + PREVIOUS] = blockOf(last);
      word = block + FIRST_CLIENT;
    }
    blocks[word] = client;
    this.#lasts[list] = word;
    this.#words[client] = word;
  }

  /** The client entered last, of a list that has one. Its word is the caller's to change. */
  #pop(list: number): number {
    const blocks = this.#blocks;
    const last = this.#lasts[list]!;
    if ((last & IN_BLOCK) === FIRST_CLIENT) {
      const block = blockOf(last);
      const previous = blocks[block + PREVIOUS]!;
      blocks[block + PREVIOUS] = this.#free;
      this.#free = block;
      this.#lasts[list] = previous === NO_BLOCK ? EMPTY : previous + IN_BLOCK;
    } else {
      this.#lasts[list] = last - 1;
    }
    return blocks[last]!;
  }
}

/** NO_BLOCK for EMPTY. */
function blockOf(word: number): number {
  return word & ~IN_BLOCK;
}
