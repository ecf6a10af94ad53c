import type { Worker } from "node:worker_threads";
import { Piscina } from "piscina";
import type { Region } from "../../../structures/shared/layout.ts";
import { derivedSeed, type Seat } from "../../../structures/shared/seat.ts";
import { importCompetitor } from "../load.ts";
import type { Race, Setup, WorkDone } from "../suite.ts";
import { controlLaw, controlMemory } from "./controls.ts";
import { ARRIVED, makeGate, openGate, openingTime, type SliceOrder } from "./gate.ts";
import type { CrewPlan } from "./plan.ts";
import type {
  Assignment,
  CrewResult,
  Failure,
  Slice,
  ThreadNumbers,
  Window,
  WorkerMessage,
  WorkerSlice,
} from "./protocol.ts";

/**
 * Building a structure of a million elements and letting it settle may take seconds, and all crews of a group do it at
 * once; longer than this and the worker hangs.
 */
const ATTACH_LIMIT_MS = 110_000;

/** Warm-up ends when this many slices in a row are within the tolerance of their median, or at the most. */
const FLAT_SLICES = 5;
const FLAT_TOLERANCE = 0.05;
const FEWEST_WARM_UP_SLICES = 10;
const MOST_WARM_UP_SLICES = 40;
/** Warm-up runs code, it measures nothing: it needs no longer slices where measuring does. */
const LONGEST_WARM_UP_SLICE_MS = 5;

/** What a crew needs to know of the fork it belongs to. */
export interface CrewContext {
  readonly race: Race<unknown, unknown, unknown>;
  readonly suiteUrl: string;
  readonly scenario: string;
  readonly size: "full" | "smoke";
  readonly sliceMs: number;
  readonly oversubscribed: boolean;
  /** How much longer than ordered a slice may take before its workers count as hung. */
  readonly patienceMs: number;
  readonly fork: number;
  readonly seed: number;
}

/**
 * W worker threads that run one competitor, seen from the coordinator: a piscina pool with as many threads as tasks,
 * whose tasks last as long as the fork. One slice at a time; between slices every worker sleeps at the gate.
 *
 * A crew whose worker throws, exits, hangs or breaks a law has failed: it keeps the reason, its threads are
 * terminated, and every later call returns at once.
 */
export class Crew {
  readonly plan: CrewPlan;
  readonly #context: CrewContext;
  readonly #gate: Region;
  readonly #pool: Piscina;
  readonly #threads: ThreadNumbers[] = [];
  readonly #work: WorkDone[] = [];
  readonly #batches: number[] = [];
  readonly #slices: Slice[] = [];
  #warmUp = { slices: 0, flat: false };
  #law: (work: readonly WorkDone[]) => string | undefined = () => undefined;
  #failure: Failure | undefined;
  #listener: (message: WorkerMessage) => void = () => {};
  /** Settles with the reason as soon as any worker ends, which none should. */
  #ended: Promise<Failure> = new Promise(() => {});

  constructor(plan: CrewPlan, context: CrewContext) {
    this.plan = plan;
    this.#context = context;
    this.#gate = makeGate(plan.workers);
    this.#pool = new Piscina({
      filename: new URL("./worker.ts", import.meta.url).href,
      minThreads: plan.workers,
      maxThreads: plan.workers,
      // A worker that sleeps in its task must not also sleep in the pool's own Atomics.wait.
      atomics: "disabled",
      recordTiming: false,
      execArgv: [],
    });
    this.#pool.on("message", (message: WorkerMessage) => this.#listener(message));
    // A thread that piscina starts in place of one that ended may fail again with no task to tell; the task that ended
    // has already told.
    this.#pool.on("error", () => {});
  }

  get failed(): boolean {
    return this.#failure !== undefined;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** The threads by seat, once attached. */
  get threads(): readonly { readonly worker: Worker; readonly kernel: number | undefined }[] {
    return this.#threads.map(({ node, kernel }) => {
      const worker = this.#pool.threads.find(({ threadId }) => threadId === node)!;
      return { worker, kernel };
    });
  }

  result(): CrewResult {
    return {
      name: this.plan.name,
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      warmUp: this.#warmUp,
      batches: this.#batches,
      slices: this.#slices,
    };
  }

  /** Formats the structure and seats every worker. */
  async attach(): Promise<void> {
    const { workers, url, extraWork = 0 } = this.plan;
    const { race, size, fork, seed, suiteUrl, scenario } = this.#context;
    const setup: Setup<unknown> = { params: race.params[size], workers, seed, fork };
    let shared: unknown;
    let body: Assignment["body"];
    try {
      if (url === undefined) {
        const memory = controlMemory(workers);
        shared = memory;
        body = { kind: this.plan.kind === "empty" ? "empty" : "control" };
        if (body.kind === "control") this.#law = (work) => controlLaw(memory, work);
      } else {
        const competitor = await importCompetitor(url);
        shared = race.prepare(competitor, setup);
        body = { kind: "race", suiteUrl, scenario, competitorUrl: url, extraWork };
        this.#law = (work) => race.law(competitor, setup, shared, work);
      }
    } catch (error) {
      return this.#fail({ kind: "fault", reason: `it threw while it was prepared: ${describe(error)}` });
    }
    const seats = Array.from({ length: workers }, (_, index): Seat => {
      return { index, workers, role: this.roleOf(index), seed: derivedSeed(seed, index) };
    });
    const tasks = seats.map((seat) =>
      this.#pool.run({ body, setup, shared, seat, gate: this.#gate } satisfies Assignment).then(
        (): Failure => ({ kind: "fault", reason: `worker ${seat.index} ended early` }),
        (error): Failure => ({ kind: "fault", reason: `worker ${seat.index}: ${describe(error)}` }),
      ),
    );
    this.#ended = Promise.race(tasks);
    await this.#untilAll(ATTACH_LIMIT_MS, "attach", (message) => {
      if (message.kind === "attached") this.#threads[message.seat] = message.thread;
    });
  }

  /** What the worker at this seat does. */
  roleOf(seat: number): string {
    const { url, workers } = this.plan;
    return (url !== undefined && this.#context.race.role?.(seat, workers)) || "worker";
  }

  /** Runs slices until the last few are equally fast, or the most allowed; they count for the law, not as samples. */
  async warmUp(): Promise<void> {
    const recentNs: number[] = [];
    const { oversubscribed, size } = this.#context;
    const sliceMs = Math.min(this.#context.sliceMs, LONGEST_WARM_UP_SLICE_MS);
    // With more workers than cores no two slices are alike, however warm; and no figure of smoke size means anything.
    const most = oversubscribed || size === "smoke" ? FEWEST_WARM_UP_SLICES : MOST_WARM_UP_SLICES;
    let flat = false;
    let slices = 0;
    while (!this.failed && slices < most && !(flat && slices >= FEWEST_WARM_UP_SLICES)) {
      const slice = await this.#runSlice({ sliceMs, calibrating: true, together: !oversubscribed }, -1);
      if (slice === undefined) return;
      slices++;
      recentNs.push(nsPerOperation(slice));
      const last = recentNs.slice(-FLAT_SLICES).sort((a, b) => a - b);
      const middle = last[last.length >> 1]!;
      flat =
        last.length === FLAT_SLICES &&
        last[0]! >= middle * (1 - FLAT_TOLERANCE) &&
        last.at(-1)! <= middle * (1 + FLAT_TOLERANCE);
    }
    this.#warmUp = { slices, flat };
  }

  /** Runs one measured slice. */
  async measure(round: number): Promise<void> {
    const { sliceMs, oversubscribed } = this.#context;
    const slice = await this.#runSlice({ sliceMs, calibrating: false, together: !oversubscribed }, round);
    if (slice !== undefined) this.#slices.push(slice);
  }

  /** Runs one slice of this length that is not kept; returns the time in which all workers were measuring, if any. */
  async window(sliceMs: number): Promise<Window | undefined> {
    const together = !this.#context.oversubscribed;
    const slice = await this.#runSlice({ sliceMs, calibrating: false, together }, -1);
    if (slice === undefined) return undefined;
    // A plain read: worker 0 wrote it before it reported, and all are parked.
    const openedNs = openingTime(this.#gate)[0]!;
    const fromNs = openedNs + Math.max(...slice.workers.map(({ startNs }) => startNs));
    const toNs = openedNs + Math.min(...slice.workers.map(({ endNs }) => endNs));
    return fromNs < toNs ? { fromNs, toNs } : undefined;
  }

  async #runSlice(order: SliceOrder, round: number): Promise<Slice | undefined> {
    if (this.failed) return undefined;
    const workers: WorkerSlice[] = [];
    const arrived = this.#untilAll(order.sliceMs + this.#context.patienceMs, "finish a slice", (message) => {
      if (message.kind !== "slice") return;
      workers[message.seat] = message.slice;
      this.#work[message.seat] = message.work;
      this.#batches[message.seat] = message.batch;
    });
    openGate(this.#gate, order);
    await arrived;
    if (this.failed) return undefined;
    const failure = unclearCounter(workers) ?? this.#checkLaw();
    if (failure === undefined) return { round, workers };
    await this.#fail(failure);
    return undefined;
  }

  #checkLaw(): Failure | undefined {
    try {
      const broken = this.#law(this.#work);
      return broken === undefined ? undefined : { kind: "law", reason: broken };
    } catch (error) {
      return { kind: "fault", reason: `it threw while its law was checked: ${describe(error)}` };
    }
  }

  /** Waits until every worker has said something; fails the crew where one ends or the limit passes first. */
  async #untilAll(limitMs: number, what: string, hear: (message: WorkerMessage) => void): Promise<void> {
    const missing = new Set(Array.from({ length: this.plan.workers }, (_, seat) => seat));
    const { promise: allHeard, resolve } = Promise.withResolvers<undefined>();
    this.#listener = (message) => {
      hear(message);
      missing.delete(message.seat);
      if (missing.size === 0) resolve(undefined);
    };
    const { promise: timedOut, resolve: timeOut } = Promise.withResolvers<Failure>();
    const timer = setTimeout(() => {
      const arrived = Atomics.load(this.#gate, ARRIVED);
      const who = `${missing.size} of ${this.plan.workers} workers`;
      const reason = `hung: ${who} did not ${what} within ${limitMs / 1000} s (${arrived} had reached the gate)`;
      timeOut({ kind: "fault", reason });
    }, limitMs);
    const failure = await Promise.race([allHeard, this.#ended, timedOut]);
    clearTimeout(timer);
    if (failure !== undefined) await this.#fail(failure);
  }

  async #fail(failure: Failure): Promise<void> {
    this.#failure = failure;
    await this.#pool.destroy();
  }
}

/** A counter that is no finite number: no record could hold it, and no law should trust it. */
function unclearCounter(workers: readonly WorkerSlice[]): Failure | undefined {
  for (const { counters } of workers) {
    for (const [name, value] of Object.entries(counters)) {
      if (!Number.isFinite(value)) return { kind: "fault", reason: `its counter ${name} is ${value}` };
    }
  }
  return undefined;
}

/** What one worker waits per operation: workers divided by the sum of their rates. */
function nsPerOperation({ workers }: Slice): number {
  const perNs = workers.reduce(
    (sum, { operations, startNs, endNs, preparingNs }) => sum + operations / (endNs - startNs - preparingNs),
    0,
  );
  return workers.length / perNs;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message.split("\n")[0]! : String(error);
}
