/**
 * What code needs of a runtime that waits for other code of its thread. Everything is asked for by global names that
 * Node, Bun, Deno and browsers have.
 */
interface Runtime {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly process?: Emitter;
  readonly Deno?: unknown;
  addEventListener?(name: string, listener: (event: ErrorEvent) => void): void;
  removeEventListener?(name: string, listener: (event: ErrorEvent) => void): void;
}

interface ErrorEvent {
  /** Of an event `error`. */
  readonly error?: unknown;
  /** Of a rejection. */
  readonly reason?: unknown;
  preventDefault(): void;
}

type EmittedError = "unhandledRejection" | "uncaughtException";
type ErrorListener = (error: unknown, origin: unknown) => void;

interface Emitter {
  listeners(name: EmittedError): ErrorListener[];
  on(name: EmittedError, listener: ErrorListener): void;
  off(name: EmittedError, listener: ErrorListener): void;
}

const runtime = globalThis as unknown as Runtime;
/** Kept, as tests may replace them by fake timers. */
const { setImmediate } = runtime;

/** The end of a thread's turn: `idle` resolves once the queue of microtasks is empty. */
export class EventLoop {
  readonly #channel = setImmediate === undefined ? new MessageChannel() : undefined;

  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#channel === undefined) return void setImmediate!(resolve);
      this.#channel.port1.addEventListener("message", () => resolve(), { once: true });
      this.#channel.port1.start();
      this.#channel.port2.postMessage(undefined);
    });
  }

  /** A channel that is open keeps a process alive. */
  close(): void {
    this.#channel?.port1.close();
  }
}

/**
 * From now on gives errors that no code handles to `takes`, be it a promise that rejects or an event listener that
 * throws; it returns whether it took them. Others go where they went before. Returns how to end that.
 */
export function catchErrors(takes: (error: unknown) => boolean): () => void {
  const { process } = runtime;
  const ends =
    process === undefined || runtime.Deno !== undefined
      ? [caughtEvent("unhandledrejection", takes), caughtEvent("error", takes)]
      : [caughtFrom(process, "unhandledRejection", takes), caughtFrom(process, "uncaughtException", takes)];
  return () => {
    for (const end of ends) end();
  };
}

function caughtEvent(name: "unhandledrejection" | "error", takes: (error: unknown) => boolean): () => void {
  const listener = (event: ErrorEvent) => {
    if (takes(name === "error" ? event.error : event.reason)) event.preventDefault();
  };
  runtime.addEventListener?.(name, listener);
  return () => runtime.removeEventListener?.(name, listener);
}

/** Takes the place of other listeners. A test runner's would fail the test for an error that is taken. */
function caughtFrom(process: Emitter, name: EmittedError, takes: (error: unknown) => boolean): () => void {
  const others = process.listeners(name);
  const listener: ErrorListener = (error, origin) => {
    if (takes(error)) return;
    // Thrown by a listener, it ends the process as it does without one.
    if (others.length === 0) throw error;
    for (const other of others) other.call(process, error, origin);
  };
  for (const other of others) process.off(name, other);
  process.on(name, listener);
  return () => {
    process.off(name, listener);
    for (const other of others) process.on(name, other);
  };
}
