import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf } from "../../structures/catalog.ts";
import arrivalLog from "../../structures/ownership/competitors/arrival-log.ts";
import eventTimeLog from "../../structures/ownership/competitors/event-time-log.ts";
import flatSortedArrays from "../../structures/ownership/competitors/flat-sorted-arrays.ts";
import lastClaim from "../../structures/ownership/competitors/last-claim.ts";
import seqlockSlots from "../../structures/ownership/competitors/seqlock-slots.ts";
import sortedArrays from "../../structures/ownership/competitors/sorted-arrays.ts";
import trailingRule from "../../structures/ownership/competitors/trailing-rule.ts";
import { NO_EVIDENCE, type OwnershipCompetitor } from "../../structures/ownership/ownership.contract.ts";
import { loadSuites } from "../lab/suites.ts";
import type { Outcome, Simulation } from "../shared/vocabulary.ts";
import {
  CONFLICTING,
  type Faults,
  HOLDBACK,
  LAGS_S,
  NO_FAULTS,
  NODES,
  NONE,
  RIGHT,
  runCluster,
  type Seen,
  WRONG,
} from "./collector.ts";
import { type FaultParams, FULL_LOOKUPS } from "./faults.ts";
import { COMMON_LONG_SHARE, drawFleet, type FleetPlan, inOrder, someFleet } from "./fleet.ts";

const suites = await loadSuites();
const faultScenarios = suites
  .find(({ suite }) => suite.primitive === "ownership")!
  .suite.scenarios.filter(({ kind }) => kind === "simulation");

const SEED = 42;
const LAST = LAGS_S.length - 1;
const PLAN: FleetPlan = {
  resources: 60,
  owners: 20,
  horizonMs: 1_200_000,
  ownershipMsMean: 180_000,
  longShare: COMMON_LONG_SHARE,
};
const fleet = drawFleet(PLAN, SEED);
const LATE: Faults["delay"] = { kind: "exponential", msMean: 20_000 };

function seen(competitor: OwnershipCompetitor, faults: Partial<Faults> = {}): Seen {
  return runCluster(competitor, fleet, { ...NO_FAULTS, ...faults }, SEED);
}

/** Share of the questions, in %. */
function share({ answers, questions }: Seen, lag: number, ...kinds: number[]): number {
  return (100 * kinds.reduce((sum, kind) => sum + answers[lag]![kind]!, 0)) / questions;
}

function scenarioOf(name: string): Simulation<OwnershipCompetitor, unknown> {
  return faultScenarios.find(({ scenario }) => scenario === name) as unknown as Simulation<
    OwnershipCompetitor,
    unknown
  >;
}

/** Of all scenarios whose runs are of full size, once each. */
function fullFleets(): readonly FleetPlan[] {
  const plans = faultScenarios.flatMap(({ scenario }): FleetPlan[] => {
    const { fleet: plan, leastLookups } = scenarioOf(scenario).params.full as FaultParams;
    return leastLookups === FULL_LOOKUPS ? [plan] : [];
  });
  return [...new Map(plans.map((plan) => [JSON.stringify(plan), plan])).values()];
}

/** What the law of a scenario says of a competitor at smoke size. */
function verdict(name: string, competitor: OwnershipCompetitor, changed?: (seen: Seen) => Seen) {
  const { run, law, params } = scenarioOf(name);
  const outcome: Outcome = run(competitor, params.smoke, SEED);
  const evidence = changed === undefined ? outcome.evidence : changed(outcome.evidence as Seen);
  return law(competitor, params.smoke, { ...outcome, evidence });
}

function smokeFigures(name: string, competitor: OwnershipCompetitor): Outcome["metrics"] {
  const { run, params } = scenarioOf(name);
  return run(competitor, params.smoke, SEED).metrics;
}

describe("some fleet", () => {
  it("is another from each seed, of the same size, and the same from the same", () => {
    const plans = Array.from({ length: 20 }, (_, seed) => someFleet(PLAN, seed));
    assert.deepEqual(someFleet(PLAN, 3), plans[3]);
    assert.equal(new Set(plans.map(({ flowEndsPerSecond }) => flowEndsPerSecond)).size, 20);
    for (const { resources, owners, horizonMs } of plans)
      assert.deepEqual([resources, owners, horizonMs], [PLAN.resources, PLAN.owners, PLAN.horizonMs]);
  });

  it("has as many flows as its plan says", () => {
    const many = drawFleet({ ...PLAN, flowEndsPerSecond: 1 }, SEED).ends.count;
    // 0.25 where the plan does not say; five standard deviations of the smaller.
    assert.ok(Math.abs(many / fleet.ends.count - 4) < (4 * 5 * 2) / Math.sqrt(fleet.ends.count));
  });

  it("is drawn anew for each seed of a scenario", () => {
    const { run, params } = scenarioOf("any-fleet-loss");
    const [one, other] = [SEED, SEED + 1].map(
      (seed) => run(sortedArrays, params.smoke, seed).metrics.lookups!,
    );
    // Their rates of flows differ, by far more than two draws of one rate.
    assert.ok(Math.max(one!, other!) > 1.2 * Math.min(one!, other!), `${one} and ${other}`);
  });
});

describe("the fleet", () => {
  const { spells, ends } = fleet;

  it("gives each resource to one owner at a time, for 3 min on average, and half the time by plan back to the one before last", () => {
    let changes = 0;
    let returns = 0;
    let heldMs = 0;
    for (let spell = 0; spell < spells.count; spell++) {
      heldMs += spells.ends[spell]! - spells.starts[spell]!;
      if (spells.resources[spell] !== spells.resources[spell - 1]) continue;
      assert.ok(spells.starts[spell]! >= spells.ends[spell - 1]!);
      assert.notEqual(spells.owners[spell], spells.owners[spell - 1]);
      if (spells.resources[spell] !== spells.resources[spell - 2]) continue;
      changes++;
      returns += spells.visits[spell - 1]!;
      assert.equal(spells.visits[spell - 1] === 1, spells.owners[spell] === spells.owners[spell - 2]);
    }
    // Five standard deviations.
    const slack = 5 / Math.sqrt(spells.count);
    // Of the other half, as many as one owner in all but the last one makes.
    const expected = 0.5 + 0.5 / (PLAN.owners - 1);
    assert.ok(Math.abs(returns / changes - expected) < slack, `${returns} of ${changes}`);
    assert.ok(
      Math.abs(heldMs / spells.count / PLAN.ownershipMsMean - 1) < slack,
      `${heldMs / spells.count} ms`,
    );
  });

  it("claims at both ends of a flow what its owner held, and reports it in the batch after its end", () => {
    for (let end = 0; end < ends.count; end++) {
      const spell = ends.spells[end]!;
      const [start, stop] = [ends.starts[end]!, ends.stops[end]!];
      assert.ok(spells.starts[spell]! <= start && start < stop && stop <= spells.ends[spell]!);
      assert.equal(spells.owners[spell], ends.owners[end]);
      assert.equal(start, ends.starts[end ^ 1]);
      assert.notEqual(ends.resources[end], ends.resources[end ^ 1]);
      assert.ok(ends.sentAt[end]! >= stop && ends.sentAt[end]! < stop + 60_000);
    }
  });

  it("is the same from the same seed, and another from another", () => {
    assert.deepEqual(drawFleet(PLAN, SEED), fleet);
    assert.notDeepEqual(drawFleet(PLAN, SEED + 1).ends.starts.subarray(0, 9), ends.starts.subarray(0, 9));
  });

  it("asks enough at full size, with 3 % to spare, going by a tenth of the time", () => {
    for (const plan of fullFleets()) {
      const { ends: drawn } = drawFleet({ ...plan, horizonMs: plan.horizonMs / 10 }, SEED);
      const lookups = 10 * drawn.count * LAGS_S.length;
      assert.ok(lookups > 1.03 * FULL_LOOKUPS, `${lookups} of ${JSON.stringify(plan)}`);
    }
  });

  it("sorts by time, and what is at the same time stays in order", () => {
    assert.deepEqual([...inOrder(Int32Array.of(5, 0, 3, 5, 0))], [1, 4, 2, 0, 3]);
    assert.deepEqual([...inOrder(new Int32Array())], []);
  });
});

describe("the cluster", () => {
  it("answers all questions rightly in the end where nothing goes wrong", () => {
    for (const competitor of [sortedArrays, eventTimeLog]) {
      const calm = seen(competitor);
      assert.equal(calm.answers[LAST]![RIGHT], calm.questions);
      assert.equal(calm.lookups, calm.questions * LAGS_S.length);
      assert.equal(calm.traffic.lost, 0);
      assert.ok(calm.traffic.delivered > 0.99 * calm.traffic.sent);
    }
  });

  it("is silent where all is lost, and accounts for every copy", () => {
    const lost = seen(sortedArrays, { loss: 1, duplicated: 1 });
    const sent = 2 * NODES * fleet.ends.count;
    assert.deepEqual(lost.traffic, { sent, lost: sent, delivered: 0, inFlight: 0 });
    assert.ok(lost.answers.every((kinds) => kinds[NONE] === lost.questions));
  });

  it("sends a log of the changes of a resource in their order, unless a fault delays them", () => {
    let overtaken = 0;
    const witness: OwnershipCompetitor = {
      ...arrivalLog,
      attach(memory, capacity) {
        const log = arrivalLog.attach(memory, capacity);
        const latest = new Map<number, number>();
        return {
          ownerAt: (resource, t) => log.ownerAt(resource, t),
          trim: (watermark) => log.trim(watermark),
          change(resource, owner, at, arrivedAt) {
            if (at < (latest.get(resource) ?? 0)) overtaken++;
            latest.set(resource, at);
            return log.change(resource, owner, at, arrivedAt);
          },
        };
      },
    };
    for (const faults of [{}, { loss: 0.3 }, { restarted: [0] }, { deaf: [1] }]) seen(witness, faults);
    assert.equal(overtaken, 0);
    for (const faults of [{ reorderedMsMost: 60_000 }, { duplicated: 1 }, { delay: LATE }]) {
      overtaken = 0;
      seen(witness, faults);
      assert.ok(overtaken > 0, JSON.stringify(faults));
    }
  });

  it("loses of the news what it loses of less, so that less is known of what comes", () => {
    const missing = [0, 0.01, 0.02, 0.05, 0.1, 0.2].map((loss) =>
      share(seen(sortedArrays, { loss }), LAST, NONE, CONFLICTING),
    );
    assert.deepEqual(
      missing,
      missing.toSorted((a, b) => a - b),
    );
    const base = seen(sortedArrays, { loss: 0.1 });
    const twice = seen(sortedArrays, { loss: 0.1, duplicated: 0.5 });
    assert.deepEqual(twice.answers[LAST], base.answers[LAST], "a fault moves no other");
  });

  it("counts a false dependency once, whichever way round, and none before the holdback", () => {
    const { owners } = PLAN;
    const { falseEdges } = seen(trailingRule, { lossOfVisits: 1 });
    for (const [edge, isFalse] of falseEdges.entries())
      if (isFalse === 1) {
        assert.ok(Math.floor(edge / owners) <= edge % owners);
        assert.equal(fleet.joined[edge], 0);
      }
    const guessing: OwnershipCompetitor = {
      ...sortedArrays,
      attach(memory, capacity) {
        const replica = sortedArrays.attach(memory, capacity);
        const ownerAt = replica.ownerAt.bind(replica);
        replica.ownerAt = (resource, t) => {
          const answer = ownerAt(resource, t);
          return answer === NO_EVIDENCE ? resource % owners : answer;
        };
        return replica;
      },
    };
    const guessed = seen(guessing);
    const wrongLater = guessed.answers.slice(HOLDBACK).reduce((sum, kinds) => sum + kinds[WRONG]!, 0);
    assert.ok(guessed.answers[0]![WRONG]! > 100 * (wrongLater + 1));
    assert.ok(guessed.falseEdges.reduce((sum, edge) => sum + edge) <= wrongLater);
  });

  it("knows at most 3 % fewer owners for a loss of 10 %, once long flows have closed, and no wrong one", () => {
    const lossy = seen(sortedArrays, { loss: 0.1 });
    const early = share(lossy, HOLDBACK, NONE, CONFLICTING);
    const late = share(lossy, LAST, NONE, CONFLICTING);
    assert.ok(late <= 3 && late < early, `${early} % -> ${late} %`);
    assert.ok(lossy.answers.every((kinds) => kinds[WRONG] === 0));
  });

  it("answers a claim's repetition and its delay alike: in the end nothing is missing", () => {
    const late = seen(sortedArrays, { duplicated: 0.5, delay: LATE });
    assert.equal(late.answers[LAST]![RIGHT], late.questions);
    assert.equal(
      late.recovered.reduce((sum, count) => sum + count),
      (share(late, HOLDBACK, NONE) * late.questions) / 100,
    );
  });

  it("forgets in a restart, and a deaf node knows its own addresses only", () => {
    const restarted = seen(sortedArrays, { restarted: [0, 1, 2] });
    const deaf = seen(sortedArrays, { deaf: [1] });
    for (const faulty of [restarted, deaf]) {
      assert.ok(share(faulty, HOLDBACK, NONE) > 1);
      assert.ok(faulty.answers.every((kinds) => kinds[WRONG] === 0));
    }
    assert.equal(deaf.traffic.sent, deaf.traffic.lost + deaf.traffic.delivered);
  });

  it("is answered alike by structures of one rule, private or shared", () => {
    const faults: Partial<Faults> = { loss: 0.1, skewMsMost: 5000, restarted: [0], reorderedMsMost: 5000 };
    const [plain, shared] = [seen(sortedArrays, faults), seen(seqlockSlots, faults)];
    assert.deepEqual(shared.answers, plain.answers);
    assert.deepEqual(shared.bridged, plain.bridged);
    assert.ok(plain.answers[LAST]![CONFLICTING]! > 0, "clocks that are wrong make claims that conflict");
  });

  it("shows what other rules cost", () => {
    const visitsLost: Partial<Faults> = { lossOfVisits: 1 };
    const trailing = seen(trailingRule, visitsLost);
    assert.ok(share(trailing, LAST, WRONG) > 1, "A, B, A with B's claims lost is A's all along");
    assert.ok(trailing.falseEdges.includes(1));
    assert.equal(share(seen(sortedArrays, visitsLost), LAST, WRONG), 0);
    assert.ok(share(seen(arrivalLog), LAST, WRONG) > 1, "what holds from its arrival on holds too late");
    const lossy = seen(eventTimeLog, { loss: 0.5 });
    assert.ok(share(lossy, LAST, WRONG) > 1, "a lost change falsifies what comes after");
    const skewed = seen(lastClaim, { skewMsMost: 5000 });
    assert.ok(share(skewed, LAST, WRONG) > 0 && share(skewed, LAST, CONFLICTING) === 0);
  });
});

describe("the scenarios of faults", () => {
  it("have a name each, and are lawful at smoke size, with the series of their charts", () => {
    assert.equal(new Set(faultScenarios.map(({ scenario }) => scenario)).size, faultScenarios.length);
    for (const { scenario } of faultScenarios) {
      const { run, law, params, metrics, chart } = scenarioOf(scenario);
      const outcome = run(sortedArrays, params.smoke, SEED);
      assert.equal(law(sortedArrays, params.smoke, outcome), undefined, scenario);
      for (const [name, value] of Object.entries(outcome.metrics))
        assert.ok(name in metrics && Number.isFinite(value), `${scenario}: ${name} is ${value}`);
      for (const { key } of chart?.lines ?? [])
        assert.ok(
          outcome.series[key]!.every((value) => value >= 0 && value <= 100),
          `${scenario}: ${key}`,
        );
    }
  });

  it("are answered alike by all structures that keep the evidence", async () => {
    const { run, params, absent } = scenarioOf("faults-quick");
    const answersOf = (competitor: OwnershipCompetitor) => {
      const { answers, bridged } = run(competitor, params.smoke, SEED).evidence as Seen;
      return { answers, bridged };
    };
    const expected = answersOf(sortedArrays);
    let compared = 0;
    for (const { name, url } of competitorsOf("ownership")) {
      const competitor = ((await import(url)) as { default: OwnershipCompetitor }).default;
      if (competitor.rule !== "evidence" || absent!(competitor, params.smoke) !== undefined) continue;
      assert.deepEqual(answersOf(competitor), expected, name);
      compared++;
    }
    assert.ok(compared > 5, `${compared} compared`);
  });

  it("say how fast a restart heals only where all was well before, and show it", () => {
    const { run, params, metrics, chart } = scenarioOf("fault-restart");
    const { fleet: plan, faults } = params.smoke as FaultParams;
    assert.ok(chart !== undefined && "rebuilt" in metrics);
    const rebuilt = (changed: Partial<Faults>) =>
      run(sortedArrays, { ...(params.smoke as FaultParams), faults: { ...faults, ...changed } }, SEED).metrics
        .rebuilt;
    assert.ok(rebuilt({})! <= plan.horizonMs / 2000);
    assert.equal(rebuilt({ loss: 0.9 }), undefined);
    for (const name of ["faults-quick", "faults-together"]) {
      const other = scenarioOf(name);
      assert.ok(other.chart === undefined && !("rebuilt" in other.metrics), name);
    }
  });

  it("show of each competitor what it has a figure for", () => {
    const keysOf = (competitor: OwnershipCompetitor) => Object.keys(smokeFigures("fault-none", competitor));
    const ofBridges = ["wrongBridged", "missingBridged"];
    const bridged = (competitor: OwnershipCompetitor) =>
      keysOf(competitor).filter((key) => ofBridges.includes(key));
    assert.deepEqual(bridged(sortedArrays), ofBridges);
    assert.deepEqual(bridged(trailingRule), []);
    assert.deepEqual(bridged(eventTimeLog), []);
    assert.ok(!("bytesPerResource" in smokeFigures("fault-none", seqlockSlots)), "a reservation is not held");
    assert.ok(smokeFigures("fault-none", flatSortedArrays).bytesPerResource! > 0);
  });

  it("are lawful for logs of changes, which may be wrong", () => {
    for (const name of ["faults-quick", "fault-restart", "fault-skew"])
      assert.equal(verdict(name, eventTimeLog), undefined);
  });

  it("give the same outcome from the same seed", () => {
    const { run, params } = scenarioOf("faults-quick");
    assert.deepEqual(run(sortedArrays, params.smoke, SEED), run(sortedArrays, params.smoke, SEED));
  });

  it("have laws that a mutant, lost lookups, lost answers, lost news and lost claims each break", () => {
    const mutant: OwnershipCompetitor = { ...trailingRule, rule: "evidence" };
    assert.match(
      verdict("fault-return-lost", mutant)!,
      /blamed the wrong owner, though all claims were true/,
    );
    assert.equal(
      verdict("fault-return-lost", trailingRule),
      undefined,
      "a competitor that promises less may be wrong",
    );
    const broken = (changes: (seen: Seen) => Partial<Seen>) =>
      verdict("fault-none", sortedArrays, (whole) => ({ ...whole, ...changes(whole) }));
    assert.match(broken(() => ({ lookups: 1 }))!, /1 lookups were made, of at least/);
    assert.match(broken(({ lookups }) => ({ lookups: lookups + 1 }))!, /questions with 7 each/);
    assert.match(broken(({ answers }) => ({ answers: answers.slice(1) }))!, /lookups had \d+ answers/);
    assert.match(
      broken(({ traffic }) => ({ traffic: { ...traffic, lost: 1 } }))!,
      /pieces of news were sent, 1 lost/,
    );
    const deaf: OwnershipCompetitor = {
      ...sortedArrays,
      attach(memory, capacity) {
        const replica = sortedArrays.attach(memory, capacity);
        replica.ownerAt = () => NO_EVIDENCE;
        return replica;
      },
    };
    for (const name of ["fault-none", "fault-short-owners", "fault-long-flows"])
      assert.match(verdict(name, deaf)!, /0 of \d+ questions were answered rightly in the end/);
    assert.match(broken(() => ({ refused: 2 }))!, /2 claims were forgotten before they came/);
  });
});
