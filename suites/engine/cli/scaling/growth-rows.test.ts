import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goldenCases } from "../../golden.trials.ts";
import type { ReportedRace } from "../report.ts";
import { growthsOf } from "./growth-rows.ts";
import { growthsMarkdown, growthsText } from "./growth-text.ts";

/** Races of one group with these times in ns, of which each process saw a little more or less. */
function races(times: Readonly<Record<string, number>>, group = "sort"): ReportedRace[] {
  const rows = Object.entries(times).map(([task, value]) => ({
    task,
    ns: { value, low: null, high: null },
    ratio: null,
    allocates: null,
    verdict: "slower",
    processNs: [0.99, 1, 1.01, 1].map((factor) => factor * value),
    remarks: [],
  }));
  const common = {
    ...{ file: `file://${process.cwd()}/bench.js`, group, workers: 1, baseline: "", emptyNs: null },
    ...{ floor: null, processes: 4, lost: [], isProved: false },
  };
  const half = Math.ceil(rows.length / 2);
  return [rows.slice(0, half), rows.slice(half)].map((own) => ({ ...common, rows: own }));
}

/** Tasks of these names, with six numbers for N, and a time for each. */
const named = (name: string, of: (n: number) => number) =>
  Object.fromEntries([1, 10, 100, 1000, 10_000, 100_000].map((n) => [name.replace("N", `${n}`), of(n)]));

describe("tasks whose names differ in one number", () => {
  it("are a range of their group, however the number is written", () => {
    const rangesIn = (times: Readonly<Record<string, number>>) =>
      growthsOf(races(times)).flatMap(({ rows }) =>
        rows.map(({ range, points }) => [range, points.map(({ n }) => n)]),
      );
    const linear = (...names: string[]) =>
      Object.fromEntries(names.map((name, place) => [name, 10 ** place]));
    const ns = [1, 10, 100, 1000];
    for (const [names, range] of [
      [["1", "10", "100", "1000"], "N"],
      [["sort 1000", "sort 100", "sort 1", "sort 10"], "sort N"],
      [["n=1 items", "n=10 items", "n=100 items", "n=1k items"], "n=N items"],
      [["a (1)", "a (10)", "a (100)", "a (1,000)"], "a (N)"],
      [["4 x 1", "4 x 10", "4 x 100", "4 x 1_000"], "4 x N"],
    ] as const)
      assert.deepEqual(rangesIn(linear(...names)), [[range, ns]]);
    for (const names of [
      ["sha1", "sha16", "sha256", "sha512"],
      ["v1.1", "v1.10", "v1.100", "v1.1000"],
      ["a 1", "a 10", "a 100", "b 1000"],
      ["a 1", "a 2", "a 3", "a 4"],
      ["a 0", "a 1", "a 10", "a 100"],
    ])
      assert.deepEqual(rangesIn(linear(...names)), []);
  });

  it("have a row each, a picture of all, and a table in Markdown", (test) => {
    const sort = {
      ...named("linear N", (n) => 5 + 2 * n),
      ...named("quadratic N", (n) => 5 + n ** 2 / 10),
      ...named("lookup of N items", () => 25),
    };
    const alone = named("N", (n) => 900 + n * Math.log(n));
    const growths = growthsOf([...races(sort), ...races(alone, "")]);
    goldenCases(test, "testdata/growth.md", {
      terminal: growthsText(growths, {}),
      Markdown: `${growthsMarkdown(growths).join("\n\n")}\n`,
    });
  });
});
