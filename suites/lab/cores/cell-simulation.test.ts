import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Alone, CellSimulation } from "./cell-simulation.ts";
import { nominalCosts } from "./machine.ts";
import type { PlannedTask } from "./plan.ts";
import { figuresOf, machineOf } from "./record.synthetic.ts";
import type { Task } from "./simulated.ts";

const { costs: _, name: __, title: ___, ...topology } = machineOf("here");

const crewOf = (workers: number, update: number): PlannedTask => ({
  primitive: "timers",
  scenario: "crew-foreign",
  moduleUrl: "file:///foreign.ts",
  competitor: "inbox",
  url: "file:///inbox.ts",
  size: "smoke",
  workers,
  topology,
  costs: { ...nominalCosts(machineOf("here")), update },
  localWork: "spread",
  warmUp: 8 * workers,
  operations: 1000,
  seed: workers,
});

const alone: Alone = {
  scenario: "crew-own",
  moduleUrl: "file:///own.ts",
  seed: 99,
  of: { competitor: "inbox", url: "file:///inbox.ts" },
  measuredNs: 50,
};

/** Simulates an operation as one update beside its local work, and keeps what it was asked. */
function simulation() {
  const asked: Task[] = [];
  const cells = new CellSimulation({
    async simulate(task) {
      asked.push(task);
      return figuresOf(task.localNs + task.costs.update, Array(task.workers).fill(1));
    },
  });
  return { asked, cells };
}

describe("the local work of a crew", () => {
  it("is what one worker takes, as measured, less its accesses with the same costs", async () => {
    const { cells } = simulation();
    const cell = await cells.simulate(
      { nominal: crewOf(64, 20), draws: [crewOf(64, 5), crewOf(64, 45)] },
      alone,
    );
    assert.equal(cell.localNs, 30);
    assert.equal(cell.workers, 64);
    const costs = [cell.nominal, ...cell.draws].map(({ nsPerOperation }) => nsPerOperation);
    assert.deepEqual(costs, [50, 50, 50]);
  });

  it("is never less than 0, and 0 where nothing was measured", async () => {
    const { cells } = simulation();
    assert.equal((await cells.simulate({ nominal: crewOf(2, 80), draws: [] }, alone)).localNs, 0);
    const unmeasured = { ...alone, measuredNs: undefined };
    assert.equal((await cells.simulate({ nominal: crewOf(2, 80), draws: [] }, unmeasured)).localNs, 0);
  });

  it("comes from one run of one worker for all worker counts, of the race that it is measured in", async () => {
    const { asked, cells } = simulation();
    for (const workers of [1, 2, 64])
      await cells.simulate({ nominal: crewOf(workers, 20), draws: [] }, alone);
    const [first, ...crews] = asked;
    assert.equal(crews.length, 3);
    const { workers, localNs, atomicsAlone, warmUp, scenario, moduleUrl, seed } = first!;
    assert.deepEqual([workers, localNs, atomicsAlone, warmUp, seed], [1, 0, 0, 8, 99]);
    assert.deepEqual([scenario, moduleUrl], ["crew-own", "file:///own.ts"]);
    assert.ok(crews.every((crew) => crew.scenario === "crew-foreign" && crew.atomicsAlone === 2));
  });

  it("is the baseline's where nothing was measured of the competitor; its accesses are its own", async () => {
    const { asked, cells } = simulation();
    const of = { competitor: "baseline", url: "file:///baseline.ts" };
    await cells.simulate({ nominal: crewOf(2, 20), draws: [] }, { ...alone, of });
    assert.deepEqual(
      asked.map(({ competitor, workers }) => `${competitor} ${workers}`),
      ["baseline 1", "inbox 1", "inbox 2"],
    );
  });
});
