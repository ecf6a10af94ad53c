import type { DrawsCompetitor } from "../draws.contract.ts";
import { drawsCode, mappingIn } from "../parts/wasm.ts";
import aaControl from "./lemire.ts";

/**
 * lemire with its mapping in WebAssembly; the original in everything else.
 *
 * Promise: every value has exactly floor(2^32 / bound) words; the other 2^32 mod bound words are rejected.
 * Progress: no worker waits for another, but a draw retries until a word is accepted. Fewer than bound / 2^32 are not.
 * Threads: each worker draws from the words it attached, and has an instance of its own.
 * Cost: a call from JavaScript for each word, one multiplication of 64 bits and a comparison.
 * Memory: an instance.
 * Limits: the original's. The words come from JavaScript, as for every competitor.
 * Bet: a yardstick: one wide multiplication in place of two saves less than the call costs, so that JavaScript is ahead.
 * Source: lemire; WebAssembly for the code.
 *
 * The code is in draws.wat.
 */
export default {
  ...aaControl,
  summary: "lemire with its mapping in WebAssembly",
  source: "lemire; WebAssembly",
  yardstickOf: "lemire",
  attach: mappingIn(drawsCode),
} satisfies DrawsCompetitor;
