import type { Loop, Timer } from "../connections.contract.ts";

/**
 * An event loop without a clock of its own: time is what `run` makes it, and every timer calls when it is due. What comes
 * from outside, a message say, comes by `at` and is no timer.
 *
 * A turn has the phases of the runtime's: Node polls, runs its immediates, and then timers; Bun runs immediates before it
 * polls. A poll hands over what had come when it began, at most POLL_BATCH of it, the oldest first. So what comes while
 * the loop stands still waits behind timers that became due meanwhile, for several turns if it is much.
 */
export class VirtualLoop implements Loop {
  readonly #phases: readonly (() => void)[];
  readonly #timers = new Set<Pending>();
  readonly #outside = new Set<Pending>();
  readonly #immediates = new Set<Pending>();
  #nowMs = 0;
  #stoodMs = 0;
  /** When what is being handed over happened. */
  #eventMs: number | undefined;
  #made = 0;

  constructor(order: PhaseOrder = "node") {
    const poll = () => this.#poll();
    const check = () => this.#check();
    this.#phases = [...(order === "node" ? [poll, check] : [check, poll]), () => this.#runTimers()];
  }

  /** Not 0 at the start, as with the runtime's. */
  now(): number {
    return ORIGIN_MS + this.#nowMs;
  }

  setTimeout<Argument>(callback: (argument: Argument) => void, delayMs: number, argument?: Argument): Timer {
    return this.#add(this.#timers, () => callback(argument as Argument), Math.max(1, delayMs), false);
  }

  setInterval(callback: () => void, everyMs: number): Timer {
    return this.#add(this.#timers, callback, everyMs, true);
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Pending);
  }

  setImmediate(callback: () => void): Timer {
    return this.#add(this.#immediates, callback, 0, false);
  }

  clearImmediate(timer: unknown): void {
    this.#immediates.delete(timer as Pending);
  }

  /** Lets something happen, `delayMs` from now; within what happens outside, from when that did, however late it is read. */
  at(delayMs: number, happens: () => void): void {
    const happensMs = (this.#eventMs ?? this.#nowMs) + delayMs;
    this.#add(this.#outside, happens, happensMs - this.#nowMs, false);
  }

  /** For callbacks of the loop: it stands still, as when the process is stopped or a handler blocks. */
  stand(ms: number): void {
    this.#nowMs += ms;
    this.#stoodMs += ms;
  }

  /** The same, but the world outside stood still as well: only the clock went on. */
  jump(ms: number): void {
    this.stand(ms);
    for (const event of this.#outside) event.atMs += ms;
  }

  /** For how long it has stood still by now. */
  get stoodMs(): number {
    return this.#stoodMs;
  }

  /** Timers and immediates that are pending. */
  get pending(): number {
    return this.#timers.size + this.#immediates.size;
  }

  /** Lets time pass until `untilMs`, counted from the start. Timers of one moment call in the order in which they were set. */
  run(untilMs: number): void {
    for (let turns = 0; ; turns++) {
      if (turns === MOST_TURNS) throw new Error("the loop never rests");
      for (const phase of this.#phases) phase();
      if (this.#immediates.size > 0) continue;
      const next = firstOf([...this.#timers, ...this.#outside]);
      if (next === undefined || next.atMs > untilMs) break;
      if (next.atMs > this.#nowMs) turns = 0;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #poll(): void {
    const ready = [...this.#outside].filter(({ atMs }) => atMs <= this.#nowMs).sort(inOrder);
    for (const event of ready.slice(0, POLL_BATCH)) {
      this.#outside.delete(event);
      this.#eventMs = event.atMs;
      event.callback();
    }
    this.#eventMs = undefined;
  }

  #check(): void {
    // One that is set meanwhile runs in the next turn.
    const made = this.#made;
    for (const immediate of this.#immediates) {
      if (immediate.order >= made) break;
      this.#immediates.delete(immediate);
      immediate.callback();
    }
  }

  #runTimers(): void {
    const nowMs = this.#nowMs;
    for (
      let next = firstOf(this.#timers);
      next !== undefined && next.atMs <= nowMs;
      next = firstOf(this.#timers)
    ) {
      if (next.repeats) next.refresh();
      else this.#timers.delete(next);
      next.callback();
    }
  }

  #add(among: Set<Pending>, callback: () => void, delayMs: number, repeats: boolean): Pending {
    const timer: Pending = {
      callback,
      repeats,
      atMs: this.#nowMs + delayMs,
      order: this.#made++,
      ref: () => timer,
      unref: () => timer,
      refresh: () => {
        timer.atMs = this.#nowMs + delayMs;
        timer.order = this.#made++;
        among.add(timer);
      },
    };
    among.add(timer);
    return timer;
  }
}

export type PhaseOrder = "node" | "bun";

/** What one poll hands over; 1,024 with Bun, and 48 times as much with libuv, of larger fleets. */
const POLL_BATCH = 8;
/** Turns that one moment may take: more than there is to do in it. */
const MOST_TURNS = 10_000;
const ORIGIN_MS = 12_345.678;

interface Pending extends Timer {
  readonly callback: () => void;
  readonly repeats: boolean;
  atMs: number;
  order: number;
}

function firstOf(all: Iterable<Pending>): Pending | undefined {
  let first: Pending | undefined;
  for (const one of all) if (first === undefined || inOrder(one, first) < 0) first = one;
  return first;
}

function inOrder(one: Pending, other: Pending): number {
  return one.atMs - other.atMs || one.order - other.order;
}
