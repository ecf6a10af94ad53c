import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { broken, CALM, raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { Verdicts } from "../schema/verdict.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { evidenceText } from "./evidence.ts";

const COSTS_NS = { even: 20, random: 10, third: 30, torn: 10, lost: 10 };
const groups = [1, 2].map((workers) => {
  return broken(slowAtFirst(raceOf(COSTS_NS, workers, CALM), "torn"), "lost");
});
const VERDICTS: Verdicts = {
  races: judgeRecord(syntheticRecord(groups, 1)).races.map((race) => ({
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

/** Answers, by what of them is cited. */
const ANSWERS: Readonly<Record<string, string>> = {
  "who is named beside a link to a scenario":
    "`random` is [faster](test.md), as `nobody` is.\n\n`third` is slower.\n",
  "a row that depends, and one without a number": "`torn` and `lost` are [odd](test.md).\n",
  "rows of a table apart":
    "| If | take |\n| :-- | :-- |\n| a | `random`, [here](test.md) |\n| b | `third` |\n",
  "items of a list apart": "- `random`, [here](test.md).\n- `third`.\n",
  "a column that the title of a link names": '`even` [parks](test.md "parks").\n',
  "a figure of a simulation, broken over lines": '`even` is [level](churn.md\n"peak").\n',
  "no answer": "",
  "no link": "`random`.\n",
  "no competitor": "[Here](test.md).\n",
  "not raced": "`random` is [not raced](none.md).\n",
};

it("the figures of what an answer cites", (t) => {
  const texts = Object.entries(ANSWERS).map(([name, answer]) => [name, evidenceText(answer, VERDICTS)]);
  goldenCases(t, "testdata/evidence.md", Object.fromEntries(texts));
});
