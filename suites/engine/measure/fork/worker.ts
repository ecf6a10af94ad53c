import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import { type MessagePort, parentPort, threadId } from "node:worker_threads";
import type { AsyncRunner, Runner, WorkerIdentity } from "../../race.ts";
import { allocateWith, type Region } from "../../words/layout.ts";
import { assertBuiltins } from "../load/builtins.ts";
import { importCompetitor, importRace } from "../load/load.ts";
import { nowNs } from "../machine/clock.ts";
import { leaveMark } from "../machine/compiled-code.ts";
import { allocationOf } from "./allocation.ts";
import { ArenaAllocator, copyIn, copyOut, enterArena, leaveArena } from "./arena.ts";
import { AsyncSliceRunner } from "./async-slices.ts";
import {
  BATCH_NS,
  batchOf,
  MOST_TIMED_BATCHES,
  MOST_TIMES_LONGER,
  mostOperationsOf,
  nextBatch,
  usualNsOf,
} from "./batches.ts";
import { controlRunner, emptyRunner } from "./controls.ts";
import {
  allArrived,
  allFinished,
  arrive,
  beginRamp,
  finish,
  HANDOVER,
  isLast,
  isWindowOpen,
  NOTHING,
  noteExcerpt,
  noteResults,
  openingTime,
  openWindow,
  orderAt,
  Result,
  rampBatchesOf,
  resultsOf,
  type Served,
  serveSlice,
  serveSliceAsync,
  stop,
} from "./gate.ts";
import { returnHandover, serveHandover } from "./handover.ts";
import type { Assignment, WorkCounted, WorkerMessage, WorkerOrder } from "./orders.ts";
import { SpeedTag } from "./tag.ts";

// As in gate.ts: taken before any competitor is loaded.
const { add, load } = Atomics;
const { floor, max } = Math;
const { apply } = Reflect;

/**
 * The worker's side of a crew: a task that lasts as long as the fork. It imports what it will race and joins the
 * structure when its crew's turn to attach comes. Then it sleeps at the gate and runs one slice each time the
 * coordinator opens it. It never returns; the fork's end ends it. It throws if the instrument is broken, after it has
 * marked the gate.
 */
export default async function serve(assignment: Assignment): Promise<void> {
  const { gate, identity, port, excerpt, body, mark } = assignment;
  const { postMessage } = port;
  if (mark !== undefined) leaveMark(mark);
  const attach = await importBody(body);
  // Its bursts take 2 ms. Threads that start have that at once, and crews that attach one after the other.
  const tag = new SpeedTag();
  say({ kind: "started", index: identity.index, thread: { node: threadId, kernel: kernelThread() } });

  const { setup, shared, arena } = await nextOrder(port, "attach");
  assertAlone("while it was imported");
  const allocator = arena === undefined ? undefined : new ArenaAllocator(arena.arena, arena.taken);
  allocateWith(allocator);
  const runner = attach(setup, shared, identity);
  allocateWith(undefined);
  assertBuiltins();
  const worker = slicesOf(runner, assignment, tag);
  const taken = allocator?.taken.slice(arena?.taken.length) ?? [];
  say({ kind: "attached", index: identity.index, strays: allocator?.strays ?? 0, taken });

  const { copies } = await nextOrder(port, "serve");
  assertAlone("while it was attached");
  const { counters, resume, rest } = runner;
  const account = (): void => {
    assertBuiltins();
    const counted: WorkCounted = (counters && apply(counters, runner, [])) ?? {};
    apply(postMessage, port, [counted]);
  };
  const around: Pick<Served, "enter" | "leave"> = {
    enter() {
      const found = arena === undefined ? NOTHING : enterArena(arena.arena, arena.crew);
      if (found !== NOTHING) return found;
      copyIn(copies);
      if (resume !== undefined) apply(resume, runner, []);
      return NOTHING;
    },
    leave() {
      if (rest !== undefined) apply(rest, runner, []);
      copyOut(copies);
      if (arena !== undefined) leaveArena(arena.arena, arena.crew);
    },
  };
  // Read before it parks: then the coordinator may order another.
  let wasLast = false;
  const serveUntilLast = async () => {
    wasLast = false;
    if (worker instanceof AsyncSliceRunner) {
      const run = async () => {
        wasLast = isLast(gate);
        if ((await worker.runSlice()).account) account();
      };
      while (!wasLast) await serveSliceAsync(gate, identity.index, { ...around, run });
      return;
    }
    const run = () => {
      wasLast = isLast(gate);
      if (!worker.runSlice().account) return;
      if (excerpt !== undefined) worker.takeExcerpt(excerpt);
      account();
    };
    const served: Served = { ...around, run };
    while (!wasLast) serveSlice(gate, identity.index, served);
  };
  for (;;) {
    await serveUntilLast();
    const allocation = await allocationOf(runner, resultsOf(gate, identity.index)[Result.batch]!);
    say({ kind: "allocated", index: identity.index, allocation });
  }
}

/** What runs the slices of a runner. Throws where several workers may not run it. */
function slicesOf(
  runner: Runner | AsyncRunner,
  { gate, identity, body }: Pick<Assignment, "gate" | "identity" | "body">,
  tag: SpeedTag,
): SliceRunner | AsyncSliceRunner {
  const isAlone = identity.workers === 1;
  if ("runAsync" in runner && !isAlone)
    throw new Error("its operations return promises, which only one worker alone may run");
  if (runner.prepare !== undefined && !isAlone)
    throw new Error("its batches need preparing, which only one worker alone may do");
  const extraWork = body.kind === "race" ? body.extraWork : 0;
  return "runAsync" in runner
    ? new AsyncSliceRunner(runner, gate, extraWork, tag)
    : new SliceRunner(runner, gate, identity, extraWork, tag);
}

/** Threads that this one has started. The event comes in the turn of the event loop after that. */
let started = 0;
process.on("worker", () => started++);

function assertAlone(when: string): void {
  if (started > 0) throw new Error(`it started a thread ${when}: only declared ones may work beside workers`);
}

type Attach = (
  setup: Extract<WorkerOrder, { kind: "attach" }>["setup"],
  shared: unknown,
  identity: WorkerIdentity,
) => Runner | AsyncRunner;

async function importBody(body: Assignment["body"]): Promise<Attach> {
  switch (body.kind) {
    case "control":
      return (_setup, shared, identity) => controlRunner(shared as Region, identity);
    case "empty":
      return emptyRunner;
    case "race": {
      const race = await importRace(body.moduleUrl, body.scenario);
      const competitor = await importCompetitor(body.competitorUrl, body.lab, body.seed);
      return (...joined) => race.attachAsync?.(competitor, ...joined) ?? race.attach(competitor, ...joined);
    }
  }
}

async function nextOrder<Kind extends WorkerOrder["kind"]>(
  port: MessagePort,
  kind: Kind,
): Promise<Extract<WorkerOrder, { kind: Kind }>> {
  const [order] = (await once(port, "message")) as [WorkerOrder];
  if (order.kind === kind) return order as Extract<WorkerOrder, { kind: Kind }>;
  throw new Error(`it got the order to ${order.kind} before the order to ${kind}`);
}

/** A slice or a few: an excerpt is taken once in twenty rounds. */
const EXCERPT_NS = 5_000_000;

/**
 * A worker that finishes a batch while another runs for this long is running beside it. This is many batches, and less
 * than any scheduler gives a thread before it takes the core away. Where one operation takes longer, so does this.
 */
const AT_ONCE_NS = 300_000;
const AT_ONCE_BATCHES = 3;
/**
 * After this long the window opens nevertheless: the operations may be longer than AT_ONCE_NS, or the machine too busy.
 * When its workers began and ended then decides whether the slice counts. Several scheduler ticks, in which an idle
 * core pulls work.
 */
const LONGEST_RAMP_NS = 20_000_000;

class SliceRunner {
  /** All operations that were run since attach, as the law has to find them. */
  totalOperations = 0;
  checksum = 0;
  /** Operations that a batch counts; it runs `#extraWork` more. */
  #batch = 1;
  readonly #extraWork: number;
  /** Extra work that is due and not yet a whole operation. */
  #extraDeadline = 0;
  #countedOperations = 0;
  readonly #run: Runner["run"];
  readonly #mostOperations: number;
  readonly #prepare: Runner["run"] | undefined;
  /** Time that preparing has taken since attach, in ns. */
  #preparingNs = 0;
  readonly #gate: Region;
  readonly #openingTime: Float64Array;
  readonly #results: Float64Array;
  readonly #index: number;
  readonly #workers: number;
  readonly #tag: SpeedTag;
  #usualBatchNs = BATCH_NS;
  /** Of the slice that is run; 0 where it was not measured. */
  #handoverNs = 0;
  readonly #batchNsPerOperation = new Float64Array(MOST_TIMED_BATCHES);
  /** What each worker had done of its ramp when worker 0 last looked. */
  readonly #rampBatches: Int32Array;

  constructor(
    runner: Runner,
    gate: Region,
    { index, workers }: WorkerIdentity,
    extraWork: number,
    tag: SpeedTag,
  ) {
    this.#extraWork = extraWork;
    this.#tag = tag;
    this.#run = runner.run.bind(runner);
    this.#mostOperations = mostOperationsOf(runner.mostOperations, extraWork);
    // It returns nothing worth keeping, but is called out of line as a batch is.
    this.#prepare =
      runner.prepare === undefined
        ? undefined
        : (operations) => {
            runner.prepare?.(operations);
            return 0;
          };
    this.#gate = gate;
    this.#openingTime = openingTime(gate);
    this.#results = resultsOf(gate, index);
    this.#index = index;
    this.#workers = workers;
    this.#rampBatches = new Int32Array(workers);
  }

  /**
   * Runs one slice, as gate.ts describes it, from where the crew's state is in its place up to where its results are.
   * Returns whether an account of it was ordered.
   */
  runSlice(): { readonly account: boolean } {
    const gate = this.#gate;
    const before = this.totalOperations;
    const { sliceNs, rampNs, calibrating, together, account } = orderAt(gate);

    beginRamp(gate, this.#index, together);
    // By the same code as the window: a crew that last ran long ago would pay for its first pass through it.
    this.#runUntil(nowNs() + rampNs);
    const tagBeforeNs = this.#tag.readNs();
    arrive(gate);
    if (this.#index === 0) this.#openWindow(together);
    else this.#rampUp();

    const openedNs = this.#openingTime[0]!;
    const deadlineNs = openedNs + sliceNs;
    const operationsBefore = this.#countedOperations;
    const preparingBeforeNs = this.#preparingNs;
    const startNs = nowNs();
    const endNs = calibrating ? this.#calibrateUntil(startNs, deadlineNs) : this.#runUntil(deadlineNs);
    const operations = this.#countedOperations - operationsBefore;
    const preparingNs = this.#preparingNs - preparingBeforeNs;

    finish(gate);
    while (!allFinished(gate)) this.#runBatch();
    stop(gate);
    const tagAfterNs = this.#tag.readNs();

    noteResults(this.#results, {
      operations,
      startNs: startNs - openedNs,
      endNs: endNs - openedNs,
      preparingNs,
      tagNs: max(tagBeforeNs, tagAfterNs),
      operationsWithRamps: this.totalOperations - before,
      batch: this.#batch,
      handoverNs: this.#handoverNs,
      allOperations: this.totalOperations,
      checksum: this.checksum,
      inExcerpt: 0,
    });
    return { account };
  }

  /**
   * Runs operations one by one until `excerpt` is full of what they returned or EXCERPT_NS have passed. Not within a slice.
   * The others of the crew do the same.
   */
  takeExcerpt(excerpt: Region): void {
    const latestNs = nowNs() + EXCERPT_NS;
    let taken = 0;
    while (taken < excerpt.length && nowNs() < latestNs) {
      const result = callOutOfLine(this.#run, 1);
      this.checksum = (this.checksum + result) | 0;
      excerpt[taken++] = result;
    }
    this.totalOperations += taken;
    noteExcerpt(this.#results, { taken, allOperations: this.totalOperations, checksum: this.checksum });
  }

  #rampUp(): void {
    const gate = this.#gate;
    const own = rampBatchesOf(this.#index);
    while (!isWindowOpen(gate)) {
      if (this.#index === 1) returnHandover(gate, HANDOVER);
      this.#runBatch();
      add(gate, own, 1);
    }
  }

  /**
   * Worker 0's ramp. It runs until all have arrived and, where there are cores for them, have been seen running at
   * once. Then it measures the handover between the first two.
   */
  #openWindow(together: boolean): void {
    const gate = this.#gate;
    while (!allArrived(gate)) this.#runBatch();
    if (this.#workers > 1 && together) {
      const giveUpNs = nowNs() + LONGEST_RAMP_NS;
      while (!this.#sawAllRunning() && nowNs() < giveUpNs);
      this.#handoverNs = serveHandover(gate, HANDOVER);
    }
    this.#openingTime[0] = nowNs();
    openWindow(gate);
  }

  /** Runs batches until every other worker has finished one of its own meanwhile; false if that takes too long. */
  #sawAllRunning(): boolean {
    const gate = this.#gate;
    const atOnceNs = max(AT_ONCE_NS, AT_ONCE_BATCHES * this.#usualBatchNs);
    const begunNs = nowNs();
    const before = this.#rampBatches;
    for (let index = 1; index < this.#workers; index++) before[index] = load(gate, rampBatchesOf(index));
    do {
      this.#runBatch();
      if (this.#areRunningSince(before)) return nowNs() - begunNs < atOnceNs;
    } while (nowNs() - begunNs < atOnceNs);
    return false;
  }

  /** Whether every other worker has finished a batch since it had finished this many. */
  #areRunningSince(before: Int32Array): boolean {
    for (let index = 1; index < this.#workers; index++)
      if (load(this.#gate, rampBatchesOf(index)) === before[index]) return false;
    return true;
  }

  #runBatch(): void {
    const operations = this.#batch + this.#extraOperations();
    if (this.#prepare !== undefined) {
      const begunNs = nowNs();
      callOutOfLine(this.#prepare, operations);
      this.#preparingNs += nowNs() - begunNs;
    }
    this.checksum = (this.checksum + callOutOfLine(this.#run, operations)) | 0;
    this.totalOperations += operations;
    this.#countedOperations += this.#batch;
  }

  /** How many operations the next batch runs beyond the ones that it counts. */
  #extraOperations(): number {
    this.#extraDeadline += this.#extraWork * this.#batch;
    const whole = floor(this.#extraDeadline);
    this.#extraDeadline -= whole;
    return whole;
  }

  /** Runs batches until the deadline, which time spent on preparing postpones, up to a point. */
  #runUntil(deadlineNs: number): number {
    const latestNs = nowNs() + MOST_TIMES_LONGER * max(0, deadlineNs - nowNs());
    const preparedNs = this.#preparingNs;
    let now: number;
    do {
      this.#runBatch();
      now = nowNs();
    } while (now - (this.#preparingNs - preparedNs) < deadlineNs && (now < deadlineNs || now < latestNs));
    return now;
  }

  /** As `#runUntil`, and leaves the batch size that the median batch of this slice calls for. */
  #calibrateUntil(startNs: number, deadlineNs: number): number {
    let now = startNs;
    let batches = 0;
    do {
      const begunNs = now - this.#preparingNs;
      this.#runBatch();
      now = nowNs();
      const batchNs = now - this.#preparingNs - begunNs;
      this.#batchNsPerOperation[batches++ % MOST_TIMED_BATCHES] = batchNs / this.#batch;
      this.#batch = nextBatch(this.#batch, batchNs, this.#mostOperations);
    } while (now < deadlineNs);
    const usualNs = usualNsOf(this.#batchNsPerOperation, batches);
    this.#batch = batchOf(usualNs, this.#mostOperations);
    this.#usualBatchNs = usualNs * this.#batch;
    return now;
  }
}

/**
 * Calls a batch so that V8 never compiles it as part of its caller. A batch is then a function of its own in every
 * race, and its compilation depends on nothing around it. Inlined into the slice loop, which is entered once a slice,
 * it began every slice in whatever tier that loop had reached. An empty operation was seen to cost sometimes 0.2 and
 * sometimes 3.8 ns.
 *
 * V8 inlines a call whose site has met one target, and collects what a site meets only once the function has run for a
 * while. So the site is shown several targets for long enough, below. That costs a call every 15 us.
 */
function callOutOfLine(run: Runner["run"], operations: number): number {
  return run(operations);
}
const OTHER_TARGETS: readonly Runner["run"][] = [
  (operations) => operations,
  (operations) => operations + 1,
  (operations) => operations ^ 1,
];
/** Far beyond what V8 lets pass before it collects feedback (some kilobytes of executed bytecode). */
const SHOWN_CALLS = 3000;
for (let call = 0; call < SHOWN_CALLS; call++) callOutOfLine(OTHER_TARGETS[call % OTHER_TARGETS.length]!, 1);

function say(message: WorkerMessage): void {
  parentPort!.postMessage(message);
}

/** This thread's number in the kernel; undefined where it does not report one. */
function kernelThread(): number | undefined {
  try {
    return Number(basename(readlinkSync("/proc/thread-self")));
  } catch {
    return undefined;
  }
}
