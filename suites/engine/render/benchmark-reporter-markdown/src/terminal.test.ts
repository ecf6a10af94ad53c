import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import type { Table } from "./table.ts";
import { terminalList, terminalText, toTerminal } from "./terminal.ts";

const PLAIN = { width: 80, colour: false };

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

test("columns under headings and a rule, numbers on the right, markdown gone", () => {
  assert.equal(
    toTerminal(RACE, PLAIN),
    `pick/uniform: one of 8

- Machine: EPYC

             Median
Competitor  (ns/op)  Change  Verdict
----------  -------  ------  -------------------
lock *        65.62       -  baseline
lock~aa1      64.72  ± 1 µs  noise floor (forks)
cas|ring      4,344       -  faster
slow             90       -  slower
                             and later

- faster: see the words (../README.md).
`,
  );
});

test("colour: green and red verdicts, a bold baseline, a dim noise floor, and the same lines otherwise", () => {
  const coloured = toTerminal(RACE, { ...PLAIN, colour: true });
  assert.equal(stripVTControlCharacters(coloured), toTerminal(RACE, PLAIN));
  const [bold, dim, green, red] = [1, 2, 32, 31].map((code) => (text: string) => `\x1b[${code}m${text}\x1b[`);
  for (const piece of [
    bold!("pick/uniform: one of 8"),
    bold!("lock *"),
    bold!("baseline"),
    dim!("lock~aa1"),
    dim!("noise floor (forks)"),
    green!("faster"),
    red!("slower"),
    bold!("later"),
  ]) {
    assert.ok(coloured.includes(piece), JSON.stringify(piece));
  }
  assert.ok(coloured.includes("\ncas|ring "), "other rows are as they are");
  const parts = toTerminal(RACE, { width: 38, colour: true });
  assert.equal(parts.split(bold!("lock *")).length, 3, "in each part of the table");
});

test("what is too wide is folded, with the title above the first and the legend below the last", () => {
  assert.equal(
    toTerminal(RACE, { ...PLAIN, width: 38 }),
    `pick/uniform: one of 8

- Machine: EPYC

             Median
Competitor  (ns/op)  Verdict
----------  -------  -----------------
lock *        65.62  baseline
lock~aa1      64.72  noise floor
                     (forks)
cas|ring      4,344  faster
slow             90  slower
                     and later

Competitor  Change
----------  ------
lock *           -
lock~aa1    ± 1 µs
cas|ring         -
slow             -

- faster: see the words
  (../README.md).
`,
  );
});

test("a foremost text is wrapped to two words rather than folded away", () => {
  const [, heading, rule] = toTerminal(
    { ...RACE, provenance: [], title: "x" },
    { ...PLAIN, width: 40 },
  ).split(/\n+(?=Competitor|-----)/);
  assert.equal(heading, "Competitor  (ns/op)  Change  Verdict");
  assert.equal(rule!.split("\n")[0], "----------  -------  ------  -----------");
});

test("a text too long for its line is wrapped within its column: at spaces, then behind a slash, then anywhere", () => {
  const table: Table = {
    ...RACE,
    provenance: [],
    columns: [RACE.columns[0]!, RACE.columns[3]!],
    rows: [
      { cells: { name: "a", verdict: `no number: ${"word ".repeat(9)}pick/uniform-8/cas-ring/2w` } },
      { cells: { name: "b", verdict: "x".repeat(70) } },
    ],
    legend: [],
  };
  assert.equal(
    toTerminal(table, { ...PLAIN, width: 34 }),
    `pick/uniform: one of 8

Competitor  Verdict
----------  ----------------------
a           no number: word word
            word word word word
            word word word
            pick/uniform-8/cas-
            ring/2w
b           ${"x".repeat(22)}
            ${"x".repeat(22)}
            ${"x".repeat(22)}
            ${"x".repeat(4)}
`,
  );
});

test("long remarks are wrapped where that spares a fold, and no more than it takes", () => {
  const table: Table = {
    ...RACE,
    columns: RACE.columns.filter(({ key }) => key !== "change"),
    rows: [{ cells: { name: "lock", median: 1, verdict: "y ".repeat(40) } }],
  };
  const [, , , , , , rule] = toTerminal(table, { ...PLAIN, width: 60 }).split("\n");
  assert.equal(rule, "----------  -------  ---------------------------------------");
});

test("long headings are wrapped at words and stand upon the rule", () => {
  const columns = [
    RACE.columns[0]!,
    { key: "median", title: "Peak rate after a restart", unit: "msg/s", align: "right" as const },
  ];
  const rows = [{ cells: { name: "a", median: 12 } }];
  assert.equal(
    toTerminal({ ...RACE, provenance: [], legend: [], columns, rows }, PLAIN),
    `pick/uniform: one of 8

               Peak rate
                 after a
                 restart
Competitor       (msg/s)
----------  ------------
a                     12
`,
  );
});

test("texts cannot steer the terminal", () => {
  const rows = [{ cells: { name: "a\x1b[2Jb\x07\tc" } }];
  const text = toTerminal({ ...RACE, title: "t\x1b]0;x", rows, legend: ["\x9bl"] }, PLAIN);
  assert.doesNotMatch(text.replaceAll("\n", ""), /\p{Cc}/u);
  assert.match(text, /a \[2Jb c/);
});

test("paragraphs and lists are wrapped, items under their first line", () => {
  assert.equal(terminalText("one **two**\nthree", { ...PLAIN, width: 9 }), "one two\nthree");
  assert.equal(terminalList(["one two", "`three`"], { ...PLAIN, width: 6 }), "- one\n  two\n- thre\n  e");
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
        for (const line of toTerminal({ ...RACE, rows }, { ...PLAIN, width }).split("\n")) {
          assert.ok([...line].length <= width, line);
          assert.equal(line, line.trimEnd());
        }
      },
    ),
  );
});
