import assert from "node:assert/strict";
import { it } from "node:test";
import { withQuotes } from "./quotes.ts";

const PAGE = `# Page

| To base | Ratio  |
| :------ | -----: |
| quick   | 0.1    |

## Two workers

| To base | Ratio, 2 runs |
| :------ | ------------: |
| dear    |           2.5 |
| quick   |           0.5 |

## Four workers

| Other | Ratio |
| :---- | ----: |
| quick |   0.9 |
`;

const quoting = (link: string, row: string, heading = "Ratio, 1 run") =>
  `Text.\n\nFrom [a page](${link}), with words:\n\n| To base | ${heading} |\n| :-- | --: |\n| ${row} |\n\nMore text.\n`;

it("a quoted row is as its page has it today, in the section that the link names", () => {
  for (const [link, stale, today, heading] of [
    ["page.md#two-workers", "quick | 0.4", "quick | 0.5", "Ratio, 2 runs"],
    ["page.md", "quick | 0.4", "quick | 0.1", "Ratio"],
    ["page.md", "dear | 1", "dear | 2.5", "Ratio, 2 runs"],
  ] as const)
    assert.equal(
      withQuotes(quoting(link, stale), () => PAGE),
      quoting(link, today, heading),
    );
});

it("a row that no table of the section has is refused, with its page", () => {
  for (const link of ["page.md#four-workers", "page.md#no-such-heading"])
    assert.throws(() => withQuotes(quoting(link, "quick | 0.4"), () => PAGE), /no table of page\.md has/);
});
