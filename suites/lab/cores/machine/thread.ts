import { once } from "node:events";
import { type MessagePort, parentPort } from "node:worker_threads";
import {
  changedIn,
  type Kind,
  type Lane,
  LONG,
  READS_ONLY,
  type Value,
  WORD,
  WORD_BYTES,
  WRITES_ONLY,
} from "../../../../structures/interleave/memory/access.ts";
import {
  replaceAtomics,
  standInBuffer,
  viewLike,
} from "../../../../structures/interleave/memory/stand-in.ts";
import { Random } from "../../../../structures/shared/sfc32.ts";
import { importRace } from "../../../engine/measure/load/load.ts";
import type { Race, Runner } from "../../../engine/race.ts";
import { WORDS_PER_LINE } from "./lines.ts";
import { loadCompetitor } from "./load-competitor.ts";
import { buffersOf, isPlain, isRegion, type Order, type Seen, type ThreadAnswer } from "./orders.ts";
import { Abandoned, Schedule } from "./schedule.ts";
import type { Task } from "./simulated.ts";

/**
 * From this number of polls on, a worker is left alone for as many more, and an eighth of its polls so far. It may notice
 * that late that it gives up.
 */
const FEWEST_POLLS = 4;
const POLLS_AHEAD_SHIFT = 3;

/** A buffer's elements of one size. */
type Elements = Int32Array | BigInt64Array;

/** The words of one thread, and what it does to them in virtual time. */
class Hands {
  accesses = 0;
  atomics = 0;
  failures = 0;
  sleeps = 0;
  /** Undefined while a crew attaches or accounts: accesses take no time then. */
  #schedule: Schedule | undefined;
  #task!: Task;
  #localEach = 0;
  /** The word that was loaded last, if nothing else was accessed since; what it held, when, and how often in a row. */
  #polled = -1;
  #held: Value = 0;
  #heldAt = 0;
  #polls = 0;
  #credit = 0;
  /** By word: how often in a row it was polled at most. */
  readonly #mostPolls = new Map<number, number>();

  /** From now on accesses take the time that the task's costs give them; without a schedule none. */
  takeTime(task: Task, schedule: Schedule | undefined): void {
    this.#task = task;
    this.#schedule = schedule;
    this.#localEach = task.localWork === "spread" ? task.localNs / (task.atomicsAlone + 1) : 0;
    this.#polled = -1;
  }

  /** The worker's own time, in ns; 0 without a schedule. */
  get now(): number {
    return this.#schedule?.now ?? 0;
  }

  /** `shared` with a stand-in for each of its regions. */
  over(shared: unknown, bases: readonly number[]): unknown {
    const standing = new Map(
      buffersOf(shared).map((buffer, index) => [buffer, this.#over(buffer, bases[index]!)] as const),
    );
    const exchange = (value: unknown): unknown => {
      if (isRegion(value)) return viewLike(value, standing.get(value.buffer)!);
      if (Array.isArray(value)) return value.map(exchange);
      if (!isPlain(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, exchange(part)]));
    };
    return exchange(shared);
  }

  /** A stand-in for a buffer whose first word is `base`. */
  #over(buffer: SharedArrayBuffer, base: number): SharedArrayBuffer {
    const { byteLength } = buffer;
    const words = new Int32Array(buffer, 0, Math.floor(byteLength / WORD_BYTES));
    const longs = new BigInt64Array(buffer, 0, Math.floor(byteLength / LONG_BYTES));
    return standInBuffer(byteLength, base, (kind, word, operand = 0, other = 0, lane = WORD) => {
      if (lane === WORD) return this.#perform(words, word - base, word, kind, operand, other, lane);
      if (lane !== LONG) throw new Error("memory is simulated in elements of 32 and 64 bits");
      return this.#perform(longs, (word - base) / 2, word, kind, operand, other, lane);
    });
  }

  /** One Atomics.pause. */
  pause(): void {
    this.#schedule?.pass(this.#task.costs.pause);
  }

  /** The worker's own work at the end of an operation, of which there were `random`, 0 .. 1, times as much as at most. */
  work(random: number): void {
    const { localNs, localWork } = this.#task;
    this.#schedule!.work(localWork === "spread" ? this.#localEach : 2 * random * localNs);
    this.#endPolls();
    this.#polled = -1;
  }

  #perform(
    elements: Elements,
    index: number,
    word: number,
    kind: Kind,
    operand: Value,
    other: Value,
    lane: Lane,
  ): Value {
    const schedule = this.#schedule;
    if (schedule === undefined) return applied(elements, index, kind, operand, other, lane);
    this.accesses++;
    const isAtomic = kind !== "read" && kind !== "write";
    if (isAtomic) {
      this.atomics++;
      schedule.work(this.#localEach);
    }
    const line = Math.floor(word / WORDS_PER_LINE);
    if (kind === "read" || kind === "load") return this.#load(schedule, elements, index, word, line, kind);
    this.#endPolls();
    this.#polled = -1;
    if (kind === "wait") {
      const answer = schedule.wait(word, line, other as number, () => elements[index] === operand);
      this.sleeps += answer === 1 ? 0 : 1;
      return answer;
    }
    if (kind === "notify") return schedule.notify(word, operand as number);
    const { plain, store, update } = this.#task.costs;
    schedule.access(line, true, kind === "write" ? plain : kind === "store" ? store : update);
    const seen = elements[index]!;
    const value = changedIn(lane, seen, kind, operand, other);
    elements[index] = value;
    if (WRITES_ONLY.has(kind)) return operand;
    if (value === seen && (kind === "compareExchange" || kind === "exchange")) this.failures++;
    return seen;
  }

  /**
   * Polls that this worker can be left alone for. A few loads of one word in a row may be no loop at all. A loop is taken
   * to poll as often as it once did before without giving up, or a few times more. So code that gives up after a fixed
   * number of polls does so on time from then on.
   */
  #pollsAhead(word: number): number {
    const polls = this.#polls;
    if (polls < FEWEST_POLLS) return 0;
    return Math.max(FEWEST_POLLS + (polls >> POLLS_AHEAD_SHIFT), (this.#mostPolls.get(word) ?? 0) - polls);
  }

  /** Polling has ended, by itself or because the word changed. */
  #endPolls(): void {
    const polls = this.#polls - this.#credit;
    const most = this.#mostPolls.get(this.#polled) ?? 0;
    if (polls >= FEWEST_POLLS && polls > most) this.#mostPolls.set(this.#polled, polls);
    this.#polls = 0;
  }

  #load(
    schedule: Schedule,
    elements: Elements,
    index: number,
    word: number,
    line: number,
    kind: "read" | "load",
  ): Value {
    const { plain, poll, load } = this.#task.costs;
    const costNs = kind === "load" ? load : this.#polled === word ? poll : plain;
    if (this.#polled === word && this.#credit > 0) {
      this.#credit--;
      schedule.pass(costNs);
      this.#heldAt = schedule.now;
      return this.#held;
    }
    const sinceNs = schedule.now - this.#heldAt;
    schedule.access(line, false, costNs);
    const value = elements[index]!;
    const isPoll = this.#polled === word && this.#held === value;
    if (isPoll) this.#polls++;
    else this.#endPolls();
    this.#polled = word;
    this.#held = value;
    this.#heldAt = schedule.now;
    this.#credit = isPoll ? schedule.poll(line, sinceNs + costNs, costNs, this.#pollsAhead(word)) : 0;
    this.#polls += this.#credit;
    return value;
  }
}

function applied(
  elements: Elements,
  index: number,
  kind: Kind,
  operand: Value,
  other: Value,
  lane: Lane,
): Value {
  if (kind === "wait" || kind === "notify") throw new Error("nothing may wait or wake while a crew attaches");
  const old = elements[index]!;
  if (!READS_ONLY.has(kind)) elements[index] = changedIn(lane, old, kind, operand, other);
  return WRITES_ONLY.has(kind) ? operand : old;
}

const LONG_BYTES = 2 * WORD_BYTES;

/** One crew's worker in this thread. */
async function serve(
  port: MessagePort,
  { task, identity, shared, bases }: Extract<Order, { kind: "attach" }>,
) {
  const race: Race<unknown, unknown, unknown> = await importRace(task.moduleUrl, task.scenario);
  const competitor = await loadCompetitor(task, identity.seed);
  const hands = new Hands();
  const random = new Random(identity.seed, THINKING);
  const undo = replaceAtomics({ pause: () => hands.pause() });
  const { random: mathRandom } = Math;
  const { bigint: hrtime } = process.hrtime;
  Math.random = () => random.fraction();
  performance.now = () => hands.now / NS_PER_MS;
  process.hrtime.bigint = () => BOOTED_NS + BigInt(Math.round(hands.now));
  const say = (answer: ThreadAnswer) => port.postMessage(answer);
  try {
    const setup = { params: race.params[task.size], workers: task.workers, seed: task.seed, fork: 0 };
    const runner = race.attach(competitor, setup, hands.over(shared, bases), identity);
    say({ kind: "attached" });
    const done = { operations: 0, checksum: 0 };
    for (;;) {
      const [order] = (await once(port, "message")) as [Order];
      if (order.kind !== "run") break;
      const schedule = new Schedule(order.board, order.task.topology, order.task.costs, identity.index);
      schedule.begin();
      hands.takeTime(order.task, schedule);
      const seen = run(runner, order.task, schedule, hands, random, done);
      hands.takeTime(order.task, undefined);
      say({ kind: "done", seen });
    }
    say({ kind: "account", work: { role: identity.role, ...done, counters: runner.counters?.() ?? {} } });
  } finally {
    undo();
    Math.random = mathRandom;
    // Its prototype has the original.
    Reflect.deleteProperty(performance, "now");
    process.hrtime.bigint = hrtime;
  }
}

const NS_PER_MS = 1e6;
/** What hrtime reads when virtual time begins: far more than a thread's own clock, as in Node. */
const BOOTED_NS = 10n ** 15n;

/** Stream of a worker's generator from which its lengths of thinking come. */
const THINKING = 7;

function run(
  runner: Runner,
  task: Task,
  schedule: Schedule,
  hands: Hands,
  random: Random,
  done: { operations: number; checksum: number },
): Seen {
  const latenciesNs: number[] = [];
  const totals = () => ({
    transfers: schedule.transfers,
    accesses: hands.accesses,
    atomics: hands.atomics,
    failures: hands.failures,
    sleeps: hands.sleeps,
  });
  let before = totals();
  let after = before;
  try {
    do {
      const began = schedule.now;
      done.checksum = (done.checksum + runner.run(1)) | 0;
      hands.work(random.fraction());
      done.operations++;
      const when = schedule.complete(task);
      if (when === "late") break;
      after = totals();
      if (when === "early") before = after;
      else latenciesNs.push(schedule.now - began);
    } while (!schedule.isClosed);
    schedule.end();
  } catch (error) {
    if (!(error instanceof Abandoned)) throw error;
  }
  return {
    latenciesNs: Float64Array.from(latenciesNs),
    transfers: after.transfers - before.transfers,
    accesses: after.accesses - before.accesses,
    atomics: after.atomics - before.atomics,
    failures: after.failures - before.failures,
    sleeps: after.sleeps - before.sleeps,
  };
}

const port = parentPort!;
for (;;) {
  const [order] = (await once(port, "message")) as [Order];
  if (order.kind !== "attach") throw new Error("a thread has to attach before it runs");
  try {
    await serve(port, order);
  } catch (error) {
    port.postMessage({
      kind: "failed",
      message: error instanceof Error ? error.message : String(error),
    } satisfies ThreadAnswer);
  }
}
