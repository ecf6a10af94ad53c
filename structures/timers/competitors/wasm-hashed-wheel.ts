import { assertLinearWords, type Region } from "../../shared/layout.ts";
import { full } from "../parts/handles.ts";
import { deadlineTick } from "../parts/ticks.ts";
import { OUTBOX_WORDS, outboxOf, type WheelCode, wheelCode } from "../parts/wasm.ts";
import type { TimerSet, TimersCompetitor } from "../timers.contract.ts";
import hashedWheel, { HashedWheel } from "./hashed-wheel.ts";

/**
 * hashed-wheel with its add, cancel, refresh and advance in WebAssembly.
 *
 * Promise: that of hashed-wheel: the same handles in the same order, and the same words.
 * Progress: as hashed-wheel.
 * Threads: one at a time.
 * Cost: that of hashed-wheel, and a call from JavaScript. advance writes handles to the outbox, from where JavaScript
 *   copies them: a call for each 1,024.
 * Memory: that of hashed-wheel and 4 KiB, in whole pages of 64 KiB, and the instance of the code.
 * Limits: as hashed-wheel; and the words must lie in a WebAssembly.Memory.
 * Bet: a yardstick. A typed array costs JavaScript little, so WebAssembly saves the checks of bounds and pays the call.
 *   Where the records have to come from far away the two are alike.
 * Source: hashed-wheel; WebAssembly for the code, which is in timers.wat.
 *
 *     words of hashed-wheel, as drawn there
 *     OUTBOX  1,024 words   handles that an advance reports   written by the code, read once it has returned
 */
export default {
  ...hashedWheel,
  summary: "hashed-wheel with its add, cancel, refresh and advance in WebAssembly",
  source: "hashed-wheel; WebAssembly",
  yardstickOf: "hashed-wheel",
  needsLinear: true,

  words(capacity) {
    const words = hashedWheel.words(capacity) + OUTBOX_WORDS;
    assertLinearWords(words);
    return words;
  },

  attach: (memory, capacity, _worker, linear) =>
    new WasmHashedWheel(memory, capacity, wheelCode(memory, capacity, linear)),
} satisfies TimersCompetitor;

export class WasmHashedWheel extends HashedWheel implements TimerSet {
  readonly #code: WheelCode;
  /** Word of the region. */
  readonly #outbox: number;

  constructor(memory: Region, capacity: number, code: WheelCode) {
    super(memory, capacity);
    this.#code = code;
    this.#outbox = outboxOf(memory);
  }

  override add(deadline: number): number {
    const handle = this.#code.add(deadline);
    if (handle === 0) {
      deadlineTick(this.clock, deadline);
      throw full(this.capacity);
    }
    return handle;
  }

  override cancel(handle: number): boolean {
    return isInt32(handle) && this.#code.cancel(handle) !== 0;
  }

  override refresh(handle: number, deadline: number): boolean {
    const answer = this.#code.refresh(isInt32(handle) ? handle : NO_HANDLE, deadline);
    // Says which deadline it was, in an error.
    if (answer < 0) deadlineTick(this.clock, deadline);
    return answer > 0;
  }

  override advance(now: number, out: Int32Array, budget: number): number {
    const { memory } = this;
    const outbox = this.#outbox;
    // Part of a report is a whole one, as for hashed-wheel, which counts up to the budget.
    const limit = Math.ceil(Math.min(budget, out.length));
    let count = 0;
    while (count < limit) {
      const room = Math.min(limit - count, OUTBOX_WORDS);
      const reported = this.#code.advance(now, room, count + room === limit ? 1 : 0);
      for (let word = outbox; word < outbox + reported; word++) out[count++] = memory[word]!;
      if (reported < room) break;
    }
    return count;
  }
}

const NO_HANDLE = 0;

/** The code would take any other number for the int32 that it is modulo 2^32, which may be a live handle. */
function isInt32(handle: number): boolean {
  return (handle | 0) === handle;
}
