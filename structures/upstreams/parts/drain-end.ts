import { assertInteger, assertOptions, type OptionKinds } from "../../shared/arguments.ts";

/** How long a drain waits. */
export interface DrainOptions {
  /**
   * After so many ms what is still in flight there ends in a DrainLimitError, and `drain` resolves. Requests that were not
   * sent yet go to another upstream. 0 to 2^31 - 1; if absent, `drain` waits as long as it takes.
   */
  readonly limitMs?: number | undefined;
  /** Once it aborts, `drain` rejects with its reason. The upstream goes on being drained. */
  readonly signal?: AbortSignal | undefined;
}

const KINDS: OptionKinds<DrainOptions> = { limitMs: "any", signal: "signal" };
/** The longest that a timer of Node's waits. */
const MOST_MS = 2 ** 31 - 1;

/** Throws in one line for options that are wrong, and the reason of a signal that has aborted. */
export function assertDrainOptions(options: DrainOptions): void {
  assertOptions("drain", options, KINDS);
  const { limitMs, signal } = options;
  if (limitMs !== undefined) assertInteger("limitMs", limitMs, 0, MOST_MS);
  signal?.throwIfAborted();
}

/** Resolves when `gone` does. Calls `cut` at the limit, with the error for requests. Rejects when the signal aborts. */
export async function drainEnd(
  gone: Promise<unknown>,
  { limitMs, signal }: DrainOptions,
  cut: (error: Error) => void,
): Promise<void> {
  if (limitMs !== undefined) {
    const timer = setTimeout(() => cut(new DrainLimitError(limitMs)), limitMs);
    // Also where nobody waits any longer.
    const stop = () => clearTimeout(timer);
    gone.then(stop, stop);
  }
  await (signal === undefined ? gone : unlessAborted(gone, signal));
}

/** Leaves no listener behind. */
async function unlessAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  let abort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** What a request hears that was in flight when its upstream had been drained for as long as it may. */
class DrainLimitError extends Error {
  override readonly name = "DrainLimitError";
  readonly code = "HOTPATH_DRAIN_LIMIT";

  constructor(limitMs: number) {
    super(`its upstream was drained, and the request had not ended ${limitMs} ms later`);
  }
}
