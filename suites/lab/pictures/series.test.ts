import assert from "node:assert/strict";
import { it } from "node:test";
import { present } from "../../engine/words/present.ts";
import { columnLength, seriesRecord } from "../kinds/assemble-metrics.ts";
import type { BenchRecord, SimulationRecord } from "../schema/record.ts";
import { isPictureFile } from "./charts.ts";
import { drawAll, goldenPictures, recordOf } from "./races.synthetic.ts";
import { seriesPictureOf } from "./series.ts";

type Chart = NonNullable<SimulationRecord["chart"]>;
type Series = Readonly<Record<string, number[]>>;

const CHART = { title: "messages per second", unit: "messages/s", stepSeconds: 1 };
const LINE: Chart = { ...CHART, low: "values", high: "values" };
const BAND: Chart = { ...CHART, low: "least", high: "most" };
const TITLES = [
  { key: "wrong", title: "misattributed" },
  { key: "none", title: "unattributed" },
];
const ANSWERS = { lines: TITLES, title: "answers", unit: "%" };

function simulated(cells: Readonly<Record<string, Series>>, chart?: Chart): SimulationRecord {
  const perColumn = columnLength(
    chart,
    Object.values(cells).map((series) => ({ series })),
  );
  return {
    primitive: "synthetic",
    scenario: "fleet",
    title: "10,000 clients",
    metrics: {},
    ...present({ chart }),
    cells: Object.entries(cells).map(([competitor, series], index) => ({
      name: competitor,
      competitor,
      baseline: index === 0,
      metrics: {},
      ...seriesRecord(series, chart, perColumn),
    })),
  };
}

/** Each competitor's one line. */
function lines(values: Readonly<Record<string, number[]>>, chart = LINE): SimulationRecord {
  const cells = Object.entries(values).map(([name, line]) => [name, { values: line }]);
  return simulated(Object.fromEntries(cells), chart);
}

/** A spike of a second every ten minutes for six hours, and nothing between. */
const SPIKES = Array.from({ length: 21_600 }, (_, second) => (second % 600 === 0 ? 10_000 : 0));

function withFailure(simulation: SimulationRecord): SimulationRecord {
  const failure = { kind: "law" as const, reason: "two were lost" };
  const [first, second] = simulation.cells;
  return { ...simulation, cells: [first!, { ...second!, failure, series: {} }] };
}

const CASES: Readonly<Record<string, SimulationRecord>> = {
  "spikes of a second at their full height, in columns": {
    ...lines({ fixed: SPIKES }),
    seeds: [42, 5, 6],
  },
  "in minutes": lines({ a: [1, 2, 3] }, { ...LINE, stepSeconds: 60 }),
  "in hours, from the second on": lines({ a: [1, 2, 3] }, { ...LINE, stepSeconds: 3600, fromSeconds: 7200 }),
  "a band between two series": simulated({ a: { least: [5, 6, 7, 6], most: [9, 9, 12, 9] } }, BAND),
  "several, to a scale that no giant spoils": lines({
    optimum: [17, 16],
    fixed: [10_000, 0],
    random: [35, 5],
  }),
  "a giant of two": lines({ a: [17], b: [10_000, 0] }),
  "no giant": lines({ a: [17], b: [30, 5] }),
  "about zero": lines({ a: [-5, 5] }),
  "below zero": lines({ a: [-3, -1] }),
  "several lines in each frame": simulated(
    { a: { wrong: [0, 0, 1], none: [2, 10, 60] }, b: { wrong: [0, 0, 0], none: [1, 30, 1] } },
    { ...ANSWERS, stepSeconds: 10, fromSeconds: -10 },
  ),
  "without a number": withFailure(lines({ a: [1, 2], b: [1, 2] })),
};

function recordWith(...simulations: SimulationRecord[]): BenchRecord {
  return { ...recordOf(), simulations };
}

it("a series as a picture", async (t) => {
  const cases = Object.entries(CASES).map(([name, one]) => [name, recordWith(one)]);
  await goldenPictures(t, Object.fromEntries(cases));
});

it("it is one for each simulation with a chart and a competitor with a number, the same bytes whenever it is drawn", async () => {
  const whole = lines({ a: [1, 2] });
  const failure = { kind: "law" as const, reason: "no" };
  const failed = { ...whole, scenario: "failed", cells: [{ ...whole.cells[0]!, failure, series: {} }] };
  const chartless = { ...simulated({ a: { values: [1, 2] } }), scenario: "chartless" };
  const drawn = await drawAll(recordWith(chartless, whole, failed));
  assert.deepEqual([...drawn.keys()], ["fleet-series.svg"]);
  assert.deepEqual(await drawAll(structuredClone(recordWith(whole))), drawn);
  assert.deepEqual([chartless, failed].map(seriesPictureOf), [undefined, undefined]);
  assert.ok(isPictureFile("fleet-series.svg") && !isPictureFile("series.svg"));
});

it("it is not drawn where nobody's figure varies, or a line has no series", () => {
  const flat = [
    { a: [20], b: [20] },
    { a: [0, 0], b: [17] },
    { a: [666, 668], b: [-5, -5] },
  ];
  for (const values of flat) assert.equal(seriesPictureOf(lines(values)), undefined);
  assert.ok(seriesPictureOf(lines({ a: [666, 690] })));
  assert.equal(
    seriesPictureOf(simulated({ a: { wrong: [0, 0, 1] } }, { ...ANSWERS, stepSeconds: 10 })),
    undefined,
  );
});
