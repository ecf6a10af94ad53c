import assert from "node:assert/strict";
import { it } from "node:test";
import { choicesPage } from "./choices.ts";

const TEXT = `Written for the newest records.

## Which one

**Take a.** It is so.

| If | take | because | you give up |
| :-- | :-- | :-- | :-- |
| always | \`a\` | [0.50 (0.49-0.51)](test.md "a/1w") | nothing |

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
| always | \`a\` | [0.50 (0.49-0.51)](pick/test.md "a/1w") | nothing |

Made by`),
    page,
  );
  assert.doesNotMatch(page, /other/);
});

it("who has no answer, or none with such a table, is left out", () => {
  const without = { primitive: "locks", question: "Which?", answer: { text: "Take any.\n" } };
  const page = choicesPage([without, { ...without, primitive: "draws", answer: undefined }]);
  assert.doesNotMatch(page, /## /);
});
