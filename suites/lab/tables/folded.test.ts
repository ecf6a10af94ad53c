import assert from "node:assert/strict";
import { it } from "node:test";
import { foldedText } from "./folded.ts";

/** A table with this number of columns besides its first, and these texts as heading and cell. */
function tableOf(columns: number, title: string, text: string) {
  const keys = Array.from({ length: columns }, (_, index) => `k${index}`);
  return {
    title: "Wide",
    provenance: [],
    columns: ["name", ...keys].map((key) => ({ key, title, align: "left" as const })),
    rows: [{ cells: { name: "a", ...Object.fromEntries(keys.map((key) => [key, text])) } }],
    legend: ["Read it."],
  };
}

function partsOf(text: string): number {
  return text.split("\n").filter((line) => line.startsWith("| :")).length;
}

it("a table that is wider than a page becomes several under one heading, with one legend", () => {
  const text = foldedText(tableOf(12, "t", "x".repeat(20)), 3);
  assert.equal(partsOf(text), 3);
  assert.equal(text.match(/^### Wide$/gm)?.length, 1);
  assert.equal(text.match(/^- Read it\.$/gm)?.length, 1);
  assert.match(text, /\n\n- Read it\.\n$/);
  assert.equal(text.match(/^\| a +\|/gm)?.length, 3);
});

it("a heading may take two lines, a cell may not", () => {
  const long = "x".repeat(30);
  assert.equal(partsOf(foldedText(tableOf(4, long, "1"), 2)), 1);
  assert.equal(partsOf(foldedText(tableOf(4, "t", long), 2)), 2);
});

it("the last of several is no remnant", () => {
  const text = foldedText(tableOf(5, "t", "x".repeat(20)), 2);
  const widths = text
    .split("\n")
    .filter((line) => line.startsWith("| :"))
    .map((line) => line.split("|").length - 2);
  assert.deepEqual(widths, [4, 3]);
});
