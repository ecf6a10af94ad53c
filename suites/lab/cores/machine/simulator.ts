import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { derivedSeed } from "../../../../structures/shared/worker-identity.ts";
import { importRace } from "../../../engine/measure/load/load.ts";
import { ABANDONED, type Board, CHANCE, CLOSED, COMPLETED, makeBoard, OPENED, ORDER } from "./board.ts";
import { WORDS_PER_LINE } from "./lines.ts";
import { loadCompetitor } from "./load-competitor.ts";
import { coresOf } from "./machine.ts";
import { buffersOf, type Order, type Seen, type ThreadAnswer } from "./orders.ts";
import type { Simulated, Task } from "./simulated.ts";

/** Workers do not begin at the same nanosecond. */
const MOST_LATE_NS = 100;
const THREAD = new URL("./thread.ts", import.meta.url);

/** Simulates crews, one after the other, with threads of this process that it keeps. */
export class Simulator {
  readonly #threads: Worker[] = [];
  readonly #program: URL;

  /** Each thread runs `program`, which comes to thread.ts. */
  constructor(program = THREAD) {
    this.#program = program;
  }

  /** Rejects where the competitor cannot be loaded or throws. A broken law is in what it resolves with. */
  async simulate(task: Task): Promise<Simulated> {
    return (await this.simulateInTurn(task, () => []))[0]!;
  }

  /**
   * One crew's windows, one after the other: that of the first task, then those that `further` makes of its figures. They
   * differ in costs, local work and operations alone. To attach may take longer than to run. The law is asked once, after
   * the last window. No window follows one that none can finish.
   */
  async simulateInTurn(first: Task, further: (figures: Simulated) => readonly Task[]): Promise<Simulated[]> {
    const { workers, seed, size } = first;
    const race = await importRace(first.moduleUrl, first.scenario);
    const competitor = await loadCompetitor(first, seed);
    const setup = { params: race.params[size], workers, seed, fork: 0 };
    const shared = race.prepare(competitor, setup);
    const bases: number[] = [];
    // The first line is the machine's own.
    let words = WORDS_PER_LINE;
    for (const { byteLength } of buffersOf(shared)) {
      bases.push(words);
      words += Math.ceil(byteLength / Int32Array.BYTES_PER_ELEMENT / WORDS_PER_LINE) * WORDS_PER_LINE;
    }
    while (this.#threads.length < workers) this.#threads.push(new Worker(this.#program));
    const crew = this.#threads.slice(0, workers);
    const roles = crew.map((_, index) => race.role?.(index, workers) ?? "worker");
    try {
      for (const [index, thread] of crew.entries()) {
        const identity = { index, workers, role: roles[index]!, seed: derivedSeed(seed, index) };
        await ask(thread, { kind: "attach", task: first, identity, shared, bases }, "attached");
      }
      const figures: Simulated[] = [];
      let broken: string | undefined;
      const tasks = [first];
      for (let window = 0; window < tasks.length && broken === undefined; window++) {
        const { leastNs = 0, ...planned } = tasks[window]!;
        const task = competitor.progress === "blocking" ? { ...planned, leastNs } : planned;
        const board = makeBoard(workers, words / WORDS_PER_LINE, coresOf(task.topology));
        begin(board, seed);
        const answers = crew.map((thread) => ask(thread, { kind: "run", task, board }, "done"));
        const seen = (await Promise.all(answers)).map((answer) => answer.seen);
        figures.push(figuresOf(board, roles, seen));
        if (board.totals[ABANDONED] === 1)
          broken = `everyWorkerFinishes: all that are not done sleep for ever, after ${board.totals[COMPLETED]} operations`;
        else if (window === 0) tasks.push(...further(figures[0]!));
      }
      const accounts = await Promise.all(crew.map((thread) => ask(thread, { kind: "account" }, "account")));
      broken ??= race.law(
        competitor,
        setup,
        shared,
        accounts.map(({ work }) => work),
      );
      return figures.map((figure) => (broken === undefined ? figure : { ...figure, broken }));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.splice(0).map((thread) => thread.terminate()));
  }
}

async function ask<Kind extends ThreadAnswer["kind"]>(
  thread: Worker,
  order: Order,
  kind: Kind,
): Promise<Extract<ThreadAnswer, { kind: Kind }>> {
  const heard = new AbortController();
  const { signal } = heard;
  const ended = once(thread, "exit", { signal }).then(() => {
    throw new Error("a thread ended before it answered");
  });
  thread.postMessage(order);
  const [answer] = (await Promise.race([once(thread, "message", { signal }), ended])) as [ThreadAnswer];
  heard.abort();
  if (answer.kind === "failed") throw new Error(answer.message);
  if (answer.kind !== kind) throw new Error(`a thread answered "${answer.kind}" when "${kind}" was due`);
  return answer as Extract<ThreadAnswer, { kind: Kind }>;
}

/** Each worker gets a core if there is one, and a beginning; the first to begin gets the token. */
function begin(board: Board, seed: number): void {
  const { time, key, reach, since, core, home, busy, turnToRun, token, moments, totals } = board;
  moments[ORDER] = 0;
  totals[CHANCE] = seed | 1;
  let first = 0;
  for (let worker = 0; worker < time.length; worker++) {
    time[worker] = since[worker] = (derivedSeed(seed, -1 - worker) / 2 ** 32) * MOST_LATE_NS;
    if (worker >= busy.length) {
      turnToRun[worker] = ++moments[ORDER];
      continue;
    }
    core[worker] = home[worker] = worker;
    busy[worker] = 1;
    key[worker] = reach[worker] = time[worker]!;
    if (time[worker]! < time[first]!) first = worker;
  }
  Atomics.store(token, first, 1);
  Atomics.notify(token, first);
}

function figuresOf({ moments }: Board, roles: readonly string[], seen: readonly Seen[]): Simulated {
  const counted = seen.filter((_, index) => roles[index] === roles[0]);
  const perWorker = counted.map(({ latenciesNs }) => latenciesNs.length);
  const ended = perWorker.reduce((sum, count) => sum + count, 0);
  const latenciesNs = Float64Array.from(counted.flatMap(({ latenciesNs }) => [...latenciesNs])).sort();
  const quantile = (share: number) => latenciesNs[Math.min(ended - 1, Math.floor(share * ended))] ?? 0;
  const perOperation = (name: Exclude<keyof Seen, "latenciesNs">) =>
    counted.reduce((sum, worker) => sum + worker[name], 0) / Math.max(1, ended);
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
  };
}
