import { it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import { CALM, raceOf } from "../pictures/races.synthetic.ts";
import { choicesPage } from "./choices.ts";

const TEXT = `Written on 2026-11-20.

## Which one

**Take a.** It is so.

| If | take | because | you give up |
| :-- | :-- | :-- | :-- |
| always | \`a\` | it takes [few bytes](test.md "bytes"), and not \`c\` | nothing |
| never | \`b\` | it is slower than \`a\` ([here](test.md)) | \`c\` |
| so be it | \`d\` | of [none](test.md) | nothing |

| other | table |
| :-- | :-- |
`;

const RACE = judgeScenario([raceOf({ b: 20, a: 10, c: 30 }, 2, CALM)]);
/** Another run may turn what this one says. */
const UNSURE = { ...RACE, rows: RACE.rows.map((row) => ({ ...row, another: { low: 0.4, high: 2.2 } })) };

it("the page of choices has each primitive's table with figures, links as from the folder above, and remarks below it", (t) => {
  const of = (primitive: string, text: string | undefined, remark?: string) => {
    const answer = text === undefined ? undefined : { text };
    const races = [primitive === "locks" ? UNSURE : RACE];
    return { primitive, question: "Which?", answer, remark, races, metrics: [] };
  };
  const advised = [
    of("pick", TEXT),
    of("locks", TEXT, "Else [b](pick/README.md)."),
    of("draws", "Take any.\n"),
    of("slots", undefined),
  ];
  golden(t, "testdata/choices.md", choicesPage(advised));
});
