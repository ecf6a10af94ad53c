import assert from "node:assert/strict";
import { check } from "interleave-shared";

/** Word 0 is the first free slot, word n the free slot after slot n; 0 is none. */
function take(words: Int32Array): number {
  for (;;) {
    const first = Atomics.load(words, 0);
    if (first === 0) return 0;
    const next = Atomics.load(words, first);
    if (Atomics.compareExchange(words, 0, first, next) === first) return first;
  }
}

function giveBack(words: Int32Array, slot: number): void {
  for (;;) {
    const first = Atomics.load(words, 0);
    Atomics.store(words, slot, first);
    if (Atomics.compareExchange(words, 0, first, slot) === first) return;
  }
}

function takeTwoAndKeepOne(words: Int32Array): number {
  const [returned, kept] = [take(words), take(words)];
  if (returned !== 0) giveBack(words, returned);
  return kept;
}

const shared = new Int32Array(new SharedArrayBuffer(12));
shared.set([1, 2, 0]);

const checked = (taking: typeof take, takingTwo: typeof takeTwoAndKeepOne) =>
  check({
    shared,
    names: ["first", "next[1]", "next[2]"],
    threads: [[taking, taking], takingTwo],
    end(_, { results }) {
      const held = results.flat().filter((slot) => slot !== 0);
      assert.ok(new Set(held).size === held.length, `slots ${held} are held`);
    },
  });

/** The lowest 8 bits of word 0 are the first free slot; the others count returned slots. */
function takeMended(words: Int32Array): number {
  for (;;) {
    const head = Atomics.load(words, 0);
    const first = head & 0xff;
    if (first === 0) return 0;
    const next = Atomics.load(words, first);
    if (Atomics.compareExchange(words, 0, head, head - first + next) === head) return first;
  }
}

function giveBackMended(words: Int32Array, slot: number): void {
  for (;;) {
    const head = Atomics.load(words, 0);
    const first = head & 0xff;
    Atomics.store(words, slot, first);
    if (Atomics.compareExchange(words, 0, head, head - first + 0x100 + slot) === head) return;
  }
}

function takeTwoAndKeepOneMended(words: Int32Array): number {
  const [returned, kept] = [takeMended(words), takeMended(words)];
  if (returned !== 0) giveBackMended(words, returned);
  return kept;
}

for (const [taking, takingTwo] of [
  [take, takeTwoAndKeepOne],
  [takeMended, takeTwoAndKeepOneMended],
] as const)
  try {
    console.log(String(checked(taking, takingTwo)));
  } catch (error) {
    console.log((error as Error).message);
  }
