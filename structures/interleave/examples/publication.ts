import assert from "node:assert/strict";
import { check } from "interleave-shared";

const MESSAGE = 0;
const READY = 1;

function send(words: Int32Array): void {
  words[MESSAGE] = 7;
  words[READY] = 1;
}

/** Undefined until there is one. */
function receive(words: Int32Array): number | undefined {
  return words[READY] === 1 ? words[MESSAGE] : undefined;
}

function sendMended(words: Int32Array): void {
  words[MESSAGE] = 7;
  Atomics.store(words, READY, 1);
}

function receiveMended(words: Int32Array): number | undefined {
  return Atomics.load(words, READY) === 1 ? words[MESSAGE] : undefined;
}

for (const [sending, receiving] of [
  [send, receive],
  [sendMended, receiveMended],
] as const)
  try {
    const coverage = check(
      {
        shared: new Int32Array(new SharedArrayBuffer(8)),
        names: ["message", "ready"],
        threads: [sending, receiving],
        end: (_, { results }) => assert.notEqual(results[1]![0], 0, "the message is not there yet"),
        sometimes: { "the message arrives": (_, { results }) => results[1]![0] === 7 },
      },
      { weak: true },
    );
    console.log(String(coverage));
  } catch (error) {
    console.log((error as Error).message);
  }
