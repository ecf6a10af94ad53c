import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { foldedText } from "./folded.ts";
import { withoutPadding } from "./markdown.ts";

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

it("a table that is wider than a page becomes several under one heading, with one legend", (t) => {
  const [twenty, thirty] = ["x".repeat(20), "x".repeat(30)];
  goldenCases(t, "testdata/folded.md", {
    "three, under a heading of the third level": foldedText(tableOf(12, "t", twenty), 3),
    "a heading may take two lines": foldedText(tableOf(4, thirty, "1"), 2),
    "a cell may not": foldedText(tableOf(4, "t", thirty), 2),
    "the last of several is no remnant": foldedText(tableOf(5, "t", twenty), 2),
    "on a page it has no padding": withoutPadding(
      `Two  spaces.\n\n${foldedText(tableOf(1, "t", twenty), 2)}`,
    ),
  });
});
