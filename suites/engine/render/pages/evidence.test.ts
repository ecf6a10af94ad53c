import assert from "node:assert/strict";
import { it } from "node:test";
import { syntheticRecord } from "../../judge/judge.synthetic.ts";
import { judgeRecord } from "../../judge/judge.ts";
import type { Verdicts } from "../../schema/verdict.ts";
import { raceOf } from "../pictures/races.synthetic.ts";
import { evidenceText } from "./evidence.ts";

const SURE = { sliceNoise: 0.001, forkNoise: 0, forks: 6 };
const COSTS_NS = { even: 20, random: 10, third: 30 };

const judged = judgeRecord(syntheticRecord([raceOf(COSTS_NS, 1, SURE), raceOf(COSTS_NS, 2, SURE)], 1));
const VERDICTS: Verdicts = {
  races: judged.races.map((race) => ({
    ...race,
    columns: [{ key: "parks", title: "Parks", unit: "per op" }],
    rows: race.rows.map((row) => (row.noNumber === undefined ? { ...row, extra: { parks: 3.5 } } : row)),
  })),
  metrics: [
    {
      ...{ primitive: "synthetic", scenario: "churn", title: "", absent: [], times: 20 },
      kind: "simulation",
      metrics: {
        peak: { title: "Peak", unit: "messages/s", digits: 0 },
        low: { title: "Low", unit: "messages/s", digits: 0 },
      },
      rows: ["even", "random"].map((competitor) => ({
        ...{ cell: `synthetic/churn/${competitor}`, competitor, isBaseline: false, figures: {} },
        spreads: { peak: { value: 17, low: 16, high: 17, having: 20, of: 20 } },
      })),
    },
  ],
};

/** The rows of all tables, without the spaces that make them even. */
function rowsOf(answer: string): string[] {
  const lines = evidenceText(answer, VERDICTS).split("\n");
  return lines.filter((line) => line.startsWith("|")).map((line) => line.replaceAll(/ {2,}/g, " "));
}

it("has a row for each competitor that is named beside a link to a scenario, at each worker count", () => {
  const [heading, , ...rows] = rowsOf(
    "`random` is [faster](test.md), as `nobody` is.\n\n`third` is slower.\n",
  );
  assert.match(heading!, /^\| Scenario: competitor \| 1 worker \| 2 workers(?:, oversubscribed)? \|$/);
  assert.equal(rows.length, 1);
  assert.match(rows[0]!, /^\| test: random \| \*\*0\.50\u00a0\(.+\)\*\* \| \*\*0\.50\u00a0\(.+\)\*\* \|$/);
});

it("takes rows of a table and items of a list apart", () => {
  const inTable = rowsOf(
    "| If | take |\n| :-- | :-- |\n| a | `random`, [here](test.md) |\n| b | `third` |\n",
  );
  const inList = rowsOf("- `random`, [here](test.md).\n- `third`.\n");
  for (const rows of [inTable, inList]) assert.equal(rows.length, 3);
});

it("has the columns that the title of a link names, and of a race its ratios besides", () => {
  const [heading, , row] = rowsOf('`even` [parks](test.md "parks").\n');
  assert.match(heading!, / \| Parks \|$/);
  assert.match(row!, /^\| test: even \| 1 \| 1 \| 3\.5 \|$/);
  assert.deepEqual(rowsOf('`even` is [level](churn.md\n"peak").\n').toSpliced(1, 1), [
    "| Scenario: competitor | Peak (messages/s) |",
    "| churn: even | 17 (16-17) |",
  ]);
});

it("is empty where nothing is cited", () => {
  for (const answer of ["", "`random`.\n", "[Here](test.md).\n", "`random` is [not raced](none.md).\n"]) {
    assert.equal(evidenceText(answer, VERDICTS), "");
  }
});
