import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { derivedSeed } from "../../../structures/shared/worker-identity.ts";
import { importRace } from "../../engine/measure/load/load.ts";
import type { WorkDone } from "../../engine/suite.ts";
import { ABANDONED, type Board, CHANCE, CLOSED, COMPLETED, makeBoard, OPENED, ORDER } from "./board.ts";
import { WORDS_PER_LINE } from "./lines.ts";
import { loadCompetitor } from "./load-competitor.ts";
import { coresOf } from "./machine.ts";
import { type Answer, buffersOf, type Order, type Seen } from "./orders.ts";
import type { Simulated, Task } from "./simulated.ts";

/** Workers do not begin at the same nanosecond. */
const MOST_LATE_NS = 100;

/** Simulates crews, one after the other, with threads of this process that it keeps. */
export class Simulator {
  readonly #threads: Worker[] = [];

  /** Rejects where the competitor cannot be loaded or throws. A broken law is in what it resolves with. */
  async simulate(task: Task): Promise<Simulated> {
    const { workers, seed, size } = task;
    const race = await importRace(task.moduleUrl, task.scenario);
    const competitor = await loadCompetitor(task, seed);
    const setup = { params: race.params[size], workers, seed, fork: 0 };
    const shared = race.prepare(competitor, setup);
    const bases: number[] = [];
    // The first line is the machine's own.
    let words = WORDS_PER_LINE;
    for (const { byteLength } of buffersOf(shared)) {
      bases.push(words);
      words += Math.ceil(byteLength / Int32Array.BYTES_PER_ELEMENT / WORDS_PER_LINE) * WORDS_PER_LINE;
    }
    const board = makeBoard(workers, words / WORDS_PER_LINE, coresOf(task.topology));
    while (this.#threads.length < workers) this.#threads.push(this.#start());
    const crew = this.#threads.slice(0, workers);
    try {
      for (const [index, thread] of crew.entries()) {
        const role = race.role?.(index, workers) ?? "worker";
        const identity = { index, workers, role, seed: derivedSeed(seed, index) };
        await ask(thread, { kind: "attach", task, board, identity, shared, bases });
      }
      begin(board, seed);
      const done = (await Promise.all(crew.map((thread) => ask(thread, { kind: "run" })))) as Done[];
      return figuresOf(task, board, done, (work) => race.law(competitor, setup, shared, work));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.terminate()));
  }

  #start(): Worker {
    const thread = new Worker(new URL("./thread.ts", import.meta.url));
    thread.setMaxListeners(0);
    return thread;
  }
}

type Done = Extract<Answer, { kind: "done" }>;

async function ask(thread: Worker, order: Order): Promise<Answer> {
  thread.postMessage(order);
  const [answer] = (await once(thread, "message")) as [Answer];
  if (answer.kind === "failed") throw new Error(answer.message);
  return answer;
}

/** Each worker gets a core if there is one, and a beginning; the first to begin gets the token. */
function begin(board: Board, seed: number): void {
  const { time, key, reach, since, core, busy, turnToRun, token, moments, totals } = board;
  moments[ORDER] = 0;
  totals[CHANCE] = seed | 1;
  let first = 0;
  for (let worker = 0; worker < time.length; worker++) {
    time[worker] = since[worker] = (derivedSeed(seed, -1 - worker) / 2 ** 32) * MOST_LATE_NS;
    if (worker >= busy.length) {
      turnToRun[worker] = ++moments[ORDER];
      continue;
    }
    core[worker] = worker;
    busy[worker] = 1;
    key[worker] = reach[worker] = time[worker]!;
    if (time[worker]! < time[first]!) first = worker;
  }
  Atomics.store(token, first, 1);
  Atomics.notify(token, first);
}

function figuresOf(
  { operations }: Task,
  { moments, totals }: Board,
  done: readonly Done[],
  law: (work: readonly WorkDone[]) => string | undefined,
): Simulated {
  const role = done[0]!.work.role;
  const counted = done.filter(({ work }) => work.role === role).map(({ seen }) => seen);
  const perWorker = counted.map(({ latenciesNs }) => latenciesNs.length);
  const ended = perWorker.reduce((sum, count) => sum + count, 0);
  const latenciesNs = Float64Array.from(counted.flatMap(({ latenciesNs }) => [...latenciesNs])).sort();
  const quantile = (share: number) => latenciesNs[Math.min(ended - 1, Math.floor(share * ended))] ?? 0;
  const perOperation = (name: Exclude<keyof Seen, "latenciesNs">) =>
    counted.reduce((sum, seen) => sum + seen[name], 0) / Math.max(1, ended);
  const isFinished = totals[ABANDONED] === 0;
  const broken = isFinished
    ? law(done.map(({ work }) => work))
    : `everyWorkerFinishes: all workers that are not done sleep for ever, after ${totals[COMPLETED]} of ${operations} operations`;
  return {
    nsPerOperation: ((moments[CLOSED]! - moments[OPENED]!) * counted.length) / Math.max(1, ended),
    p50Ns: quantile(0.5),
    p99Ns: quantile(0.99),
    p999Ns: quantile(0.999),
    maxNs: latenciesNs.at(-1) ?? 0,
    perWorker,
    transfersPerOperation: perOperation("transfers"),
    accessesPerOperation: perOperation("accesses"),
    atomicsPerOperation: perOperation("atomics"),
    failuresPerOperation: perOperation("failures"),
    sleepsPerOperation: perOperation("sleeps"),
    ...(broken === undefined ? {} : { broken }),
  };
}
