import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { competitorsOf, type Entry, primitives } from "../../../structures/catalog.ts";
import type { Traits } from "../../../structures/shared/traits.ts";
import { importCompetitor } from "../../engine/measure/load/load.ts";
import { describedIn } from "../../engine/measure/plan/described.ts";
import { isInstrument } from "../../engine/measure/plan/plan.ts";
import { askFork, ReusedFork } from "../../engine/measure/run/process.ts";
import type { GroupResult } from "../../engine/measure/run/watched.ts";
import type { Scenario } from "../../shared/vocabulary.ts";
import { carryOut } from "../carried-out.synthetic.ts";
import type { SimulationResult, SurveyResult } from "../kinds/outcomes.ts";
import type { LabPlan } from "../kinds/plan.ts";
import type { Request } from "../plan/asked.ts";
import { allCells } from "../plan/cells.ts";
import { makePlan } from "../plan/make-plan.ts";
import { SMOKE, smokeRequest } from "../request.synthetic.ts";

/** Slices are up to a fifth shorter than planned. */
const SHORTEST_OF_JITTERED = 0.8;

/**
 * The competitors to race, as `pick/cas-ring,locks/ticket`, where `npm run test:changed` asks only for the ones that a
 * change touched. All of them if unset.
 */
const asked = process.env.HOTPATH_COMPETITORS?.split(",");
/**
 * Races every competitor in every scenario, beside the controls. Else one scenario stands for those that are alike at smoke
 * size, and a competitor races in one scenario, and in others in turn. The nightly does.
 */
const isThorough = process.env.HOTPATH_THOROUGH === "1";

let request: Request;
before(async () => {
  request = await smokeRequest({ workers: [2] });
});

// Two at once, because fleets of connections wait most of the time.
describe("every suite at smoke size: every competitor keeps every law", { concurrency: 2 }, () => {
  for (const primitive of primitives()) {
    const racers = competitorsOf(primitive).filter(
      ({ name }) => asked?.includes(`${primitive}/${name}`) ?? true,
    );
    if (racers.length === 0) continue;
    it(primitive, async (test) => {
      const scenarios = scenariosOf(primitive);
      for (const { scenario, skip } of leftOut(scenarios)) await test.test(scenario, { skip });
      // One worker only where two would make no sense: what fails alone fails in company.
      const isAlone = (scenario: Scenario) => scenario.kind === "race" && scenario.mostWorkers === 1;
      const named = racersOf(primitive, scenarios, racers);
      const filters = (some: readonly Scenario[]) => some.flatMap((one) => named.get(one)!);
      const all = [
        await raceAll(filters(scenarios.filter((scenario) => !isAlone(scenario))), 2),
        await raceAll(filters(scenarios.filter(isAlone)), 1),
      ];
      for (const { groups } of all) groups.forEach(checkRace);
      for (const { surveys } of all) surveys.forEach(checkSurvey);
      for (const { simulations } of all) simulations.forEach(checkSimulation);

      const seen = all.flatMap(({ groups, surveys, simulations }) => [
        ...groups.flatMap(({ plan }) => plan.crews.map(({ name }) => name)),
        ...[...surveys, ...simulations].flatMap(({ cells }) => cells.map(({ competitor }) => competitor)),
      ]);
      const traits = (await Promise.all(racers.map(({ url }) => importCompetitor(url)))) as Traits[];
      const missing = racers.filter(
        ({ name }, index) => !seen.includes(name) && traits[index]!.unavailable?.() === undefined,
      );
      assert.deepEqual(missing, [], "every competitor takes part in some scenario");
    });

    const raceAll = async (filters: readonly string[], workers: number) => {
      if (filters.length === 0) return { groups: [], simulations: [], surveys: [] };
      const surveyor = new ReusedFork();
      const ask: typeof askFork = (job, waiting, on) =>
        job.kind === "call" && on === undefined ? surveyor.ask(job, waiting) : askFork(job, waiting, on);
      const plan = makePlan({ ...request, filters, workers: [workers] });
      const seen = await carryOut(isThorough ? plan : withoutControls(plan), { ask });
      surveyor.end();
      return seen;
    };
  }
});

/**
 * Without the crews that the instrument adds to each group, which are half of all threads here. They run no code of a scenario
 * but the baseline's once more, and every other test that races has them.
 */
function withoutControls(plan: LabPlan): LabPlan {
  const groups = plan.groups.map((group) => ({
    ...group,
    crews: group.crews.filter(({ kind }) => kind !== "aa-control" && !isInstrument(kind)),
  }));
  return { ...plan, groups };
}

/** The scenarios of a primitive, less the ones that another stands for: the one of them with the most takers. */
function scenariosOf(primitive: string): Scenario[] {
  const { scenarios } = request.suites.find(({ suite }) => suite.primitive === primitive)!.suite;
  if (isThorough) return [...scenarios];
  return [...Map.groupBy(scenarios, likenessOf).values()].map((alike) => mostTaken(primitive, alike));
}

function mostTaken(primitive: string, scenarios: readonly Scenario[]): Scenario {
  const takers = (scenario: Scenario) =>
    competitorsOf(primitive).filter(({ url }) => takesPart(url, scenario)).length;
  return scenarios.reduce((most, scenario) => (takers(scenario) > takers(most) ? scenario : most));
}

/**
 * Who races in each scenario, as filters. What differs from scenario to scenario is its own code, so one rival beside the
 * baseline tries that, another in each, and everyone races once.
 */
function racersOf(
  primitive: string,
  scenarios: readonly Scenario[],
  racers: readonly Entry[],
): Map<Scenario, readonly string[]> {
  const takersOf = (scenario: Scenario) =>
    racers.filter(({ url }) => takesPart(url, scenario)).map(({ name }) => name);
  const all = asked !== undefined || isThorough;
  const raced = new Set<string>();
  // Races first, because a survey may name its competitors.
  const weightOf = (one: Scenario) => takersOf(one).length + (one.kind === "race" ? racers.length : 0);
  return new Map(
    scenarios
      .toSorted((a, b) => weightOf(b) - weightOf(a))
      .map((scenario, index) => {
        const { baseline, scenario: name } = scenario;
        const takers = takersOf(scenario);
        const rivals = takers.filter((taker) => taker !== baseline);
        const isTried = (taker: string) => taker === baseline || taker === rivals[index % rivals.length];
        const chosen = takers.filter((taker) => all || isTried(taker) || !raced.has(taker));
        for (const one of chosen) raced.add(one);
        return [scenario, chosen.map((one) => `${primitive}/${name}/${one}`)];
      }),
  );
}

/** Scenarios in which no competitor can take part on this machine, with the reason. */
function leftOut(scenarios: readonly Scenario[]): { scenario: string; skip: string }[] {
  const cells = Map.groupBy(allCells(request), ({ scenario }) => scenario);
  return scenarios.flatMap((scenario) => {
    const absences = cells.get(scenario)!.map(({ absent }) => absent);
    const skip = absences.every((absent) => absent !== undefined) ? absences[0] : undefined;
    return skip === undefined ? [] : [{ scenario: scenario.scenario, skip }];
  });
}

/** At smoke size all points of a curve are the same, and so are scenarios whose names differ in numbers only. */
function likenessOf(scenario: Scenario): string {
  if (scenario.kind === "race" && scenario.point !== undefined) return scenario.point.curve;
  return scenario.alike ?? scenario.scenario.replaceAll(/\d+[a-z]*/g, "N");
}

function takesPart(url: string, scenario: Scenario): boolean {
  return describedIn(scenario, url, request).absent === undefined;
}

function checkRace({ plan, forks }: GroupResult): void {
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
      const slices = crew.rounds.length;
      assert.equal(slices, SMOKE.exactly.rounds, where);
      assert.equal(crew.workers.length, crew.name.startsWith("~") ? crew.workers.length : plan.workers);
      for (const { operations, startNs, endNs, preparingNs, tagNs } of crew.workers) {
        for (let slice = 0; slice < slices; slice++) {
          assert.ok(operations[slice]! > 0 && tagNs[slice]! > 0, where);
          assert.ok(startNs[slice]! >= 0 && endNs[slice]! > startNs[slice]!, where);
          assert.ok(endNs[slice]! >= SHORTEST_OF_JITTERED * plan.sliceUs * 1000, where);
          assert.ok((preparingNs?.[slice] ?? 0) < endNs[slice]! - startNs[slice]!, where);
        }
      }
      const { first, last } = crew.accounts!;
      const counted = crew.workers.map(({ operations }) => operations.reduce((sum, some) => sum + some, 0));
      for (const [worker, some] of counted.entries()) {
        assert.ok(last.operations[worker]! - first.operations[worker]! >= some, where);
      }
    }
  }
}

function checkSurvey({ plan, cells }: SurveyResult): void {
  for (const { competitor, failure, forks } of cells) {
    assert.equal(failure, undefined, competitor);
    assert.equal(forks.length, 1);
    for (const key of Object.keys(forks[0]!)) assert.ok(key in plan.survey.metrics, key);
  }
}

function checkSimulation({ plan, cells }: SimulationResult): void {
  for (const { competitor, failure, samples } of cells) {
    assert.equal(failure, undefined, competitor);
    assert.equal(samples.length, plan.seeds.length);
    for (const key of samples.flatMap(Object.keys)) assert.ok(key in plan.simulation.metrics, key);
  }
}
