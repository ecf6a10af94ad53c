import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgedRecord } from "../../engine/judge/judge.ts";
import type { SurveyResult } from "../../engine/measure/run/watched.ts";
import type { BenchRecord, SimulationRecord, SurveyRecord } from "../../engine/schema/record.ts";
import { Random } from "../../engine/words/random.ts";
import { columnLength, seriesRecord, surveyRecord } from "../kinds/assemble-metrics.ts";
import { recordPage } from "../pages/pages.ts";
import { isPictureFile } from "./charts.ts";
import { drawAll, drawn as drawnFile, recordOf as emptyRecord, textsOf } from "./races.synthetic.ts";
import { seriesPictureOf } from "./series.ts";

type Along = Extract<Chart, { along: unknown }>["along"];

const SIX_HOURS = 21_600;
const CHART = { title: "messages per second", unit: "messages/s", stepSeconds: 1 };
const LINE: Chart = { ...CHART, low: "values", high: "values" };
const BAND: Chart = { ...CHART, low: "least", high: "most" };

type Chart = NonNullable<SimulationRecord["chart"]>;
type Series = Readonly<Record<string, number[]>>;

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
    ...(chart === undefined ? {} : { chart }),
    cells: Object.entries(cells).map(([competitor, series], index) => {
      return {
        name: competitor,
        competitor,
        baseline: index === 0,
        metrics: {},
        ...seriesRecord(series, chart, perColumn),
      };
    }),
  };
}

function recordOf(...simulations: SimulationRecord[]): BenchRecord {
  return { ...emptyRecord(), simulations };
}

function drawn(simulation: SimulationRecord): Promise<string> {
  return drawnFile(recordOf(simulation), "fleet-series.svg");
}

/** The corners of each area, in the order of the picture. */
function areasOf(svg: string): { x: number; y: number }[][] {
  return [...svg.matchAll(/<path d="([^"]*)"[^>]* stroke="#222222"/g)].map(([, path]) =>
    [...path!.matchAll(/([-\d.]+),([-\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) })),
  );
}

/** A spike of a second every ten minutes, and nothing between. */
const spikes = Array.from({ length: SIX_HOURS }, (_, second) => (second % 600 === 0 ? 10_000 : 0));

/** As many in each slot as random clients make, over and over. */
function slots(seed: number): number[] {
  const random = new Random(seed);
  const counts = new Array<number>(600).fill(0);
  for (let client = 0; client < 10_000; client++) counts[random.below(600)]!++;
  return Array.from({ length: SIX_HOURS }, (_, second) => counts[second % 600]!);
}

/** A survey; each process drew these series. */
function surveyed(cells: Readonly<Record<string, Series>>): SurveyRecord {
  const chart = { ...CHART, lines: ["received", "low"].map((key) => ({ key, title: `is ${key}` })) };
  const plan = {
    primitive: "synthetic",
    scenario: "real",
    absent: [],
    survey: { title: "real", metrics: {}, chart },
  };
  return surveyRecord({
    plan: plan as unknown as SurveyResult["plan"],
    cells: Object.entries(cells).map(([competitor, series]) => ({ competitor, forks: [{}], series })),
  });
}

describe("the picture of a series", () => {
  it("is drawn of a survey, too, and stands on its page", async () => {
    const survey = surveyed({ wheel: { received: [17, 16], low: [15, 15] } });
    const record = { ...emptyRecord(), surveys: [survey] };
    const texts = textsOf(await drawnFile(record, "real-series.svg"));
    assert.ok(texts.includes("is received") && texts.includes("is low"), texts.join("; "));
    const page = recordPage("Results", judgedRecord(record), "record.json", {
      pictured: { headline: new Set(), standings: undefined },
    });
    assert.match(
      page,
      /is received from 16 to 17 messages\/s, is low from 15 to 15 messages\/s" src="real-series\.svg">/,
    );
  });

  it("is one for each simulation that has a chart and a competitor with a number", async () => {
    const chartless = { ...simulated({ a: { values: [1, 2] } }), scenario: "chartless" };
    const whole = simulated({ a: { values: [1, 2] } }, LINE);
    const failure = { kind: "law" as const, reason: "no" };
    const failed = { ...whole, scenario: "failed", cells: [{ ...whole.cells[0]!, failure, series: {} }] };
    assert.deepEqual([...(await drawAll(recordOf(chartless, whole, failed))).keys()], ["fleet-series.svg"]);
    assert.equal(seriesPictureOf(chartless), undefined);
    assert.equal(seriesPictureOf(failed), undefined);
    assert.equal(seriesPictureOf(whole)?.file, "fleet-series.svg");
    assert.ok(isPictureFile("fleet-series.svg") && !isPictureFile("series.svg"));
  });

  it("of one competitor shows a spike of one second at its full height, each at its time", async () => {
    const svg = await drawn(simulated({ fixed: { values: spikes } }, LINE));
    const [area] = areasOf(svg);
    const top = Math.min(...area!.map(({ y }) => y));
    const bottom = Math.max(...area!.map(({ y }) => y));
    const width = Math.max(...area!.map(({ x }) => x));
    // All but a twentieth of the frame's 300 pixels.
    assert.ok(bottom - top > 280, `${bottom - top} pixels high`);
    const highest = area!.filter(({ y }) => y === top).map(({ x }) => x);
    const peaks = [...new Set(highest)].toSorted((a, b) => a - b);
    assert.equal(peaks.length, 36);
    assert.equal(peaks[0], 0, "the first value is not left out");
    peaks.forEach((x, index) => {
      assert.ok(Math.abs(x - (index * width) / 36) < 2, `${x}`);
    });
    const texts = textsOf(svg);
    for (const needed of ["time (hours)", "0", "6", "10k"]) {
      assert.ok(texts.includes(needed), needed);
    }
  });

  it("says what it shows: title, competitor, unit, columns, seeds, machine and record", async () => {
    const one = { ...simulated({ fixed: { values: spikes } }, LINE), seeds: [42, 5, 6] };
    const text = textsOf(await drawn(one)).join(" ");
    assert.match(text, /synthetic\/fleet: messages per second, fixed 10,000 clients /);
    assert.match(text, / messages\/s against hours, over the whole run From seed 42, the first of 3 /);
    assert.match(
      text,
      / Drawn in columns of 28 s, each from its lowest value to its highest, joined by lines/,
    );
    assert.match(text, /Made from record\.json: Made Up, 2 cores, Node\.js 24\.0\.0/);
    assert.equal(
      seriesPictureOf(one)!.alt,
      "synthetic/fleet: messages per second, fixed, from 0 to 6 hours: from 0 to 10,000 messages/s",
    );
  });

  it("has minutes or seconds where it lasts no hours, and begins when its first value is", async () => {
    const minutes = textsOf(
      await drawn(simulated({ a: { values: [1, 2, 3] } }, { ...LINE, stepSeconds: 60 })),
    );
    assert.ok(minutes.includes("time (minutes)") && !minutes.join().includes("columns"), minutes.join());
    const seconds = textsOf(await drawn(simulated({ a: { values: [1, 2, 3] } }, LINE)));
    assert.ok(seconds.includes("time (seconds)") && seconds.includes("3"));
    const later = simulated({ a: { values: [1, 2, 3] } }, { ...LINE, stepSeconds: 3600, fromSeconds: 7200 });
    assert.match(seriesPictureOf(later)!.alt, /from 2 to 5 hours/);
    const texts = textsOf(await drawn(later));
    assert.deepEqual(texts.slice(0, texts.indexOf("time (hours)")), [
      "2",
      "2.5",
      "3",
      "3.5",
      "4",
      "4.5",
      "5",
    ]);
  });

  it("fills the band between two series, and lets one be a line", async () => {
    const least = [5, 6, 7, 6];
    const most = [9, 9, 12, 9];
    const band = await drawn(simulated({ a: { least, most } }, BAND));
    const [area] = areasOf(band);
    assert.equal(area!.length, 8);
    const heights = [0, 1, 2, 3].map((index) => {
      const ys = area!.filter(({ x }) => x === area![index]!.x).map(({ y }) => y);
      return Math.max(...ys) - Math.min(...ys);
    });
    // In proportion to how far apart the series are.
    heights.forEach((height, index) => {
      assert.ok(Math.abs(height / heights[0]! - (most[index]! - least[index]!) / 4) < 0.02, `${heights}`);
    });
    assert.match(band, /fill="#c4c4c4"/);
    const [line] = areasOf(await drawn(simulated({ a: { values: least } }, LINE)));
    assert.deepEqual(
      line!.slice(0, 4).toSorted((a, b) => a.x - b.x),
      line!.slice(4).toSorted((a, b) => a.x - b.x),
    );
  });

  it("of several has a panel each, in the order of the table, to one scale that no giant spoils", async () => {
    const cells = {
      optimum: { values: [17, 16] },
      fixed: { values: [10_000, 0] },
      random: { values: [35, 5] },
    };
    const svg = await drawn(simulated(cells, LINE));
    const texts = textsOf(svg);
    const titles = ["optimum (baseline)", "fixed, up to 10,000", "random"];
    assert.deepEqual(
      texts.filter((text) => titles.includes(text)),
      titles,
    );
    assert.ok(texts.some((text) => text.startsWith("Cut off at 70: ")));
    const [optimum, fixed, random] = areasOf(svg).map((area) => Math.min(...area.map(({ y }) => y)));
    assert.equal(fixed, 0, "up to the frame, and not beyond");
    // 17 and 35 of 70, from above.
    assert.ok(Math.abs(random! / optimum! - (70 - 35) / (70 - 17)) < 0.01);
    assert.match(
      seriesPictureOf(simulated(cells, LINE))!.alt,
      /optimum from 16 to 17 messages\/s, fixed from 0 to 10,000 messages\/s, random from 5 to 35/,
    );

    const two = textsOf(await drawn(simulated({ a: { values: [17] }, b: { values: [10_000, 0] } }, LINE)));
    assert.ok(two.includes("b, up to 10,000"));
    const alike = await drawn(simulated({ a: { values: [17] }, b: { values: [30, 5] } }, LINE));
    assert.doesNotMatch(alike, /Cut off|up to/);
  });

  it("is not drawn where nobody's figure varies", () => {
    for (const [a, b] of [
      [[20], [20]],
      [[0, 0], [17]],
      [
        [666, 668],
        [-5, -5],
      ],
    ])
      assert.equal(seriesPictureOf(simulated({ a: { values: a! }, b: { values: b! } }, LINE)), undefined);
    assert.ok(seriesPictureOf(simulated({ a: { values: [666, 690] } }, LINE)));
  });

  it("shows what is below zero within its frame", async () => {
    for (const values of [
      [-5, 5],
      [-3, -1],
    ]) {
      const svg = await drawn(simulated({ a: { values } }, LINE));
      assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
      for (const { y } of areasOf(svg)[0]!) assert.ok(y >= 0 && y <= 300, `${values}: ${y}`);
    }
  });

  const lines = [
    { key: "wrong", title: "misattributed" },
    { key: "none", title: "unattributed" },
  ];
  const shares = { wrong: [0, 0, 1], none: [2, 10, 60] };

  /** The corners of each line, in the order of the picture. */
  function linesOf(svg: string): { x: number; y: number }[][] {
    return [...svg.matchAll(/<path d="([^"A]*)"[^>]* stroke-width="1\.5"/g)].map(([, path]) =>
      [...path!.matchAll(/([-\d.]+),([-\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) })),
    );
  }

  it("has several lines in one frame, distinguishable without colour and named once for all panels", async () => {
    const chart: Chart = { lines, title: "answers", unit: "%", stepSeconds: 10, fromSeconds: -10 };
    const both = simulated({ a: shares, b: { wrong: [0, 0, 0], none: [1, 30, 1] } }, chart);
    const svg = await drawn(both);
    const texts = textsOf(svg);
    for (const { title } of lines) assert.equal(texts.filter((text) => text === title).length, 1, title);
    assert.equal(linesOf(svg).length, 4);
    for (const [, colour] of svg.matchAll(/stroke="#(\w{6})"/g))
      assert.equal(new Set(colour!.match(/../g)).size, 1, `${colour} is a grey`);
    assert.match(
      texts.join(" "),
      /% against seconds; one panel per competitor, in the order of the table, all to one scale/,
    );
    assert.equal(
      seriesPictureOf(both)!.alt,
      "synthetic/fleet: answers, from -10 to 20 seconds: a misattributed from 0 to 1 %, " +
        "a unattributed from 2 to 60 %, b misattributed from 0 to 0 %, b unattributed from 1 to 30 %",
    );
    const halved = simulated({ a: { wrong: shares.wrong } }, chart);
    assert.equal(seriesPictureOf(halved), undefined, "a line without its series is not left out in silence");
  });

  it("stands against what a sweep varies, each value at its place, on either scale", async () => {
    const along = (scale: Along["scale"], at: number[]): Chart => ({
      lines,
      title: "answers",
      unit: "%",
      along: { title: "mean delay", unit: "s", scale, at },
    });
    const linear = simulated({ a: shares }, along("linear", [0, 5, 50]));
    const placesIn = async (simulation: SimulationRecord) => {
      const [first] = linesOf(await drawn(simulation));
      const to = first!.at(-1)!.x;
      return first!.map(({ x }) => Math.round((100 * x) / to));
    };
    assert.deepEqual(await placesIn(linear), [0, 10, 100]);
    assert.deepEqual(await placesIn(simulated({ a: shares }, along("log", [1, 10, 100]))), [0, 50, 100]);
    const texts = textsOf(await drawn(linear));
    assert.ok(
      texts.includes("mean delay (s)") && texts.includes("% against mean delay (s)"),
      texts.join("\n"),
    );
    assert.equal(
      seriesPictureOf(linear)!.alt,
      "synthetic/fleet: answers, a, against mean delay, from 0 to 50 s: misattributed from 0 to 1 %, " +
        "unattributed from 2 to 60 %",
    );
  });

  it("lists whom it does not show, and why", async () => {
    const whole = simulated({ a: { values: [1, 2] }, b: { values: [1, 2] } }, LINE);
    const failure = { kind: "law" as const, reason: "two were lost" };
    const [first, second] = whole.cells;
    const texts = textsOf(await drawn({ ...whole, cells: [first!, { ...second!, failure, series: {} }] }));
    assert.ok(texts.includes("No number: b: two were lost"), texts.join("\n"));
    assert.ok(texts.includes("synthetic/fleet: messages per second, a"));
  });

  it("is small and the same bytes whenever it is drawn", async () => {
    const one = simulated({ random: { values: slots(0) } }, LINE);
    const many = simulated(
      Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`random-slot-${index}`, { values: slots(index) }]),
      ),
      LINE,
    );
    const [first, second] = [await drawn(one), await drawn(many)];
    assert.ok(first.length < 60_000, `${first.length} bytes`);
    assert.ok(second.length < 300_000, `${second.length} bytes`);
    assert.equal(areasOf(second).length, 20);
    assert.equal(await drawn(structuredClone(one)), first);
    assert.equal(await drawn(structuredClone(many)), second);
  });

  it("stands on a pictured page between the heading and the table, and on no other", () => {
    const record = recordOf(simulated({ a: { values: [1, 2] } }, LINE));
    const page = recordPage("Results", judgedRecord(record), "record.json", {
      pictured: { headline: new Set(), standings: undefined },
    });
    assert.match(
      page,
      /^## synthetic\/fleet: 10,000 clients\n\n<img alt="synthetic\/fleet: .*" src="fleet-series\.svg">\n\n\| Competitor/m,
    );
    assert.doesNotMatch(recordPage("Results", judgedRecord(record), "record.json"), /<img/);
  });
});
