import type { Board } from "./board.ts";
import { ABANDONED, CHANCE, CLOSED, COMPLETED, OPENED, ORDER } from "./board.ts";
import { Lines, NONE } from "./lines.ts";
import type { Costs, Topology } from "./machine.ts";
import type { Task } from "./simulated.ts";

/** When a crew's window opens and closes: by operations of all workers together, and by time. */
type Window = Pick<Task, "warmUp" | "operations" | "leastNs">;

/** Ends the code of a worker when no worker can ever go on. */
export class Abandoned extends Error {}

/** As ECMAScript's wait answers. */
export const [WOKEN, NOT_EQUAL, TIMED_OUT] = [0, 1, 2];

/** V8's list of waiters, which every wait and notify of a process locks (src/execution/futex-emulation.cc). */
export const LIST_LINE = 0;
const NS_PER_MS = 1e6;

/** The original functions: those that a thread calls are stand-ins. */
const { wait, notify, load, store } = Atomics;

/**
 * One worker's view of a simulation in which every worker is a thread, and one of them runs at a time: the one that has
 * the token. Each has a time of its own. It may go on for as long as nothing that another worker can still do would
 * have come before; else it hands the token to the worker whose next access takes effect soonest. So accesses to each
 * line happen in the order of virtual time, and the same seed gives the same run, whatever the threads' real speed.
 *
 * An access to a line that the core has takes effect at once. Any other takes effect after a part of its travel, and
 * that is how far ahead a worker may run on its own lines (Chandy & Misra, 1979: the lookahead).
 *
 * A worker that loads the same word again and again, with the same answer, is not woken for each poll. It sleeps until
 * its copy is invalidated, or until it might give up (thread.ts says when). Then all polls that it would have made are
 * answered at once. One that gives up sooner than that is late, in virtual time too: it never acts before what has
 * already happened. Where jitter makes its polls uneven, it may see a change a little sooner or later.
 */
export class Schedule {
  readonly #board: Board;
  readonly #lines: Lines;
  readonly #costs: Costs;
  readonly #self: number;
  readonly #workers: number;
  readonly #isCrowded: boolean;
  readonly #leastDelay: number;
  /** Until when this worker may run on lines that its core has. */
  #ownUntil = 0;
  #mustLook = true;
  /** Lines taken by this worker. */
  transfers = 0;

  constructor(board: Board, topology: Topology, costs: Costs, self: number) {
    this.#board = board;
    this.#lines = new Lines(board, topology, costs);
    this.#costs = costs;
    this.#self = self;
    this.#workers = board.time.length;
    this.#isCrowded = this.#workers > board.busy.length;
    this.#leastDelay = this.#lines.leastDelay;
  }

  get now(): number {
    return this.#board.time[this.#self]!;
  }

  /** This worker calls the kernel or pauses. */
  pass(ns: number): void {
    this.#board.time[this.#self]! += ns;
  }

  /** This worker works by itself, for a little more or less than that. */
  work(ns: number): void {
    if (ns > 0) this.#board.time[this.#self]! += ns * this.#length();
  }

  /** Blocks the thread until this worker may begin. */
  begin(): void {
    this.#awaitToken();
  }

  /** Returns once the core has the line and has done with it what takes `costNs`; no other worker's access comes before. */
  access(line: number, writes: boolean, costNs: number): void {
    const { time, core } = this.#board;
    const self = this.#self;
    this.#leaveWhenDue();
    for (;;) {
      const on = core[self]!;
      const now = time[self]!;
      if (!this.#lines.has(on, line, writes)) {
        const length = this.#length();
        const start = this.#request(line, now + length * this.#lines.delay(on, line, writes));
        time[self] = this.#take(line, writes, start, length) + costNs;
        return;
      }
      if (this.#mustLook) this.#look();
      if (now <= this.#ownUntil) {
        this.#lines.use(on, line);
        time[self] = now + costNs;
        return;
      }
      this.#awaitTurn();
    }
  }

  /**
   * After a load of a line that the core has, which took `costNs` and gave the same answer as the one before it: returns how
   * many further ones give it, too, without asking, at most `most`. One follows another by `everyNs`.
   */
  poll(line: number, everyNs: number, costNs: number, most: number): number {
    const { polled, polledAt, pollNs, credit, time, key, since } = this.#board;
    const self = this.#self;
    const leftNs = this.#isCrowded
      ? since[self]! + this.#costs.quantum - time[self]!
      : Number.POSITIVE_INFINITY;
    const ahead = Math.min(most, Math.floor(leftNs / everyNs));
    if (ahead <= 0) return 0;
    polled[self] = line;
    polledAt[self] = time[self]! - costNs;
    pollNs[self] = everyNs;
    credit[self] = ahead;
    const end = time[self]! + ahead * everyNs;
    const isUndisturbed = !this.#yield(end, end + this.#leastDelay);
    polled[self] = NONE;
    if (isUndisturbed) key[self] = time[self]!;
    return credit[self]!;
  }

  /** `isEqual` compares once no other worker's access comes before. Blocks until woken or `limitMs` are over. */
  wait(word: number, line: number, limitMs: number, isEqual: () => boolean): number {
    const { time, core, key, reach, sleepsOn, sleepOrder, isAsleep } = this.#board;
    const { load: loadNs, waiterList, sleep, notify: callNs, wake } = this.#costs;
    const self = this.#self;
    this.access(line, false, loadNs);
    if (!isEqual()) {
      this.access(LIST_LINE, true, waiterList);
      this.pass(callNs);
      return NOT_EQUAL;
    }
    const limit = time[self]! + limitMs * NS_PER_MS;
    sleepsOn[self] = word;
    sleepOrder[self] = this.#nextOrder();
    this.access(LIST_LINE, true, waiterList);
    this.pass(sleep);
    this.#awaitTurn();
    if (sleepsOn[self] !== word) {
      // Woken while it was still falling asleep.
      this.pass(this.#costs.wakeSoon);
      return WOKEN;
    }
    isAsleep[self] = 1;
    this.#leaveCore();
    key[self] = reach[self] = limit;
    this.#handOver();
    isAsleep[self] = 0;
    const isWoken = sleepsOn[self] !== word;
    if (!isWoken) {
      sleepsOn[self] = NONE;
      time[self] = Math.max(time[self]!, limit) + wake;
      this.#awaitTurn();
    }
    this.#getCore();
    if (core[self] === NONE) this.#handOver();
    return isWoken ? WOKEN : TIMED_OUT;
  }

  /** Wakes up to `count` workers that sleep on the word, the longest sleepers first; returns how many. */
  notify(word: number, count: number): number {
    const { time, key, reach, sleepsOn, isAsleep } = this.#board;
    const { waiterList, notify: callNs, doze, wakeCall, wakeCallSoon, wake, wakeSoon } = this.#costs;
    const self = this.#self;
    this.access(LIST_LINE, true, waiterList);
    let woken = 0;
    for (; woken < count; woken++) {
      const sleeper = this.#longestSleeper(word);
      if (sleeper === NONE) break;
      sleepsOn[sleeper] = NONE;
      const isIdle = isAsleep[sleeper] === 1 && time[self]! - time[sleeper]! >= doze;
      if (isAsleep[sleeper] === 1)
        time[sleeper] = key[sleeper] = reach[sleeper] = time[self]! + (isIdle ? wake : wakeSoon);
      this.pass(isIdle ? wakeCall : wakeCallSoon);
    }
    this.pass(callNs);
    this.#mustLook = true;
    return woken;
  }

  /** An operation of this worker is done, before the window opens, within it, or after it has closed. */
  complete({ warmUp, operations, leastNs = 0 }: Window): "early" | "within" | "late" {
    const { time, totals, moments } = this.#board;
    const self = this.#self;
    this.#leaveWhenDue();
    for (;;) {
      if (this.#mustLook) this.#look();
      if (time[self]! <= this.#ownUntil) break;
      this.#awaitTurn();
    }
    if (moments[CLOSED]! < Number.POSITIVE_INFINITY) return "late";
    const completed = ++totals[COMPLETED]!;
    if (completed === warmUp) moments[OPENED] = time[self]!;
    if (completed <= warmUp) return "early";
    const elapsedNs = time[self]! - moments[OPENED]!;
    if (completed >= warmUp + operations && elapsedNs >= leastNs) moments[CLOSED] = time[self]!;
    return "within";
  }

  get isClosed(): boolean {
    return this.#board.moments[CLOSED]! < Number.POSITIVE_INFINITY;
  }

  /** This worker does nothing more. */
  end(): void {
    const { key, reach } = this.#board;
    this.#awaitTurn();
    this.#leaveCore();
    key[this.#self] = reach[this.#self] = Number.POSITIVE_INFINITY;
    const next = this.#soonest();
    if (next !== NONE) this.#giveToken(next);
    else if (this.#someoneSleeps()) this.#abandon();
  }

  #take(line: number, writes: boolean, start: number, length: number): number {
    const { core } = this.#board;
    const arrival = this.#lines.take(core[this.#self]!, line, writes, start, length);
    this.transfers++;
    if (writes) this.#endPolling(line, start);
    const isWanted = this.#board.first[line] !== NONE;
    if (isWanted && this.#costs.nearestFirst > 0 && this.#chance() < this.#costs.nearestFirst)
      this.#putNearestFirst(line);
    this.#serveFirst(line);
    this.#mustLook = true;
    return arrival;
  }

  /** Returns when this worker's request for the line takes effect: `effect`, or later where others come before. */
  #request(line: number, effect: number): number {
    const { first, next, requested, key, reach, freeAt } = this.#board;
    const self = this.#self;
    requested[self] = effect;
    let [before, after] = [NONE, first[line]!];
    for (; after !== NONE && requested[after]! <= effect; after = next[after]!) before = after;
    next[self] = after;
    if (before === NONE) first[line] = self;
    else next[before] = self;
    if (after !== NONE) key[after] = reach[after] = Number.POSITIVE_INFINITY;
    key[self] = reach[self] = Number.POSITIVE_INFINITY;
    this.#serveFirst(line);
    this.#handOver();
    first[line] = next[self]!;
    next[self] = NONE;
    return Math.max(freeAt[line]!, effect);
  }

  /** Of the workers that wait for the line, the first can go on when the line is free. */
  #serveFirst(line: number): void {
    const { first, key, reach, freeAt, requested } = this.#board;
    const worker = first[line]!;
    if (worker !== NONE) key[worker] = reach[worker] = Math.max(freeAt[line]!, requested[worker]!);
  }

  /** Of the workers whose requests have arrived, the one nearest to this one comes to the front. */
  #putNearestFirst(line: number): void {
    const { first, next, core, requested, freeAt, key, reach } = this.#board;
    const own = core[this.#self]!;
    const head = first[line]!;
    let [nearest, beforeNearest, before] = [head, NONE, head];
    for (let at = next[head]!; at !== NONE && requested[at]! <= freeAt[line]!; at = next[at]!) {
      if (this.#lines.distance(own, core[at]!) < this.#lines.distance(own, core[nearest]!))
        [nearest, beforeNearest] = [at, before];
      before = at;
    }
    if (beforeNearest === NONE) return;
    next[beforeNearest] = next[nearest]!;
    next[nearest] = head;
    first[line] = nearest;
    requested[nearest] = requested[head]!;
    key[head] = reach[head] = Number.POSITIVE_INFINITY;
  }

  /** Workers that poll the line see it go at `start`: they go on with as many polls as they have made until then. */
  #endPolling(line: number, start: number): void {
    const { polled, polledAt, pollNs, credit, time, key, reach } = this.#board;
    for (let worker = 0; worker < this.#workers; worker++) {
      if (polled[worker] !== line || worker === this.#self) continue;
      const polls = Math.max(0, Math.floor((start - polledAt[worker]!) / pollNs[worker]!));
      if (polls >= credit[worker]!) continue;
      credit[worker] = polls;
      polled[worker] = NONE;
      key[worker] = time[worker]! + polls * pollNs[worker]!;
      reach[worker] = key[worker]! + this.#leastDelay;
    }
  }

  /** Another worker gets the core where this one has had it for long enough. */
  #leaveWhenDue(): void {
    const { time, since, key, reach, turnToRun } = this.#board;
    const self = this.#self;
    // Fewer polls were made than this worker was left alone for.
    if (time[self]! < key[self]!) time[self] = key[self]!;
    if (!this.#isCrowded || time[self]! - since[self]! < this.#costs.quantum) return;
    this.#awaitTurn();
    if (this.#firstInLine() === NONE) {
      since[self] = time[self]!;
      return;
    }
    this.#leaveCore();
    turnToRun[self] = this.#nextOrder();
    key[self] = reach[self] = Number.POSITIVE_INFINITY;
    this.#handOver();
  }

  /** The worker that has waited for a core longest gets this worker's. */
  #leaveCore(): void {
    const { core, busy, time } = this.#board;
    const free = core[this.#self]!;
    core[this.#self] = NONE;
    const next = this.#firstInLine();
    busy[free] = 0;
    if (next !== NONE)
      this.#run(next, free, Math.max(time[next]!, time[this.#self]!) + this.#costs.switching);
    this.#mustLook = true;
  }

  /** This worker, which is awake, gets the core that it had if that is free, or another, or waits until one is. */
  #getCore(): void {
    const { busy, home, time, key, reach, turnToRun } = this.#board;
    const self = this.#self;
    const free = busy[home[self]!] === 0 ? home[self]! : busy.indexOf(0);
    if (free !== NONE) {
      this.#run(self, free, time[self]!);
      return;
    }
    turnToRun[self] = this.#nextOrder();
    key[self] = reach[self] = Number.POSITIVE_INFINITY;
  }

  #run(worker: number, on: number, at: number): void {
    const { busy, core, home, time, since, key, reach, turnToRun } = this.#board;
    busy[on] = 1;
    core[worker] = home[worker] = on;
    turnToRun[worker] = 0;
    time[worker] = since[worker] = key[worker] = at;
    reach[worker] = at + this.#leastDelay;
  }

  /** The worker that has waited for a core longest; NONE. */
  #firstInLine(): number {
    const { turnToRun } = this.#board;
    let found = NONE;
    for (let worker = 0; worker < this.#workers; worker++)
      if (turnToRun[worker]! > 0 && (found === NONE || turnToRun[worker]! < turnToRun[found]!))
        found = worker;
    return found;
  }

  #longestSleeper(word: number): number {
    const { sleepsOn, sleepOrder } = this.#board;
    let found = NONE;
    for (let worker = 0; worker < this.#workers; worker++)
      if (sleepsOn[worker] === word && (found === NONE || sleepOrder[worker]! < sleepOrder[found]!))
        found = worker;
    return found;
  }

  #someoneSleeps(): boolean {
    return this.#board.isAsleep.includes(1);
  }

  #nextOrder(): number {
    return ++this.#board.moments[ORDER]!;
  }

  /** How long this travel or stretch of work is, as a multiple of the usual: evenly about 1. */
  #length(): number {
    const { jitter } = this.#costs;
    return jitter === 0 ? 1 : 1 + jitter * (2 * this.#chance() - 1);
  }

  /** 0 .. 1, from a generator that all workers share (Marsaglia, xorshift32). */
  #chance(): number {
    const { totals } = this.#board;
    let bits = totals[CHANCE]!;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    totals[CHANCE] = bits;
    return (bits >>> 0) / 2 ** 32;
  }

  #look(): void {
    const { reach } = this.#board;
    let soonest = Number.POSITIVE_INFINITY;
    for (let worker = 0; worker < this.#workers; worker++)
      if (worker !== this.#self && reach[worker]! < soonest) soonest = reach[worker]!;
    this.#ownUntil = soonest;
    this.#mustLook = false;
  }

  #soonest(): number {
    const { key } = this.#board;
    let found = NONE;
    for (let worker = 0; worker < this.#workers; worker++)
      if (key[worker]! < Number.POSITIVE_INFINITY && (found === NONE || key[worker]! < key[found]!))
        found = worker;
    return found;
  }

  /** What others do before this worker's own time comes first. */
  #awaitTurn(): void {
    const now = this.#board.time[this.#self]!;
    this.#yield(now, now + this.#leastDelay);
  }

  /** What this worker does next takes effect then. Others go first where they come sooner; returns whether any did. */
  #yield(key: number, reach: number): boolean {
    this.#board.key[this.#self] = key;
    this.#board.reach[this.#self] = reach;
    return this.#handOver();
  }

  /** The worker whose next access comes soonest goes on. Returns when that is this one: whether others went first. */
  #handOver(): boolean {
    // A structure may clean up on its way out.
    if (this.#board.totals[ABANDONED] === 1) throw new Abandoned();
    this.#mustLook = true;
    const next = this.#soonest();
    if (next === this.#self) return false;
    if (next === NONE) this.#abandon();
    else this.#giveToken(next);
    this.#awaitToken();
    return true;
  }

  #giveToken(worker: number): void {
    store(this.#board.token, worker, 1);
    notify(this.#board.token, worker, 1);
  }

  #awaitToken(): void {
    const { token, totals } = this.#board;
    while (load(token, this.#self) === 0) wait(token, this.#self, 0);
    store(token, this.#self, 0);
    this.#mustLook = true;
    if (totals[ABANDONED] === 1) throw new Abandoned();
  }

  /** No worker can go on: each ends. */
  #abandon(): void {
    this.#board.totals[ABANDONED] = 1;
    for (let worker = 0; worker < this.#workers; worker++) this.#giveToken(worker);
  }
}
