import assert from "node:assert/strict";
import { it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { inRoles, withDearControl } from "../../engine/judge/judge.synthetic.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { BenchRecord } from "../schema/record.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { drawBrief, isPictureFile } from "./charts.ts";
import { broken, drawAll, goldenPictures, LABELS, raceOf, recordOf, slowAtFirst } from "./races.synthetic.ts";
import { briefRanking, rankingOf, ratioSpec } from "./ratios.ts";

const AT_A_GLANCE = { headline: new Set(["test"]), labels: LABELS };
const COSTS = { base: 20, dear: 40, nothing: 0.5, quick: 10, varied: 5, even: 20, obvious: 200 };
const { obvious: _obvious, ...FEWER } = COSTS;
const { even: _even, ...UNEVEN } = COSTS;

function raced(workers: number, costsNs: Readonly<Record<string, number>> = COSTS): GroupRecord {
  return raceOf(costsNs, workers, { rounds: 10, sliceNoise: 0.005, forkNoise: 0.002 });
}

function rankedIn(record: BenchRecord) {
  return rankingOf(judgeRecord(record).races[0]!, LABELS);
}

it("a race as a picture of its ratios", async (t) => {
  const long = "a-competitor-whose-name-is-longer-than-any-that-the-lab-has";
  const others = { base: 20, further: 30, last: 25 };
  const cases = {
    "at one, two and more workers than cores": recordOf(raced(1), raced(2), raced(4)),
    "in the order of the most workers": recordOf(
      raced(4, { ...COSTS, obvious: 1 }),
      raced(2, { ...COSTS, even: 30 }),
      raced(1, { ...COSTS, dear: 1 }),
    ),
    "without a number, and not raced": recordOf(
      broken(broken(raced(1), "quick"), "even"),
      broken(raced(2, FEWER), "even"),
    ),
    "two roles": recordOf(inRoles(raced(2), "writer", "reader")),
    "a row that depends": recordOf(slowAtFirst(raceOf(FEWER, 1, { forks: 12 }), "quick")),
    "the widest floor of two groups": recordOf(raced(1), withDearControl(raced(1, others), 1.5)),
    "a floor wider than the axis": recordOf(withDearControl(raced(1), 1000)),
    "a lower bound as the baseline": recordOf(raced(1, { nothing: 20, ...others })),
    "a long name": recordOf(raced(1, { ...COSTS, [long]: 30 })),
  };
  await goldenPictures(t, cases, AT_A_GLANCE);
});

it("in brief it has eight rows, below one another and side by side: the lowest, the highest, the baseline, those that are named, and evenly between", async (t) => {
  const names = Array.from({ length: 20 }, (_, index) => `competitor-${index}`);
  const costs = Object.fromEntries(
    ["base", ...names].map((name, index) => [name, index === 0 ? 24 : 10 + 2 * index]),
  );
  const record = recordOf(raced(1, costs), raced(2, costs));
  const brief = briefRanking(rankedIn(record)!, []);
  const drawn = await drawBrief(brief, record, "record.json");
  for (const [file, svg] of drawn) golden(t, `testdata/${file}`, svg);
  assert.equal(drawn.length, 2);
  const placed = (...places: (number | string)[]) =>
    places.map((place) => (typeof place === "number" ? `competitor-${place}` : place));
  const namesWith = (costs: Readonly<Record<string, number>>, ...named: string[]) =>
    briefRanking(rankedIn(recordOf(raced(1, costs)))!, named).names;
  assert.deepEqual(namesWith(UNEVEN), ["quick", "base", "dear", "obvious"]);
  const few = ["competitor-4", "competitor-9", "of another race"];
  assert.deepEqual(namesWith(costs, ...few), placed(0, 4, "base", 9, 10, 13, 16, 19));
  assert.deepEqual(namesWith(costs, ...names.slice(1, 12)), placed(0, 1, 2, 3, "base", 8, 10, 19));
});

it("it is drawn of headline races alone, and is the same bytes whenever it is drawn", async () => {
  const record = recordOf(raced(1), raced(2));
  const drawn = await drawAll(record, AT_A_GLANCE);
  assert.deepEqual([...drawn.keys()], ["test-ratios.svg"]);
  assert.deepEqual(await drawAll(structuredClone(record), AT_A_GLANCE), drawn);
  assert.ok(isPictureFile("test-ratios.svg") && !isPictureFile("ratios.svg"));
  for (const atAGlance of [undefined, { headline: new Set(["other"]), labels: LABELS }])
    assert.deepEqual(await drawAll(record, atAGlance), new Map());
});

it("an interval that says nothing is not drawn, and is unknown", () => {
  const record = recordOf(raced(1), raced(2));
  const judged = judgeRecord(record).races[0]!;
  const rows = judged.rows.map((row) =>
    row.competitor === "dear" ? { ...row, ratio: { value: 2, low: 1e-9, high: 1e13 } } : row,
  );
  const spec = JSON.stringify(ratioSpec(rankingOf({ ...judged, rows }, LABELS)!, record, "record.json"));
  assert.ok(spec.includes('{"value":2,"low":2,"high":2,"name":"dear"'));
  assert.ok(spec.includes("dear, 1 worker: ratio 2 (unknown), "));
});

it("without what is known of competitors, none is left out", () => {
  const whole = rankingOf(judgeRecord(recordOf(raced(1), raced(2))).races[0]!, undefined);
  assert.deepEqual([whole?.leftOut, whole?.names[0]], [[], "nothing"]);
});

it("there is none with fewer than three ratios, without a baseline, or where all share cores, unless asked for", () => {
  assert.notEqual(rankedIn(recordOf(raced(1, UNEVEN))), undefined);
  for (const group of [broken(raced(1, UNEVEN), "dear"), broken(raced(1), "base"), raced(4)])
    assert.equal(rankedIn(recordOf(group)), undefined);
  // Nor is a worker count a panel without its baseline, or where nobody but its A/A control is held to it.
  const alone = Object.keys(COSTS)
    .slice(1)
    .reduce((group, name) => broken(group, name), raced(1));
  for (const group of [alone, broken(raced(1), "base")])
    assert.deepEqual(
      rankedIn(recordOf(group, raced(2)))!.panels.map(({ title }) => title),
      ["2 workers"],
    );
  const crowded = judgeRecord(recordOf(raced(4))).races[0]!;
  const { panels, leftOut } = rankingOf(crowded, LABELS, crowded.conditions)!;
  assert.deepEqual([panels.length, leftOut.join().includes("cores")], [1, false]);
});
