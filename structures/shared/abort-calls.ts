/**
 * What is to be called once a signal aborts, by signal. All of a thread share one listener of it: Node 20 warns of a leak
 * where a signal has eleven, and so many requests may well wait with one.
 */
const waiting = new WeakMap<AbortSignal, AbortCalls>();

class AbortCalls {
  readonly #signal: AbortSignal;
  readonly #calls = new Set<() => void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  add(call: () => void): void {
    if (this.#calls.size === 0) this.#signal.addEventListener("abort", this.#callAll);
    this.#calls.add(call);
  }

  delete(call: () => void): void {
    if (this.#calls.delete(call) && this.#calls.size === 0)
      this.#signal.removeEventListener("abort", this.#callAll);
  }

  readonly #callAll = (): void => {
    for (const call of this.#calls) call();
  };
}

/**
 * Has `call` called when the signal aborts, if there is one, and returns what takes that back. Nothing is called for a
 * signal that has aborted already. Each `call` is a function of its own.
 */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (signal === undefined) return () => {};
  const calls = waiting.get(signal) ?? new AbortCalls(signal);
  waiting.set(signal, calls);
  calls.add(call);
  return () => calls.delete(call);
}
