import assert from "node:assert/strict";
import { it } from "node:test";
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

it("a primitive's table of choices stands alone, its links as from the folder above", () => {
  const page = choicesPage([{ primitive: "pick", question: "Which?", answer: { text: TEXT } }]);
  assert.ok(
    page.includes(`## pick

*Which?* [The whole answer](pick/README.md).

| If | take | because | you give up |
| :-- | :-- | :-- | :-- |
| always | \`a\` | it takes [few bytes](pick/test.md "bytes") | nothing |

Made by`),
    page,
  );
  assert.doesNotMatch(page, /other/);
});

it("a remark stands below its primitive's table as it is", () => {
  const plate = { primitive: "pick", question: "Which?", answer: { text: TEXT } };
  const page = choicesPage([{ ...plate, remark: "Else [b](pick/README.md)." }, plate]);
  assert.ok(page.includes("| nothing |\n\nElse [b](pick/README.md).\n\n## pick\n"), page);
});

it("a primitive without an answer, or without such a table in it, is omitted", () => {
  const without = { primitive: "locks", question: "Which?", answer: { text: "Take any.\n" } };
  const page = choicesPage([without, { ...without, primitive: "draws", answer: undefined }]);
  assert.doesNotMatch(page, /## /);
});
