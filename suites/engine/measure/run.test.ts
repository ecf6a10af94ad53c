import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { competitorsOf, entryForFile } from "../../../structures/catalog.ts";
import { simulationRecord } from "../judge/assemble.ts";
import { syntheticRecord } from "../judge/judge.synthetic.ts";
import { judgeScenario } from "../judge/judge.ts";
import { Racing } from "../racing.ts";
import { checkRecord } from "../schema/record.ts";
import type { Scenario, Suite } from "../suite.ts";
import { loadClaims, loadSuites } from "./load.ts";
import { type LoadedSuite, makePlan, type Plan, type Profile, type Request } from "./plan.ts";
import { type GroupResult, run, type SimulationResult, type SurveyResult } from "./run.ts";

/** The instrument at its smallest: real processes, threads and slices, too short to measure anything. */
const SMOKE = {
  name: "smoke",
  secondsPerCell: 0,
  precision: 1,
  surveys: 1,
  exactly: { forks: 1, rounds: 2 },
} satisfies Profile;

/** Slices are up to a fifth shorter than planned. */
const SHORTEST_OF_JITTERED = 0.8;

let request: Request;
before(async () => {
  const suites = await loadSuites();
  request = {
    suites,
    filters: [],
    all: true,
    workers: [1, 2],
    profile: SMOKE,
    size: "smoke",
    seed: 42,
    twins: 1,
    patienceMs: 30_000,
    candidates: new Map(),
    claims: await loadClaims(suites, new Map()),
    cores: 2,
  };
});

describe("every suite at smoke size", () => {
  it("races, simulates and surveys every competitor, every law holding", async () => {
    // One worker only where two would make no sense: what fails alone fails in company.
    const alone = request.suites
      .map(onePointOfEachCurve)
      .flatMap(({ suite: { primitive, scenarios } }) =>
        scenarios
          .filter((scenario) => scenario.kind === "race" && scenario.mostWorkers === 1)
          .map(({ scenario }) => `${primitive}/${scenario}`),
      );
    const suites = request.suites.map(onePointOfEachCurve);
    const { groups, simulations, surveys } = await carryOut({ ...request, suites, workers: [2] });
    groups.push(...(await carryOut({ ...request, filters: alone, workers: [1] })).groups);
    assert.ok(groups.length > 0 && simulations.length > 0 && surveys.length > 0);
    for (const { plan, forks } of groups) {
      for (const { failure, crews, threads, maxRssBytes } of forks) {
        assert.equal(failure, undefined);
        assert.ok(threads <= 64, `${threads} threads`);
        assert.ok(maxRssBytes < 2 * 2 ** 30, `${maxRssBytes} bytes resident`);
        assert.deepEqual(
          crews.map(({ name }) => name),
          plan.crews.map(({ name }) => name),
        );
        for (const crew of crews) {
          const where = `${plan.primitive}/${plan.scenario}/${crew.name}/${plan.workers}w`;
          assert.equal(crew.failure, undefined, where);
          const turns = crew.turns.length;
          const isBaseline = crew.name === plan.crews[0]!.name;
          assert.ok(isBaseline ? turns >= SMOKE.exactly.rounds : turns === SMOKE.exactly.rounds, where);
          assert.equal(crew.workers.length, crew.name.startsWith("~") ? crew.workers.length : plan.workers);
          for (const { operations, startNs, endNs, preparingNs, tagNs } of crew.workers) {
            for (let slice = 0; slice < turns; slice++) {
              assert.ok(operations[slice]! > 0 && tagNs[slice]! > 0, where);
              assert.ok(startNs[slice]! >= 0 && endNs[slice]! > startNs[slice]!, where);
              assert.ok(endNs[slice]! >= SHORTEST_OF_JITTERED * plan.sliceUs * 1000, where);
              assert.ok((preparingNs?.[slice] ?? 0) < endNs[slice]! - startNs[slice]!, where);
            }
          }
          const { first, last } = crew.accounts!;
          const counted = crew.workers.map(({ operations }) =>
            operations.reduce((sum, some) => sum + some, 0),
          );
          for (const [seat, some] of counted.entries()) {
            assert.ok(last.operations[seat]! - first.operations[seat]! >= some, where);
          }
        }
      }
    }
    for (const { plan, cells } of surveys) {
      for (const { competitor, failure, forks } of cells) {
        assert.equal(failure, undefined, competitor);
        assert.equal(forks.length, 1);
        for (const key of Object.keys(forks[0]!)) assert.ok(key in plan.survey.metrics, key);
      }
    }
    for (const { plan, cells } of simulations) {
      for (const { competitor, failure, samples } of cells) {
        assert.equal(failure, undefined, competitor);
        assert.equal(samples.length, plan.seeds.length);
        for (const key of samples.flatMap(Object.keys)) assert.ok(key in plan.simulation.metrics, key);
      }
    }
  });

  it("starts nothing that the memory is too small for, and says so", async () => {
    const plan = makePlan({ ...request, filters: ["pick/uniform-8/cas-ring"], workers: [1] });
    const [group] = plan.groups;
    const { groups } = await carryOutPlan({ ...plan, groups: [{ ...group!, bytes: 1e15 }] });
    const cells = groups.flatMap((result) => recordOf(result).cells);
    assert.ok(cells.length > 0);
    for (const { failure, forks } of cells) {
      assert.match(failure?.reason ?? "", /^not started: it may need 1000000.0 GB, and [\d.]+ GB/);
      assert.equal(forks, 0);
    }
  });

  it("simulates the same digits again for the same seed, and others for another", async () => {
    const outcomes = async (seed: number) => {
      const filters = ["heartbeats/churn/random-slot", "heartbeats/storm/two-choices", "pick/resonance"];
      const { simulations } = await carryOut({ ...request, filters, seed });
      return simulations.map(({ cells }) => cells);
    };
    assert.deepEqual(await outcomes(1), await outcomes(1));
    assert.notDeepEqual(await outcomes(1), await outcomes(2));
  });
});

describe("a simulation from several seeds", () => {
  const url = new URL("./faulty/seeds.suite.ts", import.meta.url).href;
  const simulated = async (scenario: string) => {
    const { default: suite } = (await import(url)) as { default: Suite };
    const filters = [`pick/${scenario}`];
    const { simulations } = await carryOut({ ...request, size: "full", suites: [{ suite, url }], filters });
    return simulations[0]!;
  };

  it("keeps the metrics of all, also of one that lacks some, and the series of the first", async () => {
    const result = await simulated("well");
    const { seeds } = result.plan;
    assert.equal(seeds[0], request.seed);
    assert.equal(new Set(seeds).size, 3);
    const [first, ...others] = seeds.map((seed) => ({ seed }));
    const samples = [{ ...first, first: 1 }, ...others];
    assert.deepEqual(result.cells, [
      { competitor: "cas-ring", samples, series: { values: [request.seed, 1] } },
    ]);
    const recorded = simulationRecord(result);
    assert.deepEqual(recorded.seeds, seeds);
    assert.deepEqual(recorded.cells[0]!.metrics, samples[0]);
    assert.deepEqual(recorded.cells[0]!.samples, { seed: seeds, first: [1, null, null] });
    checkRecord({ ...syntheticRecord([], 1), simulations: [recorded] }, "it");
  });

  it("has no number if the law breaks for one of them, and says for which", async () => {
    const { plan, cells } = await simulated("lawless");
    const reason = `from seed ${plan.seeds[1]}: nothing is first`;
    assert.deepEqual(cells, [
      { competitor: "cas-ring", failure: { kind: "law", reason }, samples: [], series: {} },
    ]);
  });

  const reasonIn = async (scenario: string) => (await simulated(scenario)).cells[0]!.failure?.reason ?? "";

  it("has no number if there is not what its chart is drawn from", async () => {
    assert.match(await reasonIn("undrawable"), /no values to draw from values to highs/);
    assert.match(await reasonIn("uneven"), /2 values of values and 1 of highs to draw/);
    assert.match(await reasonIn("misplaced"), /2 values of values to draw at 3 places/);
    assert.match(await reasonIn("flat"), /its size does not rise from place to place as its axis does/);
  });

  it("has no number if a value is infinite, or a metric is none of the scenario's", async () => {
    assert.match(await reasonIn("infinite"), /its series values has Infinity at index 1/);
    assert.match(await reasonIn("talkative"), /its metric other is none that the scenario describes/);
  });
});

describe("a competitor that fails", () => {
  for (const [fault, reason] of [
    ["throws", /worker 1: out of picks/],
    ["exits", /worker 1: worker exited with code: 3/],
    ["hangs", /hung: [12] of 2 workers did not finish a slice within/],
  ] as const) {
    it(`${fault}: its cell has no number and the others have theirs`, async () => {
      // Patience costs time only where a worker hangs.
      const patienceMs = fault === "hangs" ? 2_000 : 30_000;
      const { groups } = await carryOut({
        ...racing(new URL(`./faulty/${fault}.ts`, import.meta.url)),
        patienceMs,
      });
      const rows = judgeScenario(groups.map(recordOf)).rows;
      const failed = rows.find(({ competitor }) => competitor === fault);
      assert.match(failed?.noNumber ?? "it has a number", reason);
      const crews = groups[0]!.forks.flatMap((fork) => fork.crews);
      for (const crew of crews.filter(({ name }) => name !== fault)) {
        assert.equal(crew.failure, undefined, crew.name);
        assert.ok(crew.turns.length >= SMOKE.exactly.rounds, crew.name);
      }
    });
  }

  it("dies with its process: the group is reported lost and the run ends", async () => {
    const { groups } = await carryOut(racing(new URL("./faulty/dies.ts", import.meta.url)));
    assert.match(groups[0]!.forks[0]!.failure?.reason ?? "", /its process died of SIGKILL/);
    assert.ok(recordOf(groups[0]!).cells.every(({ failure }) => failure?.kind === "fault"));
  });

  it("a mutant has no number, because its law breaks", async () => {
    const mutant = new URL("../../../structures/pick/mutants/skips-last.ts", import.meta.url);
    const { groups } = await carryOut(racing(mutant));
    const crew = groups[0]!.forks[0]!.crews.find(({ name }) => name === "skips-last");
    assert.equal(crew?.failure?.kind, "law");
    assert.match(crew?.failure?.reason ?? "", /^rotationIsConserved/);
  });
});

it("an aborted run stops and hands over nothing half-done", async () => {
  const stop = new AbortController();
  const seen: GroupResult[] = [];
  const raced = (result: GroupResult) => {
    seen.push(result);
    stop.abort();
  };
  const observer = { progress() {}, raced, simulated() {}, surveyed() {} };
  await run(makePlan(request), observer, stop.signal);
  assert.equal(seen.length, 1);
  assert.equal(seen[0]!.forks.length, SMOKE.exactly.forks);
});

/** At smoke size all points of a curve are the same; the one with the most takers stands for them. */
function onePointOfEachCurve(loaded: LoadedSuite): LoadedSuite {
  const takers = (scenario: Scenario) =>
    competitorsOf(loaded.suite.primitive).filter(
      ({ url }) => scenario.absent?.(request.claims.get(url), scenario.params.smoke) === undefined,
    ).length;
  const byCurve = Map.groupBy(loaded.suite.scenarios, (scenario) =>
    scenario.kind === "race" && scenario.point !== undefined ? scenario.point.curve : scenario.scenario,
  );
  const scenarios = [...byCurve.values()].map((points) =>
    points.reduce((most, point) => (takers(point) > takers(most) ? point : most)),
  );
  // An overview may name points that are left out here.
  return { ...loaded, suite: { primitive: loaded.suite.primitive, scenarios } };
}

/** Races the candidate beside one rival. */
function racing(candidate: URL): Request {
  const entry = entryForFile(fileURLToPath(candidate));
  return {
    ...request,
    filters: [`pick/uniform-8/${entry.name}`, "pick/uniform-8/cas-ring"],
    workers: [2],
    candidates: new Map([["pick", [entry]]]),
  };
}

/** As a run records it, fork by fork. */
function recordOf({ plan, forks }: GroupResult) {
  const racing = new Racing([], undefined, true);
  for (const index of forks.keys()) racing.needed(plan, forks.slice(0, index + 1));
  return racing.finish({ plan, forks });
}

async function carryOut(asked: Request) {
  return await carryOutPlan(makePlan(asked));
}

async function carryOutPlan(plan: Plan) {
  const groups: GroupResult[] = [];
  const simulations: SimulationResult[] = [];
  const surveys: SurveyResult[] = [];
  const observer = {
    progress() {},
    raced: (result: GroupResult) => groups.push(result),
    simulated: (result: SimulationResult) => simulations.push(result),
    surveyed: (result: SurveyResult) => surveys.push(result),
  };
  await run(plan, observer, new AbortController().signal);
  return { groups, simulations, surveys };
}
