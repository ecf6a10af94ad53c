import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { golden } from "../../engine/golden.trials.ts";
import type { Table } from "./table.ts";
import { terminalList, terminalText, toTerminal } from "./terminal.ts";

const RACE: Table = {
  title: "pick/uniform: `one` of 8",
  provenance: [["Machine", "EPYC"]],
  columns: [
    { key: "name", title: "Competitor", align: "left" },
    { key: "median", title: "Median", unit: "ns/op", align: "right", foremost: true },
    { key: "change", title: "Change", align: "right" },
    { key: "verdict", title: "Verdict", align: "left", foremost: true },
  ],
  rows: [
    { cells: { name: "lock", median: 65.62, verdict: "baseline" }, mark: "†" },
    { cells: { name: "lock~aa1", median: 64.72, change: "± 1 µs", verdict: "noise floor (forks)" } },
    { cells: { name: "cas\\|ring", median: 4344, change: "–", verdict: "**faster**" } },
    { cells: { name: "slow", median: 90, verdict: "**slower**<br>and **later**" } },
  ],
  legend: ["**faster**: see [the words](../README.md)."],
};
const [NAME, MEDIAN, , VERDICT] = RACE.columns as [
  Table["columns"][0],
  Table["columns"][0],
  never,
  Table["columns"][0],
];

function ofColumns(columns: Table["columns"], ...cells: Table["rows"][0]["cells"][]): Table {
  return { ...RACE, provenance: [], legend: [], columns, rows: cells.map((row) => ({ cells: row })) };
}

const PEAK = { key: "median", title: "Peak rate after a restart", unit: "msg/s", align: "right" } as const;
const LONG = { name: "a", verdict: `no number: ${"word ".repeat(9)}pick/uniform-8/cas-ring/2w` };

/** What is printed, and in how many columns. */
const CASES: Readonly<Record<string, readonly [width: number, table: Table, colour?: boolean]>> = {
  "columns under headings and a rule, numbers on the right, markdown gone": [80, RACE],
  "colour: green and red verdicts, a bold baseline, a dim noise floor": [80, RACE, true],
  "colour, in each part of a table that is folded": [38, RACE, true],
  "folded, with the title above the first and the legend below the last": [38, RACE],
  "a foremost text is wrapped to two words rather than folded away": [40, RACE],
  "wrapped within its column: at spaces, then behind a slash, then anywhere": [
    34,
    ofColumns([NAME, VERDICT], LONG, { name: "b", verdict: "x".repeat(70) }),
  ],
  "long remarks are wrapped where that spares a fold, and no more than it takes": [
    60,
    ofColumns([NAME, MEDIAN, VERDICT], { name: "lock", median: 1, verdict: "y ".repeat(40) }),
  ],
  "long headings are wrapped at words and stand upon the rule": [
    80,
    ofColumns([NAME, PEAK], { name: "a", median: 12 }),
  ],
};

test("a table at a terminal, paragraphs and lists", (t) => {
  const texts = Object.entries(CASES).map(([name, [width, table, colour = false]]) => {
    const text = toTerminal(table, { width, colour });
    // Colours change nothing else.
    assert.equal(stripVTControlCharacters(text), toTerminal(table, { width, colour: false }));
    return `${name}\n\n${text.replaceAll("\x1b", "ESC")}`;
  });
  const paragraph = terminalText("one **two**\nthree", { width: 9, colour: false });
  const list = terminalList(["one two", "`three`"], { width: 6, colour: false });
  golden(t, "../testdata/terminal.txt", [...texts, paragraph, list].join(`\n${"=".repeat(80)}\n`));
});

test("whatever the texts, no line is longer than the width and no space ends one", () => {
  const text = fc.string({
    unit: fc.constantFrom("a", "b", " ", "-", "/", "*", "`", "–", "\n", "|"),
    maxLength: 60,
  });
  fc.assert(
    fc.property(
      fc.array(fc.record({ name: text, median: text, change: text, verdict: text }), { maxLength: 5 }),
      fc.integer({ min: 40, max: 120 }),
      (cells, width) => {
        const rows = cells.map((row) => ({ cells: row }));
        for (const line of toTerminal({ ...RACE, rows }, { width, colour: false }).split("\n")) {
          assert.ok([...line].length <= width, line);
          assert.equal(line, line.trimEnd());
        }
      },
    ),
  );
});
