import { onAbort } from "../../shared/abort-calls.ts";
import { assertOptions, type OptionKinds } from "../../shared/arguments.ts";
import type { TokenBucket } from "../limits.contract.ts";

export interface TakeOptions {
  /** Ends the wait; `take` rejects with its reason, and has taken nothing. */
  readonly signal?: AbortSignal | undefined;
}

/** A handle by which a program can also wait for tokens. */
export interface WaitingBucket extends TokenBucket {
  /**
   * Resolves once it has taken `n` tokens, 1 if absent. The takes of one handle are granted in the order of the calls.
   * Between threads, the first one that asks gets the tokens, so no wait is bounded. `tryTake` does not queue, and may
   * overtake. Rejects with a RangeError as `tryTake` throws, and with the signal's reason; then nothing was taken. A
   * wait takes one timer of the thread, whatever the number of takes that wait, and none is left behind.
   */
  take(n?: number, options?: TakeOptions): Promise<void>;
}

/** A take that waits. */
interface Waiter {
  readonly n: number;
  readonly grant: () => void;
}

export function waiting(bucket: TokenBucket): WaitingBucket {
  /** In the order of their calls. */
  const waiters = new Set<Waiter>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Sets the timer for the first that waits, if any. */
  const sleep = () => {
    clearTimeout(timer);
    const [first] = waiters;
    if (first === undefined) return;
    timer = setTimeout(grantAll, Math.min(Math.ceil(bucket.waitMs(first.n)), LONGEST_TIMEOUT_MS));
  };
  const grantAll = () => {
    for (const waiter of waiters) {
      if (!bucket.tryTake(waiter.n)) break;
      waiters.delete(waiter);
      waiter.grant();
    }
    sleep();
  };

  return {
    tryTake: bucket.tryTake,
    waitMs: bucket.waitMs,
    async take(n = 1, options = {}) {
      assertOptions("take", options, OF_TAKE);
      const { signal } = options;
      signal?.throwIfAborted();
      // Asked first in any case, because it throws for a number that would wait for ever.
      if (bucket.waitMs(n) === 0 && waiters.size === 0 && bucket.tryTake(n)) return;
      await new Promise<void>((resolve, reject) => {
        const forget = onAbort(signal, () => {
          forget();
          waiters.delete(waiter);
          sleep();
          reject(signal?.reason);
        });
        const grant = () => {
          forget();
          resolve();
        };
        const waiter = { n, grant };
        waiters.add(waiter);
        if (waiters.size === 1) sleep();
      });
    },
  };
}

const OF_TAKE: OptionKinds<TakeOptions> = { signal: "signal" };

/** In ms. Longer ones are over at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
