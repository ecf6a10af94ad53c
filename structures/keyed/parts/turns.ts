import { onAbort } from "../../shared/abort-calls.ts";

/** Whose turn it is among the tasks of one thread, in the order in which they came. */
export class Turns {
  #isTaken = false;
  /** By what starts each; a set keeps its order, and lets one leave from the middle. */
  readonly #waiting = new Set<() => void>();

  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Takes the turn, if it is free, and returns whether it did. */
  tryTake(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  /** Resolves when the turn has come. Rejects with the reason of a signal that aborts before. */
  take(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        forget();
        resolve();
      };
      const forget = onAbort(signal, () => {
        forget();
        this.#waiting.delete(start);
        reject(signal!.reason);
      });
      this.#waiting.add(start);
    });
  }

  /** Ends the turn: the next begins. */
  pass(): void {
    for (const start of this.#waiting) {
      this.#waiting.delete(start);
      start();
      return;
    }
    this.#isTaken = false;
  }
}
