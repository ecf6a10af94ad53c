import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inRoles } from "../../judge/judge.synthetic.ts";
import { judgeScenario } from "../../judge/judge.ts";
import type { GroupRecord } from "../../schema/record.ts";
import { broken, cellsOf, raceOf, STANDINGS } from "../pictures/races.synthetic.ts";
import { yardsticksText } from "./yardsticks.ts";

const PAIRS = { ...STANDINGS, yardsticks: new Map([["native", "script"]]) };
const COSTS = { base: 20, script: 30, native: 15 };

function raced(workers: number, costs: Readonly<Record<string, number>> = COSTS): GroupRecord {
  return raceOf(costs, workers, { forks: 8 });
}

/** What stands in the cells of each row. */
function rowsOf(groups: readonly GroupRecord[], standings = PAIRS): string[][] {
  const [text = "", ...more] = yardsticksText(groups.length === 0 ? [] : [judgeScenario(groups)], standings);
  assert.deepEqual(more, []);
  return cellsOf(text.split("\n").filter((line) => line.includes("](test.md)")));
}

describe("how far JavaScript is from WebAssembly", () => {
  it("is the ratio of each to its yardstick, at every worker count with a core for each", () => {
    const rows = rowsOf([raced(2), raced(4), raced(1)]);
    assert.deepEqual(
      rows.map(([script, , ...others]) => [script, ...others]),
      [
        ["script", "**slower**", "native", "[test](test.md)", "1\u00a0worker"],
        ["script", "**slower**", "native", "[test](test.md)", "2\u00a0workers"],
      ],
    );
    for (const row of rows) {
      const [, ratio, low, high] = /^(\d.\d+) \((\d.\d+)\u2011(\d.\d+)\)$/.exec(row[1]!)!.map(Number);
      assert.ok(low! < 2 && 2 < high! && low! < ratio! && ratio! < high!, row[1]);
    }
  });

  it("is told of one that is the baseline", () => {
    const [row] = rowsOf([raced(1, { script: 30, native: 15, other: 20 })]);
    assert.match(row![1]!, /^(2\.0|1\.9)/);
    assert.equal(row![2], "**slower**");
  });

  it("cannot be told where the race could not, and says what would have been seen", () => {
    const [row] = rowsOf([raceOf({ ...COSTS, native: 31 }, 1, { forks: 4, forkNoise: 0.04 })]);
    assert.match(row![2]!, /^cannot tell \(sees \d+ %\)$/);
  });

  it("is told of each role by itself", () => {
    assert.deepEqual(
      rowsOf([inRoles(raced(2), "reader", "writer")]).map((row) => row[5]),
      ["2\u00a0workers, reader", "2\u00a0workers, writer"],
    );
  });

  it("is not told where one of the two has no number or did not race, or there is no pair", () => {
    const { script, ...without } = COSTS;
    for (const groups of [
      [],
      [broken(raced(1), "native")],
      [broken(raced(1), "script")],
      [raced(1, { ...without, other: script })],
    ])
      assert.deepEqual(rowsOf(groups), []);
    assert.deepEqual(yardsticksText([judgeScenario([raced(1)])], STANDINGS), []);
    assert.deepEqual(yardsticksText([judgeScenario([raced(1)])], undefined), []);
  });
});
