import { threadId } from "node:worker_threads";
import { assertInteger, assertOptions, type OptionKinds } from "../shared/arguments.ts";
import { assertMadeBy, type Reading, type Stamped, seated, stampOf } from "../shared/instance.ts";
import { allocateRegion } from "../shared/layout.ts";
import { MOST_WORKERS } from "../shared/worker-identity.ts";
import { stackOf } from "./parts/stacks.ts";
import { tell } from "./parts/told.ts";
import { type Silence, Watch } from "./parts/watch.ts";
import { Beating, HANGS, HUNG_MS, LOOP_WORDS } from "./parts/words.ts";

/** What a watchdog is made for. */
export interface WatchdogOptions {
  /** Event loops that may be watched at a time, 1 .. 65,535: one for each thread, the main thread among them. */
  readonly loops: number;
}

/** A watchdog's shared memory: plain data, which crosses to workers by structured clone. */
export interface WatchdogInstance extends Stamped, WatchdogOptions {}

export interface BeatOptions {
  /** Between two beats, in ms: 1 .. 3,600,000; 100 if absent. Less than half of the watch's `hungMs`. */
  readonly everyMs?: number | undefined;
}

/** One event loop that beats. Not to be passed to another thread. */
export interface WatchedLoop {
  /** One store to shared memory. The loop's timer calls it; a long task that is no hang may, too. */
  beat(): void;
  /** Ends the timer. The loop is no longer watched; its seat is still taken until `freeSeat`. */
  stop(): void;
}

export interface WatchOptions {
  /** A loop hangs that has not beaten for so long, in ms: 1 .. 3,600,000; 750 if absent. */
  readonly hungMs?: number | undefined;
  /** Between two looks, in ms: 1 .. hungMs; a twentieth of `hungMs` if absent, 1 at least. */
  readonly everyMs?: number | undefined;
  /** Whether a hung loop is paused for its stack, for some ms: true if absent. Without it no debugger is used. */
  readonly stacks?: boolean | undefined;
  /** Called in the watching thread, once a hang; it is written to standard error if absent. */
  readonly onHung?: ((hang: Hang) => void) | undefined;
  /** Called once the loop has beaten again, or has ended. */
  readonly onBack?: ((silence: Silence) => void) | undefined;
}

export interface Hang extends Silence {
  /** When its last beat was seen, by the machine's date. */
  readonly since: Date;
  /** Lines as `error.stack` has them, the innermost call first; absent where there is none. */
  readonly stack?: string;
  /** Why there is none. */
  readonly stackless?: string;
}

/**
 * A watchdog for the event loops of a process. Each thread attaches, and beats by a timer. One more thread, which does
 * nothing else, watches them. Each loop has 128 bytes. Throws a RangeError for `loops` out of range, and a TypeError for
 * other options.
 */
export function makeWatchdog(options: WatchdogOptions): WatchdogInstance {
  assertOptions("makeWatchdog", options, OF_MAKE);
  const { loops } = options;
  assertInteger("loops", loops, 1, MOST_WORKERS - 1);
  const memory = allocateRegion(loops * LOOP_WORDS);
  return { memory, loops, stamp: stampOf(KIND, countsOf({ loops })) };
}

/**
 * Has this thread's event loop beat as loop `index`, 0 .. loops - 1, until `stop`. Its timer keeps no thread alive. A seat
 * has one holder: the owner of a worker calls `adopt(worker, index, watchdog)`, so that one that was terminated is not blamed.
 * Throws, in one line, for a value that makeWatchdog did not return, for an index that is no loop's, for a seat that is
 * taken, and for options out of range.
 */
export function attachWatchdog(
  instance: WatchdogInstance,
  index: number,
  options: BeatOptions = {},
): WatchedLoop {
  assertOptions("attachWatchdog", options, OF_ATTACH);
  const { everyMs = BEAT_EVERY_MS } = options;
  assertInteger("everyMs", everyMs, 1, MOST_MS);
  assertMadeBy(KIND, instance, READING);
  assertInteger("loop", index, 0, instance.loops - 1);
  return seated(KIND, instance, index, READING, (worker) => {
    const beating = new Beating(instance.memory, index, worker, threadId);
    const timer = setInterval(() => beating.beat(), everyMs);
    timer.unref();
    const stop = () => {
      clearInterval(timer);
      beating.stop();
      process.off("exit", stop);
    };
    // A thread that ends by itself is not blamed, even while the one that would free its seat hangs.
    process.once("exit", stop);
    return { beat: () => beating.beat(), stop };
  });
}

/**
 * Watches all loops from this thread, and keeps it alive, until the function that it returns is called. It should be a
 * thread of its own: what hangs cannot watch. A hang is seen within `hungMs` and two looks; its stack takes some ms more.
 * A process that is stopped, or a machine that sleeps, is forgiven: time in which this thread did not run does not count,
 * but for a look's.
 *
 * A hung thread's stack needs Node. A loop that hangs in native code has none, and neither has one on Bun or Deno:
 * `stackless` says why. `console` in a worker needs the main thread; where that may hang, write with `fs.writeSync`.
 *
 * One thread at a time watches; after its end `freeSeat(watchdog, loops)` lets another. Throws as attachWatchdog does.
 */
export function watchLoops(instance: WatchdogInstance, options: WatchOptions = {}): () => void {
  assertOptions("watchLoops", options, OF_WATCH);
  const { hungMs = HUNG_MS_IF_ABSENT, stacks = true, onHung = tell, onBack = () => {} } = options;
  assertInteger("hungMs", hungMs, 1, MOST_MS);
  const { everyMs = Math.ceil(hungMs / LOOKS_A_HANG) } = options;
  assertInteger("everyMs", everyMs, 1, hungMs);
  assertMadeBy(KIND, instance, READING);
  const { memory: words, loops, stamp } = instance;
  const tellOfHang = async (silence: Silence) => {
    const since = new Date(Date.now() - silence.silentMs);
    const stack = stacks ? await stackOf(silence.threadId) : NOT_ASKED;
    onHung({ ...silence, since, ...(typeof stack === "string" ? { stack } : { stackless: stack.why }) });
  };
  /** What was said last of each loop, as a stack may take longer than the hang. */
  const said: Promise<void>[] = [];
  const say = {
    onHung(silence: Silence) {
      said[silence.loop] = tellOfHang(silence);
    },
    onBack(silence: Silence) {
      void said[silence.loop]?.then(() => onBack(silence));
    },
  };
  return seated(KIND, instance, loops, READING, () => {
    const nowMs = () => performance.now();
    const watch = new Watch({ words, seats: stamp.seats, loops, hungMs, everyMs, nowMs, ...say });
    const timer = setInterval(() => watch.look(), everyMs);
    return () => clearInterval(timer);
  });
}

/**
 * Two metrics for each loop, in Prometheus's text format: for how long it has hung, and how often it did. In any thread,
 * at any time: let one answer that is not among the watched, or each. Throws for a value that makeWatchdog did not return.
 */
export function watchdogText(instance: WatchdogInstance): string {
  assertMadeBy(KIND, instance, READING);
  const { memory, loops } = instance;
  const lines = (name: string, word: number, unit: number) =>
    Array.from({ length: loops }, (_, loop) => {
      const value = Atomics.load(memory, loop * LOOP_WORDS + word) / unit;
      return `${name}{loop="${loop}"} ${value}\n`;
    }).join("");
  return [
    `# HELP ${HUNG} for how long the event loop has hung, in s; 0 where it runs\n# TYPE ${HUNG} gauge\n`,
    lines(HUNG, HUNG_MS, MS_PER_S),
    `# HELP ${TOTAL} hangs of the event loop that were seen\n# TYPE ${TOTAL} counter\n`,
    lines(TOTAL, HANGS, 1),
  ].join("");
}

const HUNG = "event_loop_hung_seconds";
const TOTAL = "event_loop_hangs_total";
const MS_PER_S = 1000;

const BEAT_EVERY_MS = 100;
const HUNG_MS_IF_ABSENT = 750;
const LOOKS_A_HANG = 20;
/** An hour. */
const MOST_MS = 3_600_000;
const NOT_ASKED = { why: "stacks: false" };

const OF_MAKE: OptionKinds<WatchdogOptions> = { loops: "any" };
const OF_ATTACH: OptionKinds<BeatOptions> = { everyMs: "any" };
const OF_WATCH: OptionKinds<WatchOptions> = {
  ...{ hungMs: "any", everyMs: "any", stacks: "boolean" },
  ...{ onHung: "function", onBack: "function" },
};

/** What made an instance, as its stamp says. */
const KIND = { summary: "beats of event loops, a line each, and a thread that watches them" };

/** A seat for each loop, and one for the thread that watches. */
function countsOf({ loops }: Pick<WatchdogOptions, "loops">) {
  return { workers: loops + 1, loops };
}

const READING: Reading<WatchdogInstance> = { counts: countsOf, seed: () => 0 };
