import {
  type Capacity,
  CONFLICT,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "../structures/ownership/ownership.contract.ts";
import { answersAreRight, claimsAreKept, trimsForget } from "../structures/ownership/ownership.laws.ts";
import { allocateRegion, type Region } from "../structures/shared/layout.ts";
import { scrambled } from "../structures/shared/murmur3.ts";
import { Random } from "../structures/shared/sfc32.ts";
import type { Column, Runner, Setup, WorkDone } from "./engine/suite.ts";

/**
 * A window of time that moves on for ever. Every resource is claimed once in each row of time; one claim in a hundred
 * comes a row late; every 128 rows a resource changes owner, which leaves a short gap or, one time in four, an overlap;
 * a watermark follows. Two owners take turns with each resource, so that the same things come again every 256 rows, and
 * what a lookup has to say is known in advance however far the writer has come.
 */
export interface WindowParams {
  readonly resources: number;
  /** What a claim covers, ms, at least 8. */
  readonly rowMs: number;
  /** Lookups drawn in advance, a power of two. */
  readonly lookups: number;
}

export interface WindowShared {
  readonly memory: Region;
  readonly capacity: Capacity;
  /** Word 0: rows of claims made so far; written by the writer after each, read by readers. */
  readonly clock: Region;
  /** The resources in the order in which each row visits them. */
  readonly visits: Int32Array;
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
/** Of the even rows, one in this many changes places with the next one of its resource: one claim in 100 is late. */
const PAIRS_PER_LATE_ONE = 50;
/**
 * Rows back from the clock within which a point may still be waiting for evidence: the claim of its own row, that of
 * the next one, which may overlap it, and a claim a row late.
 */
const UNSETTLED_ROWS = 3;
/** Rows kept beyond those that lookups reach back, so that few are overtaken between choosing a time and asking. */
const SLACK_ROWS = 32;
/** Rows between two trims, a power of two: a trim visits every resource, so it costs a claim a sixteenth of a visit. */
const ROWS_PER_TRIM = 16;
const KEPT_ROWS = PERIOD_ROWS + SLACK_ROWS + UNSETTLED_ROWS;
const OWNERS = 4096;
/** Times are since the epoch: a row of 2025, whatever its length. */
const ORIGIN_MS = 1_750_000_000_000;
/** Row in which races begin, the first of a pair: the rows before it are claimed in advance. */
const FIRST_ROW = 2 * PERIOD_ROWS;

/**
 * Stretches of one owner that the kept rows and those up to the next trim can hold of a resource: the owners of parts of
 * three turns, a fourth for what reaches in, and one more while a claim is a row early.
 */
export const RANGES_PER_RESOURCE = 5;

/** A new owner starts this long after the old one ended, or one time in four this long before. */
const shortMs = (rowMs: number) => rowMs >> 2;

/** Rows since a resource began to change owner every 128; each resource changes in rows of its own. */
function ageIn(resource: number, row: number): number {
  return row + (scrambled(resource) & (ROWS_PER_OWNER - 1));
}

function ownerIn(resource: number, row: number): number {
  const turn = Math.floor(ageIn(resource, row) / ROWS_PER_OWNER) & 1;
  return ((scrambled(~resource) >>> 0) % (OWNERS - 1)) + turn;
}

/** How long after the start of the row its claim starts, ms: other than 0 in rows in which the owner is a new one. */
function leadIn(resource: number, row: number, rowMs: number): number {
  const age = ageIn(resource, row);
  if ((age & (ROWS_PER_OWNER - 1)) !== 0) return 0;
  const turn = (age / ROWS_PER_OWNER) & 1;
  return (scrambled(2 * resource + turn) & 3) === 0 ? -shortMs(rowMs) : shortMs(rowMs);
}

/** The row whose claim arrives in `row`: this one, or its neighbour in a pair of rows whose claims change places. */
function claimedIn(resource: number, row: number): number {
  const pair = row >>> 1;
  return (scrambled(resource ^ Math.imul(pair, 0x9e3779b1)) >>> 0) % PAIRS_PER_LATE_ONE === 0 ? row ^ 1 : row;
}

/** What a structure that has heard every claim says of a resource, so many ms into a row. */
function settledAnswer(resource: number, row: number, into: number, rowMs: number): number {
  if (into < leadIn(resource, row, rowMs)) return NO_EVIDENCE;
  return into >= rowMs + Math.min(0, leadIn(resource, row + 1, rowMs)) ? CONFLICT : ownerIn(resource, row);
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
  const memory = allocateRegion(competitor.words(capacity));
  competitor.format(memory, capacity);
  const visits = new Int32Array(new SharedArrayBuffer(resources * Int32Array.BYTES_PER_ELEMENT));
  for (let resource = 0; resource < resources; resource++) visits[resource] = resource;
  const shared = {
    memory,
    capacity,
    clock: allocateRegion(1),
    visits: random.shuffle(visits),
    questions: drawQuestions(resources, rowMs, lookups, random),
  };
  Atomics.store(shared.clock, 0, FIRST_ROW);
  return shared;
}

/** Claims all that is kept when races begin: spell by spell, which says the same as row by row. */
export function fillWindow(ownership: Ownership, visits: Int32Array, rowMs: number): void {
  const firstRow = watermarkRowAt(FIRST_ROW);
  ownership.trim(ORIGIN_MS + firstRow * rowMs);
  for (const resource of visits) {
    for (let row = firstRow; row < FIRST_ROW; ) {
      const start = ORIGIN_MS + row * rowMs + leadIn(resource, row, rowMs);
      const next = row + ROWS_PER_OWNER - (ageIn(resource, row) & (ROWS_PER_OWNER - 1));
      row = Math.min(next, FIRST_ROW);
      ownership.claim(resource, ownerIn(resource, row - 1), start, ORIGIN_MS + row * rowMs);
    }
  }
}

function drawQuestions(resources: number, rowMs: number, lookups: number, random: Random): Questions {
  const column = () => new Int32Array(new SharedArrayBuffer(lookups * Int32Array.BYTES_PER_ELEMENT));
  const questions = { resources: column(), rows: column(), into: column(), answers: column() };
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
  const changeRow = last - (ageIn(resource, last) & (ROWS_PER_OWNER - 1));
  const distanceMs = random.below(2 * shortMs(rowMs));
  return random.below(2) === 0 ? [changeRow, distanceMs] : [changeRow - 1, rowMs - 1 - distanceMs];
}

/** One operation in this many is timed by itself: often enough for a hundredth, too seldom to be felt by the others. */
const OPERATIONS_PER_SAMPLE = 1024;

/** How long single operations took, by eighths of powers of two: a bucket is 9 % wide. */
class Latencies {
  readonly #counts = new Float64Array(8 * 40);
  #total = 0;

  add(ms: number): void {
    const bucket = Math.floor(8 * Math.log2(Math.max(1, 1e6 * ms)));
    this.#counts[Math.min(bucket, this.#counts.length - 1)]!++;
    this.#total++;
  }

  /** Below which 99 of 100 lie, ns; 0 where none was timed. */
  get p99(): number {
    let left = this.#total / 100;
    for (let bucket = this.#counts.length - 1; bucket >= 0; bucket--) {
      left -= this.#counts[bucket]!;
      if (left < 0) return 2 ** ((bucket + 1) / 8);
    }
    return 0;
  }
}

/**
 * Claims row after row; at the end of each it tells the clock and asks one question, so that a replica nobody else can
 * see is held to its claims too, and after a trim one more, about what was trimmed.
 */
export class Writer implements Runner {
  readonly #ownership: Ownership;
  readonly #clock: Region;
  readonly #visits: Int32Array;
  readonly #rowMs: number;
  readonly #check: Reader;
  readonly #latencies = new Latencies();
  /** Resources to ask about after a trim, in turn. */
  readonly #drawn: Int32Array;
  #row: number;
  #visit = 0;
  #remembered = 0;
  #accepted = 0;

  constructor(ownership: Ownership, shared: WindowShared, params: WindowParams) {
    this.#ownership = ownership;
    this.#clock = shared.clock;
    this.#visits = shared.visits;
    this.#rowMs = params.rowMs;
    this.#check = new Reader(ownership, shared, params, 0);
    this.#drawn = shared.questions.resources;
    this.#row = Atomics.load(shared.clock, 0);
  }

  /** The checksum is the number of claims accepted. */
  run(operations: number): number {
    const before = this.#accepted;
    for (let operation = 0; operation < operations; operation++) {
      if ((operation & (OPERATIONS_PER_SAMPLE - 1)) !== OPERATIONS_PER_SAMPLE - 1) {
        this.claim();
        continue;
      }
      const begunMs = performance.now();
      this.claim();
      this.#latencies.add(performance.now() - begunMs);
    }
    return (this.#accepted - before) | 0;
  }

  /** Makes the next claim, and what is due at the end of a row. */
  claim(): void {
    const resource = this.#visits[this.#visit]!;
    const row = claimedIn(resource, this.#row);
    const rowMs = this.#rowMs;
    const rowStart = ORIGIN_MS + row * rowMs;
    const start = rowStart + leadIn(resource, row, rowMs);
    if (this.#ownership.claim(resource, ownerIn(resource, row), start, rowStart + rowMs)) this.#accepted++;
    if (++this.#visit === this.#visits.length) this.#endRow();
  }

  counters(): Readonly<Record<string, number>> {
    return {
      ...this.#check.counters(),
      remembered: this.#remembered,
      accepted: this.#accepted,
      p99: this.#latencies.p99,
    };
  }

  #endRow(): void {
    this.#visit = 0;
    this.#row++;
    // Before the trim, so that a reader who finds nothing can tell from the clock that retention was there first.
    Atomics.store(this.#clock, 0, this.#row);
    if ((this.#row & (ROWS_PER_TRIM - 1)) === 0) this.#trim();
    this.#check.run(1);
  }

  #trim(): void {
    const watermark = ORIGIN_MS + watermarkRowAt(this.#row) * this.#rowMs;
    this.#ownership.trim(watermark);
    // In the row before the watermark something was claimed in any case: nobody but the trim can have emptied it.
    const resource = this.#drawn[(this.#row / ROWS_PER_TRIM) & (this.#drawn.length - 1)]!;
    if (this.#ownership.ownerAt(resource, watermark - 1) !== NO_EVIDENCE) this.#remembered++;
  }
}

/** Asks the questions in turn, each about the latest settled row of its place in the period. */
export class Reader implements Runner {
  readonly #ownership: Ownership;
  readonly #clock: Region;
  readonly #questions: Questions;
  readonly #rowMs: number;
  readonly #latencies = new Latencies();
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
    for (let operation = 0; operation < operations; operation++) {
      if ((operation & (OPERATIONS_PER_SAMPLE - 1)) !== OPERATIONS_PER_SAMPLE - 1) {
        this.look();
        continue;
      }
      const begunMs = performance.now();
      this.look();
      this.#latencies.add(performance.now() - begunMs);
    }
    return (this.#right - before) | 0;
  }

  look(): void {
    const { resources, rows, into, answers } = this.#questions;
    const next = this.#next;
    this.#next = (next + 1) & (answers.length - 1);
    this.#lookups++;
    const settled = Atomics.load(this.#clock, 0) - UNSETTLED_ROWS;
    const row = settled - ((settled - rows[next]!) & (PERIOD_ROWS - 1));
    const said = this.#ownership.ownerAt(resources[next]!, ORIGIN_MS + row * this.#rowMs + into[next]!);
    if (said === answers[next]!) this.#right++;
    else if (said === NO_EVIDENCE && row < watermarkRowAt(Atomics.load(this.#clock, 0))) this.#expired++;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      lookups: this.#lookups,
      right: this.#right,
      expired: this.#expired,
      wrong: this.#lookups - this.#right - this.#expired,
      p99: this.#latencies.p99,
    };
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

  run(operations: number): number {
    for (let operation = 0; operation < operations; operation++) {
      this.#writer.claim();
      this.#reader.look();
    }
    return operations | 0;
  }

  counters(): Readonly<Record<string, number>> {
    const { accepted, remembered } = this.#writer.counters();
    return { ...this.#reader.counters(), accepted: accepted!, remembered: remembered! };
  }
}

export const WINDOW_COLUMNS = {
  p99: { title: "p99 of one, and a look at the clock", unit: "ns", reduce: "level" },
  wrong: { title: "Wrong answers", unit: "per op", reduce: "per-op" },
  expired: { title: "Overtaken by retention", unit: "per op", reduce: "per-op" },
} satisfies Record<string, Column>;

/** Policies may answer wrongly, which is counted; that they hear every claim, and forget, is asked of them too. */
export function windowLaw(competitor: OwnershipCompetitor, work: readonly WorkDone[]): string | undefined {
  for (const [worker, { role, operations, counters }] of work.entries()) {
    const { lookups, right, expired, accepted, remembered = 0 } = counters as Account;
    const broken =
      (accepted === undefined ? undefined : claimsAreKept(operations, accepted)) ??
      (competitor.rule === "evidence" ? answersAreRight(lookups, right, expired) : undefined) ??
      trimsForget(remembered);
    if (broken !== undefined) return `${role} ${worker}: ${broken}`;
  }
  return undefined;
}

/** Only who claims counts what is accepted, and only a writer trims. */
type Account = Readonly<
  Record<"lookups" | "right" | "expired", number> & { accepted?: number; remembered?: number }
>;
