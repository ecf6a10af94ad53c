import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticRecord, withCosts } from "../../judge/judge.synthetic.ts";
import { judgeRecord } from "../../judge/judge.ts";
import { acrossRuntimes, RUNTIMES, withAbsent, withinRuntime } from "../../judge/runtimes.synthetic.ts";
import type { GroupRecord } from "../../schema/record.ts";
import type { JudgedMeasured } from "../../schema/verdict.ts";
import { toMarkdown } from "../benchmark-reporter-markdown/src/index.ts";
import { drawMatrix, isPictureFile } from "../pictures/charts.ts";
import { matrixSpec } from "../pictures/matrix-picture.ts";
import { assertWhole, broken, dataIn, textsOf } from "../pictures/races.synthetic.ts";
import { cellTexts, type Matrix, type MatrixRow, matrixLegend, matrixOf, matrixTables } from "./matrix.ts";

/** Told faster and slower, the same, and what a crew that is lucky or not in each process leaves open. */
const TOLD = acrossRuntimes("told", { node24: 20, bun: 8, deno: 40 });
const EQUAL = acrossRuntimes("equal", { node24: 10, bun: 10, deno: 10 });
const OPEN = acrossRuntimes("open", { node24: 12, bun: 12, deno: 12 }, 1, {
  noisy: { "open@bun": 0.05, "open@deno": 0.05 },
});
/** Of a crew that takes a third of its time in half of the processes. */
const EITHER = withCosts(
  acrossRuntimes("either", { node24: 25, bun: 50, deno: 25 }),
  ({ competitor }, fork) => (competitor === "either@bun" && fork < 3 ? 1 / 3 : 1),
);
const HALF = withAbsent(acrossRuntimes("half", { node24: 30, bun: 24 }), "half@deno", "no Atomics.pause");

function matrixIn(...groups: GroupRecord[]): Matrix {
  return matrixOf(judgeRecord(syntheticRecord(groups, 7)).races)!;
}

function rowsIn(matrix: Matrix): ReadonlyMap<string, MatrixRow> {
  return new Map(matrix.panels[0]!.rows.map((row) => [row.competitor, row]));
}

/** What each cell beside the baseline comes to. */
function verdictsOf({ control, others }: MatrixRow): string[] {
  return [control, ...others].map((cell) => cell.reason ?? cell.verdict);
}

describe("a matrix of runtimes", () => {
  it("has a row for each competitor, the cheapest on the first runtime first, with what is told of each", () => {
    const matrix = matrixIn(TOLD, EQUAL, OPEN, HALF);
    assert.equal(matrix.scenario, "test");
    assert.deepEqual(matrix.runtimes, Object.values(RUNTIMES));
    assert.deepEqual([...rowsIn(matrix).keys()], ["equal", "open", "told", "half"]);
    const rows = rowsIn(matrix);
    assert.deepEqual(verdictsOf(rows.get("told")!), ["noise floor", "faster", "slower"]);
    assert.deepEqual(verdictsOf(rows.get("equal")!), ["noise floor", "same", "same"]);
    assert.deepEqual(verdictsOf(rows.get("open")!), ["noise floor", "cannot tell", "cannot tell"]);
    assert.deepEqual(verdictsOf(rows.get("half")!), ["noise floor", "faster", "no Atomics.pause"]);
  });

  it("has a panel for each worker count, and for each role", () => {
    const two = acrossRuntimes("told", { node24: 20, bun: 8, deno: 40 }, 2);
    assert.deepEqual(
      matrixIn(two, TOLD).panels.map(({ title, rows }) => [title, rows.length]),
      [
        ["1 worker", 1],
        ["2 workers", 1],
      ],
    );
  });

  it("is one table: the more cells it has, the wider their intervals, which hold those of their own tables", () => {
    const widthOf = (matrix: Matrix) => {
      const [bun] = rowsIn(matrix).get("told")!.others;
      assert.ok(bun!.reason === undefined);
      return bun!.ratio.high / bun!.ratio.low;
    };
    const many = Array.from({ length: 20 }, (_, index) =>
      acrossRuntimes(`other-${index}`, { node24: 10, bun: 10, deno: 10 }),
    );
    const [alone, among] = [matrixIn(TOLD), matrixIn(TOLD, ...many)];
    assert.ok(widthOf(among) > widthOf(alone));
    const { rows } = judgeRecord(syntheticRecord([TOLD], 7)).races[0]!;
    const { ratio } = rows.find(({ competitor }) => competitor === "told@bun") as JudgedMeasured;
    assert.deepEqual(rowsIn(alone).get("told")!.others[0], {
      ...rowsIn(alone).get("told")!.others[0],
      ratio,
    });
  });

  it("says why there is no figure: a broken law, a runtime that nobody raced it on, another baseline", () => {
    const lost = broken(TOLD, "told@bun", "a pick was lost");
    const elsewhere = withAbsent(
      acrossRuntimes("elsewhere", { bun: 5, deno: 6 }),
      "elsewhere@node24",
      "no flag",
    );
    const rows = rowsIn(
      matrixIn(
        lost,
        elsewhere,
        acrossRuntimes("two", { node24: 20, bun: 8 }),
        withinRuntime("node24", { told: 20 }),
      ),
    );
    assert.deepEqual(verdictsOf(rows.get("told")!).slice(1), ["a pick was lost", "slower"]);
    assert.deepEqual(rows.get("elsewhere")!.first, { reason: "no flag" });
    assert.deepEqual(verdictsOf(rows.get("elsewhere")!).slice(1), [
      "it does not run on node24, which ratios are to",
      "it does not run on node24, which ratios are to",
    ]);
    assert.deepEqual(verdictsOf(rows.get("two")!).slice(1), ["faster", "it was not raced"]);
  });

  it("has a row for who runs on one runtime alone, which has no race against itself", () => {
    const alone = [
      withinRuntime("node24", { told: 20, lone: 10 }),
      withAbsent(withinRuntime("bun", { told: 20 }), "lone", "no Atomics.pause"),
    ];
    const { first, others } = rowsIn(matrixIn(TOLD, ...alone)).get("lone")!;
    assert.deepEqual(first, { reason: "it runs on one of these runtimes alone" });
    assert.deepEqual(others[0], { reason: "no Atomics.pause" });
  });

  it("has the runtimes in the order in which they were asked for, whatever the first competitor runs on", () => {
    const within = (["node24", "bun", "deno"] as const).map((name) => withinRuntime(name, { told: 20 }));
    const elsewhere = acrossRuntimes("elsewhere", { deno: 5, bun: 6 });
    const { runtimes } = matrixIn(elsewhere, ...within);
    assert.deepEqual(
      runtimes.map(({ name }) => name),
      ["node24", "bun", "deno"],
    );
  });

  it("is none where no competitor was raced on two", () => {
    assert.equal(
      matrixOf(judgeRecord(syntheticRecord([withinRuntime("bun", { told: 20 })], 7)).races),
      undefined,
    );
  });
});

describe("the tables of a matrix", () => {
  const [table] = matrixTables(matrixIn(TOLD, EQUAL, OPEN, EITHER, HALF));
  const page = toMarkdown(table!).replaceAll("\u2011", "-").replaceAll("\u00a0", " ");

  it("make bold what is told, and put a sign behind what is not", () => {
    assert.match(page, /^\| Competitor \| +node24 \(ns\/op\) \| +bun \| +deno \| +A\/A control \|$/m);
    assert.match(
      page,
      /^\| told +\| +(?:19\.9\d|20(?:\.0\d?)?) \| +\*\*0\.40 \([^)]+\)\*\* \| +\*\*2\.0\d \([^)]+\)\*\* \| +1\.00 \([^)]+\) \|$/m,
    );
    assert.match(page, /^\| equal +\| [^|]+ \| +\d\.\d+ \([^)]+\) = \| +\d\.\d+ \([^)]+\) = \| [^|]+ \|$/m);
    assert.match(page, /^\| open +\| [^|]+ \| +\d\.\d+ \([^)]+\) \? \| +\d\.\d+ \([^)]+\) \? \| [^|]+ \|$/m);
    assert.match(page, /^\| either +\| [^|]+ \| +\d\.\d+ \([^)]+\) depends \|/m);
  });

  it("say of which engine a batch may be compiled with its caller", () => {
    const told = (...names: (keyof typeof RUNTIMES)[]) =>
      matrixLegend(names.map((name) => RUNTIMES[name]) as unknown as Matrix["runtimes"]).filter((line) =>
        /^\w+: JavaScriptCore may compile a batch/.test(line),
      ).length;
    assert.deepEqual([told("node24", "deno", "bun"), told("node24", "deno")], [1, 0]);
  });

  it("say in words that an interval is unknown", () => {
    const ratio = { value: 113, low: 1e-20, high: 4e22 };
    assert.deepEqual(cellTexts({ ratio, verdict: "cannot tell" }), {
      value: "113",
      interval: "(unknown)",
      sign: " ?",
    });
  });

  it("have a dash where there is no figure, and say why below", () => {
    assert.match(page, /^\| half .* – \| [^|]+ \|$/m);
    assert.match(page, /^- Not here, no Atomics\.pause: half@deno\.$/m);
  });
});

describe("the picture of a matrix", () => {
  const record = syntheticRecord([TOLD, EQUAL, OPEN, HALF], 7);
  const matrix = matrixIn(...record.groups);

  it("is whole at both widths, no stale file, and the same bytes whenever it is drawn", async () => {
    const drawn = await drawMatrix(matrix, record, "record.json");
    assert.deepEqual(
      drawn.map(([file]) => file),
      ["test-runtimes.svg", "test-runtimes-narrow.svg"],
    );
    for (const [file, svg] of drawn) {
      assert.ok(isPictureFile(file), file);
      assertWhole(svg);
    }
    const again = matrixIn(...structuredClone(record.groups));
    assert.deepEqual(await drawMatrix(again, record, "record.json"), drawn);
  });

  it("says beside a name what a narrow sheet has no column for", () => {
    const marksAt = (widthPx: number) =>
      dataIn(matrixSpec(matrix, record, "record.json", widthPx))
        .flat()
        .filter(({ competitor }) => competitor === "told");
    const [wide, narrow] = [900, 300].map(marksAt);
    const seen = (marks: typeof wide, field: string) => new Set(marks!.map((mark) => mark[field]));
    assert.deepEqual(seen(wide, "row"), new Set(["told"]));
    assert.deepEqual(seen(wide, "column"), new Set(["node24", "A/A control", "bun", "deno"]));
    assert.deepEqual(seen(narrow, "row"), new Set(["told, 20 ns"]));
    assert.deepEqual(seen(narrow, "column"), new Set(["A/A control", "bun", "deno"]));
  });

  it("says each cell in words, and names the runtimes and who is not there", async () => {
    const [[, wide]] = (await drawMatrix(matrix, record, "record.json")) as [[string, string]];
    const texts = textsOf(wide).join("\n");
    for (const { name, version } of Object.values(RUNTIMES))
      assert.ok(texts.includes(`${name}: ${version}`), name);
    assert.match(texts, /^Not here, no Atomics\.pause: half@deno\.$/m);
    assert.match(texts, /^–$/m);
    assert.match(texts, /^\d\.\d+ \?$/m);
    assert.match(texts, /^\d\.\d+ =$/m);
  });

  it("tells what is open by a dashed frame and not by a ground", () => {
    const marks = dataIn(matrixSpec(matrix, record, "record.json")).flat();
    const ofOpen = marks.filter(({ competitor, column }) => competitor === "open" && column === "deno");
    assert.ok(ofOpen.length > 0);
    for (const { ground, isOpen } of ofOpen) assert.deepEqual([ground, isOpen], [undefined, true]);
    const grounds = new Set(
      marks.flatMap(({ competitor, column, ground }) =>
        competitor === "told" && ground !== undefined ? [`${column}: ${ground}`] : [],
      ),
    );
    assert.deepEqual(
      grounds,
      new Set([
        "node24: not judged",
        "A/A control: not judged",
        "bun: over 1.5 times faster",
        "deno: over 1.5 times slower",
      ]),
    );
  });

  it("sums up in its words how many of each runtime have which verdict", () => {
    const { description } = matrixSpec(matrix, record, "record.json");
    assert.match(
      String(description),
      /At 1 worker, of 4 competitors: bun 1 same, 1 cannot tell, 2 faster; deno 1 same, 1 cannot tell, 1 slower, 1 without a figure$/,
    );
  });
});
