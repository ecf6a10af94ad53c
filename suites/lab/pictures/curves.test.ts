import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withDearControl } from "../../engine/judge/judge.synthetic.ts";
import { judgeRecord } from "../../engine/judge/judge.ts";
import type { BenchRecord, GroupRecord } from "../../engine/schema/record.ts";
import type { JudgedMeasured } from "../../engine/schema/verdict.ts";
import { curvePicturesOf, isPictureFile } from "./charts.ts";
import { curveSpec, curvesOf, curveThrough } from "./curves.ts";
import { AXIS_PX, drawSvg, WIDTH_PX } from "./drawing.ts";
import { apart, NUMBERS_PX } from "./line-ends.ts";
import { broken, drawAll, drawn as drawnFile, raceOf, recordOf, textsOf } from "./races.synthetic.ts";

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

function drawn(record: BenchRecord, file = "curve-refresh.svg"): Promise<string> {
  return drawnFile(record, file);
}

/** Where a picture's points lie, from left to right, by what they say. */
function pointsOf(svg: string): { text: string; x: number; y: number }[] {
  const points = svg.matchAll(
    /<path aria-label="([^"]*)"[^>]* transform="translate\(([-\d.]+),([-\d.]+)\)"/g,
  );
  return [...points]
    .map(([, text, x, y]) => ({ text: text!, x: Number(x), y: Number(y) }))
    .toSorted((a, b) => a.x - b.x);
}

function linesIn(record: BenchRecord): (readonly [string, readonly number[]])[] {
  return curvesOf(judgeRecord(record).races).flatMap(({ lines }) =>
    lines.map(({ name, points }) => [name, points.map(({ at }) => at)] as const),
  );
}

describe("the picture of a curve", () => {
  const costs = {
    100000: { wheel: 40, heap: 400, list: 4000 },
    1000: { wheel: 20, heap: 80, list: 10 },
    10000: { wheel: 30, heap: 200, list: 200 },
  };
  const whole = recordOf(...raced(costs));

  it("is one for each curve of each primitive, named after it, beside no others of its scenarios", async () => {
    const record = recordOf(...raced(costs), ...raced(costs, "add"));
    const pictures = curvePicturesOf(judgeRecord(record).races);
    assert.deepEqual(
      pictures.map(({ primitive, curve, title, file }) => [primitive, curve, title, file]),
      ["refresh", "add"].map((curve) => [
        "synthetic",
        curve,
        `synthetic/${curve}: what one worker waits for one operation, 1 worker`,
        `curve-${curve}.svg`,
      ]),
    );
    assert.deepEqual(
      [...(await drawAll(record)).keys()],
      pictures.map(({ file }) => file),
    );
    for (const { file } of pictures) assert.ok(isPictureFile(file));
  });

  it("has its points in the order of size, whatever the order of the races, each with its interval", async () => {
    assert.deepEqual(linesIn(whole), [
      ["wheel", [1000, 10_000, 100_000]],
      ["heap", [1000, 10_000, 100_000]],
      ["list", [1000, 10_000, 100_000]],
    ]);
    const [curve] = curvesOf(judgeRecord(whole).races);
    const rows = judgeRecord(whole).races.flatMap(({ rows: all, point }) =>
      all
        .filter((row): row is JudgedMeasured => row.noNumber === undefined && row.kind !== "aa-control")
        .map((row) => ({ ...row, at: point!.at })),
    );
    assert.equal(rows.length, 9);
    for (const { competitor, at, median, interval } of rows) {
      const line = curve!.lines.find(({ name }) => name === competitor)!;
      const { value, low, high } = line.points.find((point) => point.at === at)!;
      assert.deepEqual([value, low, high], [median, interval!.low, interval!.high]);
    }
    const svg = await drawn(whole);
    const bars = [...svg.matchAll(/<path d="M[-\d.,]+h10v([\d.]+)h-10Z"[^>]*>/g)];
    assert.equal(bars.length, 9);
    for (const [, height] of bars) assert.ok(Number(height) > 0);
    const list = pointsOf(svg).filter(({ text }) => text.startsWith("list, "));
    assert.deepEqual(
      list.map(({ text }) => text.split(":")[0]),
      ["list, 1,000 connections", "list, 10,000 connections", "list, 100,000 connections"],
    );
    // What leads to the numbers starts right of the last points.
    const ends = [...svg.matchAll(/<path d="M([-\d.]+),[^"]*"[^>]* stroke-width="0\.5"/g)].map(([, x]) =>
      Number(x),
    );
    const lastX = Math.max(...pointsOf(svg).map(({ x }) => x));
    assert.equal(ends.length, 3);
    for (const x of ends) assert.ok(Math.abs(x - lastX - 7) < 0.3, `${x} after ${lastX}`);
    // Both axes grow, in logarithms.
    const [first, second, third] = list;
    assert.ok(Math.abs(third!.x - second!.x - (second!.x - first!.x)) < 0.3);
    assert.ok(first!.y > second!.y && second!.y > third!.y);
  });

  it("says what it shows: title, units, sizes, noise floor, machine and record", async () => {
    const texts = textsOf(await drawn(whole));
    const text = texts.join(" ");
    assert.match(text, /synthetic\/refresh: what one worker waits for one operation, 1 worker/);
    assert.match(text, /At 100,000: 100000 of them/);
    assert.match(text, /Noise floor .*: \d\.\d % at 1,000, \d\.\d % at 10,000, \d\.\d % at 100,000/);
    assert.match(text, /Made from record\.json: Made Up, 2 cores, Node\.js 24\.0\.0/);
    assert.match(text, / ns\/op against connections, both scales log; /);
    for (const needed of ["connections", "1k", "10k", "100k"]) assert.ok(texts.includes(needed), needed);
  });

  it("names each competitor once, with its last value, the baseline as such, and no A/A control", async () => {
    const texts = textsOf(await drawn(whole));
    for (const name of [/^1: wheel \(baseline\): \d/, /^2: heap: \d/, /^3: list: \d/]) {
      assert.equal(texts.filter((text) => name.test(text)).length, 1, String(name));
    }
    assert.ok(!texts.some((text) => text.includes("~aa")));
    assert.equal((await drawn(whole)).match(/stroke="#222222" stroke-width="2"/g)?.length, 1);
  });

  it("colours a point by its verdict, which may change along a line", async () => {
    const svg = await drawn(whole);
    assert.match(svg, /aria-label="list, 1,000 [^"]*, faster"[^>]*stroke="#0072b2"/);
    assert.match(svg, /aria-label="list, 100,000 [^"]*, slower"[^>]*stroke="#d55e00"/);
    assert.match(svg, /aria-label="wheel, 1,000 [^"]*, baseline"[^>]*stroke="#222222"/);
  });

  it("shows the fewest workers raced, and marks them where they are oversubscribed", async () => {
    const both = recordOf(...raced(costs, "refresh", 2), ...raced(costs));
    assert.equal(curvesOf(judgeRecord(both).races)[0]!.workers, 1);
    assert.deepEqual(linesIn(both), linesIn(whole));
    assert.deepEqual([...(await drawAll(both)).keys()], ["curve-refresh.svg"]);
    assert.doesNotMatch(await drawn(both), /oversubscribed/);

    const crowded = await drawn(recordOf(...raced(costs, "refresh", 4)));
    assert.match(crowded, /oversubscribed, more workers than cores \(2\)/);
    assert.equal(crowded.match(/<path aria-label="[^"]*"[^>]*fill="#ffffff"/g)?.length, 9);
    assert.match(crowded, /fill-opacity="0\.18"/);
  });

  it("goes along workers too, marks the point that is looked at, and shades no point that has a core each", async () => {
    const races = [1, 2, 8].map((workers) => {
      const [judged] = judgeRecord(recordOf(raceOf(costs[1000], workers))).races;
      return { ...judged!, point: { curve: "all", along: "workers", at: workers } };
    });
    const curve = curveThrough(races)!;
    assert.deepEqual(
      curve.lines.map(({ name, points }) => [name, points.map(({ at }) => at)]),
      ["list", "wheel", "heap"].map((name) => [name, [1, 2, 8]]),
    );
    const svg = await drawSvg(curveSpec({ ...curve, at: 2 }, whole, "record.json"), "all");
    assert.ok(textsOf(svg).join(" ").includes("synthetic/all: what one worker waits for one operation"));
    assert.equal(svg.match(/stroke="#0072b2" stroke-width="2"/g)?.length, 1, "a mark");
    assert.doesNotMatch(svg, /fill-opacity="0\.18"/);
    assert.equal(curveThrough(races.slice(0, 1)), undefined);
  });

  it("draws what there is of a line, and says where there is no number and why", async () => {
    const [small, middle, large] = raced({
      1000: costs[1000],
      10000: costs[10_000],
      100000: { wheel: 40, heap: 400 },
    });
    const record = recordOf(small!, broken(middle!, "heap", "a timer was early"), {
      ...large!,
      absent: [
        { competitor: "list", reason: "it would take hours" },
        { competitor: "never", reason: "out of scope" },
      ],
    });
    assert.deepEqual(linesIn(record), [
      ["wheel", [1000, 10_000, 100_000]],
      ["list", [1000, 10_000]],
      ["heap", [1000, 100_000]],
    ]);
    const texts = textsOf(await drawn(record));
    assert.match(texts.join(" "), /No number at this many connections: heap \(10,000\): a timer was early/);
    assert.ok(!texts.some((text) => /never|hours/.test(text)), "absences stand under the tables");
    assert.ok(texts.some((text) => /^\d: list: \d+ at 10,000$/.test(text)));
  });

  it("draws nobody that has a number at one point only, and says so", async () => {
    const costs = {
      1000: { wheel: 10, heap: 20 },
      10000: { wheel: 11, heap: 30, late: 9 },
      100000: { wheel: 12, heap: 40 },
    };
    const record = recordOf(...raced(costs));
    assert.deepEqual(
      curvesOf(judgeRecord(record).races).flatMap(({ lines }) => lines.map(({ name }) => name)),
      ["wheel", "heap"],
    );
    const texts = textsOf(await drawn(record));
    assert.ok(texts.includes("Not drawn, for they have one point only: late"), texts.join("\n"));
  });

  it("draws nobody where they are open beside a noise floor over 10 %, and says so", async () => {
    const more = { 10000: { wheel: 30, heap: 200, list: 50 }, 1000000: { wheel: 50, heap: 500, list: 5000 } };
    const [small, middle, ...large] = raced({ ...costs, ...more });
    const seenAt = (times: number) => recordOf(small!, withDearControl(middle!, times), ...large);
    const noteOn = (names: string) => `Not drawn, as open beside a noise floor over 10 %: ${names}`;
    const ends = [1000, 100_000, 1_000_000];
    // The list costs 1.7 times the wheel there, the heap 6.7 times.
    const some = seenAt(3);
    assert.deepEqual(linesIn(some), [
      ["wheel", [1000, 10_000, 100_000, 1_000_000]],
      ["heap", [1000, 10_000, 100_000, 1_000_000]],
      ["list", ends],
    ]);
    assert.ok(
      textsOf(await drawn(some))
        .join(" ")
        .includes(noteOn("list (10,000)")),
    );
    const none = seenAt(100);
    assert.deepEqual(linesIn(none), [
      ["wheel", ends],
      ["heap", ends],
      ["list", ends],
    ]);
    const all = noteOn("wheel (10,000); list (10,000); heap (10,000)");
    assert.ok(
      textsOf(await drawn(none))
        .join(" ")
        .includes(all),
    );
  });

  it("is none of fewer than three sizes with numbers", async () => {
    const [one, two, three] = raced(costs);
    const failed = ["wheel", "heap", "list"].reduce((group, name) => broken(group, name, "no"), three!);
    for (const record of [recordOf(one!, two!), recordOf(one!, two!, failed), recordOf()]) {
      assert.deepEqual(curvePicturesOf(judgeRecord(record).races), []);
      assert.deepEqual(await drawAll(record), new Map());
    }
  });

  it("is also described in words: the cheapest and the dearest at the last point, and how they grew", () => {
    const { alt } = curvePicturesOf(judgeRecord(whole).races)[0]!;
    const told =
      /^synthetic\/refresh: what one worker waits for one operation, 1 worker, in ns\/op against 1,000, 10,000, 100,000 connections\. At 100,000: cheapest wheel \([\d.]+, ([\d.]+) times what it is at 1,000\), dearest list \([\d,.]+, (\d+) times what it is at 1,000\)$/.exec(
        alt,
      );
    assert.ok(told !== null, alt);
    assert.ok(Math.abs(Number(told[1]) / 2 - 1) < 0.2, alt);
    assert.ok(Math.abs(Number(told[2]) / 400 - 1) < 0.2, alt);
  });

  it("is the same bytes whenever it is drawn", async () => {
    const first = await drawn(whole);
    await drawn(recordOf(...raced(costs, "add")), "curve-add.svg");
    assert.equal(await drawn(structuredClone(whole)), first);
  });

  const many = (factor: number) =>
    Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`a-competitor-with-a-name-${index}`, factor + index / 4]),
    );

  it("numbers the lines of fifteen competitors in their order, apart from one another, and names them below", async () => {
    const record = recordOf(...raced({ 1000: many(20), 10000: many(25), 1000000: many(30) }));
    const names = curvesOf(judgeRecord(record).races)[0]!.lines.map(({ name }) => name);
    const svg = await drawn(record);
    assert.deepEqual(
      textsOf(svg).flatMap((text) => /^(\d+: [\w-]+)/.exec(text)?.[1] ?? []),
      names.map((name, index) => `${index + 1}: ${name}`),
    );
    const right = WIDTH_PX - AXIS_PX - NUMBERS_PX;
    const numbers = [
      ...svg.matchAll(/<text [^>]*transform="translate\(([-\d.]+),([-\d.]+)\)"[^>]*>(\d+)<\/text>/g),
    ]
      .map(([, x, y, number]) => ({ x: Number(x), y: Number(y), number: Number(number) }))
      .filter(({ x }) => x > right)
      .toSorted((a, b) => b.y - a.y);
    assert.deepEqual(
      numbers.map(({ number }) => number),
      names.map((_, index) => index + 1),
    );
    numbers.slice(1).forEach(({ y }, index) => {
      assert.ok(numbers[index]!.y - y >= 19.9, `${y}`);
    });
    assert.ok(svg.length < 60_000, `${svg.length} bytes`);
  });
});

describe("positions moved apart", () => {
  it("stay where they are when they are far enough", () => {
    assert.deepEqual(apart([90, 50, 10], 15, 100), [90, 50, 10]);
  });

  it("spread evenly about where they wanted to be", () => {
    assert.deepEqual(apart([51, 50, 49], 10, 100), [60, 50, 40]);
    assert.deepEqual(apart([95, 51, 50, 49, 5], 10, 100), [95, 60, 50, 40, 5]);
  });

  it("push on what stands in their way, and stay within the frame", () => {
    assert.deepEqual(apart([30, 20, 20], 20, 100), [43 + 1 / 3, 23 + 1 / 3, 3 + 1 / 3]);
    assert.deepEqual(apart([100, 99, 1, 0], 10, 100), [100, 90, 10, 0]);
    assert.deepEqual(apart([], 10, 100), []);
  });
});
