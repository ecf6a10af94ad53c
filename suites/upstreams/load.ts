import { setTimeout as pass } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { Random } from "../../structures/shared/sfc32.ts";

/**
 * Requests that are sent at times which are fixed beforehand, whether or not the ones before have been answered: an open
 * loop. A request's time counts from when it was due. So the wait behind a client or a server that stands still is in
 * it, and is not omitted because the client stood still with it ("coordinated omission": G. Tene, whose wrk2 measures
 * so).
 */
export interface Schedule {
  /** When each is due, in ms after the first: arrivals of a Poisson process, in order. */
  readonly dueMs: readonly number[];
  /** What each takes of a server, in whole ms: exponentially distributed, and 1 at least. */
  readonly demandMs: readonly number[];
}

export interface Rate {
  readonly requests: number;
  readonly perSecond: number;
  readonly meanDemandMs: number;
}

/** The same for the same seed, so that all competitors have the same requests. */
export function scheduleOf({ requests, perSecond, meanDemandMs }: Rate, seed: number): Schedule {
  const random = new Random(seed);
  // Of 1 - u, because u may be 0.
  const exponential = (mean: number) => -mean * Math.log(1 - random.fraction());
  const dueMs: number[] = [];
  for (let due = 0; dueMs.length < requests; due += exponential(1000 / perSecond)) dueMs.push(due);
  return { dueMs, demandMs: dueMs.map(() => 1 + Math.round(exponential(meanDemandMs - 1))) };
}

/** Of one request, what its handler heard. */
export interface Heard {
  readonly dueMs: number;
  /** By how much later than it was due it was dispatched, in ms. */
  readonly lateMs: number;
  /** From when it was due to the end of its answer, in ms; Infinity if none came but one that refuses. */
  readonly tookMs: number;
  /** The answer, if it was answered. */
  readonly answer: string | undefined;
  /** Whether its answer was a status of 500 or more: it was not served. */
  readonly isRefused: boolean;
  /** How often it ended so: once in all, if the dispatcher keeps its promise. */
  readonly answered: number;
  readonly failed: number;
}

/** What requests name; no server has it, and a dispatcher replaces it. */
const ORIGIN = "http://upstreams.test";
/** Between two looks what is due, in ms: the least that Node's timers can. */
const LOOK_EVERY_MS = 1;

export interface Limits {
  /** A request that has not ended this long after it was due is aborted, and so fails. */
  readonly timeoutMs: number;
  /** How long after that one is waited for that does not end even so. */
  readonly patienceMs: number;
}

export class Load {
  readonly #schedule: Schedule;
  readonly #limits: Limits;
  readonly #begunMs = performance.now();
  readonly #requests: Request[] = [];
  /** Dispatched and not ended. */
  #inFlight = 0;

  /** It begins now. */
  constructor(schedule: Schedule, limits: Limits) {
    this.#schedule = schedule;
    this.#limits = limits;
  }

  /** Since it began. */
  nowMs(): number {
    return performance.now() - this.#begunMs;
  }

  /** Resolves when this share of the schedule has passed. */
  at(share: number): Promise<void> {
    return pass(Math.max(0, share * this.#schedule.dueMs.at(-1)! - this.nowMs()));
  }

  /** Sends all, and resolves when each has ended, or should have. */
  async sendTo(dispatcher: Dispatcher): Promise<readonly Heard[]> {
    const { dueMs, demandMs } = this.#schedule;
    const { timeoutMs, patienceMs } = this.#limits;
    const until = dueMs.at(-1)! + timeoutMs + patienceMs;
    let oldest = 0;
    for (;;) {
      for (let next = this.#requests.length; next < dueMs.length && dueMs[next]! <= this.nowMs(); next++) {
        const request = new Request(this, dueMs[next]!);
        this.#requests.push(request);
        this.#inFlight++;
        dispatcher.dispatch({ origin: ORIGIN, path: `/${next}/${demandMs[next]}`, method: "GET" }, request);
      }
      const overdueMs = this.nowMs() - timeoutMs;
      for (; oldest < this.#requests.length && dueMs[oldest]! < overdueMs; oldest++) {
        this.#requests[oldest]!.giveUp();
      }
      const isSent = this.#requests.length === dueMs.length;
      if (isSent && (this.#inFlight === 0 || this.nowMs() > until)) return this.#requests;
      await pass(LOOK_EVERY_MS);
    }
  }

  /** For its requests: one has ended for the first time. */
  ended(): void {
    this.#inFlight--;
  }
}

class Request implements Dispatcher.DispatchHandler, Heard {
  readonly #load: Load;
  readonly dueMs: number;
  readonly lateMs: number;
  tookMs = Number.POSITIVE_INFINITY;
  answer: string | undefined;
  isRefused = false;
  answered = 0;
  failed = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #hasGivenUp = false;
  #read = "";

  constructor(load: Load, dueMs: number) {
    this.#load = load;
    this.dueMs = dueMs;
    this.lateMs = load.nowMs() - dueMs;
  }

  giveUp(): void {
    if (this.answered + this.failed > 0) return;
    this.#hasGivenUp = true;
    this.#controller?.abort(new Error("timed out"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#hasGivenUp) controller.abort(new Error("timed out"));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    this.isRefused = statusCode >= 500;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read += chunk.toString("latin1");
  }

  onResponseEnd(): void {
    if (this.answered++ + this.failed === 0) this.#load.ended();
    if (!this.isRefused) this.tookMs = this.#load.nowMs() - this.dueMs;
    this.answer = this.#read;
  }

  onResponseError(): void {
    if (this.failed++ + this.answered === 0) this.#load.ended();
  }
}
