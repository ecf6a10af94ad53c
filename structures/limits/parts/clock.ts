import { readCrewClock } from "../../shared/crew-clock.ts";
import { type Region, STRIDE_WORDS } from "../../shared/layout.ts";
import type { ClockNs } from "../limits.contract.ts";

/** Words that the clock takes, which only runtimes write whose threads have clocks of their own. */
export const CLOCK_WORDS = STRIDE_WORDS;

/** The clock of the process, in ns, whose shared word is at `at`. */
export function processClock(memory: Region, at: number): ClockNs {
  return readCrewClock(longsAt(memory, at, 1));
}

/** `count` 64-bit words from word `at` of the region on. Regions begin at a stride, so that even words are aligned. */
export function longsAt(memory: Region, at: number, count: number): BigInt64Array {
  return new BigInt64Array(memory.buffer, memory.byteOffset + at * Int32Array.BYTES_PER_ELEMENT, count);
}
