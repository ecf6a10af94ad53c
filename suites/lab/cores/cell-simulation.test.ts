import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Alone, CellSimulation, type Simulates } from "./cell-simulation.ts";
import { nominalCosts } from "./machine/machine.ts";
import type { Simulated, Task } from "./machine/simulated.ts";
import type { PlannedCell, PlannedTask } from "./plan.ts";
import { figuresOf, machineOf } from "./record.synthetic.ts";

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

/** As many operations as are planned, however many handovers they have. */
const cellOf = (nominal: PlannedTask, draws: readonly PlannedTask[] = []): PlannedCell => {
  const handovers = { nominal: Number.POSITIVE_INFINITY, draw: Number.POSITIVE_INFINITY };
  return { nominal, draws, fewest: 200, handovers };
};

const alone: Alone = {
  scenario: "crew-own",
  moduleUrl: "file:///own.ts",
  seed: 99,
  of: { competitor: "inbox", url: "file:///inbox.ts" },
  measuredNs: 50,
};

/** Simulates window after window of a crew. */
function inTurn(simulate: (task: Task) => Simulated): Simulates["simulateInTurn"] {
  return async (first, further) => {
    const figures = simulate(first);
    return [figures, ...further(figures).map(simulate)];
  };
}

/** Simulates an operation as one update beside its local work, and keeps what it was asked. */
function simulation() {
  const asked: Task[] = [];
  const cells = new CellSimulation({
    simulateInTurn: inTurn((task) => {
      asked.push(task);
      return figuresOf(task.localNs + task.costs.update, Array(task.workers).fill(1));
    }),
  });
  return { asked, cells };
}

describe("the local work of a crew", () => {
  it("is what one worker takes, as measured, less its accesses with the same costs", async () => {
    const { cells } = simulation();
    const cell = await cells.simulate(cellOf(crewOf(64, 20), [crewOf(64, 5), crewOf(64, 45)]), alone);
    assert.equal(cell.localNs, 30);
    assert.equal(cell.workers, 64);
    const costs = [cell.nominal, ...cell.draws].map(({ nsPerOperation }) => nsPerOperation);
    assert.deepEqual(costs, [50, 50, 50]);
  });

  it("is never less than 0, and 0 where nothing was measured", async () => {
    const { cells } = simulation();
    assert.equal((await cells.simulate(cellOf(crewOf(2, 80)), alone)).localNs, 0);
    const unmeasured = { ...alone, measuredNs: undefined };
    assert.equal((await cells.simulate(cellOf(crewOf(2, 80)), unmeasured)).localNs, 0);
  });

  it("comes from one run of one worker for all worker counts, of the race that it is measured in", async () => {
    const { asked, cells } = simulation();
    for (const workers of [1, 2, 64]) await cells.simulate(cellOf(crewOf(workers, 20)), alone);
    const [first, ...crews] = asked;
    assert.equal(crews.length, 6);
    const { workers, localNs, atomicsAlone, warmUp, scenario, moduleUrl, seed } = first!;
    assert.deepEqual([workers, localNs, atomicsAlone, warmUp, seed], [1, 0, 0, 8, 99]);
    assert.deepEqual([scenario, moduleUrl], ["crew-own", "file:///own.ts"]);
    assert.ok(crews.every((crew) => crew.scenario === "crew-foreign" && crew.atomicsAlone === 2));
  });

  it("comes from a run as long as the crew's, whichever cells came before", async () => {
    const { asked, cells } = simulation();
    const long = { ...crewOf(4, 20), leastNs: 1_000 };
    for (const nominal of [crewOf(1, 20), long, long]) await cells.simulate(cellOf(nominal), alone);
    const ofOne = asked.filter(({ scenario }) => scenario === "crew-own");
    assert.deepEqual(
      ofOne.map(({ leastNs }) => leastNs),
      [undefined, 1_000],
    );
  });

  it("is the baseline's where nothing was measured of the competitor; its accesses are its own", async () => {
    const { asked, cells } = simulation();
    const of = { competitor: "baseline", url: "file:///baseline.ts" };
    await cells.simulate(cellOf(crewOf(2, 20)), { ...alone, of });
    assert.deepEqual(
      asked.map(({ competitor, workers }) => `${competitor} ${workers}`),
      ["inbox 1", "baseline 1", "inbox 2", "inbox 2"],
    );
  });
});

it("a crew is warmed up for as many operations as it takes until all its workers have begun", async () => {
  const { asked, cells } = simulation();
  for (const measuredNs of [50, 2]) await cells.simulate(cellOf(crewOf(64, 1)), { ...alone, measuredNs });
  const warmUps = asked.filter(({ workers }) => workers > 1).map(({ warmUp }) => warmUp / 64);
  assert.deepEqual(new Set(warmUps), new Set([8, 100]));
});

describe("the operations of a crew", () => {
  /** Each has 4 transfers, and 360 accesses that take as long as 6 more. */
  const handing = async (room: number, roomOfDraws: number) => {
    const asked: number[] = [];
    const cells = new CellSimulation({
      simulateInTurn: inTurn(({ operations, workers }) => {
        if (workers > 1) asked.push(operations);
        const figures = figuresOf(operations, Array(workers).fill(1));
        return { ...figures, transfersPerOperation: 4, accessesPerOperation: 360 };
      }),
    });
    const planned = cellOf(crewOf(64, 20), [crewOf(64, 5), crewOf(64, 45)]);
    const handovers = { nominal: room, draw: roomOfDraws };
    const { nominal, draws } = await cells.simulate({ ...planned, handovers }, alone);
    return {
      asked,
      nominal: nominal.nsPerOperation,
      draws: draws.map(({ nsPerOperation }) => nsPerOperation),
    };
  };

  it("are as many as its handovers leave room for, ten to an operation, and at most what is planned", async () => {
    assert.deepEqual(await handing(5_000, 700), {
      asked: [200, 500, 70, 70],
      nominal: 500,
      draws: [70, 70],
    });
    assert.deepEqual(await handing(50_000, 50_000), {
      asked: [200, 1000, 1000, 1000],
      nominal: 1000,
      draws: [1000, 1000],
    });
  });

  it("are at least the fewest, and a draw with less than one of each worker is left out", async () => {
    assert.deepEqual(await handing(100, 630), { asked: [200], nominal: 200, draws: [] });
  });
});

it("a law that one worker alone breaks is broken at every worker count", async () => {
  const broken = "everyWorkerFinishes: all that are not done sleep for ever";
  const cells = new CellSimulation({
    simulateInTurn: inTurn(({ workers }) => ({ ...figuresOf(10, Array(workers).fill(1)), broken })),
  });
  const { nominal, workers } = await cells.simulate(cellOf(crewOf(64, 20), [crewOf(64, 5)]), alone);
  assert.deepEqual([nominal.broken, workers], [broken, 64]);
});
