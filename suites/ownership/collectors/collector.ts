import { createHash } from "node:crypto";
import {
  type ClaimsCompetitor,
  NO_EVIDENCE,
  type Ownership,
  privateOwnership,
} from "../../../structures/ownership/ownership.contract.ts";
import {
  allocateStream,
  type ClaimStream,
  exportClaims,
} from "../../../structures/ownership/parts/stream.ts";
import {
  type Bounds,
  HOLDBACK,
  KINDS,
  kindOf,
  LAGS_S,
  NONE,
  ORIGIN,
  RIGHT,
  TRIM_EVERY_MS,
} from "../collector.ts";
import type { Workload } from "./workload.ts";

/** The run goes on in steps of this simulated time: what happens in one is sent together. */
export const STEP_MS = 1_000;

/** A report comes within two minutes of its flow's end, by far, and is asked about for six more. */
export const SLOWEST_S = 600;

export interface CollectorPlan {
  readonly bounds: Bounds;
  readonly horizonMs: number;
  /** All that its agents report. */
  readonly workload: Workload;
  /** Whether a question is asked at every lag, as the simulation does, or from the holdback on until it is answered. */
  readonly asks: "at every lag" | "until answered";
}

/** Steps until the last question has been asked for the last time. */
export function stepsOf({ horizonMs, bounds }: Pick<CollectorPlan, "horizonMs" | "bounds">): number {
  return Math.ceil((horizonMs + bounds.retentionMs) / STEP_MS);
}

/** What a collector's answers were, judged. */
export interface Tally {
  /** answers[lag * KINDS + kind]. */
  readonly answers: Int32Array;
  /** Questions by the seconds from the end of the flow to its first right answer, SLOWEST_S or more in one. */
  readonly delays: Int32Array;
  /** Questions of the collector, what it looked up for them, and answers that it owed, because it was not there. */
  questions: number;
  lookups: number;
  unserved: number;
  /** Claims heard that it had forgotten before. */
  refused: number;
}

/** One collector: its reports, and its answers. It is independent of transports. */
export class Collector {
  readonly tally: Tally;
  readonly #plan: CollectorPlan;
  readonly #workload: Workload;
  readonly #ownership: Ownership;
  /** The next of its agents' claims, and for each lag the next question. */
  #nextClaim = 0;
  readonly #nextQuestions = new Int32Array(LAGS_S.length);
  /** The last answer's kind, one more than it, for each question that is answered; 0 for others. */
  readonly #answered: Uint8Array;
  readonly #isRight: Uint8Array;
  #trimmedAtMs = 0;

  constructor(competitor: ClaimsCompetitor, plan: CollectorPlan) {
    this.#plan = plan;
    this.#workload = plan.workload;
    this.#ownership = privateOwnership(competitor, plan.bounds.capacity, ORIGIN + plan.bounds.earliest);
    const mostQuestions = plan.workload.questions.askedAt.length;
    this.#answered = new Uint8Array(mostQuestions);
    this.#isRight = new Uint8Array(mostQuestions);
    this.tally = {
      answers: new Int32Array(LAGS_S.length * KINDS),
      delays: new Int32Array(SLOWEST_S + 1),
      questions: 0,
      lookups: 0,
      unserved: 0,
      refused: 0,
    };
  }

  /** Leaves out all that happened before a step, because this collector was not there. */
  beginAt(step: number): void {
    const nowMs = step * STEP_MS;
    const { claims, questions } = this.#workload;
    while (this.#nextClaim < claims.count && claims.arrivals[this.#nextClaim]! < nowMs) this.#nextClaim++;
    for (const [lag, seconds] of LAGS_S.entries()) {
      let next = 0;
      while (next < questions.count && questions.askedAt[next]! + 1000 * seconds < nowMs) next++;
      this.#nextQuestions[lag] = next;
    }
    this.trimAt(step);
  }

  /** Hears and returns the claims of its own agents that come in a step. */
  claim(step: number): ClaimStream {
    const { arrivals, count, resources, owners, starts, ends } = this.#workload.claims;
    const endMs = (step + 1) * STEP_MS;
    const first = this.#nextClaim;
    let past = first;
    while (past < count && arrivals[past]! < endMs) past++;
    this.#nextClaim = past;
    const stream = allocateStream(past - first);
    stream.resources.set(resources.subarray(first, past));
    stream.owners.set(owners.subarray(first, past));
    for (let index = 0; index < past - first; index++) {
      stream.starts[index] = ORIGIN + starts[first + index]!;
      stream.ends[index] = ORIGIN + ends[first + index]!;
    }
    this.hear(stream);
    return stream;
  }

  hear({ resources, owners, starts, ends }: ClaimStream): void {
    for (let index = 0; index < resources.length; index++)
      if (!this.#ownership.claim(resources[index]!, owners[index]!, starts[index]!, ends[index]!))
        this.tally.refused++;
  }

  /** Gives the answers that are due in a step, and forgets what no question will ask about. */
  answer(step: number): void {
    const { askedAt, count } = this.#workload.questions;
    const endMs = (step + 1) * STEP_MS;
    const firstLag = this.#plan.asks === "at every lag" ? 0 : HOLDBACK;
    for (let lag = firstLag; lag < LAGS_S.length; lag++) {
      const lagMs = 1000 * LAGS_S[lag]!;
      let next = this.#nextQuestions[lag]!;
      while (next < count && askedAt[next]! + lagMs < endMs) this.#answer(next++, lag);
      this.#nextQuestions[lag] = next;
    }
    if (endMs - this.#trimmedAtMs >= TRIM_EVERY_MS) this.trimAt(step + 1);
  }

  #answer(question: number, lag: number): void {
    const { askedAt, about, resources, truths, stops } = this.#workload.questions;
    const isOver = this.#plan.asks === "until answered" && this.#answered[question] !== 0;
    const said = isOver
      ? NO_EVIDENCE
      : this.#ownership.ownerAt(resources[question]!, ORIGIN + about[question]!, 0);
    const kind = isOver ? this.#answered[question]! - 1 : kindOf(said, truths[question]!);
    const { answers, delays } = this.tally;
    answers[lag * KINDS + kind]!++;
    const askedMs = askedAt[question]! + 1000 * LAGS_S[lag]!;
    if (isOver) return;
    this.tally.lookups++;
    if (kind === RIGHT && this.#isRight[question] === 0) {
      this.#isRight[question] = 1;
      delays[Math.min(SLOWEST_S, Math.ceil((askedMs - stops[question]!) / 1000))]!++;
    }
    if (kind < NONE) this.#answered[question] = kind + 1;
  }

  trimAt(step: number): void {
    this.#trimmedAtMs = step * STEP_MS;
    const { retentionMs, earliest } = this.#plan.bounds;
    this.#ownership.trim(ORIGIN + Math.max(earliest, this.#trimmedAtMs - retentionMs));
  }

  /** Counts what it was not there for, when the run is over. */
  close(): Tally {
    const { count } = this.#workload.questions;
    this.tally.questions = count;
    const lags = this.#plan.asks === "at every lag" ? LAGS_S.length : LAGS_S.length - HOLDBACK;
    this.tally.unserved = lags * count - this.tally.answers.reduce((sum, count) => sum + count, 0);
    return this.tally;
  }

  get bytes(): number | undefined {
    return this.#ownership.bytes?.();
  }

  /** All that it knows. */
  holdings(): ClaimStream {
    return exportClaims(this.#ownership, this.#plan.bounds.capacity);
  }
}

/** Two collectors agree, down to the last range, if that of their holdings is the same. */
export function digestOf(holdings: ClaimStream): string {
  const hash = createHash("sha256");
  for (const column of Object.values(holdings) as (Int32Array | Float64Array)[])
    hash.update(new Uint8Array(column.buffer, column.byteOffset, column.byteLength));
  return hash.digest("hex");
}
