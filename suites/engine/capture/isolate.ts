import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Random } from "../words/random.ts";

/** What `process.exit` throws while a file is imported, so that the file ends and its thread does not. */
export class Exit extends Error {}

/** How this thread hears of what a file does outside of its own statements. */
interface Listener {
  /** It has called `process.exit`. */
  exited(): void;
  /** An exception in a timer, or a rejection that nothing handles. */
  failed(error: unknown): void;
}

/**
 * Makes this thread what the user's terminal is to the file at `main`, an address, for good; and until the returned function is
 * called, gives it a `Math.random` by `seed` and an `exit` that the thread survives. What it prints goes nowhere.
 */
export function isolate(main: string, seed: number, { exited, failed }: Listener): () => void {
  const path = fileURLToPath(main);
  process.argv = [process.execPath, path];
  const { cache } = createRequire(main);
  // By this each `require` learns its `main`.
  Object.defineProperty(process, "mainModule", { configurable: true, get: () => cache[path] });
  showColors();
  for (const stream of [process.stdout, process.stderr]) mute(stream);

  const { random } = Math;
  const { exit } = process;
  const seeded = new Random(seed);
  Math.random = () => seeded.fraction();
  process.exit = () => {
    exited();
    throw new Exit("process.exit");
  };
  process.on("uncaughtException", failed).on("unhandledRejection", failed);
  return () => {
    Math.random = random;
    process.exit = exit;
    process.off("uncaughtException", failed).off("unhandledRejection", failed);
  };
}

/** As libraries do on a terminal, unless the user has decided that: those that see none do less. */
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
    write(_chunk: unknown, encoding?: unknown, written?: unknown): boolean {
      const done = typeof encoding === "function" ? encoding : written;
      if (typeof done === "function") process.nextTick(done as () => void);
      return true;
    },
  });
}
