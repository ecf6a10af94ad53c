import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { inRoles } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import { CALM, raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import type { JudgedMetrics } from "../schema/verdict.ts";
import { glanceText } from "./glance.ts";

const RACE = raceOf({ base: 20, half: 10, more: 30 }, 2, CALM);
const SIMULATED = {
  title: "test on a server with 64 workers",
  byCompetitor: new Map([
    ["base", "2.00 (1.50-7.00)"],
    ["half", "4.00 (no band)"],
    ["more", "9.00 (no band)"],
  ]),
};

const SURVEY: JudgedMetrics = {
  ...{ primitive: "synthetic", scenario: "bytes", title: "", absent: [], times: 2, kind: "survey" },
  metrics: { held: { title: "Held", unit: "B", digits: 0 }, left: { title: "Left", unit: "B", digits: 0 } },
  rows: ["half", "more"].map((competitor) => ({
    ...{ cell: `synthetic/bytes/${competitor}`, competitor, isBaseline: false, figures: {} },
    spreads: { held: { value: 17, low: 16, high: 18, having: 2, of: 2 } },
  })),
};

function glanceOf(items: string, race = RACE, simulated?: typeof SIMULATED): string {
  const answer = { text: `**Take half.**\n\n${items}\n` };
  return glanceText([
    {
      primitive: "pick",
      question: "Which one?",
      answer,
      races: [judgeScenario([race])],
      metrics: [SURVEY],
      simulated,
    },
  ]);
}

it("what to take at a glance: items of answers, with the ratios of the competitors that they name", (t) => {
  goldenCases(t, "testdata/glance.md", {
    "links as from the folder above; only items for a number of workers": glanceOf(
      "- **With 2 workers** take `half`: it is [faster](test.md)\n  there.\n- Other.",
    ),
    "a ratio of each that is named, but the baseline": glanceOf(
      "- **With 2 workers** take `half`, not `more` or `base` ([why](test.md)).",
    ),
    "the baseline alone": glanceOf("- **With 2 workers** take `base` ([why](test.md))."),
    "one that depends": glanceOf(
      "- **With 2 workers** take `half` ([why](test.md)).",
      slowAtFirst(RACE, "half"),
    ),
    "with what another host says": glanceText([
      {
        primitive: "pick",
        question: "Which one?",
        answer: { text: "**Take half.**\n\n- **With 2 workers** take `half` ([why](test.md)).\n" },
        races: [judgeScenario([RACE])],
        metrics: [],
        elsewhere: new Map([["synthetic/test/half/2w", "on Away 2.00 (1.00-4.00), slower in 3 of 5 runs"]]),
      },
    ]),
    "columns of a survey that the title of a link names": glanceOf(
      '- **With 2 workers** take `half`, not `more` or `base` ([why](bytes.md "held left")).',
    ),
    "two roles": glanceOf(
      "- **With 2 workers** take `half` ([why](test.md)).",
      inRoles(RACE, "reader", "writer"),
    ),
    "where nothing was raced": glanceOf(
      `- **With 1 worker** take \`half\` ([why](test.md)).
- **With many workers** take \`half\` ([why](test.md)).
- **With 2 workers** take \`other\` ([why](test.md)).
- **With 2 workers** take \`half\` ([why](elsewhere.md)).`,
    ),
    "simulated figures, of what it names, once": glanceOf(
      `- **With many workers** take \`half\`, not \`base\` or \`other\`: \`half\`.
- **With many workers** take \`other\`.
- **With 2 workers** take \`half\`.`,
      RACE,
      SIMULATED,
    ),
    "no such items": glanceOf("- Other."),
    "no answer": glanceText([{ primitive: "pick", question: "", answer: undefined, races: [], metrics: [] }]),
  });
});
