import {
  type Attribution,
  type Capacity,
  type ChangeLog,
  formatted,
  inferred,
  NO_EVIDENCE,
  NOBODY,
  type OwnershipCompetitor,
} from "../../structures/ownership/ownership.contract.ts";
import { answersAreRight } from "../../structures/ownership/ownership.laws.ts";
import { type Allocation, allocateDoubles, allocateRegion } from "../../structures/shared/layout.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import type { WorkerIdentity } from "../../structures/shared/worker-identity.ts";
import type { Runner, Setup, WorkDone } from "../engine/race.ts";

/**
 * Resources whose history is over: ranges one after another with a short gap between, and lookups whose
 * answers are known. For what a lookup costs by itself, from one worker or several.
 */
export interface LookupParams {
  readonly resources: number;
  readonly ranges: number;
  /** Lookups drawn in advance, a power of two; they are asked in turn, so there should be some for every resource. */
  readonly lookups: number;
  readonly keys: "uniform" | "zipf";
  /** How many lookups in 8 are of each kind; the rest are hits anywhere in a range. */
  readonly inEight: Readonly<Partial<Record<Kind, number>>>;
}

/**
 * `miss`: in the gap after a range, or after the last one. `boundary`: at the first or the last millisecond of a
 * range, or next to it. `bridged`: in a gap between two ranges of one owner, with a tolerance that spans it.
 */
type Kind = "miss" | "boundary" | "bridged";

export interface LookupShared extends Allocation {
  readonly capacity: Capacity;
  readonly questions: Questions;
}

/** In columns of shared memory, so that all workers of a crew read the same. */
interface Questions {
  readonly resources: Int32Array;
  /** Integer ms, as float64. */
  readonly times: Float64Array;
  readonly answers: Int32Array;
}

/** Times are since the epoch, as with flows; this one is in 2025. */
export const ORIGIN_MS = 1_750_000_000_000;
const SPELL_MS = 60_000;
const GAP_MS = 1_000;
/** Spells of different resources do not begin together. */
const STAGGER_MS = 30_000;
const OWNERS = 4096;
/** Owners of a resource take turns; a gap between two ranges of one owner occurs only where bridges are asked for. */
const OWNERS_IN_TURN = 3;

export function capacityOf({ resources, ranges }: Pick<LookupParams, "resources" | "ranges">): Capacity {
  return {
    resources,
    owners: OWNERS,
    windowMs: STAGGER_MS + ranges * (SPELL_MS + GAP_MS) + GAP_MS,
    ranges: resources * ranges,
  };
}

/** In int32 words: more than that only a structure with a cell for every millisecond asks for at these sizes. */
const MOST_WORDS = 2 ** 24;
const MOST_WORDS_PER_RANGE = 32;

/** Why a log of changes has no place where claims are made. */
export const HEARS_CHANGES = "hears changes, not claims";

/** Why an instance of this capacity cannot take part; undefined if it can. */
export function tooLarge(competitor: OwnershipCompetitor, capacity: Capacity): string | undefined {
  const { ranges } = capacity;
  if (ranges > (competitor.mostRanges ?? ranges)) return "takes minutes to fill";
  const isDense = competitor.words(capacity) > Math.max(MOST_WORDS, ranges * MOST_WORDS_PER_RANGE);
  return isDense ? "would need a cell for every millisecond" : undefined;
}

/** Where the range `index` of a resource begins; it lasts SPELL_MS. */
function startOf(resource: number, index: number): number {
  return ORIGIN_MS + GAP_MS + ((resource * 7919) % STAGGER_MS) + index * (SPELL_MS + GAP_MS);
}

function ownerOf({ inEight }: Pick<LookupParams, "inEight">, resource: number, index: number): number {
  return (resource * 31 + (inEight.bridged === undefined ? index % OWNERS_IN_TURN : 0)) % OWNERS;
}

export function prepareLookups(competitor: OwnershipCompetitor, setup: Setup<LookupParams>): LookupShared {
  const { params, seed } = setup;
  const capacity = capacityOf(params);
  const allocation = formatted(competitor, capacity);
  if (!isPrivate(competitor, capacity)) {
    const worker = { index: 0, workers: setup.workers, role: "worker", seed };
    populate(competitor, allocation, capacity, worker, params);
  }
  return { ...allocation, capacity, questions: drawQuestions(params, new Random(seed)) };
}

export function isPrivate(competitor: OwnershipCompetitor, capacity: Capacity): boolean {
  return competitor.words(capacity) === 0;
}

/** A handle on a structure that has heard everything, in the order of time. */
export function populate(
  competitor: OwnershipCompetitor,
  { memory, linear }: Allocation,
  capacity: Capacity,
  worker: WorkerIdentity,
  params: Pick<LookupParams, "resources" | "ranges" | "inEight">,
): Attribution {
  const { resources, ranges } = params;
  if (competitor.hears === "changes")
    return populateLog(competitor.attach(memory, capacity, worker, linear), params);
  const ownership = competitor.attach(memory, capacity, worker, linear);
  ownership.trim(ORIGIN_MS);
  for (let index = 0; index < ranges; index++) {
    for (let resource = 0; resource < resources; resource++) {
      const start = startOf(resource, index);
      ownership.claim(resource, ownerOf(params, resource, index), start, start + SPELL_MS);
    }
  }
  return ownership;
}

const IDENTITY = { index: 0, workers: 1, role: "worker", seed: 1 };

/** The same for a survey, in memory of its own. */
export function fill(competitor: OwnershipCompetitor, resources: number, ranges: number, seed: number) {
  const capacity = capacityOf({ resources, ranges });
  const allocation = formatted(competitor, capacity);
  return populate(
    competitor,
    allocation,
    capacity,
    { ...IDENTITY, seed },
    { resources, ranges, inEight: {} },
  );
}

/** Every change arrives at once when it has happened. */
function populateLog(
  log: ChangeLog,
  params: Pick<LookupParams, "resources" | "ranges" | "inEight">,
): ChangeLog {
  const { resources, ranges } = params;
  // Time since the origin and number of the change in one float64, which sorts fast; both together take 2^48.
  const changes = 2 * resources * ranges;
  const order = new Float64Array(changes);
  for (let number = 0; number < changes; number++)
    order[number] = (changeAt(ranges, number) - ORIGIN_MS) * changes + number;
  order.sort();
  let at = ORIGIN_MS;
  for (const key of order) {
    const number = key % changes;
    at = changeAt(ranges, number);
    const resource = Math.floor(number / (2 * ranges));
    const index = (number >>> 1) % ranges;
    log.change(resource, number % 2 === 0 ? ownerOf(params, resource, index) : NOBODY, at, at);
  }
  return log;
}

/** When the change of that number happens: the even ones begin ranges, the odd ones end them. */
function changeAt(ranges: number, number: number): number {
  const start = startOf(Math.floor(number / (2 * ranges)), (number >>> 1) % ranges);
  return number % 2 === 0 ? start : start + SPELL_MS;
}

function drawQuestions(params: LookupParams, random: Random): Questions {
  const { resources, lookups, inEight } = params;
  const questions = {
    resources: allocateRegion(lookups),
    times: allocateDoubles(lookups),
    answers: allocateRegion(lookups),
  };
  const drawResource = params.keys === "zipf" ? zipf(resources, random) : () => random.below(resources);
  const kinds = (["miss", "boundary", "bridged"] as const).flatMap((kind) =>
    Array.from({ length: inEight[kind] ?? 0 }, () => kind),
  );
  for (let index = 0; index < lookups; index++) {
    const resource = drawResource();
    const { t, answer } = drawQuestion(params, kinds[random.below(8)], resource, random);
    questions.resources[index] = resource;
    questions.times[index] = t;
    questions.answers[index] = answer;
  }
  return questions;
}

function drawQuestion(params: LookupParams, kind: Kind | undefined, resource: number, random: Random) {
  const { ranges } = params;
  const index = random.below(ranges);
  const start = startOf(resource, index);
  const owner = ownerOf(params, resource, index);
  switch (kind) {
    case undefined:
      return { t: start + random.below(SPELL_MS), answer: owner };
    case "miss":
      return { t: start + SPELL_MS + random.below(GAP_MS), answer: NO_EVIDENCE };
    case "bridged": {
      const gap = startOf(resource, random.below(ranges - 1)) + SPELL_MS;
      return { t: gap + random.below(GAP_MS), answer: inferred(owner) };
    }
    case "boundary": {
      const edge = random.below(4);
      const isIn = edge === 1 || edge === 2;
      const t = edge < 2 ? start - 1 + edge : start + SPELL_MS - 3 + edge;
      return { t, answer: isIn ? owner : NO_EVIDENCE };
    }
  }
}

/** YCSB's exponent, that of requests to web objects: a hundredth of 10,000 resources get half of the lookups. */
const ZIPF_EXPONENT = 0.99;

/** Draws resources so that the k-th most frequent one comes up in proportion to 1 / k^0.99; which those are is random. */
function zipf(resources: number, random: Random): () => number {
  const ranked = random.shuffle(Int32Array.from({ length: resources }, (_, resource) => resource));
  const sums = new Float64Array(resources);
  let sum = 0;
  for (let rank = 0; rank < resources; rank++) sums[rank] = sum += (rank + 1) ** -ZIPF_EXPONENT;
  return () => {
    const drawn = random.fraction() * sum;
    let low = 0;
    let high = resources - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (sums[middle]! > drawn) high = middle;
      else low = middle + 1;
    }
    return ranked[low]!;
  };
}

/** Asks the questions in turn, each worker from another one on. The checksum is the number of right answers. */
export class Lookups implements Runner {
  readonly #attribution: Attribution;
  readonly #questions: Questions;
  readonly #toleranceMs: number;
  #next: number;

  constructor(
    attribution: Attribution,
    { questions }: LookupShared,
    { inEight }: LookupParams,
    worker: WorkerIdentity,
  ) {
    this.#attribution = attribution;
    this.#questions = questions;
    this.#toleranceMs = inEight.bridged === undefined ? 0 : GAP_MS;
    this.#next = Math.floor((questions.answers.length * worker.index) / worker.workers);
  }

  run(operations: number): number {
    const attribution = this.#attribution;
    const toleranceMs = this.#toleranceMs;
    const { resources, times, answers } = this.#questions;
    const mask = answers.length - 1;
    let next = this.#next;
    let right = 0;
    for (let operation = 0; operation < operations; operation++) {
      if (attribution.ownerAt(resources[next]!, times[next]!, toleranceMs) === answers[next]!) right++;
      next = (next + 1) & mask;
    }
    this.#next = next;
    return right | 0;
  }
}

export function lookupLaw(work: readonly WorkDone[]): string | undefined {
  for (const { operations, checksum } of work) {
    const broken = answersAreRight(operations | 0, checksum, 0);
    if (broken !== undefined) return broken;
  }
  return undefined;
}
