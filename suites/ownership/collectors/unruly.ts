import { setImmediate as turn } from "node:timers/promises";
import { Random } from "../../../structures/shared/sfc32.ts";
import type { Unruliness } from "./orders.ts";
import type { Hear } from "./transport.ts";

/** Has messages come twice and overtake each other: a listener behind it hears all of them, but not as they were sent. */
export class UnrulyEar {
  readonly #hear: Hear;
  readonly #unruliness: Unruliness;
  readonly #random: Random;
  #late = 0;

  constructor(hear: Hear, unruliness: Unruliness) {
    this.#hear = hear;
    this.#unruliness = unruliness;
    this.#random = new Random(unruliness.seed);
  }

  readonly hear: Hear = (message) => {
    const again = this.#random.fraction() < this.#unruliness.doubled;
    void this.#hearLate(message);
    if (again) void this.#hearLate(message);
  };

  /** Resolves when all that has come is heard. */
  async empty(): Promise<void> {
    while (this.#late > 0) await turn();
  }

  async #hearLate(message: Uint8Array): Promise<void> {
    this.#late++;
    for (let turns = this.#random.below(this.#unruliness.turnsMost + 1); turns > 0; turns--) await turn();
    this.#late--;
    this.#hear(message);
  }
}
