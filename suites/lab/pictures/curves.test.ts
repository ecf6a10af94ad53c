import assert from "node:assert/strict";
import { it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { withDearControl } from "../../engine/judge/judge.synthetic.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { BenchRecord } from "../schema/record.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { curvePicturesOf, isPictureFile } from "./charts.ts";
import { curveSpec, curvesOf, curveThrough } from "./curves.ts";
import { drawSvg } from "./drawing.ts";
import { apart } from "./line-ends.ts";
import { broken, drawAll, goldenPictures, raceOf, recordOf } from "./races.synthetic.ts";

type Costs = Readonly<Record<string, number>>;

/** The races of a curve, by how many connections there are. */
function raced(costsNs: Readonly<Record<number, Costs>>, curve = "refresh", workers = 1): GroupRecord[] {
  return Object.entries(costsNs).map(([at, costs]) => {
    return {
      ...raceOf(costs, workers, { forkNoise: 0.005 }),
      scenario: `${curve}-${at}`,
      title: `${at} of them`,
      point: { curve, along: "connections", at: Number(at) },
    };
  });
}

const COSTS = {
  100000: { wheel: 40, heap: 400, list: 4000 },
  1000: { wheel: 20, heap: 80, list: 10 },
  10000: { wheel: 30, heap: 200, list: 200 },
};
const WHOLE = recordOf(...raced(COSTS));

const many = (factor: number) =>
  Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [`a-competitor-with-a-name-${index}`, factor + index / 4]),
  );

/** A curve with what is missing of it, and why. */
function holed(): BenchRecord {
  const [small, middle, large] = raced({ ...COSTS, 100000: { wheel: 40, heap: 400 } });
  const absent = [
    { competitor: "list", reason: "it would take hours" },
    { competitor: "never", reason: "out of scope" },
  ];
  return recordOf(small!, broken(middle!, "heap", "a timer was early"), { ...large!, absent });
}

/** A curve at one point of which the A/A control strays by this factor. */
function strayed(times: number): BenchRecord {
  const more = { 10000: { wheel: 30, heap: 200, list: 50 }, 1000000: { wheel: 50, heap: 500, list: 5000 } };
  const [small, middle, ...large] = raced({ ...COSTS, ...more });
  return recordOf(small!, withDearControl(middle!, times), ...large);
}

it("a curve as a picture", async (t) => {
  const late = { ...COSTS, 10000: { ...COSTS[10_000], late: 9 } };
  await goldenPictures(t, {
    "of the fewest workers": recordOf(...raced(COSTS, "refresh", 2), ...raced(COSTS)),
    oversubscribed: recordOf(...raced(COSTS, "refresh", 4)),
    "without a number, and absent": holed(),
    "one that has a single point": recordOf(...raced(late)),
    "open beside a wide floor, some": strayed(3),
    "open beside a wide floor, all": strayed(100),
    "fifteen names": recordOf(...raced({ 1000: many(20), 10000: many(25), 1000000: many(30) })),
  });
});

it("a curve along workers, with a mark at the point that is looked at", async (t) => {
  const races = [1, 2, 8].map((workers) => {
    const [judged] = judgeRecord(recordOf(raceOf(COSTS[1000], workers))).races;
    return { ...judged!, point: { curve: "all", along: "workers", at: workers } };
  });
  const curve = curveThrough(races)!;
  golden(
    t,
    "testdata/curve-all-along-workers.svg",
    await drawSvg(curveSpec({ ...curve, at: 2 }, WHOLE, "record.json"), "all"),
  );
  assert.equal(curveThrough(races.slice(0, 1)), undefined);
});

it("there is one for each curve of each primitive, named after it, and the same bytes whenever it is drawn", async () => {
  const record = recordOf(...raced(COSTS), ...raced(COSTS, "add"));
  const files = curvePicturesOf(judgeRecord(record).races).map(({ file }) => file);
  assert.deepEqual(files, ["curve-refresh.svg", "curve-add.svg"]);
  assert.ok(files.every(isPictureFile));
  const drawn = await drawAll(record);
  assert.deepEqual([...drawn.keys()], files);
  assert.deepEqual(await drawAll(structuredClone(record)), drawn);
});

it("its points are the medians of the races with their intervals, in the order of size", () => {
  const [curve] = curvesOf(judgeRecord(WHOLE).races);
  const points = curve!.lines.flatMap(({ name, points }) =>
    points.map(({ at, value, low, high }) => ({ name, at, value, low, high })),
  );
  const rows = ["wheel", "heap", "list"].flatMap((name) =>
    [1000, 10_000, 100_000].map((at) => {
      const race = judgeRecord(WHOLE).races.find(({ point }) => point?.at === at)!;
      const row = race.rows.find(({ competitor }) => competitor === name)!;
      assert.ok(row.noNumber === undefined);
      return { name, at, value: row.median, low: row.interval!.low, high: row.interval!.high };
    }),
  );
  assert.deepEqual(points, rows);
});

it("there is none of fewer than three sizes with numbers", async () => {
  const [one, two, three] = raced(COSTS);
  const failed = ["wheel", "heap", "list"].reduce((group, name) => broken(group, name, "no"), three!);
  for (const record of [recordOf(one!, two!), recordOf(one!, two!, failed), recordOf()]) {
    assert.deepEqual(curvePicturesOf(judgeRecord(record).races), []);
    assert.deepEqual(await drawAll(record), new Map());
  }
});

it("positions are moved apart evenly about where they wanted to be, within the frame", () => {
  assert.deepEqual(apart([90, 50, 10], 15, 100), [90, 50, 10]);
  assert.deepEqual(apart([51, 50, 49], 10, 100), [60, 50, 40]);
  assert.deepEqual(apart([95, 51, 50, 49, 5], 10, 100), [95, 60, 50, 40, 5]);
  assert.deepEqual(apart([30, 20, 20], 20, 100), [43 + 1 / 3, 23 + 1 / 3, 3 + 1 / 3]);
  assert.deepEqual(apart([100, 99, 1, 0], 10, 100), [100, 90, 10, 0]);
  assert.deepEqual(apart([], 10, 100), []);
});
