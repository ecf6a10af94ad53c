import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cellOf, recordOf } from "../../suites/lab/cores/record.synthetic.ts";
import type { Table } from "../../suites/reporter/src/index.ts";
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

describe("tables of simulated figures", () => {
  const [two, many] = simulatedTables(record, [record]);

  it("say so in each title, and name race, workers and machine", () => {
    assert.equal(two!.title, "pick/uniform-8, 2 workers on the machine here, simulated");
    assert.equal(many!.title, "pick/uniform-8, 64 workers on the machine server, simulated");
  });

  it("have a row for each figure, the least first", () => {
    assert.deepEqual(
      two!.rows.map(({ cells }) => [cells.competitor, cells.ns, cells.throughput]),
      [
        ["near", 22, 2000 / 22],
        ["fitted", 40, 50],
        ["far", 40, 50],
      ],
    );
  });

  it("have no figure beyond two workers where the one of two is far off, and mark what is not checked", () => {
    assert.deepEqual(
      many!.rows.map(({ cells, mark }) => [cells.competitor, mark]),
      [
        ["near", undefined],
        ["unchecked", "†"],
      ],
    );
    const legend = many!.legend.join("\n");
    assert.match(
      legend,
      /^no figure: far \(with two workers simulated and measured figure differ 2\.0 times\)$/m,
    );
    assert.match(legend, /^no figure: liar \(it broke a law: totals: 7 of 8\)$/m);
    assert.match(legend, /^† nothing measured at two workers/m);
  });

  it("compare no workers that share cores", () => {
    const crowded = recordOf([cellOf("near", { nsPerOperation: 22, workers: 4 })]);
    const [{ rows }] = simulatedTables(crowded, [record]) as [Table];
    assert.deepEqual([rows[0]!.cells.fairness, rows[0]!.cells.starved], [null, null]);
    assert.deepEqual([two!.rows[0]!.cells.fairness, two!.rows[0]!.cells.starved], ["1.00", 0]);
  });

  it("count a worker with less than a tenth of its part as starved", () => {
    assert.equal(starvedOf([100, 100, 100, 100]), 0);
    assert.equal(starvedOf([200, 190, 9, 1]), 2);
  });
});

it("simulated figures stand beside measured ones, and what was fitted is marked and not counted", () => {
  const [table, ...others] = checkTables(record);
  assert.deepEqual(others, []);
  assert.equal(table!.title, "Simulated beside measured figures, 2 workers");
  assert.deepEqual(
    table!.rows.map(({ cells, mark }) => [cells.structure, cells.ratio, mark]),
    [
      ["pick/uniform-8/fitted", "1.00", "*"],
      ["pick/uniform-8/near", "1.10", undefined],
      ["pick/uniform-8/far", "2.00", undefined],
    ],
  );
  assert.match(
    table!.legend.join("\n"),
    /^median absolute error 55 %, and 50 % of 2 within a factor of 1\.5$/m,
  );
});
