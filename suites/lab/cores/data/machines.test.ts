import assert from "node:assert/strict";
import { test } from "node:test";
import { COSTS, type CostName, coresOf, drawnCosts, nominalCosts } from "../machine/machine.ts";
import { MACHINES } from "./machines.ts";

const NAMES = Object.keys(COSTS) as CostName[];

for (const machine of MACHINES) {
  test(`each cost of ${machine.name} lies in its range and has a source`, () => {
    assert.deepEqual(Object.keys(machine.costs).toSorted(), NAMES.toSorted());
    for (const name of NAMES) {
      const { value, low, high, source } = machine.costs[name];
      assert.ok(0 <= low && low <= value && value <= high, `${name}: ${low} .. ${value} .. ${high}`);
      assert.ok(source.length > 0, name);
      assert.ok(!name.endsWith("Share") || high <= 1, name);
    }
  });

  test(`a line takes longest from another socket of ${machine.name}`, () => {
    const { travelInComplex, travelInSocket, travelBetweenSockets } = nominalCosts(machine);
    assert.ok(travelInComplex <= travelInSocket && travelInSocket <= travelBetweenSockets);
  });

  test(`costs of ${machine.name} that are drawn stay in their ranges, and depend on the seed alone`, () => {
    const drawn = drawnCosts(machine, 7);
    for (const name of NAMES) {
      const { low, high } = machine.costs[name];
      assert.ok(low <= drawn[name] && drawn[name] <= high, name);
    }
    assert.deepEqual(drawnCosts(machine, 7), drawn);
    assert.notDeepEqual(drawnCosts(machine, 8), drawn);
  });
}

test("machines have the cores that their titles say, and names of their own", () => {
  assert.deepEqual(MACHINES.map(coresOf), [2, 128, 64]);
  assert.equal(new Set(MACHINES.map(({ name }) => name)).size, MACHINES.length);
});
