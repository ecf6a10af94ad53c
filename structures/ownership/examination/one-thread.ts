import assert from "node:assert/strict";
import { asserted } from "../../shared/examination.ts";
import {
  type Attribution,
  type Capacity,
  type ChangesCompetitor,
  type ClaimsCompetitor,
  CONFLICT,
  NO_EVIDENCE,
  NOBODY,
  type Ownership,
} from "../ownership.contract.ts";
import { answersFollowClaims } from "../ownership.laws.ts";
import { LAWS_OF_LOGS, openLog } from "./logs.ts";
import { answersOf, claimAll, lawsFor, open, openPair, SMALL } from "./searches.ts";

/**
 * What a structure promises, held against one competitor on one thread: calls at the edges, which take no time, and then
 * searches, that for the law `first` before the others.
 */
export async function* lawsOfClaims(
  competitor: ClaimsCompetitor,
  first = "",
): AsyncGenerator<string | undefined> {
  yield await asserted("badClaimIsRefused", () => assertBadClaimIsRefused(competitor));
  yield await asserted("watermarkForgets", () => assertWatermarkForgets(competitor));
  yield await asserted("windowIsKept", () => assertWindowIsKept(competitor));
  yield await asserted("windowIsKept", () => assertLongWindowIsKept(competitor));
  yield await asserted("monthsAreOneRange", () => assertMonthsAreOneRange(competitor));
  yield await asserted("roomIsKept", () => assertRoomIsKept(competitor));
  yield await asserted("roomIsGivenBack", () => assertRoomIsGivenBack(competitor));
  yield await asserted("bytesAreReported", () => assertBytesAreReported(competitor));
  yield await asserted("wordsAreAll", () => assertWordsAreAll(competitor));
  const { [first]: sought, ...others } = lawsFor(competitor);
  if (sought !== undefined) yield* named({ [first]: sought }, competitor);
  yield* named(others, competitor);
}

export async function* lawsOfChanges(competitor: ChangesCompetitor): AsyncGenerator<string | undefined> {
  yield* named(LAWS_OF_LOGS, competitor);
  yield await asserted("badChangeIsRefused", () => assertBadChangeIsRefused(competitor));
}

function* named<Competitor>(
  laws: Readonly<Record<string, (competitor: Competitor) => string | undefined>>,
  competitor: Competitor,
): Generator<string | undefined> {
  for (const [name, law] of Object.entries(laws)) {
    const finding = law(competitor);
    yield finding && `${name}: ${finding}`;
  }
}

/**
 * A range that ends by the watermark, at it too, makes room for another. Of one resource, so that its ranges use up all
 * the room there is.
 */
function assertRoomIsGivenBack(competitor: ClaimsCompetitor): void {
  for (const ranges of [1, 4, 5, 8]) {
    for (let forgotten = 1; forgotten <= ranges; forgotten++) {
      const ownership = open(competitor, { resources: 1, owners: 2, windowMs: 1 << 12, ranges });
      const claim = (turn: number) => ownership.claim(0, turn % 2, 8 * turn, 8 * turn + 4);
      for (let turn = 0; turn < ranges; turn++) claim(turn);
      ownership.trim(8 * (forgotten - 1) + 4);
      for (let turn = ranges; turn < ranges + forgotten; turn++) claim(turn);
      assert.deepEqual(
        ownership.rangesOf(0).map(({ start }) => start),
        Array.from({ length: ranges }, (_, at) => 8 * (forgotten + at)),
      );
    }
  }
}

/** A bad claim is a RangeError and changes nothing. */
function assertBadClaimIsRefused(competitor: ClaimsCompetitor): void {
  const ownership = open(competitor, SMALL);
  ownership.claim(0, 1, 10, 20);
  ownership.claim(1, 2, 15, 30);
  const before = answersOf(ownership, SMALL);
  const bad: [number, number, number, number][] = [
    [0, 0, 5, 5],
    [0, 0, 6, 5],
    [0, 0, 1.5, 5],
    [0, 0, 1, 5.5],
    [0, 0, -1, 5],
    [0, 0, Number.NaN, 5],
    [0, 0, 0, 2 ** 53],
    [0, 0, 0, Number.POSITIVE_INFINITY],
    [2, 0, 1, 5],
    [-1, 0, 1, 5],
    [0.5, 0, 1, 5],
    [0, 4, 1, 5],
    [0, -1, 1, 5],
    [0, -3, 1, 5],
    [0, 0.5, 1, 5],
    ...(competitor.rule === "evidence" ? [] : [[0, CONFLICT, 1, 5] as [number, number, number, number]]),
  ];
  for (const claim of bad) assert.throws(() => ownership.claim(...claim), RangeError, String(claim));
  assert.throws(() => ownership.claim(0, 0, 5, 5), /end must be after start/);
  assert.throws(() => ownership.rangesOf(2), RangeError);
  looksAnywhere(ownership);
  assert.deepEqual(answersOf(ownership, SMALL), before);
  assert.equal(ownership.ownerAt(0, 19.5), 1, "a fraction belongs to its millisecond");
  assert.equal(ownership.ownerAt(0, 9.5), NO_EVIDENCE);
}

/** A watermark forgets what is before it and nothing else, for ever. */
function assertWatermarkForgets(competitor: ClaimsCompetitor): void {
  const ownership = open(competitor, SMALL);
  ownership.claim(0, 1, 10, 20);
  ownership.trim(15);
  ownership.trim(12);
  assert.deepEqual(
    [14, 15, 19, 20].map((t) => ownership.ownerAt(0, t)),
    [NO_EVIDENCE, 1, 1, NO_EVIDENCE],
  );
  assert.equal(ownership.claim(0, 2, 3, 15), false, "a claim that comes too late");
  assert.equal(ownership.claim(0, 1, 3, 16), true, "a claim that reaches into kept time");
  assert.equal(ownership.ownerAt(0, 14), NO_EVIDENCE);
  ownership.trim(1000);
  assert.equal(ownership.ownerAt(0, 1000), NO_EVIDENCE);
  ownership.claim(0, 3, 1001, 1001 + SMALL.windowMs - 1);
  assert.equal(ownership.ownerAt(0, 1001), 3);
}

/** A claim past the window is a RangeError that changes nothing, or is kept and answered. */
function assertWindowIsKept(competitor: ClaimsCompetitor): void {
  for (const watermark of [0, 1, SMALL.windowMs, 3 * SMALL.windowMs + 5])
    for (const [start, end] of [
      [0, 1],
      [-SMALL.windowMs, 1],
      [-1, SMALL.windowMs],
      [SMALL.windowMs - 1, SMALL.windowMs],
    ] as const) {
      const ownership = open(competitor, SMALL);
      const top = watermark + SMALL.windowMs;
      const kept = { resource: 0, owner: 1, start: watermark, end: top };
      const past = { resource: 0, owner: 2, start: top + start, end: top + end };
      ownership.trim(watermark);
      claimAll(ownership, [kept]);
      const claims = [kept];
      try {
        claimAll(ownership, [past]);
        claims.push(past);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
      const answers = answersOf(ownership, SMALL, watermark);
      assert.equal(answersFollowClaims(competitor.rule, { claims, watermark }, answers), undefined);
    }
}

/** A window of a month is refused when the structure is made, or claims may reach all of it. */
function assertLongWindowIsKept(competitor: ClaimsCompetitor): void {
  const windowMs = 30 * 24 * 3_600_000;
  let ownership: Ownership;
  try {
    // A cell for each millisecond of such a window is too much memory.
    if (competitor.words({ ...SMALL, windowMs }) > 2 ** 20) return;
    ownership = open(competitor, { ...SMALL, windowMs });
  } catch (error) {
    assert.ok(error instanceof RangeError, String(error));
    return;
  }
  for (let start = 0; start < windowMs; start += windowMs / 30) ownership.claim(0, 1, start, start + 1);
  for (let start = 0; start < windowMs; start += windowMs / 30) assert.equal(ownership.ownerAt(0, start), 1);
}

/** A range that lasts for months is one range, however often it is trimmed. */
function assertMonthsAreOneRange(competitor: ClaimsCompetitor): void {
  // 16 ms at a time would take too long: a window that is claimed and moved on, past 2^31 and 2^32 ms.
  const stepMs = 2 ** 26;
  const capacity = { ...SMALL, windowMs: stepMs };
  // A cell for each millisecond of such a window is too much memory.
  if (competitor.words(capacity) > 2 ** 20) return;
  const long = open(competitor, capacity);
  for (let now = 0; now < 2 ** 33; now += stepMs) {
    long.claim(0, 1, now, now + stepMs);
    long.trim(now);
    assert.equal(long.ownerAt(0, now), 1);
    assert.equal(long.ownerAt(0, now + stepMs - 1), 1);
    assert.equal(long.ownerAt(0, now + stepMs), NO_EVIDENCE);
    assert.equal(long.ownerAt(0, now - 1), NO_EVIDENCE);
    assert.equal(long.ownerAt(1, now), NO_EVIDENCE);
  }
  assert.deepEqual(long.rangesOf(0), [{ start: 2 ** 33 - stepMs, end: 2 ** 33, owner: 1 }]);
}

/** More ranges than there is room for are a RangeError that loses nothing, or are kept. */
function assertRoomIsKept(competitor: ClaimsCompetitor): void {
  const capacity: Capacity = { resources: 3, owners: 2, windowMs: 1 << 12, ranges: 12 };
  const ownership = open(competitor, capacity);
  const claims = [];
  for (let turn = 0; turn < 300; turn++) {
    const claim = { resource: turn % 3, owner: turn % 2, start: 8 * turn, end: 8 * turn + 4 };
    try {
      claimAll(ownership, [claim]);
      claims.push(claim);
    } catch (error) {
      assert.ok(error instanceof RangeError, String(error));
      assert.ok(turn >= capacity.ranges, `claim ${turn} does not fit where ${capacity.ranges} should`);
    }
  }
  const answers = answersOf(ownership, capacity).filter(({ t }) => t % 4 === 0);
  assert.equal(answersFollowClaims(competitor.rule, { claims, watermark: 0 }, answers), undefined);
  ownership.trim(3000);
  claimAll(
    ownership,
    Array.from({ length: 12 }, (_, turn) => ({
      resource: turn % 3,
      owner: 1,
      start: 3000 + 8 * turn,
      end: 3004 + 8 * turn,
    })),
  );
}

/** Bytes, where a structure reports them, are at least three words for each range kept. */
function assertBytesAreReported(competitor: ClaimsCompetitor): void {
  const ownership = open(competitor, SMALL);
  for (let start = 0; start < SMALL.windowMs; start += 2) ownership.claim(0, 1, start, start + 1);
  const bytes = ownership.bytes?.();
  if (bytes === undefined) return;
  const least = 3 * Int32Array.BYTES_PER_ELEMENT * ownership.rangesOf(0).length;
  assert.ok(bytes >= least && bytes < 2 ** 20, `${bytes} B, at least ${least}`);
}

/** What is in shared memory is all there is: a second worker sees it and can go on writing. */
function assertWordsAreAll(competitor: ClaimsCompetitor): void {
  if (competitor.words(SMALL) === 0) return;
  const [first, second] = openPair(competitor, SMALL);
  first.claim(0, 1, 10, 20);
  first.trim(12);
  second.claim(0, 2, 18, 30);
  first.claim(0, 3, 40, 44);
  second.claim(1, 0, 12, 13);
  second.trim(13);
  first.claim(0, 1, 31, 32);
  const claims = [
    { resource: 0, owner: 1, start: 10, end: 20 },
    { resource: 0, owner: 2, start: 18, end: 30 },
    { resource: 0, owner: 3, start: 40, end: 44 },
    { resource: 0, owner: 1, start: 31, end: 32 },
  ];
  for (const ownership of [first, second])
    assert.equal(
      answersFollowClaims("evidence", { claims, watermark: 13 }, answersOf(ownership, SMALL)),
      undefined,
    );
}

/** A bad change is a RangeError and changes nothing. */
function assertBadChangeIsRefused(competitor: ChangesCompetitor): void {
  const log = openLog(competitor);
  log.change(0, 1, 10, 10);
  const bad: [number, number, number, number][] = [
    [0, 3, 20, 20],
    [0, -2, 20, 20],
    [0, 0.5, 20, 20],
    [2, 0, 20, 20],
    [0, 0, 20.5, 21],
    [0, 0, -1, 20],
    [0, 0, 20, Number.NaN],
    [0, 0, 2 ** 53, 20],
    [0, 0, 9, 9],
  ];
  for (const change of bad) assert.throws(() => log.change(...change), RangeError, String(change));
  looksAnywhere(log);
  log.change(1, NOBODY, 10 ** 6, 10 ** 6);
  assert.equal(log.ownerAt(0, 11), 1);
  assert.equal(log.ownerAt(0, 30), 1);
}

function looksAnywhere(handle: Attribution): void {
  for (const t of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1, -0.5])
    for (const toleranceMs of [0, 10])
      assert.equal(handle.ownerAt(0, t, toleranceMs), NO_EVIDENCE, `at ${t} ms`);
  for (const resource of [2, -1, 0.5, Number.NaN])
    assert.throws(() => handle.ownerAt(resource, 5), RangeError, `resource ${resource}`);
  assert.throws(() => handle.trim(-1), RangeError);
  assert.throws(() => handle.trim(1.5), RangeError);
  assert.throws(() => handle.trim(Number.NaN), RangeError);
}
