import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Request } from "../plan/asked.ts";
import { MACHINES } from "./data/machines.ts";
import {
  type CoresRequest,
  cellsIn,
  cellsOf,
  FITTED,
  planCores,
  planText,
  SIMULATED_RACES,
  type Structure,
} from "./plan.ts";
import { cellOf } from "./record.synthetic.ts";
import { structureOf } from "./record.ts";

const request: CoresRequest = {
  filters: [],
  workers: undefined,
  machines: MACHINES,
  draws: 2,
  seed: 7,
  candidates: new Map(),
  described: new Map(),
};

const nameOf = ({ race, competitor }: Structure) => structureOf({ ...race, competitor });
const named = (structures: readonly Structure[], name: string) =>
  structures.find((structure) => nameOf(structure) === name)!;

const whole = await planCores(request);

describe("the plan of all that is simulated", () => {
  it("has every competitor of each race once on each machine, in one order", async () => {
    const names = whole.structures.map((structure) => `${nameOf(structure)} on ${structure.machine.name}`);
    assert.equal(new Set(names).size, names.length);
    const again = await planCores(request);
    assert.deepEqual(again.structures.map(nameOf), whole.structures.map(nameOf));
    const races = new Set(whole.structures.map(({ race }) => race));
    assert.deepEqual([...races], SIMULATED_RACES);
  });

  it("has what costs were fitted to, on the machine that measured", () => {
    for (const name of FITTED) {
      const { machine, counts, absent } = named(whole.structures, name);
      assert.deepEqual([machine.name, counts, absent], ["here", [1, 2, 4, 8], undefined]);
    }
  });

  it("has a worker for each core at most on the other machines, and begins where a race does", () => {
    const last = (scenario: string) =>
      whole.structures.filter(({ race }) => race.scenario === scenario).at(-1)!.counts;
    assert.deepEqual(last("uniform-8"), [1, 2, 4, 8, 16, 32, 64]);
    assert.deepEqual(last("crew-foreign"), [2, 4, 8, 16]);
  });

  it("says in a few words who is not simulated", () => {
    const absent = (name: string) => named(whole.structures, name).absent;
    assert.equal(
      absent("locks/short-section/v8-atomics-mutex"),
      "it shares an object of V8's, not words alone",
    );
    assert.equal(absent("pick/uniform-8/background-reshuffle"), "it has a thread beside its workers");
    assert.match(absent("timers/crew-own/sweep")!, /^made for one worker/);
    assert.equal(absent("timers/crew-own/hashed-wheel"), undefined);
    assert.equal(absent("pick/uniform-8/per-worker-random"), undefined);
  });

  it("says how much that is", () => {
    assert.match(
      planText(whole),
      /^\d+ simulated figures, each of at most 10,000 operations and 2 draws of at most 1,000: \d+ crews$/,
    );
  });
});

describe("the crews of a plan", () => {
  const [ring, ticket] = ["cas-ring", "rotating-round-robin"].map((name) =>
    cellsOf(whole, named(whole.structures, `pick/uniform-8/${name}`)),
  );

  it("have a seed for each worker count, and the same for all competitors", () => {
    const seeds = ring!.map(({ nominal }) => nominal.seed);
    assert.equal(new Set(seeds).size, seeds.length);
    assert.deepEqual(
      ticket!.map(({ nominal }) => nominal.seed),
      seeds,
    );
  });

  it("have the same drawn costs at every worker count and for all competitors, and other ones for each draw", () => {
    const [first, second] = ring![0]!.draws;
    assert.notDeepEqual(first!.costs, second!.costs);
    assert.deepEqual(ring![1]!.draws[1]!.costs, second!.costs);
    assert.deepEqual(ticket![0]!.draws[1]!.costs, second!.costs);
  });

  it("last for two turns of each worker where workers take turns on their cores, and are not drawn", () => {
    const [, two, four] = ring!;
    assert.deepEqual([two!.nominal.leastNs, two!.draws.length], [undefined, 2]);
    assert.deepEqual([four!.nominal.leastNs, four!.draws.length], [2 * 4e6 * 2, 0]);
  });

  it("have up to ten operations beyond p99.9 with the machine's own costs, and fewer in draws", () => {
    for (const { nominal, draws, fewest } of ring!) {
      assert.ok(nominal.operations >= 10_000);
      assert.ok(fewest >= 2 * nominal.workers && nominal.warmUp >= nominal.workers);
      assert.ok(draws.every(({ operations }) => operations < nominal.operations));
    }
  });
});

describe("a plan of a part", () => {
  const candidate = { name: "mine", url: new URL("./cells/mine.ts", import.meta.url).href };
  const candidates: Request["candidates"] = new Map([["pick", [candidate]]]);
  const names = async (asked: Partial<CoresRequest>) =>
    new Set((await planCores({ ...request, ...asked })).structures.map(nameOf));

  it("is of what its filters name", async () => {
    assert.deepEqual(
      await names({ filters: ["locks/short-section/ticket", "slots/connect-600/two-choices"] }),
      new Set(["locks/short-section/ticket", "slots/connect-600/two-choices"]),
    );
  });

  it("is of the asked worker counts that a race has", async () => {
    const { structures } = await planCores({ ...request, filters: ["timers"], workers: [1, 64] });
    assert.deepEqual(named(structures, "timers/crew-own/inbox-wheels").counts, [1, 64]);
    assert.deepEqual(named(structures, "timers/crew-foreign/inbox-wheels").counts, [64]);
  });

  it("is of candidates and their baselines where no filter says otherwise", async () => {
    assert.deepEqual(
      await names({ candidates }),
      new Set(["pick/uniform-8/shuffled-round-robin", "pick/uniform-8/mine"]),
    );
    assert.ok((await names({ candidates, filters: ["pick"] })).has("pick/uniform-8/cas-ring"));
  });

  it("is refused in one line where a filter or a candidate has no part in it", async () => {
    await assert.rejects(
      names({ filters: ["pik"] }),
      /nothing that is simulated is named "pik".*nearest first: pick/,
    );
    await assert.rejects(
      names({ filters: ["locks/short-section/tiket"] }),
      /first: locks\/short-section\/ticket/,
    );
    await assert.rejects(names({ candidates, filters: ["locks"] }), /--candidate mine is in none of/);
    const draws: Request["candidates"] = new Map([["draws", [candidate]]]);
    await assert.rejects(
      names({ candidates: draws }),
      /--candidate mine is of draws, of which nothing is simulated/,
    );
  });

  it("is done where a record has all its worker counts", async () => {
    const { structures } = await planCores({
      ...request,
      filters: ["pick/uniform-8/cas-ring"],
      workers: [1, 2],
    });
    const here = structures.find(({ machine }) => machine.name === "here")!;
    const cells = [1, 2].map((workers) => cellOf("cas-ring", { nsPerOperation: 10, workers }));
    assert.deepEqual(cellsIn({ cells }, here), cells);
    assert.equal(cellsIn({ cells: cells.slice(1) }, here), undefined);
  });
});
