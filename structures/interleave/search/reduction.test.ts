import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explore, type Part } from "../index.ts";
import { drawnProgram, functionOf, type Thread, WORDS } from "./small-programs.ts";

/** More are visited by hand: HOTPATH_PROGRAMS=20000 node --test reduction.test.ts */
const PROGRAMS = Number(process.env.HOTPATH_PROGRAMS ?? 1_000);
const SPREAD = 6;
/** 64-bit elements fit in. */
const ALL_WORDS = 2 * (WORDS + SPREAD);
const memoryOf = (words: number) => new Int32Array(new SharedArrayBuffer(4 * words));

/** What a program comes to. A watcher that looks at all states has every order visited. */
function cameTo(words: number, threads: readonly (readonly Part<Int32Array>[])[], isReduced: boolean) {
  const seen = new Set<string>();
  const watcher = {
    end: ({
      memory,
      threads: ended,
    }: {
      memory: Int32Array;
      threads: readonly { notes: readonly number[] }[];
    }) => seen.add(`${memory} ${ended.map(({ notes }) => notes.join())}`),
    ...(isReduced ? {} : { state() {} }),
  };
  const { states, ends, deadlocks, doomed, cut } = explore({ memory: memoryOf(words), threads }, watcher);
  return { states, told: { seen: [...seen].sort(), ends, deadlocks, isDoomed: doomed > 0, cut } };
}

/** A program whose threads use other words each, some of them the same. */
const spread = (threads: readonly Thread[], seed: number): Thread[] =>
  threads.map((parts, thread) =>
    parts.map((statements) =>
      statements.map((instructions) =>
        instructions.map((instruction) =>
          "at" in instruction
            ? { ...instruction, at: instruction.at + ((seed >> (2 * thread)) % SPREAD) }
            : instruction,
        ),
      ),
    ),
  );

/** One thread stores, and this number of threads load. */
const readers = (count: number): Part<Int32Array>[][] => [
  [(words) => void Atomics.store(words, 0, 1)],
  ...Array.from({ length: count }, (): Part<Int32Array>[] => [
    (words, { note }) => note(Atomics.load(words, 0)),
  ]),
];

/** Threads that put values into a hash table (Flanagan & Godefroid, POPL 2005, figure 4). */
const indexer = (count: number): Part<Int32Array>[][] =>
  Array.from({ length: count }, (_, thread): Part<Int32Array>[] => [
    (words) => {
      for (let message = 1; message <= 4; message++) {
        const value = message * 11 + thread;
        let place = (value * 7) % 128;
        while (Atomics.compareExchange(words, place, 0, value) !== 0) place = (place + 1) % 128;
      }
    },
  ]);

/** Threads that give blocks to inodes, both under locks (the same, figure 5). */
const filesystem = (count: number): Part<Int32Array>[][] =>
  Array.from({ length: count }, (_, thread): Part<Int32Array>[] => [
    (words) => {
      const [blockLocks, inodes, busy] = [32, 64, 96];
      const inode = thread % 32;
      lock(words, inode);
      if (words[inodes + inode] === 0) {
        for (let block = (2 * inode) % 26; words[inodes + inode] === 0; block = (block + 1) % 26) {
          lock(words, blockLocks + block);
          if (words[busy + block] === 0) {
            words[busy + block] = 1;
            words[inodes + inode] = block + 1;
          }
          unlock(words, blockLocks + block);
        }
      }
      unlock(words, inode);
    },
  ]);

function lock(words: Int32Array, at: number): void {
  while (Atomics.compareExchange(words, at, 0, 1) !== 0) Atomics.wait(words, at, 1);
}

function unlock(words: Int32Array, at: number): void {
  Atomics.store(words, at, 0);
  Atomics.notify(words, at, 1);
}

describe("an exploration that leaves orders out", () => {
  it("comes to the same ends and deadlocks as one that does not", () => {
    let [reduced, full] = [0, 0];
    for (let seed = 0; seed < PROGRAMS; seed++) {
      const threads = spread(drawnProgram(seed, { hasParts: seed % 2 === 1 }), seed).map((parts) =>
        parts.map(functionOf),
      );
      const some = cameTo(ALL_WORDS, threads, true);
      const all = cameTo(ALL_WORDS, threads, false);
      assert.deepEqual(some.told, all.told, `seed ${seed}`);
      reduced += some.states;
      full += all.states;
    }
    assert.ok(reduced < 0.9 * full, `${reduced} of ${full} states`);
  });

  // Benchmarks of Flanagan & Godefroid (POPL 2005) and Abdulla et al. (POPL 2014). Each reader sees 0 or 1: 2^n schedules
  // differ. Of 13 threads of the file system no two share a block; each more shares one with another thread: 2^(n - 13).
  for (const [name, threads, schedules, states] of [
    ["readers(2)", readers(2), 4, 12],
    ["readers(8)", readers(8), 256, 1_536],
    ["filesystem(14)", filesystem(14), 2, 195],
    ["filesystem(16)", filesystem(16), 8, 1_211],
  ] as const)
    it(`visits as many ends of ${name} as schedules differ in what threads see`, () => {
      const found = cameTo(128, threads, true);
      assert.deepEqual([found.told.ends, found.states], [schedules, states]);
    });

  it("visits a hash table without collisions in one order", () => {
    assert.equal(cameTo(128, indexer(11), true).states, 12);
    assert.equal(cameTo(128, indexer(12), true).states, 62);
  });

  it("takes all steps where a thread would be put off for ever", () => {
    const polls: Part<Int32Array> = (words) => {
      while (Atomics.load(words, 0) === 0);
    };
    const throws: Part<Int32Array> = (words) => {
      if (Atomics.add(words, 1, 1) === 1) throw new Error("second");
    };
    const threads = [[polls], [throws], [throws]];
    assert.throws(() => explore({ memory: memoryOf(2), threads }), { message: "second" });
  });
});
