/**
 * Measures what machines.ts calls V8's, Node's and Linux's costs, in the Node that runs it and on two cores that do
 * nothing else. Each of several processes measures all of them; printed are the median of the processes and their range.
 *
 * How to run: node suites/lab/cores/measure-costs.ts [processes, 9 if absent]
 * About 5 s for each process.
 */
import { spawnSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import {
  allocateDoubles,
  allocateRegion,
  type Region,
  STRIDE_WORDS,
} from "../../../structures/shared/layout.ts";
import { nowNs } from "../../engine/measure/machine/clock.ts";
import { pinThreads, usableCoreNumbers } from "../../engine/measure/machine/pin.ts";
import { median } from "../../engine/statistics.ts";

/** In the order in which they are printed. Named as in machine.ts where a figure is such a cost; in ns. */
const FIGURES = {
  plain: "a plain load or store, half of a pair",
  load: "Atomics.load",
  store: "Atomics.store",
  update: "Atomics.add",
  pause: "Atomics.pause",
  "notify + waiterList": "Atomics.notify that wakes nobody",
  "refused wait": "Atomics.wait that need not sleep: should be the same",
  "waiterList, at most": "between two such notifies, while two threads make them as fast as they can",
  wakeCall: "what an Atomics.notify takes longer when it wakes a thread",
  wake: "from that notify to the woken thread, which has slept for 0.1 ms on a core of its own",
  "wake, at once": "the same of a thread that has slept for 5 us",
  "wake, late": "the same of a thread that has slept for 2 ms",
  sleep: "from a wait to the next thread on the same core, less switching",
  switching: "from the last of a thread that loses its core to the first of the next",
  quantum: "between two such switches",
} as const;
type Figures = Partial<Record<keyof typeof FIGURES, number>>;

/** What a process does: `apart` gives its two threads a core each, `together` one core. */
type Placing = "apart" | "together";

interface Shared {
  readonly words: Region;
  /** Readings of the clock, in ns; each says which. */
  readonly stamps: Float64Array;
}

// Words that both threads use, each in a line of its own.
const STAGE = 0;
const TURN = STRIDE_WORDS;
const THREAD = 2 * STRIDE_WORDS;
const ANSWERED = 3 * STRIDE_WORDS;
const OTHER = 4 * STRIDE_WORDS;
/** Stages of the second thread: the first three and the last of `together`, all but the second and third of `apart`. */
const READY = 1;
const SPINNING = 2;
const RESUMING = 3;
const NOTIFYING = 4;
const SLEEPING = 5;
const OVER = 6;

/** stamps[0]: when the second thread ran again. stamps[1]: how many runs follow, of two stamps each. */
const [RESUMED, RUNS, FIRST_RUN] = [0, 1, 2];
const MOST_RUNS = 10_000;
/** Two readings of the clock that are further apart have another thread or an interrupt between them. */
const GAP_NS = 5_000;

const CALLS_PER_BATCH = 100_000;
const BATCHES = 21;
const CONTENDED_CALLS = 200_000;
const WAKES = 400;
const SLEEPS = 200;
const SPIN_NS = 600e6;
const LONGEST_SLEEP_MS = 2;

const SCRIPT = fileURLToPath(import.meta.url);
const [argument = ""] = process.argv.slice(2);

function report(processes: number): void {
  const [core] = usableCoreNumbers();
  const all = Array.from({ length: processes }, () => ({
    ...figuresOf([process.execPath, SCRIPT, "apart"]),
    ...figuresOf(["taskset", "-c", `${core}`, process.execPath, SCRIPT, "together"]),
  }));
  console.log(`ns, median and range of ${processes} processes of Node ${process.version}`);
  for (const [name, meaning] of Object.entries(FIGURES)) {
    const values = all.map((figures) => figures[name as keyof typeof FIGURES]!);
    const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map(rounded);
    console.log(`${name.padEnd(20)} ${middle!.padStart(9)}  ${least} .. ${most}  ${meaning}`);
  }
}

function rounded(ns: number): string {
  return ns.toFixed(ns < 100 ? 2 : 0);
}

function figuresOf([program, ...args]: readonly [string, ...string[]]): Figures {
  const { stdout, stderr, status, error } = spawnSync(program, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr}`);
  return JSON.parse(stdout) as Figures;
}

/** The first thread of a process whose two threads have a core each. */
async function apart(): Promise<Figures> {
  const { words, stamps, worker } = start("apart");
  await pinApart(words);
  const alone = allocateRegion(STRIDE_WORDS);
  const notifyNs = perCall((times) => notifies(alone, times));
  const figures: Figures = {
    plain: perCall((times) => plainPairs(alone, times)) / 2,
    load: perCall((times) => loads(alone, times)),
    store: perCall((times) => stores(alone, times)),
    update: perCall((times) => adds(alone, times)),
    pause: perCall(pauses),
    "notify + waiterList": notifyNs,
    "refused wait": perCall((times) => refusedWaits(alone, times)),
  };
  figures["waiterList, at most"] = contendedNotifies(words);
  const sleeping = (ns: number) => wakes(words, stamps, ns);
  const usual = sleeping(100e3);
  figures.wake = usual.wakeNs;
  figures.wakeCall = usual.callNs - notifyNs;
  figures["wake, at once"] = sleeping(5e3).wakeNs;
  figures["wake, late"] = sleeping(2e6).wakeNs;
  nextTurn(words, OVER);
  await new Promise((resolve) => worker.once("exit", resolve));
  return figures;
}

/** The first thread of a process that has one core. */
async function together(): Promise<Figures> {
  const { words, stamps, worker } = start("together");
  while (Atomics.load(words, STAGE) !== READY) await new Promise((resolve) => setTimeout(resolve, 1));
  Atomics.store(words, STAGE, SPINNING);
  const own = runsUntil(nowNs() + SPIN_NS);
  Atomics.wait(words, STAGE, SPINNING, 1000);
  const other = stampedRuns(stamps);
  const switches = switchesBetween(own, other);
  const sleepsNs: number[] = [];
  for (let done = 0; done < SLEEPS; done++) {
    // The other thread spins. It gets the core when this one sleeps, and writes down when that was.
    const beforeNs = nowNs();
    Atomics.wait(words, OTHER, 0, LONGEST_SLEEP_MS);
    if (stamps[RESUMED]! > beforeNs) sleepsNs.push(stamps[RESUMED]! - beforeNs);
  }
  Atomics.store(words, STAGE, OVER);
  await new Promise((resolve) => worker.once("exit", resolve));
  return { ...switches, sleep: median(sleepsNs) - switches.switching };
}

function start(placing: Placing): Shared & { worker: Worker } {
  const shared: Shared = {
    words: allocateRegion(5 * STRIDE_WORDS),
    stamps: allocateDoubles(FIRST_RUN + 2 * MOST_RUNS),
  };
  return { ...shared, worker: new Worker(SCRIPT, { workerData: { ...shared, placing } }) };
}

async function pinApart(words: Region): Promise<void> {
  while (Atomics.load(words, STAGE) !== READY) await new Promise((resolve) => setTimeout(resolve, 1));
  const [core, otherCore] = usableCoreNumbers();
  if (core === undefined || otherCore === undefined) throw new Error("two cores are needed");
  const unpinned = await pinThreads([
    { thread: process.pid, core },
    { thread: Atomics.load(words, THREAD), core: otherCore },
  ]);
  if (unpinned.size > 0) throw new Error("threads cannot be pinned: taskset of util-linux is needed");
}

/** The second thread. */
function follow({ words, stamps, placing }: Shared & { placing: Placing }): void {
  Atomics.store(words, THREAD, Number(basename(readlinkSync("/proc/thread-self"))));
  Atomics.store(words, STAGE, READY);
  if (placing === "apart") followApart(words, stamps);
  else followTogether(words, stamps);
}

function followApart(words: Region, stamps: Float64Array): void {
  for (let turn = 0; ; ) {
    Atomics.wait(words, TURN, turn);
    const resumedNs = nowNs();
    turn = Atomics.load(words, TURN);
    switch (Atomics.load(words, STAGE)) {
      case SLEEPING:
        stamps[RESUMED] = resumedNs;
        break;
      case NOTIFYING:
        notifies(words.subarray(OTHER), CONTENDED_CALLS);
        break;
      case OVER:
        return;
    }
    Atomics.store(words, ANSWERED, turn);
  }
}

function followTogether(words: Region, stamps: Float64Array): void {
  while (Atomics.load(words, STAGE) !== SPINNING);
  const runs = runsUntil(nowNs() + SPIN_NS);
  stamps[RUNS] = runs.length;
  stamps.set(runs.flat(), FIRST_RUN);
  Atomics.store(words, STAGE, RESUMING);
  Atomics.notify(words, STAGE);
  for (let lastNs = nowNs(); Atomics.load(words, STAGE) !== OVER; ) {
    const ns = nowNs();
    if (ns - lastNs > GAP_NS) stamps[RESUMED] = ns;
    lastNs = ns;
  }
}

type Run = readonly [fromNs: number, toNs: number];

/** When this thread had its core, until then. */
function runsUntil(endNs: number): Run[] {
  const runs: Run[] = [];
  let fromNs = nowNs();
  let lastNs = fromNs;
  while (lastNs < endNs) {
    const ns = nowNs();
    if (ns - lastNs > GAP_NS) {
      runs.push([fromNs, lastNs]);
      fromNs = ns;
    }
    lastNs = ns;
  }
  runs.push([fromNs, lastNs]);
  return runs.slice(0, MOST_RUNS);
}

function stampedRuns(stamps: Float64Array): Run[] {
  return Array.from({ length: stamps[RUNS]! }, (_, run) => {
    const at = FIRST_RUN + 2 * run;
    return [stamps[at]!, stamps[at + 1]!];
  });
}

/** A run that an interrupt has cut in two counts as one. */
function switchesBetween(
  own: readonly Run[],
  other: readonly Run[],
): Required<Pick<Figures, "switching" | "quantum">> {
  const all = [...own.map((run) => ({ run, isOwn: true })), ...other.map((run) => ({ run, isOwn: false }))];
  all.sort((a, b) => a.run[0] - b.run[0]);
  const switchings: number[] = [];
  const changesNs: number[] = [];
  for (let next = 1; next < all.length; next++) {
    const [before, after] = [all[next - 1]!, all[next]!];
    if (before.isOwn === after.isOwn) continue;
    switchings.push(after.run[0] - before.run[1]);
    changesNs.push(after.run[0]);
  }
  const quanta = changesNs.slice(1).map((ns, index) => ns - changesNs[index]!);
  return { switching: median(switchings), quantum: median(quanta) };
}

/** Median over batches, after a first batch that compiles it. */
function perCall(calls: (times: number) => void): number {
  const batches = Array.from({ length: BATCHES + 1 }, () => {
    const fromNs = nowNs();
    calls(CALLS_PER_BATCH);
    return (nowNs() - fromNs) / CALLS_PER_BATCH;
  });
  return median(batches.slice(1));
}

// One loop for each, so that each is compiled for one operation. They differ in the word, as no compiler may then take
// the access out of the loop. 16 words are one line.
const WITHIN_LINE = 15;
/** No word has this value. */
const NEVER = -1;

function plainPairs(words: Region, times: number): number {
  let sum = 0;
  for (let done = 0; done < times; done++) {
    sum ^= words[done & WITHIN_LINE]!;
    words[(done + 7) & WITHIN_LINE] = done;
  }
  return sum;
}

function loads(words: Region, times: number): number {
  let sum = 0;
  for (let done = 0; done < times; done++) sum ^= Atomics.load(words, done & WITHIN_LINE);
  return sum;
}

function stores(words: Region, times: number): void {
  for (let done = 0; done < times; done++) Atomics.store(words, done & WITHIN_LINE, 0);
}

function adds(words: Region, times: number): void {
  for (let done = 0; done < times; done++) Atomics.add(words, done & WITHIN_LINE, 0);
}

function pauses(times: number): void {
  // The library's types do not know it yet.
  const { pause } = Atomics as unknown as { pause(): void };
  for (let done = 0; done < times; done++) pause();
}

function notifies(words: Region, times: number): void {
  for (let done = 0; done < times; done++) Atomics.notify(words, 0, 1);
}

function refusedWaits(words: Region, times: number): void {
  for (let done = 0; done < times; done++) Atomics.wait(words, 0, NEVER);
}

/** Time per notify of both threads. They make them together for all of it but the waking of the second one. */
function contendedNotifies(words: Region): number {
  const turn = nextTurn(words, NOTIFYING);
  const fromNs = nowNs();
  notifies(words, CONTENDED_CALLS);
  while (Atomics.load(words, ANSWERED) !== turn);
  return (nowNs() - fromNs) / (2 * CONTENDED_CALLS);
}

function wakes(words: Region, stamps: Float64Array, asleepNs: number): { wakeNs: number; callNs: number } {
  const wakeNs: number[] = [];
  const callNs: number[] = [];
  while (wakeNs.length < WAKES) {
    spinFor(asleepNs);
    Atomics.store(words, STAGE, SLEEPING);
    const turn = Atomics.add(words, TURN, 1) + 1;
    const fromNs = nowNs();
    const woken = Atomics.notify(words, TURN);
    const calledNs = nowNs();
    while (Atomics.load(words, ANSWERED) !== turn);
    // A thread that was not yet asleep saw the new turn and was not woken.
    if (woken === 0) continue;
    wakeNs.push(stamps[RESUMED]! - fromNs);
    callNs.push(calledNs - fromNs);
  }
  return { wakeNs: median(wakeNs), callNs: median(callNs) };
}

function nextTurn(words: Region, stage: number): number {
  Atomics.store(words, STAGE, stage);
  const turn = Atomics.add(words, TURN, 1) + 1;
  Atomics.notify(words, TURN);
  return turn;
}

function spinFor(ns: number): void {
  for (const untilNs = nowNs() + ns; nowNs() < untilNs; );
}

if (!isMainThread) follow(workerData as Shared & { placing: Placing });
else if (argument === "apart") console.log(JSON.stringify(await apart()));
else if (argument === "together") console.log(JSON.stringify(await together()));
else if (/^([1-9]\d*)?$/.test(argument)) report(Number(argument || 9));
else {
  console.error(`${argument} is no number of processes: give an integer from 1 on, or nothing for 9`);
  process.exitCode = 1;
}
