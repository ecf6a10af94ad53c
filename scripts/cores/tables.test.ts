import assert from "node:assert/strict";
import { it } from "node:test";
import { goldenCases } from "../../suites/engine/golden.trials.ts";
import { cellOf, recordOf } from "../../suites/lab/cores/record.synthetic.ts";
import { toMarkdown } from "../../suites/reporter/src/index.ts";
import { checkTables, simulatedTables, starvedOf } from "./tables.ts";

/** Beside 20 ns measured: 22 and 40, with two workers. */
const record = recordOf([
  cellOf("fitted", { nsPerOperation: 40, measuredNs: 40 }),
  cellOf("near", { nsPerOperation: 22, measuredNs: 20 }),
  cellOf("far", { nsPerOperation: 40, measuredNs: 20 }),
  ...["near", "far", "unchecked"].map((name) =>
    cellOf(name, { nsPerOperation: 500, workers: 64, machine: "server" }),
  ),
  { ...cellOf("liar", { nsPerOperation: 1, broken: "totals: 7 of 8" }), machine: "server", workers: 64 },
]);
const crowded = recordOf([cellOf("near", { nsPerOperation: 22, workers: 4 })]);

it("tables have simulated figures, the least first, and say which have none and why", (test) => {
  const texts = (tables: ReturnType<typeof checkTables>) =>
    tables.map((table) => toMarkdown(table)).join("\n");
  goldenCases(test, "testdata/tables.md", {
    "simulated: a row for each figure, none where two workers are far off": texts(
      simulatedTables(record, [record]),
    ),
    "workers that share cores are not compared": texts(simulatedTables(crowded, [record])),
    "beside measured figures: what was fitted is marked and not counted": texts(checkTables(record)),
  });
});

it("a worker with less than a tenth of its part is starved", () => {
  assert.equal(starvedOf([100, 100, 100, 100]), 0);
  assert.equal(starvedOf([200, 190, 9, 1]), 2);
});
