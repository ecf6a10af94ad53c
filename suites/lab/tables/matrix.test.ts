import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticRecord, withCosts } from "../../engine/judge/judge.synthetic.ts";
import { judgeRecord } from "../../engine/judge/judge.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { JudgedMeasured } from "../../engine/schema/verdict.ts";
import { toMarkdown } from "../../reporter/src/index.ts";
import { broken, STANDINGS } from "../pictures/races.synthetic.ts";
import { acrossRuntimes, RUNTIMES, withAbsent, withinRuntime } from "../verdicts/runtimes.synthetic.ts";
import {
  cellTexts,
  type Matrix,
  type MatrixRow,
  matrixLegend,
  matrixOf,
  matrixTables,
  withinTables,
} from "./matrix.ts";
import { raceTables } from "./races.ts";

/** Verdicts of faster and slower, the same, and what a crew that is lucky or not in each process leaves open. */
const DECIDED = acrossRuntimes("decided", { node24: 20, bun: 8, deno: 40 });
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
  it("has a row for each competitor, the cheapest on the first runtime first, with its verdicts", () => {
    const matrix = matrixIn(DECIDED, EQUAL, OPEN, HALF);
    assert.equal(matrix.scenario, "test");
    assert.deepEqual(matrix.runtimes, Object.values(RUNTIMES));
    assert.deepEqual([...rowsIn(matrix).keys()], ["equal", "open", "decided", "half"]);
    const rows = rowsIn(matrix);
    assert.deepEqual(verdictsOf(rows.get("decided")!), ["noise floor", "faster", "slower"]);
    assert.deepEqual(verdictsOf(rows.get("equal")!), ["noise floor", "same", "same"]);
    assert.deepEqual(verdictsOf(rows.get("open")!), ["noise floor", "cannot tell", "cannot tell"]);
    assert.deepEqual(verdictsOf(rows.get("half")!), ["noise floor", "faster", "no Atomics.pause"]);
  });

  it("has a panel for each worker count, and for each role", () => {
    const two = acrossRuntimes("decided", { node24: 20, bun: 8, deno: 40 }, 2);
    assert.deepEqual(
      matrixIn(two, DECIDED).panels.map(({ title, rows }) => [title, rows.length]),
      [
        ["1 worker", 1],
        ["2 workers", 1],
      ],
    );
  });

  it("is one table: the more cells it has, the wider their intervals, which hold those of their own tables", () => {
    const widthOf = (matrix: Matrix) => {
      const [bun] = rowsIn(matrix).get("decided")!.others;
      assert.ok(bun!.reason === undefined);
      return bun!.ratio.high / bun!.ratio.low;
    };
    const many = Array.from({ length: 20 }, (_, index) =>
      acrossRuntimes(`other-${index}`, { node24: 10, bun: 10, deno: 10 }),
    );
    const [alone, among] = [matrixIn(DECIDED), matrixIn(DECIDED, ...many)];
    assert.ok(widthOf(among) > widthOf(alone));
    const { rows } = judgeRecord(syntheticRecord([DECIDED], 7)).races[0]!;
    const { ratio } = rows.find(({ competitor }) => competitor === "decided@bun") as JudgedMeasured;
    assert.deepEqual(rowsIn(alone).get("decided")!.others[0], {
      ...rowsIn(alone).get("decided")!.others[0],
      ratio,
    });
  });

  it("says why there is no figure: a broken law, a runtime that it was not raced on, another baseline", () => {
    const lost = broken(DECIDED, "decided@bun", "a pick was lost");
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
        withinRuntime("node24", { decided: 20 }),
      ),
    );
    assert.deepEqual(verdictsOf(rows.get("decided")!).slice(1), ["a pick was lost", "slower"]);
    assert.deepEqual(rows.get("elsewhere")!.first, { reason: "no flag" });
    assert.deepEqual(verdictsOf(rows.get("elsewhere")!).slice(1), [
      "it does not run on node24, which ratios are to",
      "it does not run on node24, which ratios are to",
    ]);
    assert.deepEqual(verdictsOf(rows.get("two")!).slice(1), ["faster", "it was not raced"]);
  });

  it("has a row for a competitor of one runtime alone, which has no race against itself", () => {
    const alone = [
      withinRuntime("node24", { decided: 20, lone: 10 }),
      withAbsent(withinRuntime("bun", { decided: 20 }), "lone", "no Atomics.pause"),
    ];
    const { first, others } = rowsIn(matrixIn(DECIDED, ...alone)).get("lone")!;
    assert.deepEqual(first, { reason: "it runs on one of these runtimes alone" });
    assert.deepEqual(others[0], { reason: "no Atomics.pause" });
  });

  it("has the runtimes in the order in which they were asked for, whatever the first competitor runs on", () => {
    const within = (["node24", "bun", "deno"] as const).map((name) => withinRuntime(name, { decided: 20 }));
    const elsewhere = acrossRuntimes("elsewhere", { deno: 5, bun: 6 });
    const { runtimes } = matrixIn(elsewhere, ...within);
    assert.deepEqual(
      runtimes.map(({ name }) => name),
      ["node24", "bun", "deno"],
    );
  });

  it("is none where no competitor was raced on two", () => {
    assert.equal(
      matrixOf(judgeRecord(syntheticRecord([withinRuntime("bun", { decided: 20 })], 7)).races),
      undefined,
    );
  });
});

describe("the tables of a matrix", () => {
  const [table] = matrixTables(matrixIn(DECIDED, EQUAL, OPEN, EITHER, HALF));
  const page = toMarkdown(table!).replaceAll("\u2011", "-").replaceAll("\u00a0", " ");

  it("make bold what is decided, and put a sign behind what is not", () => {
    assert.match(page, /^\| Competitor \| +node24 \(ns\/op\) \| +bun \| +deno \| +A\/A control \|$/m);
    assert.match(
      page,
      /^\| decided +\| +(?:19\.9\d|20(?:\.0\d?)?) \| +\*\*0\.40 \([^)]+\)\*\* \| +\*\*2\.0\d \([^)]+\)\*\* \| +1\.00 \([^)]+\) \|$/m,
    );
    assert.match(page, /^\| equal +\| [^|]+ \| +\d\.\d+ \([^)]+\) = \| +\d\.\d+ \([^)]+\) = \| [^|]+ \|$/m);
    assert.match(page, /^\| open +\| [^|]+ \| +\d\.\d+ \([^)]+\) \? \| +\d\.\d+ \([^)]+\) \? \| [^|]+ \|$/m);
    assert.match(page, /^\| either +\| [^|]+ \| +\d\.\d+ \([^)]+\) depends \|/m);
  });

  it("say which engine may compile a batch with its caller", () => {
    const decided = (...names: (keyof typeof RUNTIMES)[]) =>
      matrixLegend(names.map((name) => RUNTIMES[name]) as unknown as Matrix["runtimes"]).filter((line) =>
        /^\w+: JavaScriptCore may compile a batch/.test(line),
      ).length;
    assert.deepEqual([decided("node24", "deno", "bun"), decided("node24", "deno")], [1, 0]);
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

describe("the tables of each runtime", () => {
  const tableOf = (...groups: GroupRecord[]) => {
    const [table] = withinTables(judgeRecord(syntheticRecord(groups, 7)).races, STANDINGS);
    return toMarkdown(table!).replaceAll("\u2011", "-").replaceAll("\u00a0", " ");
  };
  const costs = { base: 20, quick: 10, nothing: 1 };

  it("have ratios to the baseline of the same runtime, whose own cell has its time, and below who does not compete", () => {
    const page = tableOf(
      withinRuntime("node24", costs),
      withinRuntime("bun", { ...costs, quick: 40 }),
      DECIDED,
    );
    const rows = page.match(/^\| .*$/gm)!.map((row) => row.replaceAll(/ +/g, " "));
    assert.equal(rows[0], "| Competitor | node24 | bun |");
    assert.match(rows[2]!, /^\| quick \| \*\*0\.50 \([^)]+\)\*\* \| \*\*2\.0\d? \([^)]+\)\*\* \|$/);
    assert.match(rows[3]!, /^\| \*\*base\*\* \| (19\.9\d|20\.?\d*) ns\/op \| (19\.9\d|20\.?\d*) ns\/op \|$/);
    assert.match(rows[4]!, /^\| nothing \(lower bound\) \| \*\*0\.05/);
    assert.match(rows[5]!, /^\| base~aa1 \(A\/A control\) \| 1\.00 /);
    assert.equal(rows.length, 6);
    assert.match(page, /^- Noise floor: node24 \d\.\d %; bun \d\.\d %\.$/m);
  });

  it("have the figures of each runtime's own table", () => {
    const group = withinRuntime("node24", costs);
    const own = toMarkdown(
      raceTables(judgeRecord(syntheticRecord([group], 7)).races[0]!, STANDINGS)[0]!.rivals,
    );
    const [, ratio] = /^\| quick +\| +([^|]+?) +\| \*\*faster/m.exec(own)!;
    assert.ok(tableOf(group).includes(`**${ratio}**`), ratio);
  });

  it("have a dash where there is no figure, and say why below", () => {
    const page = tableOf(
      broken(withinRuntime("node24", costs), "quick", "a pick was lost"),
      withAbsent(withinRuntime("bun", { base: 20, nothing: 1 }), "quick", "no Atomics.pause"),
    );
    const nowhere = tableOf(
      ...(["node24", "bun"] as const).map((name) =>
        withAbsent(withinRuntime(name, costs), "giant", "too large"),
      ),
    );
    assert.match(nowhere, /^- Not here, too large: giant\.$/m);
    assert.match(page, /^\| quick +\| +– \| +– \|$/m);
    assert.match(page, /^- No number, a pick was lost: quick@node24\.$/m);
    assert.match(page, /^- Not here, no Atomics\.pause: quick@bun\.$/m);
  });
});
