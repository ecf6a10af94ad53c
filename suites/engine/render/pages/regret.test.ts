import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inRoles } from "../../judge/judge.synthetic.ts";
import { judgeScenario } from "../../judge/judge.ts";
import type { GroupRecord } from "../../schema/record.ts";
import { broken, cellsOf, raceOf, STANDINGS, slowAtFirst } from "../pictures/races.synthetic.ts";
import { regretText } from "./regret.ts";

const CALM = { forks: 12, rounds: 40, sliceNoise: 0.002, forkNoise: 0.002 };
/** Two scenarios, in each of which another is the best. */
const COSTS = { base: 20, even: 22, odd: 10 };
const OTHER = { base: 30, even: 22, odd: 88 };

function named(scenario: string, group: GroupRecord): GroupRecord {
  return { ...group, scenario };
}

function raced(costs: Readonly<Record<string, number>>, workers = 1): GroupRecord {
  return raceOf(costs, workers, CALM);
}

/** What stands in the cells of each row, by heading of a table. */
function tablesOf(scenarios: readonly (readonly GroupRecord[])[]): Readonly<Record<string, string[][]>> {
  const [text = "", ...more] = regretText(scenarios.map(judgeScenario), STANDINGS);
  assert.deepEqual(more, []);
  return Object.fromEntries(
    text
      .split(/^### /m)
      .slice(1)
      .map((part) => {
        const [title, ...lines] = part.split("\n");
        return [title, cellsOf(lines.filter((line) => line.includes(".md)")))] as const;
      }),
  );
}

const WITHIN = "With a core for each worker";
const ALL = "Also with more workers than cores";

describe("who is never far from the best", () => {
  it("is by the highest ratio to the best of a condition, with where that was", () => {
    const { [WITHIN]: rows, [ALL]: none } = tablesOf([
      [named("one", raced(COSTS))],
      [named("two", raced(OTHER))],
    ]);
    assert.equal(none, undefined);
    assert.deepEqual(
      rows!.map(([competitor, worst, where, average, conditions]) => [
        competitor,
        Math.round(Number(/^[\d.]+/.exec(worst!)![0]) * 10) / 10,
        where,
        Math.round(Number(average) * 10) / 10,
        conditions,
      ]),
      [
        ["base", 2, "[one](one.md) 1w", 1.7, "2"],
        ["even", 2.2, "[one](one.md) 1w", 1.5, "2"],
        ["odd", 4, "[two](two.md) 1w", 2, "2"],
      ],
    );
  });

  it("has a table of its own where workers outnumber cores", () => {
    const { [WITHIN]: within, [ALL]: all } = tablesOf([
      [raced(COSTS, 1), raced(COSTS, 2), raced({ ...COSTS, odd: 200 }, 4)],
    ]);
    assert.deepEqual([within!.at(0)![0], within!.at(0)![4]], ["odd", "2"]);
    assert.deepEqual([all!.at(-1)![0], all!.at(-1)![2], all!.at(-1)![4]], ["odd", "[test](test.md) 4w", "3"]);
  });

  it("names an oracle as one, and leaves out lower bounds", () => {
    const costs = { base: 20, obvious: 10, nothing: 1 };
    const { [WITHIN]: rows } = tablesOf([[raced(costs, 1), raced(costs, 2)]]);
    assert.deepEqual(
      rows!.map(([competitor]) => competitor),
      ["obvious (oracle)", "base"],
    );
    assert.match(rows![0]![1]!, /^1\.0+ /);
    assert.match(rows![1]![1]!, /^(2\.0|1\.9)/);
  });

  it("counts the worse group of processes of a row that depends", () => {
    const groups = [1, 2].map((workers) =>
      slowAtFirst(raceOf({ base: 20, torn: 10 }, workers, CALM), "torn"),
    );
    const { [WITHIN]: rows } = tablesOf([groups]);
    const worst = Object.fromEntries(
      rows!.map(([name, ratio]) => [name, Number(/^[\d.]+/.exec(ratio!)![0])]),
    );
    assert.ok(worst.torn! > 1.8 && worst.torn! < 2.2, `${worst.torn}`);
    assert.ok(worst.base! > 1.8 && worst.base! < 2.2, `${worst.base}`);
  });

  it("has a condition for each role", () => {
    const { [WITHIN]: rows } = tablesOf([[inRoles(raced(COSTS, 2), "reader", "writer")]]);
    assert.deepEqual(
      rows!.map((row) => row[4]),
      ["2", "2", "2"],
    );
    assert.match(rows![0]![2]!, /2w, (reader|writer)$/);
  });

  it("leaves out what raced in fewer than half of the conditions, or has no number", () => {
    const { odd, ...without } = COSTS;
    const { [WITHIN]: rows } = tablesOf([
      [named("one", raced(COSTS))],
      [named("two", raced(without))],
      [named("three", raced(without))],
      [named("four", broken(raced(COSTS), "even"))],
      [named("five", raced(without))],
    ]);
    assert.deepEqual(
      rows!.map(([name, , , , conditions]) => [name, conditions]),
      [
        ["base", "5"],
        ["even", "4"],
      ],
    );
    assert.equal(odd, 10);
  });

  it("is not shown of a single condition", () => {
    assert.deepEqual(tablesOf([[raced(COSTS)]]), {});
    assert.deepEqual(regretText([], STANDINGS), []);
  });
});
