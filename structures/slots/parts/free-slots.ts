import { bounded, nextSfc32, SFC32_WORDS, seedSfc32 } from "../../shared/sfc32.ts";

/**
 * The slots that one worker's clients have given back and no other has taken. The slot to take is drawn, whatever the
 * order in which they were given. Clients that time out leave slot by slot. If a client then took the slot given last,
 * half of the slots would fill up before the others have one client.
 *
 * Each slot given goes to a random place in the list (the inside-out form of the Fisher-Yates shuffle: Knuth, TAOCP
 * 3.4.2). Any order is then as likely as another, and a take need only pop the last. Private to a worker.
 */
export class FreeSlots {
  readonly #slots: number[] = [];
  readonly #state = new Int32Array(SFC32_WORDS);

  constructor(seed: number) {
    seedSfc32(this.#state, 0, seed);
  }

  give(slot: number): void {
    const slots = this.#slots;
    const last = slots.push(slot) - 1;
    // Alone it has one place: where clients are replaced at once, nothing is drawn.
    if (last === 0) return;
    const at = bounded(nextSfc32(this.#state, 0), last + 1);
    slots[last] = slots[at]!;
    slots[at] = slot;
  }

  /** Undefined where none is left. */
  take(): number | undefined {
    return this.#slots.pop();
  }
}
