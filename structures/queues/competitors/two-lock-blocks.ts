import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import { behindTwoLocks, OF_RECEIVERS, OF_SENDERS, PLACES } from "../parts/two-locks.ts";
import type { QueueSetup, QueuesCompetitor } from "../queues.contract.ts";

/**
 * A linked list of blocks from a pool, with one mutex for all producers and another for all consumers.
 *
 * Promise: all messages in one order; full and empty are exact.
 * Progress: blocking.
 * Threads: any number of producers and consumers.
 * Cost: that of two-lock-ring; for each block, 16 messages of a queue of 64 or more, a load and a compareExchange to take it
 *   from the pool, the same to give it back, and a link.
 * Memory: that of two-lock-ring, one block more, a stride, and a word for each block.
 * Limits: those of two-lock-ring; at most 2^31 - 1 words.
 * Bet: the block that was emptied last is filled next. So a queue that is nearly empty stays in a few cache lines, where a
 *   ring goes through all of its memory.
 * Source: Michael & Scott, "Simple, fast, and practical non-blocking and blocking concurrent queue algorithms" (PODC 1996),
 *   the two-lock queue, with blocks for nodes. Treiber, "Systems programming: coping with parallelism" (1986), the pool. The
 *   holder of one lock takes and the holder of the other gives back, so that no block can come and go unnoticed.
 *
 *     as parts/two-locks.ts, but for
 *     word 33       first  where the block is that is read, or was read last; used by the consumers' holder alone
 *     word 97       last   the same of the block that is written
 *     word 128      free   where the first block of the pool is; atomically
 *     words 160 ..  a block more than the capacity takes: a word that says where the next is, in the queue or in the pool, and
 *                   its messages
 */
export default {
  ...behindTwoLocks({
    words(setup) {
      const words = BLOCKS - PLACES + blocksIn(setup) * blockWords(setup);
      // Where a block is stands in a word.
      if (PLACES + words >= 2 ** 31)
        throw new RangeError("blocks of more than 2^31 - 1 words: take a smaller capacity or longest");
      return words;
    },

    format(memory, setup) {
      const words = blockWords(setup);
      memory[OF_RECEIVERS] = memory[OF_SENDERS] = BLOCKS;
      const end = BLOCKS + blocksIn(setup) * words;
      for (let block = BLOCKS + words; block < end; block += words) memory[block] = block + words;
      Atomics.store(memory, FREE, BLOCKS + words);
    },

    // There is one in the pool: the messages in the queue, and the block read last, are in as many as the capacity takes.
    toWrite(memory, setup, message) {
      const at = message & (messagesIn(setup) - 1);
      if (at === 0) {
        const block = taken(memory);
        memory[memory[OF_SENDERS]!] = block;
        memory[OF_SENDERS] = block;
      }
      return memory[OF_SENDERS]! + 1 + at * setup.longest;
    },

    toRead(memory, setup, message) {
      const at = message & (messagesIn(setup) - 1);
      if (at === 0) {
        const read = memory[OF_RECEIVERS]!;
        memory[OF_RECEIVERS] = memory[read]!;
        giveBack(memory, read);
      }
      return memory[OF_RECEIVERS]! + 1 + at * setup.longest;
    },
  }),
  summary: "linked list of blocks from a pool, with a three-state futex mutex for each side",
  source: "two-lock queue (Michael & Scott 1996) of blocks; Treiber's stack (1986)",
} satisfies QueuesCompetitor;

function taken(memory: Region): number {
  for (let block = Atomics.load(memory, FREE); ; ) {
    const found = Atomics.compareExchange(memory, FREE, block, memory[block]!);
    if (found === block) return block;
    block = found;
  }
}

function giveBack(memory: Region, block: number): void {
  for (let first = Atomics.load(memory, FREE); ; ) {
    memory[block] = first;
    const found = Atomics.compareExchange(memory, FREE, first, block);
    if (found === first) return;
    first = found;
  }
}

const FREE = PLACES;
const BLOCKS = PLACES + STRIDE_WORDS;
/** Messages of a block; a small queue has four blocks, or blocks of one. */
const messagesIn = ({ capacity }: QueueSetup) => Math.max(1, Math.min(16, capacity / 4));
const blocksIn = (setup: QueueSetup) => setup.capacity / messagesIn(setup) + 1;
const blockWords = (setup: QueueSetup) => 1 + messagesIn(setup) * setup.longest;
