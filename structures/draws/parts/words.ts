import { nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";
import { assertUint32 } from "../../shared/worker-identity.ts";
import type { NextWord } from "../draws.contract.ts";

/** A private sfc32 generator as a source of words: what every competitor draws from in tests and races. Both are uint32. */
export function randomWords(seed: number, stream = 0): NextWord {
  assertUint32("seed", seed);
  assertUint32("stream", stream);
  const state = new Int32Array(SFC32_WORDS);
  seedSfc32(state, 0, seed, stream);
  return () => nextSfc32(state, 0);
}
