import type { Examination } from "../shared/contract.ts";
import { examined, threadsOf } from "../shared/examination.ts";
import { type Allocation, allocateRegion, type Region } from "../shared/layout.ts";
import { Random } from "../shared/sfc32.ts";
import { lawsOfChanges, lawsOfClaims } from "./examination/one-thread.ts";
import {
  type Capacity,
  type ClaimsCompetitor,
  CONFLICT,
  contract,
  formatted,
  inferred,
  NO_EVIDENCE,
  type Ownership,
  type OwnershipCompetitor,
} from "./ownership.contract.ts";
import { answersAreRight, type Claim, claimsAreKept } from "./ownership.laws.ts";

/**
 * Every law of ownership applied to one competitor. examination/one-thread.ts has its duties on a single thread. The rest is
 * a shared structure under real threads. One worker claims and trims. The others look up what it is doing, has done and
 * has forgotten. Written once, so that a newcomer is examined like every other competitor.
 *
 * Time goes by rows of eight milliseconds. Of each row and resource a function says who owns it, so that writer and
 * readers need no common table. A row is claimed out of order, the second half first, so that ranges have to be joined.
 * Where two owners claim its end, one of them is always the first. The other alone is then a wrong answer even while
 * the claims are being made. A clock in shared memory shows the readers which rows are done. Where they find no
 * evidence, it shows whether the row may have been forgotten.
 */

/** What one worker of an examination is asked to do. */
export interface OwnershipTask extends Allocation {
  readonly url: string;
  /** Word 0: rows that have been claimed. Word 1: workers that are ready. */
  readonly clock: Region;
  /** The writer is worker 0. */
  readonly index: number;
}

export type OwnershipReport = WriterReport | ReaderReport;

export interface WriterReport {
  readonly claims: number;
  readonly accepted: number;
}

export interface ReaderReport {
  readonly lookups: number;
  readonly right: number;
  /** Lookups that found no evidence in a row that was forgotten meanwhile. */
  readonly expired: number;
  /** Right answers that named an owner or a conflict. */
  readonly attributed: number;
  /** The first wrong answer. */
  readonly wrong: string | undefined;
}

const ROW_MS = 8;
const HALF_MS = ROW_MS / 2;
/** At the end of a row, where two owners claim it. */
const DISPUTED_MS = 2;
/** Rows for which an owner keeps a resource, or it has none. */
const ROWS_PER_OWNER = 3;
const OWNERS = 4;
/** What every other lookup bridges: the half of a row that is claimed last, and never a gap that stays. */
const TOLERANCE_MS = HALF_MS;
const ROWS_KEPT = 24;
const ROWS_PER_TRIM = 4;
const ROWS = 10_000;
/** The low 32 bits of times turn over when half of the rows have been claimed. */
const FIRST_ROW = 2 ** 32 / ROW_MS - ROWS / 2;

/** Few resources, so that readers and writer meet at one; each with more ranges than a block or line holds. */
const CAPACITY: Capacity = {
  resources: 2,
  owners: OWNERS,
  windowMs: (ROWS_KEPT + ROWS_PER_TRIM + 1) * ROW_MS,
  // In a row: what is left of the row before, the second half, and what is disputed.
  ranges: 2 * 3 * (ROWS_KEPT + ROWS_PER_TRIM + 1),
};

const READERS = 3;

export const examination = {
  tries: "what is heard at random against what it says, bad calls; if shared, 3 readers beside a writer",
  /** With `until`, ends as soon as that law is found broken. */
  examine: (url: string, until?: string) =>
    examined(url, contract, (competitor: OwnershipCompetitor) => lawsBroken(competitor, url, until), until),
} satisfies Examination;

async function* lawsBroken(competitor: OwnershipCompetitor, url: string, until: string | undefined) {
  if (competitor.hears === "changes") return yield* lawsOfChanges(competitor);
  yield* lawsOfClaims(competitor, until);
  // A private replica has no other worker beside it.
  const isShared = competitor.rule === "evidence" && competitor.words(CAPACITY) > 0;
  if (isShared) yield* await lawsBesideAWriter(competitor, url);
}

async function lawsBesideAWriter(competitor: ClaimsCompetitor, url: string): Promise<(string | undefined)[]> {
  const allocation = formatted(competitor, CAPACITY);
  const clock = allocateRegion(2);
  const threads = threadsOf(new URL("./ownership.examination.worker.ts", import.meta.url), 1 + READERS);
  try {
    const [writer, ...readers] = (await Promise.all(
      Array.from({ length: 1 + READERS }, (_, index) =>
        threads.run({ url, ...allocation, clock, index } satisfies OwnershipTask),
      ),
    )) as [WriterReport, ...ReaderReport[]];
    return [claimsAreKept(writer.claims, writer.accepted), ...readers.flatMap(breaches)];
  } finally {
    await threads.destroy();
  }
}

function breaches({ lookups, right, expired, attributed, wrong }: ReaderReport): (string | undefined)[] {
  return [
    wrong && `answersAreRight: ${wrong}`,
    answersAreRight(lookups, right, expired),
    attributed === 0 ? `ownersAreFound: none of ${lookups} lookups found an owner` : undefined,
  ];
}

export function play(competitor: ClaimsCompetitor, task: OwnershipTask): OwnershipReport {
  const attach = () =>
    competitor.attach(
      task.memory,
      CAPACITY,
      {
        index: task.index,
        workers: 1 + READERS,
        role: task.index === 0 ? "writer" : "reader",
        seed: task.index,
      },
      task.linear,
    );
  if (task.index === 0) return write(attach, task.clock);
  const reader = attach();
  meet(task.clock);
  return read(reader, task);
}

/** Claims all rows, with a new handle for the second half of them, as a worker has that takes over. */
function write(attach: () => Ownership, clock: Region): WriterReport {
  let ownership = attach();
  ownership.trim(FIRST_ROW * ROW_MS);
  meet(clock);
  let claims = 0;
  let accepted = 0;
  for (let row = 0; row < ROWS; row++) {
    if (row === ROWS / 2) ownership = attach();
    for (let resource = 0; resource < CAPACITY.resources; resource++) {
      for (const { owner, start, end } of traitsOf(resource, row)) {
        claims++;
        if (ownership.claim(resource, owner, start, end)) accepted++;
      }
    }
    // Before the trim, so that a reader that finds nothing can see from the clock that it may be forgotten.
    Atomics.store(clock, CLAIMED, row + 1);
    if ((row + 1) % ROWS_PER_TRIM === 0) ownership.trim(watermarkAt(row + 1));
  }
  return { claims, accepted };
}

/** Looks up until the writer has done all its rows. */
function read(ownership: Ownership, { clock, index }: OwnershipTask): ReaderReport {
  const random = new Random(index);
  let lookups = 0;
  let right = 0;
  let expired = 0;
  let attributed = 0;
  let wrong: string | undefined;
  for (let claimed = 0; claimed < ROWS; claimed = Atomics.load(clock, CLAIMED)) {
    const resource = random.below(CAPACITY.resources);
    // Often a row that is being claimed or has just been, and some that are forgotten.
    const age = random.below(random.below(4) === 0 ? ROWS_KEPT + 3 * ROWS_PER_TRIM : ROWS_PER_TRIM);
    const row = Math.max(0, claimed - age);
    const intoRow = random.below(ROW_MS);
    const t = (FIRST_ROW + row) * ROW_MS + intoRow;
    const toleranceMs = lookups++ % 2 === 0 ? 0 : TOLERANCE_MS;
    const said = ownership.ownerAt(resource, t, toleranceMs);
    const possible =
      row < claimed
        ? stagesOf(resource, row, intoRow).slice(-1)
        : [...stagesOf(resource, row, intoRow), ...bridgesOf(resource, row, toleranceMs)];
    // The trim of the row before was over when the clock went on.
    const isForgotten = t < watermarkAt(claimed - 1);
    if (isForgotten ? said === NO_EVIDENCE : possible.includes(said)) {
      right++;
      if (said !== NO_EVIDENCE) attributed++;
    } else if (said === NO_EVIDENCE && t < watermarkAt(Atomics.load(clock, CLAIMED))) expired++;
    else
      wrong ??= `resource ${resource} at ${t} ms, in row ${row} of ${claimed} claimed: said ${said}, and not one of ${possible}`;
  }
  return { lookups, right, expired, attributed, wrong };
}

const CLAIMED = 0;
const READY = 1;

/** Waits until all workers have come. */
function meet(clock: Region): void {
  Atomics.add(clock, READY, 1);
  Atomics.notify(clock, READY);
  for (let ready = 0; ready < 1 + READERS; ready = Atomics.load(clock, READY))
    Atomics.wait(clock, READY, ready);
}

/** The claims of a row in the order in which they are made. */
function traitsOf(resource: number, row: number): Omit<Claim, "resource">[] {
  const owner = ownerOf(resource, row);
  if (owner === NO_EVIDENCE) return [];
  const start = (FIRST_ROW + row) * ROW_MS;
  const end = start + ROW_MS;
  const claims = [{ owner, start: start + HALF_MS, end }];
  if (isDisputed(resource, row)) claims.push({ owner: (owner + 1) % OWNERS, start: end - DISPUTED_MS, end });
  return [...claims, { owner, start, end: start + HALF_MS }];
}

/** What a millisecond of a row is, from before its claims until after. */
function stagesOf(resource: number, row: number, intoRow: number): number[] {
  const owner = ownerOf(resource, row);
  if (owner === NO_EVIDENCE) return [NO_EVIDENCE];
  return isDisputed(resource, row) && intoRow >= ROW_MS - DISPUTED_MS
    ? [NO_EVIDENCE, owner, CONFLICT]
    : [NO_EVIDENCE, owner];
}

/**
 * What a millisecond of a row may seem while the row is being claimed. A lookup may see each millisecond before or
 * after its claim. So any millisecond may lie between two that are claimed already by its owner, as gaps between owners
 * are longer than the tolerance.
 */
function bridgesOf(resource: number, row: number, toleranceMs: number): number[] {
  const owner = ownerOf(resource, row);
  return toleranceMs === 0 || owner === NO_EVIDENCE ? [] : [inferred(owner)];
}

function ownerOf(resource: number, row: number): number {
  const owner = mixed(resource, Math.floor(row / ROWS_PER_OWNER)) % (OWNERS + 1);
  return owner === OWNERS ? NO_EVIDENCE : owner;
}

function isDisputed(resource: number, row: number): boolean {
  return mixed(resource + CAPACITY.resources, row) % 3 === 0;
}

/** A number that looks drawn, the same for the same pair (finalizer of MurmurHash3). */
function mixed(one: number, other: number): number {
  let hash = Math.imul(one + 1, 0x9e3779b1) ^ other;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The highest watermark that the writer has set, or is about to set, when `claimed` rows have been claimed. */
function watermarkAt(claimed: number): number {
  const trimmed = Math.floor(claimed / ROWS_PER_TRIM) * ROWS_PER_TRIM;
  return (FIRST_ROW + Math.max(0, trimmed - ROWS_KEPT)) * ROW_MS;
}
