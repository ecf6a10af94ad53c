import { constants } from "node:os";

/** Ctrl-C, a polite kill, and a terminal that was closed. */
export const ENDINGS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What a process exits with after any of these. */
export const INTERRUPTED = 128 + constants.signals.SIGINT;

/**
 * One Ctrl-C arrives twice under `npm run`: from the terminal, which signals every process, and from npm, which passes
 * it on. What comes later than this is another one, from a person who does not want to wait; in ms.
 */
const REPEATED_SIGNAL_MS = 1000;

export interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Gives signals their usual meaning back. */
  release(): void;
}

/** From now on Ctrl-C, SIGTERM and SIGHUP abort a signal, so that work ends in order. Another one ends the process at once. */
export function onInterruption(
  of: Pick<NodeJS.Process, "on" | "off" | "exit"> = process,
  nowMs = () => performance.now(),
): Interruption {
  const stop = new AbortController();
  let abortedMs = Number.POSITIVE_INFINITY;
  const abort = () => {
    if (nowMs() - abortedMs > REPEATED_SIGNAL_MS) of.exit(INTERRUPTED);
    abortedMs = Math.min(abortedMs, nowMs());
    stop.abort();
  };
  for (const name of ENDINGS) of.on(name, abort);
  return {
    signal: stop.signal,
    release() {
      for (const name of ENDINGS) of.off(name, abort);
    },
  };
}
