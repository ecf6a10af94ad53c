import {
  type Capacity,
  CONFLICT,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "../structures/ownership/ownership.contract.ts";
import { answersAreRight, claimsAreKept, trimsForget } from "../structures/ownership/ownership.laws.ts";
import { allocateRegion, type Region } from "../structures/shared/layout.ts";
import { Random } from "../structures/shared/sfc32.ts";
import { type Runner, race, type Setup, type Suite, type WorkDone } from "./engine/suite.ts";

/**
 * Question: how fast can one worker take in claims while others look up, and what do they cost each other?
 * Workload and why it is realistic: every resource is claimed once in each row of time, as a fleet that reports on a
 *   period does; 99 % of claims come in order, 1 % a row late, and 1 % are a new owner's first, which leaves a short
 *   gap or, where clocks disagree, overlaps the old owner. Time moves on for ever and a watermark follows it, as
 *   retention does, so that memory is bounded by the window; the writer's figure includes its trims. Lookups fall
 *   evenly on resources and kept time, one in eight at the edge of a range, where errors live.
 * Not measured: how a private replica would come by the claims. Its readers ask a full window that stands still,
 *   which flatters them beside the readers of a shared structure. A claim spans 8 ms, not a minute, so that a window
 *   can have a cell for every millisecond; to structures that only compare times this is the same.
 * How to run: npm run bench -- ownership
 */
interface Params {
  /** A power of two. */
  readonly resources: number;
  /** At most 2^15. */
  readonly owners: number;
  /** Rows of time after which the history repeats, a power of two: what lookups reach back. */
  readonly rows: number;
  /** Lookups drawn in advance, a power of two. */
  readonly lookups: number;
}

interface Shared {
  readonly memory: Region;
  readonly capacity: Capacity;
  /** Word 0: rows of claims made so far; written by the writer after each, read by readers. */
  readonly clock: Region;
  readonly history: History;
  readonly questions: Questions;
}

const oneWriter = race<OwnershipCompetitor, Params, Shared>({
  scenario: "one-writer",
  title: "one worker claims, the others look up",
  headline: true,
  operation: "claim or lookup",
  // What one writes first: the ratio says what replacing it would buy.
  baseline: "sorted-arrays",
  minWorkers: 2,
  // The writer trims once in 16,384 claims, which is every 3 ms where a claim takes 0.2 us: shorter slices would hold one
  // trim, or none, or two.
  sliceMs: 24,
  params: {
    full: { resources: 1024, owners: 4096, rows: 256, lookups: 16_384 },
    smoke: { resources: 64, owners: 16, rows: 64, lookups: 1024 },
  },
  columns: {
    expired: { title: "Overtaken by retention", unit: "per op", reduce: "per-op" },
  },
  role: (index) => (index === 0 ? "writer" : "reader"),
  prepare,
  attach(competitor, { params, workers }, shared, seat) {
    const ownership = competitor.attach(shared.memory, shared.capacity, seat);
    let clock = shared.clock;
    if (isPrivate(competitor, shared.capacity)) {
      clock = allocateRegion(1);
      fillWindow(ownership, { ...shared, clock }, params);
    }
    const own = { ...shared, clock };
    return seat.role === "writer"
      ? new Writer(ownership, own, params)
      : new Reader(ownership, own, params, Math.floor((params.lookups * seat.index) / workers));
  },
  law,
});

export default { primitive: "ownership", scenarios: [oneWriter] } satisfies Suite;

/** What one claim covers, and so the length of a row of time. */
const CLAIM_MS = 8;
/** One claim in this many is a new owner's first. */
const CLAIMS_PER_OWNER = 100;
/** A history that repeats needs two owners for every change to be one. */
const FEWEST_OWNERS = 2;
/** One claim in this many changes places with the next one of its resource, and so arrives late. */
const CLAIMS_PER_LATE_ONE = 100;
/** A new owner starts this long after the old one ended, or one time in four this long before. */
const GAP_MS = 2;
const OVERLAP_MS = 2;
/**
 * Rows back from the clock within which a point may still be waiting for evidence: the claim of its own row, that of
 * the next one, which may overlap it, and a claim a row late.
 */
const UNSETTLED_ROWS = 3;
/** Rows kept beyond those that lookups reach back, so that few are overtaken between choosing a time and asking. */
const SLACK_ROWS = 32;
/** Rows between two trims, a power of two: a trim visits every resource, so it costs a claim a sixteenth of a visit. */
const ROWS_PER_TRIM = 16;

/**
 * All claims of one period of `rows` rows, after which they come again, moved on by a period. So the answer at a
 * settled time depends only on the time modulo the period: it is known in advance, however far the writer has come.
 * Laid out in order of arrival, a row after another; times are relative to the start of the row.
 */
interface History {
  /** The resources in the order in which each row visits them. */
  readonly visits: Int32Array;
  readonly owners: Int16Array;
  readonly starts: Int8Array;
  readonly ends: Int8Array;
}

/** Lookups drawn in advance, with their answers. */
interface Questions {
  readonly resources: Int32Array;
  /** Times modulo the period, ms. */
  readonly phases: Int32Array;
  readonly answers: Int32Array;
}

function prepare(competitor: OwnershipCompetitor, setup: Setup<Params>): Shared {
  const { resources, owners, rows } = setup.params;
  const capacity: Capacity = {
    resources,
    owners,
    // Two rows more than the watermark leaves: the one that is being claimed, and claims that come a row early.
    windowMs: (rows + SLACK_ROWS + UNSETTLED_ROWS + ROWS_PER_TRIM + 2) * CLAIM_MS,
    // The window is less than two periods. Each change of owner in it starts a range and may add a conflict; a late
    // claim splits one range for a row, and one range reaches in from before the watermark.
    rangesPerResource: 2 * 2 * Math.max(FEWEST_OWNERS, Math.ceil(rows / CLAIMS_PER_OWNER)) + 2,
  };
  const memory = allocateRegion(competitor.words(capacity));
  competitor.format(memory, capacity);
  const shared = { memory, capacity, clock: allocateRegion(1), ...drawWorkload(setup) };
  if (!isPrivate(competitor, capacity)) {
    const seat = { index: 0, workers: setup.workers, role: "writer", seed: setup.seed };
    fillWindow(competitor.attach(memory, capacity, seat), shared, setup.params);
  }
  return shared;
}

function isPrivate(competitor: OwnershipCompetitor, capacity: Capacity): boolean {
  return competitor.words(capacity) === 0;
}

/** Makes the claims of the first period, as the writer would, so that every question has its answer from the start. */
function fillWindow(ownership: Ownership, shared: Shared, params: Params): void {
  // Time starts one period late, because a first claim that overlaps its predecessor may not start before 0.
  Atomics.store(shared.clock, 0, params.rows);
  new Writer(ownership, shared, params).run((params.rows + UNSETTLED_ROWS) * params.resources);
}

function drawWorkload({ params, seed }: Setup<Params>): { history: History; questions: Questions } {
  const { resources, rows } = params;
  const random = new Random(seed);
  const history: History = {
    visits: random.shuffle(Int32Array.from({ length: resources }, (_, resource) => resource)),
    owners: new Int16Array(new SharedArrayBuffer(resources * rows * Int16Array.BYTES_PER_ELEMENT)),
    starts: new Int8Array(new SharedArrayBuffer(resources * rows)),
    ends: new Int8Array(new SharedArrayBuffer(resources * rows)),
  };
  const lives: Life[] = [];
  for (let visit = 0; visit < resources; visit++) {
    const life = drawLife(params, random);
    lives[history.visits[visit]!] = life;
    for (const [row, claimed] of drawArrivals(rows, random).entries()) {
      const at = row * resources + visit;
      history.owners[at] = life.owners[claimed]!;
      history.starts[at] = (claimed - row) * CLAIM_MS + life.leads[claimed]!;
      history.ends[at] = (claimed - row + 1) * CLAIM_MS;
    }
  }
  return { history, questions: drawQuestions(params, lives, random) };
}

/** A resource's period, row by row: who owns it, and how long after the start of the row the claim starts, ms. */
interface Life {
  readonly owners: Int16Array;
  readonly leads: Int8Array;
  /** Rows in which the owner is a new one. */
  readonly changes: Int32Array;
}

function drawLife({ owners, rows }: Params, random: Random): Life {
  const life = { owners: new Int16Array(rows), leads: new Int8Array(rows) };
  const count = Math.max(FEWEST_OWNERS, Math.floor(rows / CLAIMS_PER_OWNER + random.fraction()));
  const changes = random
    .shuffle(Int32Array.from({ length: rows }, (_, row) => row))
    .slice(0, count)
    .sort();
  const held: number[] = [];
  for (const [turn, change] of changes.entries()) {
    let owner = random.below(owners);
    while (owner === held[turn - 1] || owner === held[0]) owner = random.below(owners);
    held.push(owner);
    // The last owner holds on past the end of the period, until the first change of the next.
    const rowsHeld = (changes[turn + 1] ?? changes[0]! + rows) - change;
    for (let row = change; row < change + rowsHeld; row++) life.owners[row % rows] = owner;
    life.leads[change] = random.below(4) === 0 ? -OVERLAP_MS : GAP_MS;
  }
  return { ...life, changes };
}

/** For each row of the period, the row whose claim arrives in it. */
function drawArrivals(rows: number, random: Random): Int32Array {
  const arrivals = Int32Array.from({ length: rows }, (_, row) => row);
  for (let row = 0; row + 1 < rows; row++) {
    if (random.below(CLAIMS_PER_LATE_ONE) !== 0) continue;
    arrivals[row] = row + 1;
    arrivals[++row] = row - 1;
  }
  return arrivals;
}

function drawQuestions(
  { resources, rows, lookups }: Params,
  lives: readonly Life[],
  random: Random,
): Questions {
  const questions = {
    resources: new Int32Array(lookups),
    phases: new Int32Array(lookups),
    answers: new Int32Array(lookups),
  };
  const periodMs = rows * CLAIM_MS;
  for (let index = 0; index < lookups; index++) {
    const resource = random.below(resources);
    const life = lives[resource]!;
    let phase = random.below(periodMs);
    if (random.below(8) === 0) {
      // From the millisecond before an overlap to the one after a gap's last.
      const change = life.changes[random.below(life.changes.length)]!;
      phase = change * CLAIM_MS - OVERLAP_MS - 1 + random.below(OVERLAP_MS + GAP_MS + 2);
      phase = (phase + periodMs) % periodMs;
    }
    questions.resources[index] = resource;
    questions.phases[index] = phase;
    questions.answers[index] = settledAnswer(life, rows, phase);
  }
  return questions;
}

/** What a structure that has heard every claim says of the time `phase` of the period. */
function settledAnswer({ owners, leads }: Life, rows: number, phase: number): number {
  const row = Math.floor(phase / CLAIM_MS);
  const next = (row + 1) % rows;
  const intoRow = phase % CLAIM_MS;
  if (intoRow < leads[row]!) return NO_EVIDENCE;
  return intoRow >= CLAIM_MS + leads[next]! && leads[next]! < 0 ? CONFLICT : owners[row]!;
}

/** The highest watermark that the writer has set when the clock says `row`. */
function watermarkAt(row: number, rows: number): number {
  return Math.max(0, row - UNSETTLED_ROWS - rows - SLACK_ROWS) * CLAIM_MS;
}

/**
 * Claims row after row; at the end of each it tells the clock and asks one question, so that a replica nobody else can
 * see is held to its claims too, and after a trim one more, about what was trimmed.
 */
class Writer implements Runner {
  readonly #ownership: Ownership;
  readonly #clock: Region;
  readonly #history: History;
  readonly #rows: number;
  readonly #check: Reader;
  /** Resources to ask about after a trim, in turn. */
  readonly #drawn: Int32Array;
  #row: number;
  #visit = 0;
  #remembered = 0;

  constructor(ownership: Ownership, shared: Shared, params: Params) {
    this.#ownership = ownership;
    this.#clock = shared.clock;
    this.#history = shared.history;
    this.#rows = params.rows;
    this.#check = new Reader(ownership, shared, params, 0);
    this.#drawn = shared.questions.resources;
    this.#row = Atomics.load(shared.clock, 0);
  }

  /** The checksum is the number of claims accepted. */
  run(operations: number): number {
    const ownership = this.#ownership;
    const { visits, owners, starts, ends } = this.#history;
    const resources = visits.length;
    let visit = this.#visit;
    let rowStart = this.#row * CLAIM_MS;
    let rowAt = (this.#row & (this.#rows - 1)) * resources;
    let accepted = 0;
    for (let operation = 0; operation < operations; operation++) {
      const at = rowAt + visit;
      if (ownership.claim(visits[visit]!, owners[at]!, rowStart + starts[at]!, rowStart + ends[at]!))
        accepted++;
      if (++visit < resources) continue;
      visit = 0;
      this.#endRow();
      rowStart = this.#row * CLAIM_MS;
      rowAt = (this.#row & (this.#rows - 1)) * resources;
    }
    this.#visit = visit;
    return accepted | 0;
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.#check.counters(), remembered: this.#remembered };
  }

  #endRow(): void {
    this.#row++;
    // Before the trim, so that a reader who finds nothing can tell from the clock that retention was there first.
    Atomics.store(this.#clock, 0, this.#row);
    if ((this.#row & (ROWS_PER_TRIM - 1)) === 0) this.#trim();
    this.#check.run(1);
  }

  #trim(): void {
    const watermark = watermarkAt(this.#row, this.#rows);
    this.#ownership.trim(watermark);
    // The millisecond before a watermark ends a row, and so was claimed: nobody but the trim can have emptied it.
    const resource = this.#drawn[(this.#row / ROWS_PER_TRIM) & (this.#drawn.length - 1)]!;
    if (this.#ownership.ownerAt(resource, watermark - 1) !== NO_EVIDENCE) this.#remembered++;
  }
}

/** Asks the questions in turn, each about the latest settled time of its phase. */
class Reader implements Runner {
  readonly #ownership: Ownership;
  readonly #clock: Region;
  readonly #questions: Questions;
  readonly #rows: number;
  #next: number;
  #lookups = 0;
  #right = 0;
  #expired = 0;

  constructor(ownership: Ownership, { clock, questions }: Shared, { rows }: Params, first: number) {
    this.#ownership = ownership;
    this.#clock = clock;
    this.#questions = questions;
    this.#rows = rows;
    this.#next = first;
  }

  /** The checksum is the number of right answers. */
  run(operations: number): number {
    const ownership = this.#ownership;
    const clock = this.#clock;
    const { resources, phases, answers } = this.#questions;
    const questionMask = answers.length - 1;
    const periodMask = this.#rows * CLAIM_MS - 1;
    let next = this.#next;
    let right = 0;
    for (let operation = 0; operation < operations; operation++) {
      const settled = (Atomics.load(clock, 0) - UNSETTLED_ROWS) * CLAIM_MS;
      const t = settled - ((settled - phases[next]!) & periodMask);
      const said = ownership.ownerAt(resources[next]!, t);
      if (said === answers[next]!) right++;
      else if (said === NO_EVIDENCE && t < watermarkAt(Atomics.load(clock, 0), this.#rows)) this.#expired++;
      next = (next + 1) & questionMask;
    }
    this.#next = next;
    this.#lookups += operations;
    this.#right += right;
    return right | 0;
  }

  counters(): Readonly<Record<string, number>> {
    return {
      lookups: this.#lookups,
      right: this.#right,
      expired: this.#expired,
    };
  }
}

function law(
  _competitor: OwnershipCompetitor,
  _setup: Setup<Params>,
  _shared: Shared,
  work: readonly WorkDone[],
): string | undefined {
  for (const [worker, { role, operations, checksum, counters }] of work.entries()) {
    const { lookups, right, expired, remembered = 0 } = counters as Account;
    const broken =
      (role === "writer"
        ? claimsAreKept(operations | 0, checksum)
        : answersAreRight((operations - expired) | 0, checksum, 0)) ??
      answersAreRight(lookups, right, expired) ??
      trimsForget(remembered);
    if (broken !== undefined) return `${role} ${worker}: ${broken}`;
  }
  return undefined;
}

/** Only a writer trims, and so counts what is `remembered`. */
type Account = Readonly<Record<"lookups" | "right" | "expired", number> & { remembered?: number }>;
