import assert from "node:assert/strict";
import fc from "fast-check";
import type { Examination } from "../shared/contract.ts";
import { asserted, examined } from "../shared/examination.ts";
import oracle from "./competitors/sorted-list.ts";
import {
  contract,
  type DispatchCompetitor,
  type DispatchList,
  LATEST_SECOND,
  LONGEST_REACH,
  LONGEST_RUN,
  MOST_CLIENTS,
  NOBODY,
} from "./dispatch.contract.ts";
import { type Act, enter, Observer, remove, take } from "./parts/observer.ts";

/**
 * Every law of dispatch applied to one competitor: over random courses, the same for every competitor, and over courses
 * that have failed before. Written once, so that a newcomer is examined like every other competitor.
 */

/** Powers of two, which a ring has for its size, with their neighbours; and an interval with and without jitter. */
const REACHES = [1, 2, 3, 7, 8, 9, 600, 899];
/** Starts: fresh, in the middle of a rotation, in Unix time, and as near its end as the longest course allows. */
const STARTS = [0, 1_000_003, 1_763_836_101, LATEST_SECOND - 2 ** 19];

const delays = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -2, max: 12 }) },
  { weight: 2, arbitrary: fc.constantFrom(599, 600, 601, 899, 1000) },
);
const steps = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -2, max: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(7, 8, 9, 16, 599, 600, 1023, 1024, 1025, 3000) },
);
const clients = fc.nat(11);
const coursesWithLimits = (limits: fc.Arbitrary<number>): fc.Arbitrary<Act[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant("enter" as const), client: clients, delay: delays }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), client: clients }) },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant("take" as const),
          step: steps,
          limit: limits,
          again: fc.option(delays, { nil: undefined }),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: "offend" as const }) },
    ),
    { maxLength: 60, size: "max" },
  );
const anyCourse = coursesWithLimits(
  fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max: 3 })),
);
/** Where only some clients are taken, the competitor chooses which; these courses leave none, so that all must do the same. */
const wholeCourse = coursesWithLimits(fc.constant(Number.POSITIVE_INFINITY));
const setting = fc.record({
  clients: fc.integer({ min: 1, max: 12 }),
  reach: fc.constantFrom(...REACHES),
  start: fc.constantFrom(...STARTS),
});

export const examination = {
  tries: "300 courses at random beside the oracle, rotations, turns of wheels, and bad calls",
  examine: (url) => examined(url, contract, lawsBroken),
} satisfies Examination;

async function lawsBroken(competitor: DispatchCompetitor): Promise<(string | undefined)[]> {
  return [
    ...(await lawsOf(competitor, coursesAtRandom())),
    ...(await lawsOf(competitor, rotations())),
    ...(await lawsOf(competitor, turnsOfWheels())),
    await asserted("agreesWithOracle", () => assertAgreesWithOracle(competitor)),
    await asserted("sameSecondIsServed", () => assertSameSecondIsServed(competitor)),
    await asserted("leftoversAreListed", () => assertLeftoversAreListed(competitor)),
    await asserted("clockNeverGoesBack", () => assertClockNeverGoesBack(competitor)),
    await asserted("beginsAtItsStart", () => assertBeginsAtItsStart(competitor)),
    await asserted("goesOnToTheEnd", () => assertGoesOnToTheEnd(competitor)),
    await asserted("badSetupIsRefused", () => assertBadSetupIsRefused(competitor)),
  ];
}

/** Operations on a list for `clients`, with deadlines at most `reach` ahead, whose clock begins at `start`. */
interface Course {
  readonly clients: number;
  readonly reach: number;
  readonly start: number;
  readonly acts: readonly Act[];
}

/** The laws that the observer finds broken on the way; one of them is that it came to the end of all courses. */
async function lawsOf(
  competitor: DispatchCompetitor,
  courses: Iterable<Course>,
): Promise<(string | undefined)[]> {
  const broken: (string | undefined)[] = [];
  const calls = await asserted("callsAreServed", () => {
    for (const { clients, reach, start, acts } of courses) {
      const observer = new Observer(competitor, clients, reach, competitor.order, start);
      try {
        observer.run(acts).finish();
      } finally {
        // A competitor that throws has often broken a law before, which says more.
        broken.push(...observer.broken.values());
      }
    }
  });
  return [...broken, calls];
}

function* coursesAtRandom(): Generator<Course> {
  for (const [{ clients, reach, start }, course] of fc.sample(fc.tuple(setting, anyCourse), {
    seed: 7,
    numRuns: 150,
  }))
    yield { clients, reach, start, acts: course };
}

/** Several rotations of many clients, some of them left over in most seconds. */
function* rotations(): Generator<Course> {
  for (const reach of REACHES) {
    const fleet = Array.from({ length: 200 }, (_, client) => client);
    const acts = [
      ...fleet.map((client) => enter(client, Math.floor((client * (reach + 1)) / fleet.length))),
      ...Array.from({ length: 3 * reach + 60 }, (_, second): Act[] => [
        remove((second * 7) % fleet.length),
        enter((second * 7) % fleet.length, (second * 11) % (reach + 1)),
        take(1, reach - (second % 2), ((second * 37) % 90) + 1),
      ]).flat(),
    ];
    yield { clients: fleet.length, reach, start: 0, acts };
  }
}

/** Where wheels turn over, in steps and in one jump. */
function* turnsOfWheels(): Generator<Course> {
  const around = [2 ** 15, 2 ** 16, 2 ** 17].flatMap((at) => [at - 1, at, at + 1]);
  const reach = around.at(-1)!;
  const entries = around.map((delay, client) => enter(client, delay));
  for (const start of STARTS) {
    yield { clients: around.length, reach, start, acts: [...entries, take(reach)] };
    const everyStep = around.map((delay, index) => delay - (around[index - 1] ?? 0));
    const course = everyStep.flatMap((step) => [take(step - 1), take(1)]);
    yield { clients: around.length, reach, start, acts: [...entries, ...course] };
  }
}

/** In every second it takes the clients that the oracle takes. */
function assertAgreesWithOracle(competitor: DispatchCompetitor): void {
  for (const [{ clients, reach, start }, course] of fc.sample(fc.tuple(setting, wholeCourse), {
    seed: 8,
    numRuns: 150,
  })) {
    const [seen, truth] = [competitor, oracle].map(
      (one) => new Observer(one, clients, reach, competitor.order, start).run(course).finish().transcript,
    );
    assert.deepEqual(seen, truth);
  }
}

/** A client entered for the clock is taken in the same second, during it and after its last. */
function assertSameSecondIsServed(competitor: DispatchCompetitor): void {
  const list = competitor.create(4, 10);
  assert.equal(list.take(5), NOBODY);
  list.enter(0, 5);
  list.enter(1, 5);
  const first = list.take(5);
  list.enter(2, 5);
  assert.deepEqual([first, ...listedIn(list, 5)].sort(), [0, 1, 2]);
  list.enter(3, 4);
  assert.deepEqual(listedIn(list, 5), [3]);
  list.enter(3, -7);
  assert.ok(list.remove(3));
  assert.equal(list.take(5), NOBODY);
}

/** A client that has not been taken yet can be removed, due as it is. */
function assertLeftoversAreListed(competitor: DispatchCompetitor): void {
  const list = competitor.create(5, 10);
  for (let client = 0; client < 5; client++) list.enter(client, 3);
  const first = list.take(9);
  const left = [0, 1, 2, 3, 4].filter((client) => client !== first);
  assert.ok(list.remove(left[1]!));
  assert.equal(list.remove(left[1]!), false);
  assert.equal(list.remove(first), false);
  list.enter(first, 9);
  assert.deepEqual(
    listedIn(list, 9),
    [0, 1, 2, 3, 4].filter((client) => client !== left[1]),
  );
}

/** A clock that is asked to go back stays. */
function assertClockNeverGoesBack(competitor: DispatchCompetitor): void {
  const list = competitor.create(2, 10);
  assert.equal(list.take(100), NOBODY);
  list.enter(0, 100);
  list.enter(1, 110);
  assert.equal(list.take(50), 0);
  assert.equal(list.take(-1), NOBODY);
  assert.throws(() => list.enter(0, 111), RangeError);
  assert.deepEqual(listedIn(list, 110), [1]);
}

/** Clients entered before the first take have the reach from the start on, and no more. */
function assertBeginsAtItsStart(competitor: DispatchCompetitor): void {
  for (const start of STARTS) {
    const list = competitor.create(6, 600, start);
    assert.throws(() => list.enter(5, start + 601), RangeError);
    list.enter(4, start - 1);
    list.enter(5, start + 600);
    assert.deepEqual(listedIn(list, start), [4]);
    assert.equal(list.take(start + 599), NOBODY);
    assert.equal(list.take(start + 600), 5);
  }
}

function assertGoesOnToTheEnd(competitor: DispatchCompetitor): void {
  for (const start of STARTS) {
    const end = Math.min(start + LONGEST_RUN, LATEST_SECOND);
    const list = competitor.create(2, LONGEST_REACH, start);
    list.enter(0, start + 600);
    assert.equal(list.take(end), 0);
    list.enter(0, end);
    list.enter(1, end + LONGEST_REACH);
    assert.deepEqual(listedIn(list, end), [0]);
    assert.throws(() => list.take(end + 1), RangeError);
    assert.ok(list.remove(1));
  }
}

/** It is not made for invalid numbers. */
function assertBadSetupIsRefused(competitor: DispatchCompetitor): void {
  for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    assert.throws(() => competitor.create(bad, 10), RangeError);
    assert.throws(() => competitor.create(10, bad), RangeError);
  }
  assert.throws(() => competitor.create(MOST_CLIENTS + 1, 10), RangeError);
  assert.throws(() => competitor.create(10, LONGEST_REACH + 1), RangeError);
  for (const start of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, LATEST_SECOND + 1])
    assert.throws(() => competitor.create(10, 10, start), RangeError);
}

function listedIn(list: DispatchList, now: number): number[] {
  const taken: number[] = [];
  for (let client = list.take(now); client !== NOBODY; client = list.take(now)) taken.push(client);
  return taken.sort((a, b) => a - b);
}
