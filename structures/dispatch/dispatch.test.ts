import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import { competitorsOf, contractOf, type Entry, lawBrokenBy, loadCompetitor, mutantsOf } from "../catalog.ts";
import {
  type DispatchCompetitor,
  type DispatchList,
  LATEST_SECOND,
  LONGEST_REACH,
  MOST_CLIENTS,
  NOBODY,
} from "./dispatch.contract.ts";
import * as laws from "./dispatch.laws.ts";
import { type Act, enter, type Law, Observer, remove, take } from "./parts/observer.ts";

const contract = await contractOf("dispatch");
const load = async (entry: Entry) => (await loadCompetitor(entry.url, contract)) as DispatchCompetitor;
const oracle = await load(competitorsOf("dispatch").find((entry) => entry.name === contract.oracle)!);

/** Powers of two, which a ring has for its size, with their neighbours; and an interval with and without jitter. */
const REACHES = [1, 2, 3, 7, 8, 9, 600, 899];
/** Clocks to begin at: fresh, in the middle of a rotation, and as near the end of time as the longest course allows. */
const BEGINNINGS = [0, 1_000_003, LATEST_SECOND - 2 ** 19];

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
/** Who is taken when only some are is the competitor's choice; these leave none, so that all must do the same. */
const wholeCourse = coursesWithLimits(fc.constant(Number.POSITIVE_INFINITY));
const setting = fc.record({
  clients: fc.integer({ min: 1, max: 12 }),
  reach: fc.constantFrom(...REACHES),
  start: fc.constantFrom(...BEGINNINGS),
});

function observed(competitor: DispatchCompetitor, clients: number, reach: number, course: readonly Act[]) {
  const observer = new Observer(competitor, clients, reach, competitor.order).run(course).finish();
  assert.deepEqual([...observer.broken], []);
  return observer;
}

function listedIn(list: DispatchList, now: number): number[] {
  const taken: number[] = [];
  for (let client = list.take(now); client !== NOBODY; client = list.take(now)) taken.push(client);
  return taken.sort((a, b) => a - b);
}

for (const entry of competitorsOf("dispatch")) {
  suite(`dispatch: ${entry.name}`, async () => {
    const competitor = await load(entry);

    test("keeps every law, whatever is done", () => {
      fc.assert(
        fc.property(setting, anyCourse, ({ clients, reach, start }, course) => {
          observed(competitor, clients, reach, [take(start), ...course]);
        }),
        { seed: 7, numRuns: 150 },
      );
    });

    test("takes in every second whom the oracle takes", () => {
      fc.assert(
        fc.property(setting, wholeCourse, ({ clients, reach, start }, course) => {
          const acts = [take(start), ...course];
          const truth = new Observer(oracle, clients, reach, competitor.order).run(acts).finish();
          assert.deepEqual(observed(competitor, clients, reach, acts).transcript, truth.transcript);
        }),
        { seed: 8, numRuns: 150 },
      );
    });

    test("keeps every law for several rotations of many clients, some of them left over in most seconds", () => {
      for (const reach of REACHES) {
        const fleet = Array.from({ length: 200 }, (_, client) => client);
        const course = [
          ...fleet.map((client) => enter(client, Math.floor((client * (reach + 1)) / fleet.length))),
          ...Array.from({ length: 3 * reach + 60 }, (_, second): Act[] => [
            remove((second * 7) % fleet.length),
            enter((second * 7) % fleet.length, (second * 11) % (reach + 1)),
            take(1, reach - (second % 2), ((second * 37) % 90) + 1),
          ]).flat(),
        ];
        observed(competitor, fleet.length, reach, course);
      }
    });

    test("keeps every law where wheels turn over, in steps and in one jump", () => {
      const around = [2 ** 15, 2 ** 16, 2 ** 17].flatMap((at) => [at - 1, at, at + 1]);
      const reach = around.at(-1)!;
      const entries = around.map((delay, client) => enter(client, delay));
      for (const start of BEGINNINGS) {
        observed(competitor, around.length, reach, [take(start), ...entries, take(reach)]);
        const everyStep = around.map((delay, index) => delay - (around[index - 1] ?? 0));
        const course = everyStep.flatMap((step) => [take(step - 1), take(1)]);
        observed(competitor, around.length, reach, [take(start), ...entries, ...course]);
      }
    });

    test("a client entered for the clock is taken in the same second, during it and after its last", () => {
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
    });

    test("whom nobody has taken yet can be removed, due as it is", () => {
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
    });

    test("a clock that is asked to go back stays", () => {
      const list = competitor.create(2, 10);
      assert.equal(list.take(100), NOBODY);
      list.enter(0, 100);
      list.enter(1, 110);
      assert.equal(list.take(50), 0);
      assert.equal(list.take(-1), NOBODY);
      assert.throws(() => list.enter(0, 111), RangeError);
      assert.deepEqual(listedIn(list, 110), [1]);
    });

    test("goes on to the latest second", () => {
      const list = competitor.create(2, 600);
      list.enter(0, 600);
      assert.equal(list.take(LATEST_SECOND), 0);
      list.enter(0, LATEST_SECOND);
      list.enter(1, LATEST_SECOND + 600);
      assert.deepEqual(listedIn(list, LATEST_SECOND), [0]);
      assert.ok(list.remove(1));
    });

    test("is not made for numbers that are none", () => {
      for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        assert.throws(() => competitor.create(bad, 10), RangeError);
        assert.throws(() => competitor.create(10, bad), RangeError);
      }
      assert.throws(() => competitor.create(MOST_CLIENTS + 1, 10), RangeError);
      assert.throws(() => competitor.create(10, LONGEST_REACH + 1), RangeError);
    });
  });
}

test("dispatch: append-only is late out of the order of deadlines, as the source found", async () => {
  const entry = competitorsOf("dispatch").find(({ name }) => name === "append-only")!;
  const course = [enter(0, 600), enter(1, 5), take(5), take(594), take(1)];
  const observer = new Observer(await load(entry), 2, 600, "any").run(course);
  assert.deepEqual([...observer.broken.keys()], ["onTime"]);
  assert.deepEqual(observer.transcript, [[], [], [0, 1]]);
});

suite("dispatch: mutants", async () => {
  const caught = new Set<Law>();
  for (const entry of mutantsOf("dispatch")) {
    const breaks = (await lawBrokenBy(entry)) as Law;
    caught.add(breaks);
    test(`${entry.name} breaks ${breaks}`, async () => {
      const mutant = await load(entry);
      const broken = new Set<Law>();
      for (const course of fc.sample(anyCourse, { seed: 9, numRuns: 100 })) {
        const observer = new Observer(mutant, 12, 600, mutant.order);
        try {
          observer.run(course).finish();
        } catch (error) {
          // A mutant may also fall over; what counts is the law that it broke.
          if (!(error instanceof Error)) throw error;
        }
        for (const law of observer.broken.keys()) broken.add(law);
      }
      assert.ok(broken.has(breaks), `it broke only: ${[...broken].join(", ") || "nothing"}`);
    });
  }

  test("every law has a mutant", () => {
    assert.deepEqual([...caught].sort(), Object.keys(laws).sort());
  });
});

test("dispatch: the oracle competes", () => {
  assert.ok(competitorsOf("dispatch").some(({ name }) => name === contract.oracle));
});
