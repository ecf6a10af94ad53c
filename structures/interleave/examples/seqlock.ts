import assert from "node:assert/strict";
import { check } from "interleave-shared";

/** Odd while a writer changes words 1 and 2, which are always equal otherwise. */
const VERSION = 0;

function write(words: Int32Array): void {
  Atomics.add(words, VERSION, 1);
  Atomics.add(words, 1, 1);
  Atomics.add(words, 2, 1);
  Atomics.add(words, VERSION, 1);
}

function read(words: Int32Array): number[] {
  while (Atomics.load(words, VERSION) % 2 === 1);
  return [Atomics.load(words, 1), Atomics.load(words, 2)];
}

const checked = (reading: typeof read) =>
  check({
    shared: new Int32Array(new SharedArrayBuffer(12)),
    names: ["version", "left", "right"],
    threads: [reading, write],
    end: (_, { results }) => assert.ok(["0,0", "1,1"].includes(String(results[0])), "the read is torn"),
  });

/** Reads again if the version has changed meanwhile. */
function readMended(words: Int32Array): number[] {
  for (;;) {
    const version = Atomics.load(words, VERSION);
    const pair = [Atomics.load(words, 1), Atomics.load(words, 2)];
    if (version % 2 === 0 && Atomics.load(words, VERSION) === version) return pair;
  }
}

for (const reading of [read, readMended])
  try {
    console.log(String(checked(reading)));
  } catch (error) {
    console.log((error as Error).message);
  }
