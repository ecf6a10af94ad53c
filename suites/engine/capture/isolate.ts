import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Random } from "../words/random.ts";
import { refuseProcesses } from "./processes.ts";
import { Fault } from "./reason.ts";

/** How this thread hears of what a file does outside of its own statements. */
interface Listener {
  /** It calls `process.exit`, which goes on where this returns. */
  exited(): void;
  /** An exception in a timer, or a rejection that nothing handles. */
  failed(error: unknown): void;
}

/**
 * Makes this thread what the user's terminal is to the file at `main`, an address. `process.exit` no longer ends the thread,
 * because timers of the file may call it in the middle of a race. What the file prints goes nowhere. All of this is for good.
 */
export function isolate(main: string, { exited, failed }: Listener): void {
  const path = fileURLToPath(main);
  process.argv = [process.execPath, path];
  const { cache } = createRequire(main);
  // By this each `require` learns its `main`.
  Object.defineProperty(process, "mainModule", { configurable: true, get: () => cache[path] });
  showColors();
  for (const stream of [process.stdout, process.stderr]) mute(stream);
  process.exit = exited as typeof process.exit;
  process.chdir = stay;
  // A process that may write anywhere may start others, too.
  if (process.permission !== undefined) refuseProcesses();
  process.on("uncaughtException", failed).on("unhandledRejection", failed);
}

/** A thread's folder is its process's. */
function stay(folder: string): void {
  if (resolve(folder) === process.cwd()) return;
  throw new Fault("process.chdir() would move all threads: find files by __dirname or import.meta.dirname");
}

const builtin = Math.random;
/** What this thread draws from now; undefined where that is the builtin. */
let drawing: Random | undefined;

/** One function for the whole thread: libraries keep what `Math.random` is while they are imported. */
function random(): number {
  return drawing === undefined ? builtin() : drawing.fraction();
}

/** Returns what `work` returns. Until that is done, or has settled, `Math.random` draws by `seed`. */
export function seededBy<T>(seed: number, work: () => T): T {
  drawing = new Random(seed);
  Math.random = random;
  let result: T | undefined;
  try {
    result = work();
    return result instanceof Promise ? (result.finally(unseed) as T) : result;
  } finally {
    if (!(result instanceof Promise)) unseed();
  }
}

function unseed(): void {
  drawing = undefined;
  Math.random = builtin;
}

/** Has libraries use colours as on a terminal, unless the user has decided that. Without them, some do less work. */
function showColors(): void {
  const { env } = process;
  if (env.NO_COLOR !== undefined || env.FORCE_COLOR !== undefined) return;
  env.FORCE_COLOR = "3";
}

/** A terminal that shows nothing. */
function mute(stream: NodeJS.WriteStream): void {
  const isColored = process.env.NO_COLOR === undefined && process.env.FORCE_COLOR !== "0";
  Object.assign(stream, {
    isTTY: true,
    columns: 80,
    rows: 24,
    getColorDepth: () => (isColored ? 24 : 1),
    hasColors: () => isColored,
    getWindowSize: () => [80, 24],
    write: shown,
    clearLine: shown,
    clearScreenDown: shown,
    cursorTo: shown,
    moveCursor: shown,
  });
}

/** Calls back as all writes to a terminal do; whether more may be written. */
function shown(...given: readonly unknown[]): boolean {
  const done = given.findLast((one) => typeof one === "function");
  if (done !== undefined) process.nextTick(done as () => void);
  return true;
}
