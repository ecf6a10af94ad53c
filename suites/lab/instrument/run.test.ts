import assert from "node:assert/strict";
import { platform } from "node:process";
import { before, describe, it } from "node:test";
import type { Entry } from "../../../structures/catalog.ts";
import { mutants } from "../../../structures/pick/pick.mutants.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { CallJob } from "../../engine/measure/plan/protocol.ts";
import type { askFork } from "../../engine/measure/run/process.ts";
import type { GroupResult } from "../../engine/measure/run/watched.ts";
import { Racing } from "../../engine/racing.ts";
import type { Scenario } from "../../shared/vocabulary.ts";
import { candidateFile, carryOut, withCandidates } from "../carried-out.synthetic.ts";
import { simulationRecord } from "../kinds/assemble-metrics.ts";
import type { SurveyJob } from "../kinds/outcomes.ts";
import type { LabPlan } from "../kinds/plan.ts";
import type { Request } from "../plan/asked.ts";
import { makePlan } from "../plan/make-plan.ts";
import { SMOKE, smokeRequest } from "../request.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { checkRecord } from "../schema/record-file.ts";

let request: Request;
before(async () => {
  request = await smokeRequest({ workers: [1, 2] });
});

describe("a run", () => {
  it("starts nothing that the memory is too small for, and says so", async () => {
    const plan = makePlan({ ...request, filters: ["pick/uniform-8/cas-ring"], workers: [1] });
    const { groups } = await carryOut(changed(plan, { bytes: 1e15 }));
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
      const { simulations } = await carryOutAsked({ filters, seed });
      return simulations.map(({ cells }) => cells);
    };
    const first = await outcomes(1);
    assert.deepEqual(await outcomes(1), first);
    assert.notDeepEqual(await outcomes(2), first);
  });
});

describe("a survey", () => {
  it("has each competitor once in every turn, in an order of the turn's own and with its seed", async () => {
    const plan = makePlan({ ...request, filters: ["connections/fleet-20k"] });
    const [survey] = plan.surveys;
    const turns = 6;
    const asked: { readonly name: string; readonly seed: number }[] = [];
    const ask: typeof askFork = async (job) => {
      const { entry, seed } = (job as CallJob).argument as SurveyJob;
      asked.push({ name: entry.name, seed });
      return { kind: "called", value: { metrics: {} } };
    };
    await carryOut({ ...plan, surveys: [{ ...survey!, forks: turns }] }, { ask });
    const names = survey!.entries.map(({ name }) => name);
    const orders = Array.from({ length: turns }, (_, turn) =>
      asked.slice(turn * names.length, (turn + 1) * names.length),
    );
    for (const order of orders) {
      assert.deepEqual(order.map(({ name }) => name).sort(), names.toSorted());
      assert.equal(new Set(order.map(({ seed }) => seed)).size, 1);
    }
    assert.equal(new Set(orders.map((order) => order.map(({ name }) => name).join())).size, turns);
  });
});

describe("a simulation from several seeds", () => {
  const simulated = async (scenario: string) => {
    const suites = await suitesOf("seeds");
    const { simulations } = await carryOutAsked({ size: "full", suites, filters: [`pick/${scenario}`] });
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

  for (const [scenario, reason] of [
    ["undrawable", /no values to draw from values to highs/],
    ["uneven", /2 values of values and 1 of highs to draw/],
    ["infinite", /its series values has Infinity at index 1/],
    ["talkative", /its metric other is none that the scenario describes/],
  ] as const)
    it(`has no number where what it gave cannot be shown: ${scenario}`, async () =>
      assert.match((await simulated(scenario)).cells[0]!.failure?.reason ?? "", reason));
});

describe("a competitor that fails", () => {
  const REASONS = {
    throws: /worker 1: out of picks/,
    exits: /worker 1: worker exited with code: 3/,
    "counts-later": /^drawsAreIndependent: counts of (pairs of )?values are too (un)?even/,
    "threads-in-attach": /worker [01]: it started a thread while it was attached: only declared ones/,
    // Only Linux reports how many threads there are.
    ...(platform === "linux" && {
      "threads-in-format": /^it started a thread while it was prepared: only declared ones/,
    }),
    hangs: /hung: [12] of 2 workers did not finish a slice within 2\.0 s/,
  };
  const names = Object.keys(REASONS) as (keyof typeof REASONS)[];
  // All in one race; one that hangs takes the patience of the others, and races alone.
  for (const [patienceMs, faults] of Map.groupBy(names, (name) => (name === "hangs" ? 2_000 : 30_000))) {
    it(`${faults.join(", ")}: its cell has no number and the others have theirs`, async () => {
      const { groups } = await carryOut({ ...racing(...faults), patienceMs });
      const { rows } = judgeScenario(groups.map(recordOf));
      for (const fault of faults) {
        const failed = rows.find(({ competitor }) => competitor === fault);
        assert.match(failed?.noNumber ?? "it has a number", REASONS[fault]!, fault);
      }
      const others = groups
        .flatMap(({ forks }) => forks.flatMap((fork) => fork.crews))
        .filter(({ name }) => !faults.some((fault) => fault === name));
      assert.ok(others.length > 0);
      for (const crew of others) {
        assert.equal(crew.failure, undefined, crew.name);
        assert.ok(crew.rounds.length >= SMOKE.exactly.rounds, crew.name);
      }
    });
  }

  for (const [fault, how, asked, whole, lost, reason] of [
    [
      "dies",
      "it ends the process it is raced in",
      1,
      1,
      [],
      /its process died of SIGKILL, as it does raced alone/,
    ],
    [
      "ends",
      "it ends the process it is raced in",
      1,
      1,
      [],
      /its process exited with code 0, as it does raced alone/,
    ],
    [
      "dies-in-company",
      "it has ended two processes in its turn",
      3,
      2,
      [0],
      /its process died of SIGKILL in its turn, 2 times/,
    ],
  ] as const) {
    it(`${fault}: ${how}, and its neighbours are raced without it`, async () => {
      const { groups } = await carryOut(changed(racing(fault), { forks: asked }));
      const { cells, lostForks } = recordOf(groups[0]!);
      for (const { competitor, failure, forks } of cells) {
        if (competitor === fault) assert.match(failure?.reason ?? "it has a number", reason);
        else assert.deepEqual([failure, forks], [undefined, whole], competitor);
      }
      assert.deepEqual(
        lostForks.map(({ fork }) => fork),
        lost,
      );
    });
  }

  it("dies with the process of its simulation: it has no number, and later ones have theirs", async () => {
    const { simulations } = await carryOutAsked({
      ...withCandidates(request, [candidateFile("dies")]),
      // The processes of the first go on with the second.
      filters: ["pick/resonance", "pick/membership"],
    });
    assert.equal(simulations.length, 2);
    for (const { cells } of simulations) {
      const died = cells.find(({ competitor }) => competitor === "dies");
      const others = cells.filter((cell) => cell !== died);
      assert.match(died?.failure?.reason ?? "", /its process died of SIGKILL/);
      assert.ok(others.length > 3);
      for (const { competitor, failure, samples } of others)
        assert.deepEqual([failure, samples.length], [undefined, 2], competitor);
    }
  });

  it("a mutant has no number, because its law breaks", async () => {
    const { groups } = await carryOut(racing(mutants.find(({ name }) => name === "skips-last")!));
    const crew = groups[0]!.forks[0]!.crews.find(({ name }) => name === "skips-last");
    assert.equal(crew?.failure?.kind, "law");
    assert.match(crew?.failure?.reason ?? "", /^rotationIsConserved/);
  });
});

it("a crew resumes before each of its slices, once for all of its workers, and rests after it", async () => {
  const filters = ["pick/resting/cas-ring", "pick/resting/two-choices"];
  const { groups } = await carryOutAsked({ suites: await suitesOf("resting"), filters });
  const crews = groups.flatMap(({ forks }) => forks.flatMap((fork) => fork.crews));
  assert.ok(crews.length > 0);
  for (const { name, failure } of crews) assert.equal(failure, undefined, name);
  assert.equal(recordOf(groups[0]!).accountEvery, groups[0]!.plan.accountEvery);
});

it("an instrument that finds itself broken loses the fork, blames no crew, and all race in the next one", async () => {
  const { groups } = await carryOut(changed(racing("writes-between"), { forks: 2 }));
  assert.deepEqual(groups[0]!.forks[0]!.crews, []);
  const { lostForks, cells } = recordOf(groups[0]!);
  const reason = "a stranger in the memory of all crews: somebody wrote there after writes-between had left";
  assert.deepEqual(
    lostForks.map((lost) => [lost.fork, lost.reason]),
    [[0, reason]],
  );
  for (const { competitor, failure, forks } of cells)
    assert.deepEqual([failure, forks], [undefined, 1], competitor);
});

it("a fork that takes far longer than planned is reported while it runs", async (test) => {
  test.mock.timers.enable({ apis: ["setTimeout"] });
  const ask: typeof askFork = async () => {
    test.mock.timers.tick(60_000);
    return { kind: "raced", crews: [], threads: 0, maxRssBytes: 0, pinned: true };
  };
  const plan = makePlan({ ...request, filters: ["pick/uniform-8/cas-ring"], workers: [2] });
  const { slow, groups } = await carryOut(plan, { ask });
  assert.equal(groups.length, 1);
  assert.deepEqual(
    slow.map(({ group }) => group),
    ["pick/uniform-8 2w"],
  );
  assert.ok(slow[0]!.times > 2, `${slow[0]!.times}`);
});

it("an aborted run stops and hands over nothing half-done", async () => {
  const stop = new AbortController();
  const { groups } = await carryOut(makePlan(request), {
    signal: stop.signal,
    told: { raced: () => stop.abort() },
  });
  assert.equal(groups.length, 1);
  assert.equal(groups[0]!.forks.length, SMOKE.exactly.forks);
});

/** Races a faulty candidate, or another, beside one rival. */
function racing(...candidates: (string | Entry)[]): LabPlan {
  const given = candidates.map((one) => (typeof one === "string" ? candidateFile(one) : one));
  return makePlan({ ...withCandidates(request, given), workers: [2] });
}

/** A plan's first group alone, changed. */
function changed(plan: LabPlan, changes: Partial<LabPlan["groups"][number]>): LabPlan {
  return { ...plan, groups: [{ ...plan.groups[0]!, ...changes }] };
}

/** As a run records it, fork by fork. */
function recordOf({ plan, forks }: GroupResult) {
  const racing = new Racing([], undefined, true);
  for (const index of forks.keys()) racing.needed(plan, forks.slice(0, index + 1));
  return racing.finish({ plan, forks });
}

const carryOutAsked = (asked: Partial<Request>) => carryOut(makePlan({ ...request, ...asked }));

/** The scenarios of a file beside the faulty competitors, as a suite. */
async function suitesOf(file: string) {
  const url = new URL(`../faulty/${file}.scenarios.ts`, import.meta.url).href;
  const { default: scenarios } = (await import(url)) as { default: Scenario[] };
  return [{ suite: { primitive: "pick", scenarios }, url }];
}
