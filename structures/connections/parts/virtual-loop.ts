import type { Loop, Timer } from "../connections.contract.ts";

/**
 * An event loop without a clock of its own: time is what `run` makes it, and every timer calls when it is due. What comes
 * from outside, a message say, comes by `at` and is no timer.
 */
export class VirtualLoop implements Loop {
  readonly #pending = new Set<VirtualTimer>();
  #nowMs = 0;
  #made = 0;

  /** Not 0 at the start, as with the runtime's. */
  now(): number {
    return ORIGIN_MS + this.#nowMs;
  }

  setTimeout<Argument>(callback: (argument: Argument) => void, delayMs: number, argument?: Argument): Timer {
    return this.#add(() => callback(argument as Argument), Math.max(1, delayMs), "once");
  }

  setInterval(callback: () => void, everyMs: number): Timer {
    return this.#add(callback, everyMs, "again");
  }

  clearTimeout(timer: unknown): void {
    this.#pending.delete(timer as VirtualTimer);
  }

  setImmediate(callback: () => void): Timer {
    return this.#add(callback, 0, "once");
  }

  clearImmediate(timer: unknown): void {
    this.clearTimeout(timer);
  }

  /** Lets something happen, `delayMs` from now. */
  at(delayMs: number, happens: () => void): void {
    this.#add(happens, delayMs, "outside");
  }

  /** Timers that are pending. */
  get pending(): number {
    return [...this.#pending].filter(({ kind }) => kind !== "outside").length;
  }

  /** Lets time pass until `untilMs`, counted from the start. Timers of one moment call in the order in which they were set. */
  run(untilMs: number): void {
    for (let next = this.#first(); next !== undefined && next.atMs <= untilMs; next = this.#first()) {
      this.#nowMs = next.atMs;
      if (next.kind === "again") next.refresh();
      else this.#pending.delete(next);
      next.callback();
    }
    this.#nowMs = untilMs;
  }

  #first(): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#pending) if (first === undefined || comesBefore(timer, first)) first = timer;
    return first;
  }

  #add(callback: () => void, delayMs: number, kind: VirtualTimer["kind"]): VirtualTimer {
    const timer: VirtualTimer = {
      callback,
      kind,
      atMs: this.#nowMs + delayMs,
      order: this.#made++,
      ref: () => timer,
      unref: () => timer,
      refresh: () => {
        timer.atMs = this.#nowMs + delayMs;
        timer.order = this.#made++;
        this.#pending.add(timer);
      },
    };
    this.#pending.add(timer);
    return timer;
  }
}

const ORIGIN_MS = 12_345.678;

interface VirtualTimer extends Timer {
  readonly callback: () => void;
  readonly kind: "once" | "again" | "outside";
  atMs: number;
  order: number;
}

function comesBefore(one: VirtualTimer, other: VirtualTimer): boolean {
  return one.atMs === other.atMs ? one.order < other.order : one.atMs < other.atMs;
}
