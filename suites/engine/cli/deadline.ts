import { readableTime } from "../table/progress.ts";
import { UsageError } from "./usage.ts";

/** A run ends at this multiple of its budget, whatever it is doing: a busy machine may make each process slower than was planned. */
const MOST_TIMES_ASKED = 1.05;

export const NARROWER = "narrow it with --group TEXT or --task TEXT";

/** When a run has to end. */
export class Deadline {
  /** Time for all of it, in ms; undefined where there is no end. */
  readonly askedMs: number | undefined;
  /** Aborts when the run has to end. */
  readonly overdue: AbortSignal;
  /** Aborts then, too, and when the run is interrupted. */
  readonly ending: AbortSignal;
  readonly #signal: AbortSignal;
  readonly #startedMs: number;

  /** `startedMs` is when it began, by this process's clock. */
  constructor(askedMs: number | undefined, signal: AbortSignal, startedMs = performance.now()) {
    this.askedMs = askedMs;
    this.#signal = signal;
    this.#startedMs = startedMs;
    const endMs = MOST_TIMES_ASKED * (askedMs ?? 0) - (performance.now() - startedMs);
    this.overdue =
      askedMs === undefined
        ? new AbortController().signal
        : AbortSignal.timeout(Math.max(0, Math.round(endMs)));
    this.ending = AbortSignal.any([signal, this.overdue]);
  }

  /** What is left of the time that was asked for, in ms. */
  get leftMs(): number {
    return this.askedMs === undefined
      ? Number.POSITIVE_INFINITY
      : this.askedMs - (performance.now() - this.#startedMs);
  }

  /** Throws a UsageError where the time is over before anything has raced, with what took it. */
  refuseOverdue(what: string): void {
    if (this.#signal.aborted || !this.overdue.aborted) return;
    throw new UsageError(
      `${what} takes longer than --budget ${readableTime(this.askedMs!)}: ${NARROWER}, or give a longer one`,
    );
  }
}
