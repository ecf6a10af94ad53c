import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Table, toMarkdown } from "./table.ts";

const SMALL: Table = {
  title: "Sorting",
  provenance: [
    ["Machine", "EPYC, 2 cores"],
    ["Runtime", "node 24.21.0"],
  ],
  columns: [
    { key: "name", title: "Name", align: "left" },
    { key: "median", title: "Median", unit: "ns/op", align: "right" },
  ],
  rows: [
    { cells: { name: "merge", median: 1234.56 } },
    { cells: { name: "bogo", median: null } },
    { cells: { name: "quick", median: 0.38 }, mark: "†" },
    { cells: { name: "lost" } },
  ],
  legend: ["† is the baseline.", "Lower is better."],
};

/** The lines of a table with one text column and these texts as its rows. */
function cellsOf(...texts: string[]): string[] {
  const table: Table = {
    title: "Texts",
    provenance: [],
    columns: [{ key: "text", title: "Text", align: "left" }],
    rows: texts.map((text) => ({ cells: { text } })),
    legend: [],
  };
  return toMarkdown(table)
    .trimEnd()
    .split("\n")
    .slice(4)
    .map((line) => line.slice(2, -2).trim());
}

function unescapedPipes(line: string): number {
  return [...line.matchAll(/(\\*)\|/g)].filter(([, backslashes]) => backslashes!.length % 2 === 0).length;
}

test("heading, provenance, table and legend", () => {
  assert.equal(
    toMarkdown(SMALL),
    `## Sorting

- Machine: EPYC, 2 cores
- Runtime: node 24.21.0

| Name    | Median (ns/op) |
| :------ | -------------: |
| merge   |          1,235 |
| bogo    |              – |
| quick † |           0.38 |
| lost    |              – |

- † is the baseline.
- Lower is better.
`,
  );
});

test("empty sections leave nothing behind", () => {
  assert.equal(
    toMarkdown({ ...SMALL, provenance: [], legend: [], rows: [] }, { headingLevel: 4 }),
    `#### Sorting

| Name | Median (ns/op) |
| :--- | -------------: |
`,
  );
});

test("pipes and line breaks in cells are escaped, all other markdown is left to work", () => {
  assert.deepEqual(cellsOf("a|b", "two\nlines", "two \r\n lines", "**bold** `code` <b>", "  padded  ", ""), [
    "a\\|b",
    "two<br>lines",
    "two<br>lines",
    "**bold** `code` <b>",
    "padded",
    "",
  ]);
});

test("a pipe that is escaped already is not escaped again", () => {
  assert.deepEqual(cellsOf("a\\|b", "a\\\\|b", "||"), ["a\\|b", "a\\\\\\|b", "\\|\\|"]);
});

test("line breaks in titles and lists become spaces, in column titles <br>", () => {
  assert.equal(
    toMarkdown({
      title: "Two\nlines",
      provenance: [["A", "b\r\nc"]],
      columns: [{ key: "k", title: "x|y", unit: "a\nb", align: "left" }],
      rows: [],
      legend: ["d\ne ", ""],
    }),
    `## Two lines

- A: b c

| x\\|y (a<br>b) |
| :------------ |

- d e
-
`,
  );
});

test("a column may be called like a property every object has", () => {
  const table: Table = {
    ...SMALL,
    columns: [{ key: "constructor", title: "Constructor", align: "left" }],
    rows: [{ cells: {} }],
  };
  assert.match(toMarkdown(table), /^\| – {11}\|$/m);
});

/** Text rich in what the table's syntax is made of. */
const text = fc.string({
  unit: fc.constantFrom("a", "1", " ", "|", "\\", "\n", "\r", "-", ":", "`", "*", "–", "\t", "漢"),
});
const anyTable = fc.uniqueArray(text, { minLength: 1, maxLength: 5 }).chain((keys) =>
  fc.record({
    title: text.map((title) => `t${title}`),
    provenance: fc.array(fc.tuple(text, text), { maxLength: 3 }),
    columns: fc.tuple(
      ...keys.map((key) =>
        fc.record({
          key: fc.constant(key),
          title: text,
          unit: fc.option(text, { nil: undefined }),
          align: fc.constantFrom("left" as const, "right" as const),
        }),
      ),
    ),
    rows: fc.array(
      fc.record({
        cells: fc.dictionary(
          fc.constantFrom(...keys),
          fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
        ),
        mark: fc.option(text, { nil: undefined }),
      }),
      { maxLength: 5 },
    ),
    legend: fc.array(text, { maxLength: 3 }),
  }),
);

test("any table keeps its shape: as many cells in each line, one final newline, no trailing spaces", () => {
  fc.assert(
    fc.property(anyTable, (table) => {
      const markdown = toMarkdown(table);
      assert.match(markdown, /[^\n]\n$/);
      assert.doesNotMatch(markdown, /[^\S\n]$/m);
      assert.doesNotMatch(markdown, /\r/);

      const lines = markdown.split("\n");
      const first = lines.findIndex((line) => line.startsWith("| "));
      const tableLines = lines.slice(first, first + 2 + table.rows.length);
      for (const line of tableLines) assert.equal(unescapedPipes(line), table.columns.length + 1, line);
    }),
  );
});

test("the same table always gives the same markdown, and is left as it was", () => {
  fc.assert(
    fc.property(anyTable, (generated) => {
      const [table, aaControl] = [structuredClone(generated), structuredClone(generated)];
      const markdown = toMarkdown(table);
      assert.deepEqual(table, aaControl);
      assert.equal(toMarkdown(aaControl), markdown);
    }),
  );
});
