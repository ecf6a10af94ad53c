import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { explore, type Part as PartOf } from "../index.ts";

type Part = PartOf<Int32Array>;
const WORDS = 128;

const alike = (count: number, part: (index: number) => Part): Part[][] =>
  Array.from({ length: count }, (_, index) => [part(index)]);

/** The programs of the table in API.md, by name. What a thread reads it notes, where the table says so. */
const programs: Readonly<Record<string, (size: number) => readonly (readonly Part[])[]>> = {
  readers: (count) => [
    [(words) => void Atomics.store(words, 0, 1)],
    ...alike(
      count,
      () =>
        (words, { note }) =>
          note(Atomics.load(words, 0)),
    ),
  ],
  lastzero: (count) => [
    [
      (words, { note }) => {
        let at = count;
        while (Atomics.load(words, at) !== 0) at--;
        note(at);
      },
    ],
    ...alike(count, (at) => (words) => void Atomics.store(words, at + 1, Atomics.load(words, at) + 1)),
  ],
  casrot: (count) =>
    alike(
      count,
      (at) =>
        (words, { note }) =>
          note(Atomics.compareExchange(words, 0, at, at + 1)),
    ),
  ainc: (count) => alike(count, () => (words) => void Atomics.add(words, 0, 1)),
  filesystem: (count) => alike(count, (thread) => (words) => takeBlock(words, thread)),
  indexer: (count) => alike(count, (thread) => (words) => putFour(words, thread)),
  eratosthenes: (end) => alike(2, () => (words) => sieve(words, end)),
  fib_bench: (turns) => [
    ...alike(2, (own) => (words) => {
      for (let turn = 0; turn < turns; turn++)
        Atomics.store(words, own, Atomics.load(words, 0) + Atomics.load(words, 1));
    }),
    [(words) => void (Atomics.load(words, 0) > 144 || Atomics.load(words, 1))],
  ],
};

/** Gives a block to an inode, both under locks (Flanagan & Godefroid, POPL 2005, figure 5). */
function takeBlock(words: Int32Array, thread: number): void {
  const [blockLocks, inodes, busy] = [32, 64, 96];
  const inode = thread % 32;
  lock(words, inode);
  for (let block = (2 * inode) % 26; words[inodes + inode] === 0; block = (block + 1) % 26) {
    lock(words, blockLocks + block);
    if (words[busy + block] === 0) {
      words[busy + block] = 1;
      words[inodes + inode] = block + 1;
    }
    unlock(words, blockLocks + block);
  }
  unlock(words, inode);
}

function lock(words: Int32Array, at: number): void {
  while (Atomics.compareExchange(words, at, 0, 1) !== 0) Atomics.wait(words, at, 1);
}

function unlock(words: Int32Array, at: number): void {
  Atomics.store(words, at, 0);
  Atomics.notify(words, at, 1);
}

/** Puts four values into a hash table (the same, figure 4). */
function putFour(words: Int32Array, thread: number): void {
  for (let message = 0; message < 4; message++) {
    const value = message * 11 + thread;
    let place = (value * 7) % WORDS;
    while (Atomics.compareExchange(words, place, 0, value) !== 0) place = (place + 1) % WORDS;
  }
}

function sieve(words: Int32Array, end: number): void {
  for (let at = 0; at < end; at++) {
    if (Atomics.load(words, at) !== 0) continue;
    Atomics.store(words, at, 1);
    for (let multiple = 2 * at + 2; multiple < end; multiple += at + 2) Atomics.store(words, multiple, 2);
  }
}

const page = readFileSync(new URL("../API.md", import.meta.url), "utf8");
const NUMBER = " ([\\d,]+) \\|";
const ROWS = new RegExp(`^\\| (\\w+)\\((\\d+)\\)[^|]*\\|${NUMBER}${NUMBER}${NUMBER}$`, "gm");

for (const [, name, size, , ...counts] of page.matchAll(ROWS))
  it(`${name}(${size}) has as many ends and states as API.md says`, () => {
    const memory = new Int32Array(new SharedArrayBuffer(4 * WORDS));
    if (name === "fib_bench") memory.fill(1, 0, 2);
    const { ends, states, doomed } = explore({ memory, threads: programs[name!]!(Number(size)) });
    assert.deepEqual(
      [ends, states, doomed],
      [...counts.map((count) => Number(count.replaceAll(",", ""))), 0],
    );
  });

it("each program has a row", () => {
  assert.deepEqual(new Set([...page.matchAll(ROWS)].map(([, name]) => name)), new Set(Object.keys(programs)));
});
