import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inRoles, withDearControl } from "../../engine/judge/judge.synthetic.ts";
import { judgedRecord, judgeRecord } from "../../engine/judge/judge.ts";
import type { BenchRecord, GroupRecord } from "../../engine/schema/record.ts";
import type { JudgedMeasured } from "../../engine/schema/verdict.ts";
import { recordPage } from "../pages/pages.ts";
import { isPictureFile } from "./charts.ts";
import { COLOUR, TONES } from "./dark.ts";
import {
  broken,
  dataIn,
  drawAll,
  drawn as drawnFile,
  raceOf,
  recordOf,
  STANDINGS,
  textsOf,
} from "./races.synthetic.ts";
import { rankingOf, ratioPictureOf, ratioSpec } from "./ratios.ts";

const AT_A_GLANCE = { headline: new Set(["test"]), standings: STANDINGS };

const COSTS = { base: 20, dear: 40, nothing: 0.5, quick: 10, varied: 5, even: 20, obvious: 200 };

function raced(workers: number, costsNs: Readonly<Record<string, number>> = COSTS, rounds = 10): GroupRecord {
  return raceOf(costsNs, workers, { rounds, sliceNoise: 0.005, forkNoise: 0.002 });
}

function pictureOf(record: BenchRecord) {
  return ratioPictureOf(judgeRecord(record).races[0]!, STANDINGS);
}

function drawn(record: BenchRecord): Promise<string> {
  return drawnFile(record, "test-ratios.svg", AT_A_GLANCE);
}

/** What each point says of itself. */
function labelsOf(svg: string): string[] {
  return [...svg.matchAll(/<path aria-label="([^"]+)"/g)].map(([, label]) => label!);
}

function namesOf(record: BenchRecord): readonly string[] | undefined {
  return rankingOf(judgeRecord(record).races[0]!, STANDINGS)?.names;
}

/** The data of each layer that has the field. */
function dataWith(record: BenchRecord, field: string): Record<string, unknown>[][] {
  const ranking = rankingOf(judgeRecord(record).races[0]!, STANDINGS)!;
  const data = dataIn(ratioSpec(ranking, record, "record.json"));
  return data.filter((values) => values.some((one) => Object.hasOwn(one, field)));
}

describe("the picture of a race's ratios", () => {
  const both = recordOf(raced(1), raced(2));

  it("is drawn of headline races alone, is no stale file, and is the same bytes whenever it is drawn", async () => {
    const svg = await drawn(both);
    await drawn(recordOf(raced(1)));
    assert.equal(await drawn(structuredClone(both)), svg);
    assert.equal(pictureOf(both)?.file, "test-ratios.svg");
    assert.ok(isPictureFile("test-ratios.svg") && !isPictureFile("ratios.svg"));
    const others = { headline: new Set(["other"]), standings: STANDINGS };
    for (const atAGlance of [undefined, others]) {
      assert.deepEqual(await drawAll(both, atAGlance), new Map());
    }
  });

  it("stands on the page of its record, in words too, and not on a page that has no picture beside it", () => {
    const judged = judgedRecord(both);
    const { alt } = pictureOf(both)!;
    assert.ok(
      recordPage("Results", judged, "record.json", { pictured: AT_A_GLANCE }).includes(
        `\n\n<img alt="${alt}" src="test-ratios.svg">\n\n`,
      ),
    );
    assert.doesNotMatch(recordPage("Results", judged, "record.json"), /<img/);
  });

  it("draws once what its panels repeat, and refers to nothing that is not there", async () => {
    const svg = await drawn(both);
    const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    const references = [...svg.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    assert.ok(references.length > 0);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of references) assert.ok(ids.includes(id), id);
  });

  it("has a row for each that competes, by ratio at the most workers with a core each", async () => {
    const crossing = recordOf(
      raced(4, { ...COSTS, obvious: 1 }),
      raced(2, { ...COSTS, even: 30 }),
      raced(1, { ...COSTS, dear: 1 }),
    );
    assert.deepEqual(namesOf(crossing), ["quick", "base", "even", "dear", "obvious"]);
    const texts = textsOf(await drawn(both));
    for (const name of ["quick", "even", "base", "dear", "obvious"]) {
      assert.equal(texts.filter((text) => text === name).length, 2, `${name}, in each panel`);
    }
    assert.ok(!texts.some((text) => text.includes("~aa")));
  });

  it("names what it leaves out: floors, variants, and more workers than cores", async () => {
    const text = textsOf(await drawn(recordOf(raced(1), raced(2), raced(4)))).join(" ");
    assert.match(text, /Left out: floors \(nothing\); variants \(varied\); more workers than cores \(4\)/);
    assert.doesNotMatch(text, /4 workers/);
    const whole = rankingOf(judgeRecord(both).races[0]!, undefined);
    assert.deepEqual(whole?.leftOut, []);
    assert.equal(whole.names[0], "nothing");
    const { varied: _varied, nothing: _nothing, ...rest } = COSTS;
    assert.doesNotMatch(textsOf(await drawn(recordOf(raced(1, rest)))).join("\n"), /Left out/);
  });

  it("shows the baseline even if it is a variant or a floor, as all else is held to it", () => {
    const { base: _base, ...rest } = COSTS;
    for (const baseline of ["nothing", "varied"] as const) {
      const record = recordOf(raced(1, { [baseline]: 20, ...rest, [baseline]: 20 }));
      assert.ok(namesOf(record)?.includes(baseline), baseline);
    }
  });

  it("draws the ratio and the interval that each verdict rests on, coloured by it, with the figures in words", async () => {
    const svg = await drawn(both);
    const rows = judgeRecord(both).races[0]!.rows.filter(
      (row): row is JudgedMeasured =>
        row.noNumber === undefined && row.kind === "rival" && !["nothing", "varied"].includes(row.competitor),
    );
    assert.equal(rows.length, 8);
    const points = dataWith(both, "standing").flat();
    for (const { competitor, workers, ratio, verdict } of rows) {
      const own = points.filter(({ text }) => String(text).startsWith(`${competitor}, ${workers} worker`));
      // Once as an interval, once as a point.
      assert.equal(own.length, 2);
      for (const { value, low, high } of own) assert.deepEqual({ value, low, high }, ratio);
      assert.ok(String(own[0]!.text).endsWith(`, ${verdict}`));
    }
    assert.equal(
      dataWith(both, "standing")
        .flat()
        .filter(({ standing }) => standing === "baseline").length,
      2,
    );
    assert.match(svg, /aria-label="quick, 2 workers: [^"]*, faster"[^>]*stroke="#0072b2"/);
    assert.match(svg, /aria-label="dear, 1 worker: [^"]*, slower"[^>]*stroke="#d55e00"/);
    assert.match(svg, /aria-label="base, 1 worker: [^"]*, baseline"[^>]*stroke="#222222"/);
    assert.match(
      svg,
      /aria-label="obvious, 1 worker: ratio (9\.9\d?|10\.?\d*) \([^)]+\), (199|200|201) ns\/op, slower"/,
    );
  });

  it("draws no interval that says nothing, and says that it is unknown", () => {
    const judged = judgeRecord(both).races[0]!;
    const rows = judged.rows.map((row) =>
      row.competitor === "dear" ? { ...row, ratio: { value: 2, low: 1e-9, high: 1e13 } } : row,
    );
    const ranking = rankingOf({ ...judged, rows }, STANDINGS)!;
    const marks = dataIn(ratioSpec(ranking, both, "record.json"))
      .flat()
      .filter(({ name, value }) => name === "dear" && value !== undefined);
    assert.ok(marks.length > 0);
    for (const { value, low, high, text } of marks) {
      assert.deepEqual([value, low, high], [2, 2, 2]);
      assert.match(String(text), /: ratio 2 \(unknown\), /);
    }
  });

  it("draws each interval as a box from its low to its high, on the scale that points are on", async () => {
    const svg = await drawn(recordOf(raced(2)));
    const rivals = dataWith(recordOf(raced(2)), "standing")
      .at(-1)!
      .map(({ name, value, low, high }) => ({
        name: String(name),
        value: Number(value),
        low: Number(low),
        high: Number(high),
      }));
    const points = rivals.map(({ name }) =>
      Number(new RegExp(`<path aria-label="${name}, [^>]*translate\\(([\\d.]+),`).exec(svg)?.[1]),
    );
    const [first, last] = [rivals[0]!, rivals.at(-1)!];
    const perLog = (points.at(-1)! - points[0]!) / Math.log(last.value / first.value);
    const boxes = [...svg.matchAll(/<path d="M([\d.]+),[\d.]+h([\d.]+)v10h-/g)];
    const held = rivals.flatMap(({ low, high, value }, index) =>
      low === high
        ? []
        : [
            [
              points[index]! + perLog * Math.log(low / value),
              points[index]! + perLog * Math.log(high / value),
            ],
          ],
    );
    assert.equal(boxes.length, 4);
    for (const [index, [, left, length]] of boxes.entries()) {
      assert.ok(Math.abs(Number(left) - held[index]![0]!) < 0.25, `${left} of ${held[index]}`);
      assert.ok(
        Math.abs(Number(left) + Number(length) - held[index]![1]!) < 0.25,
        `${length} of ${held[index]}`,
      );
    }
  });

  it("shades the widest floor of each panel's groups around 1, no further than the axis goes, and says it", async () => {
    const others = { base: 20, further: 30, last: 25 };
    const record = recordOf(raced(1), withDearControl(raced(1, others), 1.5));
    const [condition] = judgeRecord(record).races[0]!.conditions;
    const [quiet, loud] = condition!.floors;
    assert.ok(quiet! < 0.1 && loud! > 0.4, String(condition!.floors));
    assert.deepEqual(dataWith(record, "from"), [[{ from: 1 / (1 + loud!), to: 1 + loud! }]]);
    assert.match(
      textsOf(await drawn(record)).join(" "),
      new RegExp(`the widest noise floor of any group \\(${(100 * loud!).toFixed(1)} % at 1 worker\\)`),
    );
    // Costs reach from a half of the baseline's to ten times as much.
    const [[band]] = dataWith(recordOf(withDearControl(raced(1), 1000)), "from") as [
      [{ from: number; to: number }],
    ];
    assert.ok(band.from > 0.3 && band.from < 0.5 && band.to > 10 && band.to < 20, JSON.stringify(band));
  });

  it("says who has no number in a panel, or did not race there, and leaves out who has none anywhere", async () => {
    const { obvious: _obvious, ...fewer } = COSTS;
    const record = recordOf(broken(broken(raced(1), "quick"), "even"), broken(raced(2, fewer), "even"));
    assert.deepEqual(namesOf(record), ["quick", "base", "dear", "obvious"]);
    const texts = textsOf(await drawn(record));
    // Panel by panel.
    assert.deepEqual(
      texts.filter((text) => text === "no number" || text === "not raced"),
      ["no number", "not raced"],
    );
    assert.match(texts.join("\n"), /without a number here \(even\)/);
    assert.deepEqual(
      labelsOf(await drawn(record))
        .map((label) => label.split(":")[0])
        .toSorted(),
      [
        "base, 1 worker",
        "base, 2 workers",
        "dear, 1 worker",
        "dear, 2 workers",
        "obvious, 1 worker",
        "quick, 2 workers",
      ],
    );
  });

  it("keeps a row at one height in all panels, whatever is missing there", async () => {
    const svg = await drawn(recordOf(broken(raced(1), "quick"), raced(2)));
    const heightsOf = (shape: RegExp) => [...svg.matchAll(shape)].map(([, y]) => Number(y));
    const names = heightsOf(/translate\([\d.]+,([\d.]+)\)"[^>]*>(?:base|dear|even|obvious|quick)</g);
    const one = heightsOf(/<path aria-label="[a-z]+, 1 worker:[^>]*translate\([\d.]+,([\d.]+)\)/g);
    const two = heightsOf(/<path aria-label="[a-z]+, 2 workers:[^>]*translate\([\d.]+,([\d.]+)\)/g);
    const rising = (heights: Iterable<number>) => [...heights].toSorted((a, b) => a - b);
    assert.deepEqual(rising(two), [11, 33, 55, 77, 99]);
    assert.deepEqual(rising(one), [33, 55, 77, 99]);
    assert.deepEqual(rising(new Set(names.map(Math.round))), [16, 38, 60, 82, 104]);
  });

  it("is none with fewer than three ratios, without a baseline, or where all share cores, unless that is asked for", () => {
    const { even: _even, ...fewer } = COSTS;
    assert.notEqual(pictureOf(recordOf(raced(1, fewer))), undefined);
    assert.equal(pictureOf(recordOf(broken(raced(1, fewer), "dear"))), undefined);
    assert.equal(pictureOf(recordOf(broken(raced(1), "base"))), undefined);
    assert.equal(pictureOf(recordOf(raced(4))), undefined);
    // Nor is a worker count a panel without its baseline, or where nobody but its A/A control is held to it.
    const alone = Object.keys(COSTS)
      .slice(1)
      .reduce((group, name) => broken(group, name), raced(1));
    assert.equal(rankingOf(judgeRecord(recordOf(alone, raced(2))).races[0]!, STANDINGS)!.panels.length, 1);
    const crowded = judgeRecord(recordOf(raced(4))).races[0]!;
    assert.equal(rankingOf(crowded, STANDINGS), undefined);
    const asked = rankingOf(crowded, STANDINGS, crowded.conditions)!;
    assert.deepEqual([asked.panels.length, asked.leftOut.join().includes("cores")], [1, false]);
    const [first, ...more] = rankingOf(
      judgeRecord(recordOf(broken(raced(1), "base"), raced(2))).races[0]!,
      STANDINGS,
    )!.panels;
    assert.equal(first?.title, "2 workers");
    assert.deepEqual(more, []);
  });

  it("has a panel for each role of a worker count, and a row for each competitor all the same", async () => {
    const record = recordOf(inRoles(raced(2), "writer", "reader"));
    const texts = textsOf(await drawn(record));
    for (const title of ["2 workers, reader", "2 workers, writer"]) {
      assert.equal(texts.filter((text) => text === title).length, 1, title);
    }
    assert.equal(texts.filter((text) => text === "quick").length, 2);
    assert.match(pictureOf(record)!.alt, /At 2 workers, reader the lowest: quick/);
  });

  it("says in words whose ratios are lowest and highest, and the floor", () => {
    const [floor] = judgeRecord(both).races[0]!.conditions.find(({ workers }) => workers === 2)!.floors;
    const alt = pictureOf(both)!.alt;
    assert.match(
      alt,
      /^synthetic\/test: which is faster, and by how much: ratio to base beside it, 5 competitors\. At 2 workers the lowest: quick \(0\.\d+\), (even|base) \([\d.]+\), (even|base) \([\d.]+\); the highest: obvious \([\d.]+\)\. Noise floor/,
    );
    assert.ok(alt.endsWith(`Noise floor ${(100 * floor!).toFixed(1)} %`));
  });

  it("stays in its width, low and whole with forty competitors at one to four worker counts", async () => {
    const names = Array.from({ length: 40 }, (_, index) => `competitor-${index}-with-a-long-name`);
    const costs = Object.fromEntries(names.map((name, index) => [name, 10 + 3 * index]));
    for (const counts of [[1], [1, 2], [1, 2, 3, 4]]) {
      const groups = counts.map((workers) => ({ ...raced(workers, costs, 2), oversubscribed: false }));
      const svg = await drawn(recordOf(...groups));
      const texts = textsOf(svg);
      const [, height] = /^<svg [^>]* height="([\d.]+)"/.exec(svg)!;
      assert.equal(texts.filter((text) => text === names[1]).length, counts.length);
      assert.ok(Number(height) < 400 + counts.length * (40 * 22 + 90), height);
      assert.ok(svg.length < 150_000, `${svg.length} bytes`);
      assert.equal(labelsOf(svg).length, 40 * counts.length);
    }
  });

  it("cuts a name that would leave its panel no room, and has it whole in words", async () => {
    const long = "a-competitor-whose-name-is-longer-than-any-that-the-lab-has";
    const svg = await drawn(recordOf(raced(1, { ...COSTS, [long]: 30 })));
    assert.ok(textsOf(svg).includes("a-competitor-whose-name-is-longer-t…"));
    assert.ok(labelsOf(svg).some((label) => label.startsWith(`${long}, 1 worker: `)));
  });

  it("is light and dark", async () => {
    const svg = await drawn(both);
    for (const tone of ["faster", "slower", "ink"] as const) {
      assert.ok(svg.includes(`[stroke="${COLOUR[tone]}"]{stroke:${TONES[tone].dark}}`), tone);
    }
  });
});
