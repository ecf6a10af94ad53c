import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { goldenCases } from "../../engine/golden.trials.ts";
import { folded } from "./fold.ts";
import { heading, rowTexts, type Table, toMarkdown } from "./table.ts";

const RACE: Table = {
  title: "Race",
  provenance: [["Machine", "EPYC"]],
  columns: [
    { key: "name", title: "Name", align: "left" },
    { key: "workers", title: "Workers", align: "right" },
    { key: "error", title: "Error", align: "right" },
    { key: "median", title: "Median", align: "right", foremost: true },
    { key: "verdict", title: "Verdict", align: "left", foremost: true },
  ],
  rows: [
    { cells: { name: "ring", workers: 1, error: 0.5, median: 10, verdict: "faster" } },
    { cells: { name: "ring", workers: 2, error: 0.6, median: 20, verdict: "same" }, mark: "†" },
    { cells: { name: "lock", workers: 1, error: null, median: 30 } },
  ],
  legend: ["Lower is better."],
};

/** Of name, workers, error, median and verdict: 6 + 7 + 5 + 6 + 7 characters and 3 for each. */
const WHOLE = 31 + 5 * 3;
const [FIRST, SECOND, THIRD] = RACE.rows as [Table["rows"][0], Table["rows"][0], Table["rows"][0]];
const LONG = { cells: { name: "a", verdict: "x".repeat(60), error: 1, workers: 1 } };

const CASES: Readonly<Record<string, readonly [table: Table, width: number]>> = {
  "one that fits stays as it is": [RACE, WHOLE],
  "one character less: what names a row again in each, foremost columns first": [RACE, WHOLE - 1],
  "the first column distinguishes the rows": [{ ...RACE, rows: [FIRST, THIRD] }, 20],
  "a mark does": [{ ...RACE, rows: [FIRST, { ...FIRST, mark: "†" }] }, 30],
  "nothing does": [{ ...RACE, rows: [SECOND, SECOND] }, 30],
  "a column wider than the width has a table of its own, and later columns fit again": [
    { ...RACE, rows: [LONG] },
    40,
  ],
  "a continuation begins with none of its parts": [{ ...RACE, isContinuation: true }, 30],
};

test("a table is folded to a width", (t) => {
  const texts = Object.entries(CASES).map(([name, [table, width]]) => {
    return [
      name,
      folded(table, width)
        .map((part) => toMarkdown(part))
        .join("\n"),
    ];
  });
  goldenCases(t, "../testdata/folded.md", Object.fromEntries(texts));
});

const anyTable = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 8 })
  .chain((keys) =>
    fc.record({
      title: fc.constant("T"),
      provenance: fc.constant([["a", "b"] as const]),
      columns: fc.tuple(
        ...keys.map((key) =>
          fc.record({
            key: fc.constant(key),
            title: fc.string({ maxLength: 12 }),
            align: fc.constantFrom("left" as const, "right" as const),
            foremost: fc.boolean(),
          }),
        ),
      ),
      rows: fc.array(
        fc.record({ cells: fc.dictionary(fc.constantFrom(...keys), fc.string({ maxLength: 20 })) }),
        { maxLength: 5 },
      ),
      legend: fc.constant(["l"]),
    }),
  );

test("no cell is ever lost, only first columns are repeated, and no table is wider than it has to be", () => {
  fc.assert(
    fc.property(anyTable, fc.integer({ min: 1, max: 80 }), (table, width) => {
      const tables = folded(table, width);
      const textsOf = (part: Table) =>
        part.columns.map((column, index) => ({
          key: column.key,
          lines: [heading(column), ...part.rows.map((row) => rowTexts(part.columns, row)[index]!)],
        }));
      const original = new Map(textsOf(table).map(({ key, lines }) => [key, lines]));
      const met = new Map<string, number>();
      for (const { key, lines } of tables.flatMap(textsOf)) {
        assert.deepEqual(lines, original.get(key));
        met.set(key, (met.get(key) ?? 0) + 1);
      }
      assert.equal(met.size, table.columns.length);
      const repeated = table.columns.filter(({ key }) => met.get(key)! > 1).map(({ key }) => key);
      assert.deepEqual(
        repeated,
        table.columns.slice(0, repeated.length).map(({ key }) => key),
      );
      for (const [, count] of met) assert.ok(count === 1 || count === tables.length);
      for (const part of tables) {
        const total = textsOf(part).reduce(
          (sum, { lines }) => sum + 3 + Math.max(...lines.map((line) => [...line].length)),
          0,
        );
        const own = part.columns.length - (tables.length === 1 ? identifying(table) : repeated.length);
        assert.ok(total <= width || own <= 1, `${total} of ${width}`);
      }
    }),
  );
});

/** The columns that would be repeated if a table that was not folded had been. */
function identifying({ columns, rows }: Table): number {
  const count = columns.findIndex((_, index) => {
    const names = rows.map(({ cells }) => JSON.stringify(rowTexts(columns.slice(0, index + 1), { cells })));
    return new Set(names).size === rows.length;
  });
  return count < 0 || count === columns.length - 1 ? 1 : count + 1;
}
