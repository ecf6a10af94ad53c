import { it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { choicesPage } from "./choices.ts";

const TEXT = `Written on 2026-11-20.

## Which one

**Take a.** It is so.

| If | take | because | you give up |
| :-- | :-- | :-- | :-- |
| always | \`a\` | it takes [few bytes](test.md "bytes") | nothing |

| other | table |
| :-- | :-- |
`;

it("the page of choices has each primitive's table, its links as from the folder above, and remarks below it", (t) => {
  const of = (primitive: string, text: string | undefined, remark?: string) => {
    return { primitive, question: "Which?", answer: text === undefined ? undefined : { text }, remark };
  };
  const advised = [
    of("pick", TEXT),
    of("locks", TEXT, "Else [b](pick/README.md)."),
    of("draws", "Take any.\n"),
    of("slots", undefined),
  ];
  golden(t, "testdata/choices.md", choicesPage(advised));
});
