import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { goldenCases } from "../../engine/golden.trials.ts";
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

/** A table of one column, called like a property that every object has, and a row for each text. */
function columnOf(...texts: readonly string[]): Table {
  const columns = [{ key: "constructor", title: "Text", align: "left" as const }];
  const rows = [{ cells: {} }, ...texts.map((text) => ({ cells: { constructor: text } }))];
  return { ...SMALL, provenance: [], legend: [], columns, rows };
}

test("heading, provenance, table and legend", (t) => {
  goldenCases(t, "../testdata/markdown.md", {
    "heading, provenance, table and legend": toMarkdown(SMALL),
    "empty sections leave nothing behind": toMarkdown(
      { ...SMALL, provenance: [], legend: [], rows: [] },
      { headingLevel: 4 },
    ),
    "pipes and line breaks in cells are escaped, all other markdown is left to work": toMarkdown(
      columnOf("a|b", "two\nlines", "two \r\n lines", "**bold** `code` <b>", "  padded  ", ""),
    ),
    "a pipe that is escaped already is not escaped again": toMarkdown(columnOf("a\\|b", "a\\\\|b", "||")),
    "line breaks in titles and lists become spaces, in column titles <br>": toMarkdown({
      title: "Two\nlines",
      provenance: [["A", "b\r\nc"]],
      columns: [{ key: "k", title: "x|y", unit: "a\nb", align: "left" }],
      rows: [],
      legend: ["d\ne ", ""],
    }),
  });
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

function unescapedPipes(line: string): number {
  return [...line.matchAll(/(\\*)\|/g)].filter(([, backslashes]) => backslashes!.length % 2 === 0).length;
}

test("any table keeps its shape, and is left as it was: as many cells in each line, no trailing spaces", () => {
  fc.assert(
    fc.property(anyTable, (generated) => {
      const [table, before] = [structuredClone(generated), structuredClone(generated)];
      const markdown = toMarkdown(table);
      assert.deepEqual(table, before);
      assert.match(markdown, /[^\n]\n$/);
      assert.doesNotMatch(markdown, /[^\S\n]$|\r/m);

      const lines = markdown.split("\n");
      const first = lines.findIndex((line) => line.startsWith("| "));
      const tableLines = lines.slice(first, first + 2 + table.rows.length);
      for (const line of tableLines) assert.equal(unescapedPipes(line), table.columns.length + 1, line);
    }),
  );
});
