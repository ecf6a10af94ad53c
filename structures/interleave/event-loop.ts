/**
 * What code needs of a runtime that waits for other code of its thread. Everything is asked for by global names that
 * Node, Bun, Deno and browsers have.
 */
interface Runtime {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly process?: Emitter;
  readonly Deno?: unknown;
  addEventListener?(name: "unhandledrejection", listener: (event: RejectionEvent) => void): void;
  removeEventListener?(name: "unhandledrejection", listener: (event: RejectionEvent) => void): void;
}

interface RejectionEvent {
  readonly reason: unknown;
  preventDefault(): void;
}

type RejectionListener = (reason: unknown, promise: unknown) => void;

interface Emitter {
  listeners(name: "unhandledRejection"): RejectionListener[];
  on(name: "unhandledRejection", listener: RejectionListener): void;
  off(name: "unhandledRejection", listener: RejectionListener): void;
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
 * From now on gives rejections that no code handles to `takes`; it returns whether it took them. Others go where they
 * went before. Returns how to end that.
 */
export function catchRejections(takes: (reason: unknown) => boolean): () => void {
  const { process } = runtime;
  return process === undefined || runtime.Deno !== undefined
    ? catchEvents(takes)
    : catchEmitted(process, takes);
}

function catchEvents(takes: (reason: unknown) => boolean): () => void {
  const listener = (event: RejectionEvent) => {
    if (takes(event.reason)) event.preventDefault();
  };
  runtime.addEventListener?.("unhandledrejection", listener);
  return () => runtime.removeEventListener?.("unhandledrejection", listener);
}

/** Takes the place of other listeners. A test runner's would fail the test for a rejection that is taken. */
function catchEmitted(process: Emitter, takes: (reason: unknown) => boolean): () => void {
  const others = process.listeners("unhandledRejection");
  const listener: RejectionListener = (reason, promise) => {
    if (takes(reason)) return;
    // Thrown by a listener, it ends the process as it does without one.
    if (others.length === 0) throw reason;
    for (const other of others) other.call(process, reason, promise);
  };
  for (const other of others) process.off("unhandledRejection", other);
  process.on("unhandledRejection", listener);
  return () => {
    process.off("unhandledRejection", listener);
    for (const other of others) process.on("unhandledRejection", other);
  };
}
