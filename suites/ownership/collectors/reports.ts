import { STEP_MS } from "./collector.ts";
import {
  allocateWorkload,
  appendWorkload,
  cutWorkload,
  openWorkload,
  type Place,
  type Workload,
  type WorkloadSize,
} from "./workload.ts";

/**
 * What agents report to their collector in messages: the flows of a step, in words of 32 bits. Each has its claim and
 * the question that it asks. Messages have numbers, so that one which comes twice, or before another, does no harm. The
 * truth goes with each question, 8 of 40 bytes that no agent would send: it is for the judge of the answers.
 *
 *     word 0  number of the message     word 1  step     word 2  1 if it is the last of its step
 *     word 3  a part of a workload
 */
const HEAD_WORDS = 3;
/** 40 bytes each: a message stays below the megabyte that NATS takes. */
const MOST_REPORTS = 8192;

/** All messages to one collector, in their order. */
export function* messagesOf(words: Int32Array, steps: number): Generator<Uint8Array> {
  const workload = openWorkload(words);
  let number = 0;
  let from: Place = { claim: 0, question: 0 };
  for (let step = 0; step < steps; step++) {
    const end = endOf(workload, from, step);
    for (let isLast = false; !isLast; ) {
      const to = {
        claim: Math.min(end.claim, from.claim + MOST_REPORTS),
        question: Math.min(end.question, from.question + MOST_REPORTS),
      };
      isLast = to.claim === end.claim && to.question === end.question;
      yield messageOf([number++, step, isLast ? 1 : 0], cutWorkload(workload, from, to));
      from = to;
    }
  }
}

function endOf({ claims, questions }: Workload, from: Place, step: number): Place {
  const endMs = (step + 1) * STEP_MS;
  let { claim, question } = from;
  while (claim < claims.count && claims.arrivals[claim]! < endMs) claim++;
  while (question < questions.count && questions.askedAt[question]! < endMs) question++;
  return { claim, question };
}

function messageOf(head: readonly [number, number, number], part: Int32Array): Uint8Array {
  const words = new Int32Array(HEAD_WORDS + part.length);
  words.set(head);
  words.set(part, HEAD_WORDS);
  return new Uint8Array(words.buffer);
}

/** What a collector has taken of its agents' messages. */
export class Desk {
  readonly workload: Workload;
  /** Of all steps before this one all reports are there. */
  before = 0;
  #next = 0;

  constructor(size: WorkloadSize) {
    this.workload = allocateWorkload(size);
  }

  /** Returns the step of a message that it has; undefined for one that comes before another, which has to come again. */
  take(message: Uint8Array): number | undefined {
    // A message may begin anywhere in the bytes from the network, and words have to be aligned.
    const words = new Int32Array(new Uint8Array(message).buffer);
    const [number, step, last] = words as unknown as readonly [number, number, number];
    if (number > this.#next) return undefined;
    if (number < this.#next) return step;
    appendWorkload(this.workload, openWorkload(words.subarray(HEAD_WORDS)));
    this.#next++;
    if (last === 1) this.before = step + 1;
    return step;
  }
}
