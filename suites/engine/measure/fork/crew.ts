import fs from "node:fs";
import threads, { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import type { StartThreads, Threads } from "../../lab.ts";
import type { Race, Setup, WorkDone } from "../../race.ts";
import { allocateRegion, allocateWith, type Region } from "../../words/layout.ts";
import { present } from "../../words/present.ts";
import { derivedSeed } from "../../words/random.ts";
import { assertBuiltins, assertUnspoilt, checked } from "../load/builtins.ts";
import { importCompetitor } from "../load/load.ts";
import { markOf } from "../machine/compiled-code.ts";
import { tagOfFlags } from "../machine/flags.ts";
import { threadsNow } from "../machine/process-status.ts";
import { changedFlags, hung, messageOf } from "../plan/failures.ts";
import type { CrewPlan, GroupPlan } from "../plan/plan.ts";
import type {
  Account,
  Allocation,
  CrewResult,
  Failure,
  MeasureOrder,
  RaceJob,
  Window,
  WorkerSlices,
} from "../plan/protocol.ts";
import { costOf, rateOf } from "../plan/protocol.ts";
import { type Arena, ArenaAllocator, type Copy, clearArena, enterTaken, keepState } from "./arena.ts";
import { controlLaw, controlMemory } from "./controls.ts";
import {
  lateAt,
  makeGate,
  openingTime,
  Result,
  resultsOf,
  type SliceOrder,
  sleepUntilParked,
} from "./gate.ts";
import type { OneAtATime } from "./one-at-a-time.ts";
import type { Assignment, ThreadNumbers, WorkCounted, WorkerMessage, WorkerOrder } from "./orders.ts";
import { READING_ADDITIONS } from "./tag.ts";

// Taken before any competitor is loaded, as in gate.ts: one may run on this thread, too.
const { readFileSync } = fs;
const { receiveMessageOnPort: receive } = threads;
const { apply } = Reflect;
const { slice: copied } = Int32Array.prototype;
const { toPrecision } = Number.prototype;
const { round } = Math;
const toNumber = Number;

/**
 * Building a structure of a million elements and letting it settle may take seconds; longer than this and the worker
 * hangs.
 */
const ATTACH_LIMIT_MS = 110_000;

/** A slice may end this much later than ordered before the coordinator turns to its event loop, which may know why. */
const ASLEEP_LIMIT_MS = 100;

/**
 * Warm-up ends when the fastest of this number of slices is as fast as the fastest of as many before it, or at its limit. The
 * fastest, because a machine's state may slow any of them down.
 */
const COMPARED_SLICES = 4;
const FLAT_TOLERANCE = 0.05;
const FEWEST_WARM_UP_SLICES = 2 * COMPARED_SLICES;
const MOST_WARM_UP_SLICES = 40;
/** Each takes the turns of all workers on the cores, and a crew that was warm before stays warm. */
const MOST_OVERSUBSCRIBED_WARM_UP_SLICES = FEWEST_WARM_UP_SLICES;
/** Long enough for a compiler thread to finish between two slices, short enough to cost little. */
const WARM_UP_SLICE_US = 1_000;

/** What a crew needs to know of the fork it belongs to: parts of its job and group, and what these lead to. */
export interface CrewContext
  extends Pick<RaceJob, "lab" | "size" | "patienceMs" | "fork" | "seed" | "program">,
    Pick<GroupPlan, "moduleUrl" | "scenario" | "sliceUs" | "rampUs" | "warmUpSlices" | "oversubscribed"> {
  readonly race: Race<unknown, unknown, unknown>;
  readonly startThreads: StartThreads;
  /** As in the lab. */
  readonly keepsFlags: boolean;
  /** Shared by all crews of the fork; undefined where each has memory of its own. */
  readonly arena: Arena | undefined;
  /** The crews of the process; one at a time may run. */
  readonly crews: OneAtATime;
}

/** A crew as a fork races it, whether its threads are the fork's own or those of another process. */
export interface RacedCrew
  extends Pick<
    Crew,
    "failed" | "failure" | "kernelThreads" | "start" | "attach" | "warmUp" | "measure" | "result"
  > {
  /** The tags of its measured slices so far. */
  readonly workers: readonly Pick<WorkerSlices, "tagNs">[];
}

/** The crews of a job that run elsewhere, in processes which end with the fork. */
export interface RemoteCrews {
  readonly processes: readonly { readonly pid: number | undefined; end(): Promise<string> }[];
  readonly crews: ReadonlyMap<CrewPlan, RacedCrew>;
}

/** Starts the crews of a job that are remote: what `RemotePlan.module` exports by default. */
export type StartRemote = (job: RaceJob) => Promise<RemoteCrews>;

/**
 * W worker threads that run one competitor, seen from the coordinator: as many threads as tasks, whose tasks last as long
 * as the fork. One slice at a time; between slices every worker sleeps at the gate.
 *
 * A slice's results are read from shared words, and the coordinator sleeps until they are there. No message, and no
 * turn of its event loop, lies between two slices. Only a slice that is late is waited for in the event loop, which
 * hears of a worker's end.
 *
 * A crew whose worker throws, exits, hangs or breaks a law has failed. It keeps the reason, its threads are terminated,
 * and every later call returns at once. Where the instrument itself is broken no crew has failed, and calls throw
 * InstrumentBroken.
 */
export class Crew implements RacedCrew {
  readonly plan: CrewPlan;
  readonly #context: CrewContext;
  readonly #gate: Region;
  /** Its index among the crews of its process. */
  readonly #number: number;
  /** What is copied into the arena for its slices, and out again. */
  #copies: readonly Copy[] = [];
  readonly #results: readonly Float64Array[];
  readonly #openingTime: Float64Array;
  readonly #pool: Threads;
  /**
   * To each worker go its orders; from it comes what its runner has counted, which is taken out at each account. This side
   * has no listener, or a turn of the event loop would take that away.
   */
  readonly #ports: readonly MessagePort[];
  /** Where each worker leaves what single operations returned. */
  readonly #excerpts: readonly (Region | undefined)[];
  /** How many operations each had done after the slice before. */
  readonly #before: number[];
  #competitor: unknown;
  readonly #threads: ThreadNumbers[] = [];
  readonly #rounds: number[] = [];
  readonly #handoverNs: number[] = [];
  readonly #slices: {
    readonly operations: number[];
    readonly startNs: number[];
    readonly endNs: number[];
    readonly preparingNs: number[];
    readonly tagNs: number[];
  }[];
  #accounts: { readonly first: Account; readonly last: Account } | undefined;
  /** At each account so far, by worker. */
  #done: readonly NonNullable<WorkDone["earlier"]>[];
  readonly #cpu = { ns: 0, operations: 0 };
  #warmUp = { slices: 0, flat: false };
  #strays = 0;
  #allocation: Allocation | undefined;
  #law: (work: readonly WorkDone[]) => string | undefined = () => undefined;
  #failure: Failure | undefined;
  #listener: (message: WorkerMessage) => void = () => {};
  /** Settles with the reason as soon as any worker ends, which none should. */
  #ended: Promise<Failure> = new Promise(() => {});

  constructor(plan: CrewPlan, context: CrewContext) {
    this.plan = plan;
    this.#context = context;
    const { workers } = plan;
    this.#gate = makeGate(workers);
    this.#number = context.crews.join(plan.name, this.#gate);
    const indices = [...new Array(workers).keys()];
    this.#results = indices.map((index) => resultsOf(this.#gate, index));
    const { excerpt } = plan.url === undefined ? {} : context.race;
    this.#excerpts = indices.map(() => (excerpt === undefined ? undefined : allocateRegion(excerpt)));
    this.#before = indices.map(() => 0);
    this.#done = indices.map(() => []);
    this.#openingTime = openingTime(this.#gate);
    this.#slices = indices.map(() => ({
      operations: [],
      startNs: [],
      endNs: [],
      preparingNs: [],
      tagNs: [],
    }));
    this.#pool = context.startThreads(
      context.program ?? new URL("./worker.ts", import.meta.url).href,
      workers,
      (message) => this.#listener(message as WorkerMessage),
    );
    const channels = indices.map(() => new MessageChannel());
    this.#ports = channels.map(({ port1 }) => port1);
    this.#ended = Promise.race(
      channels.map(({ port2 }, index) => {
        const identity = { index, workers, role: this.roleOf(index), seed: derivedSeed(context.seed, index) };
        const [gate, excerpt] = [this.#gate, this.#excerpts[index]];
        const mark = markOf(this.#number, index);
        const assignment: Assignment = { gate, identity, mark, port: port2, excerpt, body: this.#body() };
        return this.#pool.run(assignment, [port2]).then(
          (): Failure => ({ kind: "fault", reason: `worker ${index} ended early` }),
          (error): Failure => ({ kind: "fault", reason: `worker ${index}: ${messageOf(error)}` }),
        );
      }),
    );
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** The threads by index, once started. */
  get threads(): readonly { readonly worker: Worker; readonly kernel: number | undefined }[] {
    return this.#threads.map(({ node, kernel }) => {
      const worker = this.#pool.workers.find(({ threadId }) => threadId === node)!;
      return { worker, kernel };
    });
  }

  /** The same numbers as the kernel gives, where it reports them. */
  get kernelThreads(): readonly (number | undefined)[] {
    return this.#threads.map(({ kernel }) => kernel);
  }

  /** `versions` are those of all workers of the fork, by their marks. */
  async result(versions: ReadonlyMap<string, string> = new Map()): Promise<CrewResult> {
    assertUnspoilt();
    this.#context.crews.check();
    const compiled = this.#ports.map((_, index) => versions.get(markOf(this.#number, index) ?? "") ?? "");
    const prepares = this.#slices.some(({ preparingNs }) => preparingNs.some((ns) => ns > 0));
    return {
      name: this.plan.name,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      warmUp: this.#warmUp,
      ...(this.#strays === 0 ? {} : { strays: this.#strays }),
      batches: this.#results.map((results) => results[Result.batch]!),
      rounds: this.#rounds,
      workers: this.#slices.map(({ preparingNs, ...slices }) =>
        prepares ? { ...slices, preparingNs } : slices,
      ),
      ...(this.plan.workers > 1 && !this.#context.oversubscribed ? { handoverNs: this.#handoverNs } : {}),
      ...(this.#accounts === undefined ? {} : { accounts: this.#accounts }),
      ...(versions.size === 0 ? {} : { compiled }),
      ...(this.#cpu.operations > 0 ? { cpu: { ...this.#cpu } } : {}),
      ...present({ allocation: this.#allocation }),
    };
  }

  /** What the worker at this index does. */
  roleOf(index: number): string {
    const { url, workers } = this.plan;
    return (url !== undefined && this.#context.race.role?.(index, workers)) || "worker";
  }

  /**
   * Waits until every thread runs and has imported what it will race, and then imports that here. It does so before
   * anything is allocated, because what a module allocates for itself is not the crew's. Crews may do this all at once.
   */
  async start(): Promise<void> {
    await this.#hear([...this.#ports.keys()], "start", (message) => {
      if (message.kind === "started") this.#threads[message.index] = message.thread;
    });
    const { url } = this.plan;
    // What its threads could not import is not tried here, where it might end the process.
    if (url === undefined || this.failed) return;
    try {
      this.#competitor = checked(await importCompetitor(url, this.#context.lab, this.#context.seed));
    } catch (error) {
      await this.#fail({ kind: "fault", reason: `it threw while it was imported: ${messageOf(error)}` });
    }
  }

  /**
   * Formats the structure and has every worker join it, one after the other, so that all allocate in the same order in
   * every crew. One crew at a time: while it does, the arena is its own.
   */
  async attach(): Promise<void> {
    if (this.failed) return;
    const arena = this.plan.placement === "arena" ? this.#context.arena : undefined;
    if (arena !== undefined) {
      this.#context.crews.enter(this.#number);
      clearArena(arena);
    }
    const flags = tagOfFlags();
    const allocator = arena === undefined ? undefined : new ArenaAllocator(arena);
    allocateWith(allocator);
    const prepared = this.#prepare();
    allocateWith(undefined);
    if ("reason" in prepared) return this.#fail(prepared);
    const taken = allocator?.taken ?? [];
    for (const [index, port] of this.#ports.entries()) {
      const placed = arena === undefined ? {} : { arena: { arena, crew: this.#number, taken } };
      port.postMessage({ kind: "attach", ...prepared, ...placed } satisfies WorkerOrder);
      await this.#hear([index], "attach", (message) => {
        if (message.kind !== "attached") return;
        this.#strays += message.strays;
        if (arena !== undefined) enterTaken(arena, taken, message.taken);
      });
    }
    if (this.#context.keepsFlags && tagOfFlags() !== flags) throw changedFlags("while it was attached");
    if (this.failed) return;
    this.#strays += allocator?.strays ?? 0;
    if (arena !== undefined) {
      this.#copies = keepState(arena, taken);
      this.#context.crews.leave(this.#number, this.#copies);
    }
    const order: WorkerOrder = { kind: "serve", copies: this.#copies };
    for (const port of this.#ports) port.postMessage(order);
  }

  /** Runs slices until they have stopped getting faster, or the most allowed; they count for the law, not as samples. */
  async warmUp(): Promise<void> {
    const sliceUs = Math.min(LONGEST_WARM_UP_SLICE_US, Math.max(this.#context.sliceUs, WARM_UP_SLICE_US));
    const costs: number[] = [];
    let flat = false;
    const { oversubscribed, warmUpSlices } = this.#context;
    const most = warmUpSlices ?? (oversubscribed ? MOST_OVERSUBSCRIBED_WARM_UP_SLICES : MOST_WARM_UP_SLICES);
    const together = !oversubscribed;
    const order = { sliceUs, rampUs: 0, calibrating: true, together, account: false };
    while (!this.failed && costs.length < most && !flat) {
      await this.#runSlice(order);
      costs.push(this.#nsPerOperation());
      flat = costs.length >= FEWEST_WARM_UP_SLICES && isFlat(costs);
    }
    this.#warmUp = { slices: costs.length, flat };
    // From here on the counts are of what was measured.
    await this.#runSlice({ ...order, account: true });
  }

  /** Runs one measured slice, in this round of the fork. */
  async measure(inRound: number, { sliceUs, account, withCpu }: MeasureOrder): Promise<void> {
    const { rampUs, oversubscribed } = this.#context;
    const cpuBeforeNs = withCpu ? this.#cpuNs() : undefined;
    const order = { sliceUs, rampUs, calibrating: false, together: !oversubscribed, account };
    const slice = this.#runSlice(order);
    // Not awaited where it is done: what a competitor left on this thread would have its turn before the results are kept.
    const ran = typeof slice === "boolean" ? slice : await slice;
    if (!ran) return;
    const cpuAfterNs = withCpu ? this.#cpuNs() : undefined;
    if (cpuBeforeNs !== undefined && cpuAfterNs !== undefined) {
      this.#cpu.ns += cpuAfterNs - cpuBeforeNs;
      for (const results of this.#results) {
        this.#cpu.operations += results[Result.operationsWithRamps]!;
        // Two tags per slice are not work of the crew.
        this.#cpu.ns -= 2 * READING_ADDITIONS * results[Result.tagNs]!;
      }
    }
    append(this.#rounds, inRound);
    append(this.#handoverNs, rounded(this.#results[0]![Result.handoverNs]!, 3));
    for (let index = 0; index < this.#results.length; index++) {
      const results = this.#results[index]!;
      const slices = this.#slices[index]!;
      append(slices.operations, results[Result.operations]!);
      append(slices.startNs, round(results[Result.startNs]!));
      append(slices.endNs, round(results[Result.endNs]!));
      append(slices.preparingNs, round(results[Result.preparingNs]!));
      append(slices.tagNs, rounded(results[Result.tagNs]!, 4));
    }
  }

  /** Has the only worker of a crew that has raced measure what it allocates. Nothing can be timed after it. */
  async allocate(): Promise<void> {
    const order = { sliceUs: LAST_SLICE_US, rampUs: 0, calibrating: false, together: true, account: false };
    const heard = this.#hear([0], "say what it allocates", (message) => {
      if (message.kind === "allocated") this.#allocation = message.allocation;
    });
    await this.#runSlice({ ...order, last: true });
    await heard;
  }

  /** What each worker did in its measured slices so far. */
  get workers(): readonly WorkerSlices[] {
    return this.#slices;
  }

  /** How many it has measured. */
  get slices(): number {
    return this.#rounds.length;
  }

  /** Runs one slice of this length that is not kept; returns the time in which all workers were measuring, if any. */
  async window(sliceMs: number): Promise<Window | undefined> {
    const together = !this.#context.oversubscribed;
    const order = { sliceUs: 1000 * sliceMs, rampUs: 0, calibrating: false, together, account: true };
    if (!(await this.#runSlice(order))) return undefined;
    // A plain read: worker 0 wrote it before it parked, and all are parked.
    const openedNs = this.#openingTime[0]!;
    const fromNs = openedNs + Math.max(...this.#results.map((results) => results[Result.startNs]!));
    const toNs = openedNs + Math.min(...this.#results.map((results) => results[Result.endNs]!));
    return fromNs < toNs ? { fromNs, toNs } : undefined;
  }

  /** Allocates and formats what the crew shares, or says why that failed. */
  #prepare(): { readonly setup: Setup<unknown>; readonly shared: unknown } | Failure {
    const { workers, url, kind } = this.plan;
    const { race, size, fork, seed } = this.#context;
    const competitor = this.#competitor;
    const setup: Setup<unknown> = { params: race.params[size], workers, seed, fork };
    try {
      if (url === undefined) {
        const memory = controlMemory(workers);
        if (kind !== "empty") this.#law = (work) => controlLaw(memory, work);
        return { setup, shared: memory };
      }
      const threads = threadsNow();
      const shared = race.prepare(competitor, setup);
      const undeclared = startedSince(threads) - (race.threads?.(competitor, setup.params) ?? 0);
      if (undeclared > 0) return unasked(undeclared, "while it was prepared");
      this.#law = (work) => race.law(competitor, setup, shared, work);
      return { setup, shared };
    } catch (error) {
      return { kind: "fault", reason: `it threw while it was prepared: ${messageOf(error)}` };
    }
  }

  /**
   * CPU time that the crew's threads have had, in ns; undefined where the kernel does not report it. Only while all are
   * parked.
   */
  #cpuNs(): number | undefined {
    let sum = 0;
    for (const { kernel } of this.#threads) {
      try {
        // Exact for a thread that sleeps, where getrusage counts in ticks.
        const text = readFileSync(`/proc/self/task/${kernel}/schedstat`, "latin1");
        sum += Number(text.split(" ", 1)[0]);
      } catch {
        return undefined;
      }
    }
    return sum;
  }

  #body(): Assignment["body"] {
    const { url, kind, extraWork = 0 } = this.plan;
    if (url === undefined) return { kind: kind === "empty" ? "empty" : "control" };
    const { lab, moduleUrl, scenario, seed } = this.#context;
    return { kind: "race", lab, moduleUrl, scenario, competitorUrl: url, seed, extraWork };
  }

  /** Runs one slice; returns whether its results are there to be read: a promise of that where it is late, or has failed. */
  #runSlice(order: SliceOrder): boolean | Promise<boolean> {
    if (this.failed) return false;
    // Before and after, and on a thread that sleeps meanwhile: a new one was therefore started by this crew's workers.
    const before = { threads: threadsNow(), flags: tagOfFlags() };
    this.#context.crews.open(this.#number, this.#copies, order);
    const sliceMs = order.sliceUs / 1000;
    if (sleepUntilParked(this.#gate, sliceMs + ASLEEP_LIMIT_MS)) return this.#endSlice(order, before);
    return this.#endLate(order, sliceMs, before.flags);
  }

  async #endLate(order: SliceOrder, sliceMs: number, flags: number): Promise<boolean> {
    await this.#awaitLate(sliceMs);
    // This thread has not slept all the time, and may have started some itself.
    return this.failed ? false : await this.#endSlice(order, { threads: undefined, flags });
  }

  /** Looks at what a slice has left. */
  #endSlice(
    { account }: SliceOrder,
    before: { readonly threads: number | undefined; readonly flags: number },
  ): boolean | Promise<boolean> {
    if (tagOfFlags() !== before.flags) throw changedFlags("while it raced");
    const started = startedSince(before.threads);
    const failure =
      started > 0
        ? unasked(started, "while it raced")
        : (this.#disagreement() ?? (account ? this.#takeAccounts() : undefined));
    return failure === undefined || this.#fail(failure).then(() => false);
  }

  /** Waits in the event loop for a slice that is late. Fails the crew where a worker ended or all patience is gone. */
  async #awaitLate(sliceMs: number): Promise<void> {
    const limitMs = sliceMs + this.#context.patienceMs;
    const untilMs = performance.now() + limitMs;
    while (performance.now() < untilMs) {
      const ended = await Promise.race([this.#ended, eventLoopTurn()]);
      if (ended !== undefined) return this.#fail(ended);
      if (sleepUntilParked(this.#gate, ASLEEP_LIMIT_MS)) return;
    }
    const late = `${lateAt(this.#gate)} of ${this.plan.workers} workers did not finish a slice`;
    await this.#fail(hung(late, limitMs));
  }

  /**
   * Reads from the shared words what each worker has done, and checks it by the law while the structure lies as the workers
   * left it.
   */
  #takeAccounts(): Failure | undefined {
    assertUnspoilt();
    const work = this.#results.map((_, index) => this.#accountOf(index));
    this.#done = work.map(({ earlier = [], operations, checksum }) => [...earlier, { operations, checksum }]);
    const account: Account = {
      operations: work.map(({ operations }) => operations),
      counters: work.map(({ counters }) => counters),
    };
    const failure = unclearCounter(work) ?? this.#checkLaw(work);
    if (failure === undefined) this.#accounts = { first: this.#accounts?.first ?? account, last: account };
    return failure;
  }

  #accountOf(index: number): WorkDone {
    const results = this.#results[index]!;
    const [operations, taken] = [results[Result.allOperations]!, results[Result.inExcerpt]!];
    const { message } = receive(this.#ports[index]!) as { message: WorkCounted };
    return {
      role: this.roleOf(index),
      operations,
      checksum: results[Result.checksum]!,
      counters: message,
      earlier: this.#done[index]!,
      ...(taken === 0
        ? {}
        : {
            excerpt: {
              before: operations - taken,
              results: apply(copied, this.#excerpts[index], [0, taken]),
            },
          }),
    };
  }

  /** What a worker counted in a window, in a slice and since it was attached has to agree; else somebody wrote it who did not count. */
  #disagreement(): Failure | undefined {
    for (let index = 0; index < this.#results.length; index++) {
      const results = this.#results[index]!;
      const inWindow = results[Result.operations]!;
      const inSlice = results[Result.operationsWithRamps]!;
      const before = this.#before[index]!;
      const all = results[Result.allOperations]!;
      this.#before[index] = all;
      if (inWindow <= inSlice && all === before + inSlice + results[Result.inExcerpt]!) continue;
      const counts = `${inWindow} operations in its window, ${inSlice} in its slice, ${before} and ${all} in all`;
      return { kind: "fault", reason: `the counts of worker ${index} do not agree: ${counts}` };
    }
    return undefined;
  }

  #checkLaw(work: readonly WorkDone[]): Failure | undefined {
    try {
      const broken = this.#law(work);
      assertBuiltins();
      return broken === undefined ? undefined : { kind: "law", reason: broken };
    } catch (error) {
      return { kind: "fault", reason: `it threw while its law was checked: ${messageOf(error)}` };
    }
  }

  /** Waits until each of these workers has said something; fails the crew where one ends or says nothing for too long. */
  async #hear(
    indices: readonly number[],
    what: string,
    hear: (message: WorkerMessage) => void,
  ): Promise<void> {
    if (this.failed) return;
    const missing = new Set(indices);
    const { promise: allHeard, resolve } = Promise.withResolvers<undefined>();
    this.#listener = (message) => {
      hear(message);
      missing.delete(message.index);
      if (missing.size === 0) resolve(undefined);
    };
    const { promise: timedOut, resolve: timeOut } = Promise.withResolvers<Failure>();
    const timer = setTimeout(() => {
      const who = `${missing.size} of ${this.plan.workers} workers did not ${what}`;
      timeOut(hung(who, ATTACH_LIMIT_MS));
    }, ATTACH_LIMIT_MS);
    const failure = await Promise.race([allHeard, this.#ended, timedOut]);
    clearTimeout(timer);
    if (failure !== undefined) await this.#fail(failure);
  }

  async #fail(failure: Failure): Promise<void> {
    this.#failure ??= failure;
    await this.#pool.destroy();
    this.#context.crews.ended(this.#number);
  }

  /** What one worker waited per operation in the slice that was run last. */
  #nsPerOperation(): number {
    return costOf(
      this.#results.map((results) =>
        rateOf(
          results[Result.operations]!,
          results[Result.startNs]!,
          results[Result.endNs]!,
          results[Result.preparingNs]!,
        ),
      ),
    );
  }
}
// A competitor may import this module, too.
Object.freeze(Crew.prototype);

/** It is not kept. */
const LAST_SLICE_US = 100;

/** No slice of a warm-up is longer: it runs code and measures nothing. */
const LONGEST_WARM_UP_SLICE_US = 5_000;

function isFlat(costs: readonly number[]): boolean {
  const fastest = (from: number, to: number) => Math.min(...costs.slice(from, to));
  const last = fastest(costs.length - COMPARED_SLICES, costs.length);
  const before = fastest(costs.length - 2 * COMPARED_SLICES, costs.length - COMPARED_SLICES);
  return Math.abs(last / before - 1) <= FLAT_TOLERANCE;
}

// No method of lists: a competitor's code on this thread may have replaced it for a moment.
function append<Value>(list: Value[], value: Value): void {
  list[list.length] = value;
}

function rounded(value: number, digits: number): number {
  return toNumber(apply(toPrecision, value, [digits]));
}

function startedSince(threads: number | undefined): number {
  return threads === undefined ? 0 : threadsNow()! - threads;
}

/** The work of threads of its own would belong to no worker. */
function unasked(threads: number, when: string): Failure {
  const what = threads === 1 ? "a thread" : `${threads} threads`;
  return { kind: "fault", reason: `it started ${what} ${when}: only declared ones may work beside workers` };
}

/** A counter that is not a finite number: no record could hold it, and no law should trust it. */
function unclearCounter(work: readonly WorkDone[]): Failure | undefined {
  for (const { counters } of work) {
    for (const [name, value] of Object.entries(counters)) {
      if (!Number.isFinite(value)) return { kind: "fault", reason: `its counter ${name} is ${value}` };
    }
  }
  return undefined;
}

function eventLoopTurn(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(() => resolve(undefined)));
}
