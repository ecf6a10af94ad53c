import type { Session } from "node:inspector";
import { isMainThread, threadId as ownThread } from "node:worker_threads";

/**
 * The JavaScript stack of another thread that is inside a call, by V8's debugger: `Session.connectToMainThread`, and
 * through the main thread the NodeWorker domain for workers. The thread is paused at its next statement, read, and let
 * go. Node has both from 20 on. Bun and Deno have no session with another thread.
 *
 * A thread that is inside native code reaches no statement: a read that blocks, `Atomics.wait`, a regular expression.
 * After the time limit the request is withdrawn, before the thread could pause at it.
 */
export async function stackOf(threadId: number, limitMs = LIMIT_MS): Promise<string | Stackless> {
  const { bun, deno } = process.versions;
  if (bun !== undefined || deno !== undefined) return NO_SESSION;
  if (threadId === ownThread) return { why: "it is the watching thread's own" };
  const inspector = await import("node:inspector").catch(() => undefined);
  if (inspector === undefined) return NO_SESSION;
  const session = new inspector.Session();
  try {
    if (isMainThread) session.connect();
    else session.connectToMainThread();
    return await within(limitMs, paused(threadId === 0 ? mainOf(session) : workerOf(session, threadId)));
  } catch (error) {
    return { why: (error as Error).message };
  } finally {
    session.disconnect();
  }
}

/** Why there is no stack. */
export interface Stackless {
  readonly why: string;
}

const NO_SESSION: Stackless = { why: "this runtime has no inspector for other threads" };
const NATIVE: Stackless = { why: "it is inside native code, or no longer hangs" };
/** In ms. */
const LIMIT_MS = 500;

/** The debugger of one thread. */
interface Debugger {
  send(method: string): void;
  /** Called for each of its messages. */
  onMessage: (method: string, params: Message) => void;
  /** Begins to listen. */
  start(ready: () => void): void;
}

interface Message {
  readonly scriptId?: string;
  readonly url?: string;
  readonly callFrames?: readonly Frame[];
}

interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly location: {
    readonly scriptId: string;
    readonly lineNumber: number;
    readonly columnNumber?: number;
  };
}

/** Resolves once the thread is paused; `end` withdraws what was asked. */
function paused(thread: Debugger): { readonly stack: Promise<string>; end(): void } {
  const urls = new Map<string, string>();
  const stack = new Promise<string>((resolve) => {
    thread.onMessage = (method, params) => {
      if (method === "Debugger.scriptParsed") urls.set(params.scriptId!, params.url!);
      if (method !== "Debugger.paused") return;
      thread.send("Debugger.resume");
      resolve(params.callFrames!.map((frame) => lineOf(frame, urls)).join("\n"));
    };
    thread.start(() => {
      thread.send("Debugger.enable");
      thread.send("Debugger.pause");
    });
  });
  return { stack, end: () => thread.send("Debugger.disable") };
}

/** As V8 writes a line of `error.stack`. */
function lineOf({ functionName, url, location }: Frame, urls: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  const place = `${url || urls.get(scriptId) || "<anonymous>"}:${lineNumber + 1}:${columnNumber + 1}`;
  return functionName === "" ? `    at ${place}` : `    at ${functionName} (${place})`;
}

async function within(
  limitMs: number,
  { stack, end }: { readonly stack: Promise<string>; end(): void },
): Promise<string | Stackless> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Stackless>((resolve) => {
    timer = setTimeout(resolve, limitMs, NATIVE);
  });
  try {
    return await Promise.race([stack, late]);
  } finally {
    clearTimeout(timer);
    end();
  }
}

function mainOf(session: Session): Debugger {
  const own: Debugger = {
    send: (method) => session.post(method),
    onMessage() {},
    start(ready) {
      for (const method of ["Debugger.scriptParsed", "Debugger.paused"])
        session.on(method, ({ params }: { readonly params: Message }) => own.onMessage(method, params));
      ready();
    },
  };
  return own;
}

function workerOf(session: Session, threadId: number): Debugger {
  let sessionId: string | undefined;
  let sent = 0;
  const own: Debugger = {
    send(method) {
      if (sessionId === undefined) return;
      const message = JSON.stringify({ id: ++sent, method });
      session.post("NodeWorker.sendMessageToWorker", { sessionId, message });
    },
    onMessage() {},
    start(ready) {
      session.on("NodeWorker.attachedToWorker", ({ params }) => {
        // The title is "[worker 5]", and the thread's name behind it.
        if (!params.workerInfo.title.startsWith(`[worker ${threadId}]`)) return;
        sessionId = params.sessionId;
        ready();
      });
      session.on("NodeWorker.receivedMessageFromWorker", ({ params }) => {
        if (params.sessionId !== sessionId) return;
        const { method = "", params: of = {} } = JSON.parse(params.message);
        own.onMessage(method, of);
      });
      session.post("NodeWorker.enable", { waitForDebuggerOnStart: false });
    },
  };
  return own;
}
