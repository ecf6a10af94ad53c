import {
  type Capacity,
  CONFLICT,
  formatted,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "../../structures/ownership/ownership.contract.ts";
import { answersAreRight, claimsAreKept, trimsForget } from "../../structures/ownership/ownership.laws.ts";
import { type Allocation, allocateRegion, type Region } from "../../structures/shared/layout.ts";
import { scrambled } from "../../structures/shared/murmur3.ts";
import { Random } from "../../structures/shared/sfc32.ts";
import type { Column, Runner, Setup, WorkDone } from "../engine/race.ts";
import { ORIGIN_MS } from "./population.ts";

/**
 * A window of time that moves on for ever. Every resource is claimed once in each row of time. In one row of fifty the
 * claims of two rows change places. One claim in a hundred thus comes a row late, and its partner a row early. Every
 * 128 rows a resource changes owner, which leaves a short gap or, one time in four, an overlap. A watermark follows.
 * Two owners take turns with each resource, so the same claims come again every 256 rows. The right answer of a lookup
 * is thus known in advance however far the writer has come.
 */
export interface WindowParams {
  readonly resources: number;
  /** What a claim covers, ms, at least 8. */
  readonly rowMs: number;
  /** Lookups drawn in advance, a power of two. */
  readonly lookups: number;
}

export interface WindowShared extends Allocation {
  readonly capacity: Capacity;
  /** Word 0: rows of claims made so far; written by the writer after each, read by readers. */
  readonly clock: Region;
  /** The resources in the order in which each row visits them. */
  readonly visits: Int32Array;
  /** What each of them is at these visits: the row of the first change of owner, and the owner of even turns. */
  readonly phases: Int32Array;
  readonly owners: Int32Array;
  readonly questions: Questions;
}

/** Lookups drawn in advance, with their answers. */
interface Questions {
  readonly resources: Int32Array;
  /** Row of the period. */
  readonly rows: Int32Array;
  /** Ms into the row. */
  readonly into: Int32Array;
  readonly answers: Int32Array;
}

const ROWS_PER_OWNER = 128;
const PERIOD_ROWS = 2 * ROWS_PER_OWNER;
/** Of the pairs of rows of a resource, the claims of one in this many change places: one claim in 100 is late. */
const PAIRS_PER_LATE_ONE = 50;
const LATE_BELOW = 2 ** 32 / PAIRS_PER_LATE_ONE;
/**
 * Rows back from the clock within which a point may still wait for evidence. They are its own row, the next one, whose
 * claim may overlap it, and a row for a late claim.
 */
const UNSETTLED_ROWS = 3;
/** Rows kept beyond the reach of lookups, so that few are overtaken between choosing a time and asking. */
const SLACK_ROWS = 32;
/** Rows between two trims, a power of two: a trim visits every resource, so it costs a claim a sixteenth of a visit. */
const ROWS_PER_TRIM = 16;
const KEPT_ROWS = PERIOD_ROWS + SLACK_ROWS + UNSETTLED_ROWS;
const OWNERS = 4096;
/**
 * Row in which races begin, the first of a pair: the rows before it are claimed in advance. Two rows on comes a trim, so
 * that there is one also where a row takes long.
 */
const FIRST_ROW = 2 * PERIOD_ROWS - 2;

/**
 * Stretches of one owner that the kept rows and the rows up to the next trim can hold of a resource. These are the
 * owners of parts of three turns, a fourth for what reaches in, and one more while a claim is a row early.
 */
const RANGES_PER_RESOURCE = 5;

/** A new owner starts this long after the old one ended, or one time in four this long before. */
const shortMs = (rowMs: number) => rowMs >> 2;

/** Rows by which a resource is ahead: it changes owner where row and phase together are a multiple of 128, its age. */
function phaseOf(resource: number): number {
  return scrambled(resource) & (ROWS_PER_OWNER - 1);
}

function firstOwnerOf(resource: number): number {
  return (scrambled(~resource) >>> 0) % (OWNERS - 1);
}

function ownerIn(firstOwner: number, age: number): number {
  return firstOwner + ((age / ROWS_PER_OWNER) & 1);
}

/** How long after the start of the row its claim starts, ms: other than 0 in rows in which the owner is a new one. */
function leadIn(resource: number, age: number, rowMs: number): number {
  if ((age & (ROWS_PER_OWNER - 1)) !== 0) return 0;
  const turn = (age / ROWS_PER_OWNER) & 1;
  return (scrambled(2 * resource + turn) & 3) === 0 ? -shortMs(rowMs) : shortMs(rowMs);
}

/** The row whose claim arrives in `row`: this one, or its neighbour in a pair of rows whose claims change places. */
function claimedIn(resource: number, row: number): number {
  const pair = row >>> 1;
  return scrambled(resource ^ Math.imul(pair, 0x9e3779b1)) >>> 0 < LATE_BELOW ? row ^ 1 : row;
}

/** The answer about a resource of a structure that has heard every claim, some ms into a row. */
function settledAnswer(resource: number, row: number, into: number, rowMs: number): number {
  const age = row + phaseOf(resource);
  if (into < leadIn(resource, age, rowMs)) return NO_EVIDENCE;
  if (into >= rowMs + Math.min(0, leadIn(resource, age + 1, rowMs))) return CONFLICT;
  return ownerIn(firstOwnerOf(resource), age);
}

/** Row of the highest watermark that the writer has set when the clock says `row`. */
function watermarkRowAt(row: number): number {
  return Math.max(0, row - KEPT_ROWS);
}

export function windowCapacity({ resources, rowMs }: Pick<WindowParams, "resources" | "rowMs">): Capacity {
  return {
    resources,
    owners: OWNERS,
    // From the watermark to the end of the row after the one that is being claimed, whose claim may come early.
    windowMs: (KEPT_ROWS + ROWS_PER_TRIM + 3) * rowMs,
    ranges: resources * RANGES_PER_RESOURCE,
  };
}

export function prepareWindow(competitor: OwnershipCompetitor, setup: Setup<WindowParams>): WindowShared {
  const { resources, rowMs, lookups } = setup.params;
  const capacity = windowCapacity(setup.params);
  const random = new Random(setup.seed);
  const allocation = formatted(competitor, capacity);
  const visits = allocateRegion(resources);
  for (let resource = 0; resource < resources; resource++) visits[resource] = resource;
  random.shuffle(visits);
  const shared = {
    ...allocation,
    capacity,
    clock: allocateRegion(1),
    visits,
    phases: allocateRegion(resources),
    owners: allocateRegion(resources),
    questions: drawQuestions(resources, rowMs, lookups, random),
  };
  for (const [visit, resource] of visits.entries()) {
    shared.phases[visit] = phaseOf(resource);
    shared.owners[visit] = firstOwnerOf(resource);
  }
  Atomics.store(shared.clock, 0, FIRST_ROW);
  return shared;
}

/** Claims all that is kept when races begin: spell by spell, which says the same as row by row. */
export function fillWindow(ownership: Ownership, visits: Int32Array, rowMs: number): void {
  const firstRow = watermarkRowAt(FIRST_ROW);
  ownership.trim(ORIGIN_MS + firstRow * rowMs);
  for (const resource of visits) {
    const phase = phaseOf(resource);
    const firstOwner = firstOwnerOf(resource);
    for (let row = firstRow; row < FIRST_ROW; ) {
      const age = row + phase;
      const start = ORIGIN_MS + row * rowMs + leadIn(resource, age, rowMs);
      row = Math.min(row + ROWS_PER_OWNER - (age & (ROWS_PER_OWNER - 1)), FIRST_ROW);
      ownership.claim(resource, ownerIn(firstOwner, age), start, ORIGIN_MS + row * rowMs);
    }
  }
}

function drawQuestions(resources: number, rowMs: number, lookups: number, random: Random): Questions {
  const questions = {
    resources: allocateRegion(lookups),
    rows: allocateRegion(lookups),
    into: allocateRegion(lookups),
    answers: allocateRegion(lookups),
  };
  for (let index = 0; index < lookups; index++) {
    const resource = random.below(resources);
    const [row, into] =
      random.below(8) === 0
        ? drawNearChange(resource, rowMs, random)
        : [random.below(PERIOD_ROWS), random.below(rowMs)];
    questions.resources[index] = resource;
    questions.rows[index] = row;
    questions.into[index] = into;
    questions.answers[index] = settledAnswer(resource, row, into, rowMs);
  }
  return questions;
}

/** A point in the gap or the overlap between two owners, or close by. */
function drawNearChange(resource: number, rowMs: number, random: Random): [number, number] {
  const last = PERIOD_ROWS - 1;
  const changeRow = last - ((last + phaseOf(resource)) & (ROWS_PER_OWNER - 1));
  const distanceMs = random.below(2 * shortMs(rowMs));
  return random.below(2) === 0 ? [changeRow, distanceMs] : [changeRow - 1, rowMs - 1 - distanceMs];
}

/**
 * One operation in this many is timed by itself: often enough for a hundredth, too seldom to be felt by the others. A
 * prime, so that it does not fall on the same visit of every row.
 */
const OPERATIONS_PER_SAMPLE = 1021;
/** The last samples that count: fewer than a race measures, so that warming up is not among them. */
const SAMPLES_KEPT = 2048;

/** How long single operations took, with one reading of the clock in it. */
class Latencies {
  readonly #ns = new Float64Array(SAMPLES_KEPT);
  #taken = 0;

  add(ms: number): void {
    this.#ns[this.#taken++ % SAMPLES_KEPT] = 1e6 * ms;
  }

  /** Below which 99 of 100 lie; nothing where none was timed. */
  counters(): { readonly p99?: number } {
    const sorted = this.#ns.slice(0, Math.min(this.#taken, SAMPLES_KEPT)).sort();
    return sorted.length === 0 ? {} : { p99: sorted[Math.ceil(0.99 * sorted.length) - 1]! };
  }
}

/**
 * Claims row after row, and sets the clock at the end of each. One claim in 1,021 is timed by itself, and asked about
 * when it has been made. That also holds a replica that only its own worker sees to its claims. After a trim comes a
 * question about what was trimmed.
 */
export class Writer implements Runner {
  readonly #ownership: Ownership;
  readonly #shared: WindowShared;
  readonly #rowMs: number;
  readonly #latencies = new Latencies();
  readonly #operationsPerSample: number;
  #untilSample: number;
  #row: number;
  #visit = 0;
  #accepted = 0;
  #checks = 0;
  #checkedRight = 0;
  #remembered = 0;
  #trimMs = 0;

  constructor(
    ownership: Ownership,
    shared: WindowShared,
    params: WindowParams,
    operationsPerSample = OPERATIONS_PER_SAMPLE,
  ) {
    this.#ownership = ownership;
    this.#shared = shared;
    this.#rowMs = params.rowMs;
    this.#operationsPerSample = operationsPerSample;
    this.#untilSample = operationsPerSample;
    this.#row = Atomics.load(shared.clock, 0);
  }

  /** The checksum is the number of claims accepted. */
  run(operations: number): number {
    const before = this.#accepted;
    let left = operations;
    while (left >= this.#untilSample) {
      left -= this.#untilSample;
      this.#claim(this.#untilSample - 1);
      this.#claimTimed();
      this.#untilSample = this.#operationsPerSample;
    }
    this.#claim(left);
    this.#untilSample -= left;
    return (this.#accepted - before) | 0;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      accepted: this.#accepted,
      checks: this.#checks,
      checkedRight: this.#checkedRight,
      remembered: this.#remembered,
      trimming: 1e6 * this.#trimMs,
      ...this.#latencies.counters(),
    };
  }

  /** Makes the next claims, and what is due at the ends of rows. */
  #claim(claims: number): void {
    const ownership = this.#ownership;
    const { visits, phases, owners } = this.#shared;
    const rowMs = this.#rowMs;
    for (let left = claims; left > 0; ) {
      const thisRow = this.#row;
      const from = this.#visit;
      const past = Math.min(visits.length, from + left);
      let accepted = 0;
      for (let visit = from; visit < past; visit++) {
        const resource = visits[visit]!;
        const row = claimedIn(resource, thisRow);
        const age = row + phases[visit]!;
        const rowStart = ORIGIN_MS + row * rowMs;
        const start = rowStart + leadIn(resource, age, rowMs);
        if (ownership.claim(resource, ownerIn(owners[visit]!, age), start, rowStart + rowMs)) accepted++;
      }
      this.#accepted += accepted;
      this.#visit = past;
      left -= past - from;
      if (past === visits.length) this.#endRow();
    }
  }

  #claimTimed(): void {
    const { visits } = this.#shared;
    const resource = visits[this.#visit]!;
    const row = claimedIn(resource, this.#row);
    const begunMs = performance.now();
    this.#claim(1);
    this.#latencies.add(performance.now() - begunMs);
    // No other owner reaches into the middle of a row.
    const age = row + phaseOf(resource);
    const middle = ORIGIN_MS + row * this.#rowMs + (this.#rowMs >> 1);
    this.#checks++;
    if (this.#ownership.ownerAt(resource, middle) === ownerIn(firstOwnerOf(resource), age))
      this.#checkedRight++;
  }

  #endRow(): void {
    this.#visit = 0;
    this.#row++;
    // Before the trim, so that a reader that finds nothing can see from the clock that retention was there first.
    Atomics.store(this.#shared.clock, 0, this.#row);
    if ((this.#row & (ROWS_PER_TRIM - 1)) === 0) this.#trim();
  }

  #trim(): void {
    const watermark = ORIGIN_MS + watermarkRowAt(this.#row) * this.#rowMs;
    const begunMs = performance.now();
    this.#ownership.trim(watermark);
    this.#trimMs += performance.now() - begunMs;
    // In the row before the watermark something was claimed in any case: only the trim can have emptied it.
    const { visits } = this.#shared;
    const resource = visits[(this.#row / ROWS_PER_TRIM) % visits.length]!;
    if (this.#ownership.ownerAt(resource, watermark - 1) !== NO_EVIDENCE) this.#remembered++;
  }
}

/** Lookups between two looks at the clock, which cost as much as a lookup. */
const LOOKUPS_PER_LOOK = 16;

/** Asks the questions in turn, each about the latest settled row of its place in the period. */
export class Reader implements Runner {
  readonly #ownership: Ownership;
  readonly #clock: Region;
  readonly #questions: Questions;
  readonly #rowMs: number;
  readonly #latencies = new Latencies();
  #untilSample = OPERATIONS_PER_SAMPLE;
  #next: number;
  #lookups = 0;
  #right = 0;
  #expired = 0;

  constructor(
    ownership: Ownership,
    { clock, questions }: WindowShared,
    { rowMs }: WindowParams,
    first: number,
  ) {
    this.#ownership = ownership;
    this.#clock = clock;
    this.#questions = questions;
    this.#rowMs = rowMs;
    this.#next = first;
  }

  /** The checksum is the number of right answers. */
  run(operations: number): number {
    const before = this.#right;
    let left = operations;
    while (left >= this.#untilSample) {
      left -= this.#untilSample;
      this.#look(this.#untilSample - 1);
      const begunMs = performance.now();
      this.#look(1);
      this.#latencies.add(performance.now() - begunMs);
      this.#untilSample = OPERATIONS_PER_SAMPLE;
    }
    this.#look(left);
    this.#untilSample -= left;
    return (this.#right - before) | 0;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      lookups: this.#lookups,
      right: this.#right,
      expired: this.#expired,
      wrong: this.#lookups - this.#right - this.#expired,
      ...this.#latencies.counters(),
    };
  }

  #look(lookups: number): void {
    const ownership = this.#ownership;
    const rowMs = this.#rowMs;
    const { resources, rows, into, answers } = this.#questions;
    const mask = answers.length - 1;
    let next = this.#next;
    let right = 0;
    for (let left = lookups; left > 0; ) {
      const settled = Atomics.load(this.#clock, 0) - UNSETTLED_ROWS;
      for (let look = Math.min(left, LOOKUPS_PER_LOOK); look > 0; look--, left--) {
        const row = settled - ((settled - rows[next]!) & (PERIOD_ROWS - 1));
        const said = ownership.ownerAt(resources[next]!, ORIGIN_MS + row * rowMs + into[next]!);
        if (said === answers[next]!) right++;
        else if (said === NO_EVIDENCE && row < watermarkRowAt(Atomics.load(this.#clock, 0))) this.#expired++;
        next = (next + 1) & mask;
      }
    }
    this.#next = next;
    this.#lookups += lookups;
    this.#right += right;
  }
}

/** What a flow brings to a collector when it ends: a claim of one address, and a question about another. */
export class Flows implements Runner {
  readonly #writer: Writer;
  readonly #reader: Reader;

  constructor(writer: Writer, reader: Reader) {
    this.#writer = writer;
    this.#reader = reader;
  }

  /** In turns of a few, as reports bring them. */
  run(operations: number): number {
    for (let left = operations; left > 0; left -= FLOWS_PER_REPORT) {
      const flows = Math.min(left, FLOWS_PER_REPORT);
      this.#writer.run(flows);
      this.#reader.run(flows);
    }
    return operations | 0;
  }

  counters(): Readonly<Record<string, number>> {
    const { p99: _, ...heard } = this.#writer.counters();
    const { p99: __, ...asked } = this.#reader.counters();
    return { ...heard, ...asked };
  }
}

/** Flows of one report that are taken together. */
const FLOWS_PER_REPORT = 16;

const P99: Column = { title: "p99 of one, and a look at the clock", unit: "ns", reduce: "level" };
const TRIMMING: Column = { title: "In trims", unit: "ns per op", reduce: "per-op" };
const WRONG: Column = { title: "Lookups answered other than the evidence", unit: "per op", reduce: "per-op" };
const EXPIRED: Column = { title: "Overtaken by retention", unit: "per op", reduce: "per-op" };

export const CLAIM_COLUMNS = { p99: P99, trimming: TRIMMING } satisfies Record<string, Column>;
export const FLOW_COLUMNS = { wrong: WRONG, trimming: TRIMMING } satisfies Record<string, Column>;
export const READER_COLUMNS = { p99: P99, wrong: WRONG, expired: EXPIRED } satisfies Record<string, Column>;

/** Policies may answer wrongly, which is counted; that they hear every claim, and forget, is asked of them too. */
export function windowLaw(competitor: OwnershipCompetitor, work: readonly WorkDone[]): string | undefined {
  for (const [worker, { role, operations, counters }] of work.entries()) {
    const { accepted, remembered = 0, checks = 0, checkedRight = 0 } = counters;
    const { lookups = 0, right = 0, expired = 0 } = counters;
    const wronged = answersAreRight(lookups, right, expired) ?? answersAreRight(checks, checkedRight, 0);
    const broken =
      (accepted === undefined ? undefined : claimsAreKept(operations, accepted)) ??
      (competitor.rule === "evidence" ? wronged : undefined) ??
      trimsForget(remembered);
    if (broken !== undefined) return `${broken}, of ${role} ${worker}`;
  }
  return undefined;
}
