import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inRoles } from "../../judge/judge.synthetic.ts";
import { judgedRecord, judgeRecord } from "../../judge/judge.ts";
import type { BenchRecord, GroupRecord } from "../../schema/record.ts";
import type { JudgedMeasured } from "../../schema/verdict.ts";
import { recordPage } from "../pages/pages.ts";
import {
  costPictures,
  costSpec,
  drawPictures,
  isCostHigherThanAScreen,
  isPictureFile,
  linesOf,
} from "./charts.ts";
import {
  assertWhole,
  broken,
  dataIn,
  drawn as drawnFile,
  heightOf,
  raceOf,
  recordOf,
  textsOf,
  widthOf,
} from "./races.synthetic.ts";

/** Costs of `count` competitors, the first of which is the baseline. */
function costs(count: number): Record<string, number> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`competitor-with-a-name-${index}`, 10 + 3 * index]),
  );
}

function raced(costsNs: Record<string, number>, workers: number, rounds = 5): GroupRecord {
  return raceOf(costsNs, workers, { rounds });
}

/** The group whose writers wait twice as long. */
function withDearWriters(group: GroupRecord): GroupRecord {
  const cells = structuredClone(group.cells);
  for (const { roles } of cells) {
    if (roles.writer === undefined) continue;
    roles.writer = structuredClone(roles.writer);
    const { costNs } = roles.writer.any;
    costNs.p50 = costNs.p50.map((ns) => 2 * ns);
  }
  return { ...group, cells };
}

function drawn(record: BenchRecord): Promise<string> {
  return drawnFile(record, "test-ns-per-op.svg");
}

function measuredRows(record: BenchRecord): JudgedMeasured[] {
  return judgeRecord(record).races.flatMap(({ rows }) =>
    rows.filter((row): row is JudgedMeasured => row.noNumber === undefined && row.kind !== "aa-control"),
  );
}

function dataOf(record: BenchRecord): Record<string, unknown>[] {
  return dataIn(costSpec(judgeRecord(record).races[0]!, record, "record.json")).flat();
}

describe("pictures of a record", () => {
  const few = recordOf(...[1, 2, 4].map((workers) => raced(costs(5), workers)));

  it("are the same bytes whenever they are drawn, whatever was drawn before", async () => {
    const other = recordOf(raced(costs(3), 1), raced(costs(3), 2));
    const first = await drawPictures(judgedRecord(few), "record.json");
    await drawPictures(judgedRecord(other), "other.json");
    assert.deepEqual(await drawPictures(judgedRecord(structuredClone(few)), "record.json"), first);
    assert.notDeepEqual(await drawPictures(judgedRecord(other), "record.json"), first);
  });

  it("are higher than a screen where many rows stand in panels below one another", async () => {
    for (const [competitors, counts, isHigh] of [
      [12, [1, 2, 4, 8], true],
      [3, [1, 2, 4, 8], false],
      [5, [1, 2, 4, 8], true],
      [12, [1, 2], false],
    ] as const) {
      const record = recordOf(...counts.map((workers) => raced(costs(competitors), workers)));
      assert.equal(isCostHigherThanAScreen(judgeRecord(record).races[0]!), isHigh);
      assert.equal(heightOf(await drawn(record)) > 1000, isHigh);
    }
  });

  it("name every measured competitor once, the baseline as such, and no A/A control", async () => {
    for (const record of [few, recordOf(raced(costs(5), 1))]) {
      const texts = textsOf(await drawn(record));
      for (const name of Object.keys(costs(5))) {
        const shown = name.endsWith("-0") ? `${name} (baseline)` : name;
        assert.equal(texts.filter((text) => text === shown).length, 1, shown);
      }
      assert.ok(!texts.some((text) => text.includes("~aa")));
    }
  });

  it("say what they show: title, units, workers, noise floor, machine and record", async () => {
    const texts = textsOf(await drawn(few));
    const text = texts.join("\n");
    assert.match(text, /synthetic\/test: what one worker waits for one operation/);
    assert.match(text, /Noise floor .*\d\.\d % at 1 worker, \d+\.\d % at 2 workers, \d+\.\d % at 4 workers/);
    assert.match(text, /Made from record\.json: Made Up, 2 cores, Node\.js 24\.0\.0/);
    for (const needed of ["ns/op", "1 worker", "2 workers", "4 workers"])
      assert.ok(texts.includes(needed), needed);
  });

  it("draw the interval of each row, whose half is the error that its table prints", async () => {
    const rows = measuredRows(few);
    assert.equal(rows.length, 15);
    const data = dataOf(few);
    for (const { interval, error, median, competitor, workers } of rows) {
      assert.ok(interval.low < median && median < interval.high);
      assert.equal(error, (interval.high - interval.low) / 2);
      const [inNs] = data.filter(
        (point) => String(point.text).startsWith(`${competitor}, ${workers} `) && "low" in point,
      );
      assert.deepEqual([inNs!.low, inNs!.value, inNs!.high], [interval.low, median, interval.high]);
    }
    const bars = [...(await drawn(few)).matchAll(/<path d="M[-\d.,]+h([\d.]+)v10h-[\d.]+Z"[^>]*>/g)];
    assert.equal(bars.length, rows.length);
    // An interval that did not reach the picture would have no length.
    for (const [, width] of bars) assert.ok(Number(width) > 0);
  });

  it("mark what was oversubscribed, and nothing else", async () => {
    const marked = await drawn(few);
    assert.match(marked, /oversubscribed, more workers than cores \(2\)/);
    assert.equal(marked.match(/<path aria-label="[^"]*, 4 workers: [^>]*fill="#ffffff"/g)?.length, 5);
    assert.equal(marked.match(/<path aria-label="[^"]*"[^>]*fill="#ffffff"/g)?.length, 5);
    const shaded = (svg: string) => svg.match(/fill-opacity="0\.18"/g)?.length ?? 0;
    assert.equal(shaded(marked), 5, "all rows of the panel, and of no other");

    const fitting = recordOf(raced(costs(5), 1), raced(costs(5), 2));
    assert.doesNotMatch(await drawn(fitting), /oversubscribed|<path aria-label[^>]*fill="#ffffff"/);
    assert.equal(shaded(await drawn(fitting)), 0);

    const single = await drawn(recordOf(raced(costs(5), 8)));
    assert.match(single, /oversubscribed, more workers than cores \(2\)/);
    assert.equal(shaded(single), 5);
  });

  it("colour a point by its verdict", async () => {
    const record = recordOf(
      raced({ base: 20, quick: 10, slow: 40 }, 1),
      raced({ base: 20, quick: 10, slow: 40 }, 2),
    );
    const svg = await drawn(record);
    assert.match(svg, /aria-label="quick, 2 workers: [^"]*, faster"[^>]*stroke="#0072b2"/);
    assert.match(svg, /aria-label="slow, 2 workers: [^"]*, slower"[^>]*stroke="#d55e00"/);
    assert.match(svg, /aria-label="base, 2 workers: [^"]*, baseline"[^>]*stroke="#222222"/);
  });

  it("are in the order of cost at the most workers that had a core each", () => {
    const base = { base: 20, crossing: 5, steady: 10 };
    const record = recordOf(
      raced(base, 1),
      raced({ ...base, crossing: 15 }, 2),
      raced({ ...base, crossing: 99 }, 4),
    );
    const [judged] = judgeRecord(record).races;
    assert.deepEqual(
      linesOf(judged!).map(({ name }) => name),
      ["steady", "crossing", "base"],
    );
  });

  it("list what has no number, and leave its place free", async () => {
    const names = Object.keys(costs(4));
    const record = recordOf(
      raced(costs(4), 1),
      broken(raced(costs(4), 2), names[2]!, "two tickets were one"),
      [names[2]!, names[3]!].reduce(
        (group, name) => broken(group, name, "two tickets were one"),
        raced(costs(4), 4),
      ),
    );
    const texts = textsOf(await drawn(record));
    const note = `No number at this many workers: ${names[2]} (2, 4); ${names[3]} (4): two tickets were one`;
    assert.ok(texts.join(" ").includes(note), texts.join("\n"));
    assert.deepEqual(
      linesOf(judgeRecord(record).races[0]!).map(({ points }) => points.map(({ workers }) => workers)),
      [[1, 2, 4], [1, 2, 4], [1, 2], [1]],
    );
  });

  it("are none where no row has a number", async () => {
    const record = recordOf(
      broken(raced(costs(3), 1), undefined, "no"),
      broken(raced(costs(3), 2), undefined, "no"),
    );
    assert.deepEqual(await drawPictures(judgedRecord(record), "record.json"), new Map());
    assert.deepEqual(costPictures(judgeRecord(record).races[0]!), []);
    assert.doesNotMatch(
      recordPage("Results", judgedRecord(record), "record.json", {
        pictured: { headline: new Set(), standings: undefined },
      }),
      /svg/,
    );
    assert.deepEqual(await drawPictures(judgedRecord(recordOf()), "record.json"), new Map());
  });

  it("of a point of a curve are those that show more than the curve: several worker counts", async () => {
    const point = { curve: "size", along: "things", at: 10 };
    const record = (...counts: number[]) =>
      recordOf(...counts.map((workers) => ({ ...raced(costs(3), workers), point })));
    assert.deepEqual(costPictures(judgeRecord(record(1)).races[0]!), []);
    assert.deepEqual(await drawPictures(judgedRecord(record(1)), "record.json"), new Map());
    const files = ["test-ns-per-op.svg", "test-ns-per-op-narrow.svg"];
    assert.deepEqual([...(await drawPictures(judgedRecord(record(1, 2)), "record.json")).keys()], files);
    const brokenAtTwo = recordOf(
      { ...raced(costs(3), 1), point },
      { ...broken(raced(costs(3), 2), undefined, "no"), point },
    );
    assert.deepEqual(costPictures(judgeRecord(brokenAtTwo).races[0]!), []);
  });

  it("leave out, and list, a row some of whose slices saw no operation, and no other", async () => {
    const group = raced({ base: 20, stuck: 10 }, 1);
    const stuck = group.cells.find(({ competitor }) => competitor === "stuck")!;
    stuck.roles.worker!.stalled = 3;
    const texts = textsOf(await drawn(recordOf(group, raced({ base: 20, stuck: 10 }, 2))));
    assert.match(
      texts.join("\n"),
      /No number at this many workers: stuck \(1\): in some slices no operation came to its end/,
    );
    assert.doesNotMatch(texts.join("\n"), /base \(1\)/);
  });

  it("give each role its own row, the cheaper first in each role", async () => {
    const record = recordOf(
      ...[3, 6].map((workers) =>
        withDearWriters(inRoles(raced({ base: 20, rival: 10 }, workers), "writer", "reader", "reader")),
      ),
    );
    const [judged] = judgeRecord(record).races;
    const lines = linesOf(judged!);
    assert.deepEqual(
      lines.map(({ name }) => name),
      ["rival, reader", "base, reader", "rival, writer", "base, writer"],
    );
    const texts = textsOf(await drawn(record));
    assert.deepEqual(
      texts.filter((text) => /, (reader|writer)/.test(text)),
      ["rival, reader", "base, reader (baseline)", "rival, writer", "base, writer (baseline)"],
    );
  });

  it("have a panel for each worker count, where a row may be empty", async () => {
    const alone = raced({ base: 20, rival: 10 }, 1);
    const together = inRoles(raced({ base: 20, rival: 10 }, 4), "writer", "reader");
    const svg = await drawn(recordOf(alone, together));
    const texts = textsOf(svg);
    assert.deepEqual(
      texts.filter((text) => /^\d workers?$/.test(text)),
      ["1 worker", "4 workers"],
    );
    assert.deepEqual(texts.filter((text) => /^(rival|base)\b/.test(text)).toSorted(), [
      "base (baseline)",
      "base, reader (baseline)",
      "base, writer (baseline)",
      "rival",
      "rival, reader",
      "rival, writer",
    ]);
    assert.equal(svg.match(/fill-opacity="0\.18"/g)?.length, 6, "one panel is shaded");
  });

  it("stay readable and small with forty competitors, at one, two and four worker counts", async () => {
    for (const counts of [[1], [1, 2], [1, 2, 4, 8]]) {
      const record = recordOf(...counts.map((workers) => raced(costs(40), workers, 2)));
      const svg = await drawn(record);
      const texts = textsOf(svg);
      for (const name of Object.keys(costs(40))) {
        assert.ok(texts.includes(name) || texts.includes(`${name} (baseline)`), name);
      }
      assert.ok(svg.length < 150_000, `${svg.length} bytes`);
      assertWhole(svg);
    }
  });

  it("are drawn a second time for a telephone, half as wide, with the same names", async () => {
    const pictures = await drawPictures(judgedRecord(few), "record.json");
    const [wide, narrow] = ["test-ns-per-op.svg", "test-ns-per-op-narrow.svg"].map((file) => {
      assert.ok(isPictureFile(file));
      return pictures.get(file)!;
    });
    assert.ok(widthOf(narrow!) <= widthOf(wide!) / 1.9, `${widthOf(narrow!)}`);
    const namesIn = (svg: string) => new Set(textsOf(svg).filter((text) => text.startsWith("competitor-")));
    assert.ok(namesIn(wide!).size > 0);
    assert.deepEqual(namesIn(narrow!), namesIn(wide!));
  });

  it("keep whole what shortening touches", async () => {
    for (const svg of (await drawPictures(judgedRecord(few), "record.json")).values()) {
      assertWhole(svg);
      const ids = [...svg.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
      const references = [...svg.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
      assert.ok(references.length > 0);
      assert.equal(new Set(ids).size, ids.length);
      for (const id of references) assert.ok(ids.includes(id), id);
    }
  });

  it("are shown on the page of their record, in words too, and not on a page that has none beside it", () => {
    const page = recordPage("Results", judgedRecord(few), "record.json", {
      pictured: { headline: new Set(), standings: undefined },
    });
    assert.match(
      page.slice(page.indexOf("## synthetic/test")),
      /^## synthetic\/test.*\n\n<picture>\n.* srcset="test-ns-per-op-narrow\.svg">\n.* alt="synthetic\/test: .+ at 1, 2, 4 workers\. At 2 workers: competitor-with-a-name-0 \(.+\) to competitor-with-a-name-4 \(.+\)" src="test-ns-per-op\.svg">\n<\/picture>\n\n/,
    );
    assert.doesNotMatch(recordPage("Results", judgedRecord(few), "record.json"), /<picture>/);
  });
});
