import assert from "node:assert/strict";
import { it } from "node:test";
import lemire from "../competitors/lemire.ts";
import wasmLemire from "../competitors/wasm-lemire.ts";
import { type DrawsCompetitor, LARGEST_BOUND } from "../draws.contract.ts";
import { randomWords } from "./words.ts";

const SEED = 20_261_122;
const DRAWS = 1_000;

it("draws: wasm-lemire makes the same numbers of the same words as the original", () => {
  for (const bound of [1, 2, 7, 8, 1000, LARGEST_BOUND - 1, LARGEST_BOUND])
    assert.deepEqual(drawn(wasmLemire, bound), drawn(lemire, bound), `below ${bound}`);
});

/** Draws, and how many words they took. The words at 0 come first, which are rejected most often. */
function drawn({ attach }: DrawsCompetitor, bound: number) {
  const anyWord = randomWords(SEED);
  let words = 0;
  const { draw } = attach(() => (words++ < DRAWS ? words - 1 : anyWord()), bound);
  return { values: Array.from({ length: 2 * DRAWS }, draw), words };
}
