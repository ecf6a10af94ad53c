import assert from "node:assert/strict";
import { suite, test } from "node:test";
import appendOnly from "../dispatch/competitors/append-only.ts";
import ringOfSlots from "../dispatch/competitors/ring-of-slots.ts";
import sortedList from "../dispatch/competitors/sorted-list.ts";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { testLaws } from "../shared/law-tests.ts";
import type { HeartbeatCompetitor } from "./heartbeats.contract.ts";
import {
  CHURN,
  examination,
  FAST_CHURN,
  plans,
  runPlan as run,
  SMALL,
  STEADY,
} from "./heartbeats.examination.ts";
import * as laws from "./heartbeats.laws.ts";
import { observedMessages } from "./heartbeats.laws.ts";
import { mutants } from "./heartbeats.mutants.ts";
import { evennessOf, settledAfter, waveFallsTo, waveOf } from "./parts/evenness.ts";
import { type FleetPlan, type FleetSeen, runFleet } from "./parts/fleet.ts";

const competitors = await testLaws<HeartbeatCompetitor>({
  primitive: "heartbeats",
  examination,
  mutants,
  laws,
  without: ["observedMessages"],
});

const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

function named(name: string): HeartbeatCompetitor {
  return competitors.find((entry) => entry.name === name)!.competitor;
}

suite("schedulers that place clients, with slots of ten seconds", () => {
  for (const { name, competitor } of competitors) {
    const { earlier, later } = competitor.deviation(600);
    const places = earlier > 0 || (later === 0 && name !== "fixed-interval");
    if (!places) continue;
    test(name, () => {
      const scheduler = competitor.create(600, 1, 60);
      const first = Array.from({ length: 120 }, (_, client) => scheduler.connect(client, 0));
      for (const deadline of first)
        assert.ok(deadline >= 0 && deadline < 600 && deadline % 10 === 0, `${deadline}`);
      for (const [client, deadline] of first.entries()) {
        const next = scheduler.beat(client, deadline);
        assert.ok(
          next % 10 === 0 && next >= deadline + 600 - earlier && next <= deadline + 600 + later,
          `${next}`,
        );
      }
    });
  }

  test("survivors are moved by whole slots, and by no more than is claimed", () => {
    for (const name of ["optimum", "least-loaded-rebalancing"]) {
      const { create, deviation } = named(name);
      const scheduler = create(600, 1, 60);
      const deadline = Array.from({ length: 600 }, (_, client) => scheduler.connect(client, 0));
      // All but one of each second slot leave.
      const isLeft = deadline.map((at, client) => at % 20 === 0 || client < 60);
      for (const [client, stays] of isLeft.entries()) if (!stays) scheduler.disconnect(client, 0);
      const { earlier, later } = deviation(600);
      let moved = 0;
      for (const [client, at] of deadline.entries()) {
        if (!isLeft[client]) continue;
        const off = scheduler.beat(client, at) - at - 600;
        assert.ok(off % 10 === 0 && -off <= earlier && off <= later, `${name}: ${off}`);
        if (off !== 0) moved++;
      }
      assert.ok(moved > 0, name);
    }
  });
});

suite("the same digits on every machine", () => {
  // Pinned: another digit means a machine, an engine or a change that draws or rounds differently.
  const pinned: Record<string, number> = {
    "fixed-interval": -432639321,
    "freed-slot": 1513644327,
    "hash-slot": 1912276987,
    "jitter-15": -441658910,
    "jitter-300": -211361069,
    "least-loaded": 340128980,
    "least-loaded-rebalancing": 1398498166,
    "load-capped": -1912284761,
    "load-reset": -1653313772,
    optimum: -1472624373,
    "random-slot": -944290541,
    "sequential-from-now": -1806428647,
    "sequential-from-origin": 2017166997,
    "sequential-slot": 626620839,
    "two-choices": -1302583545,
  };
  for (const [name, expected] of Object.entries(pinned))
    test(name, () => {
      let digest = 0;
      for (const plan of [FAST_CHURN, plans["a while away"]!, plans["half leave for good"]!])
        for (const count of run(named(name), plan, 1).messages) digest = (Math.imul(digest, 31) + count) | 0;
      assert.equal(digest, expected);
    });
});

test("freed-slot: half of the clients that time out in an outage come back to half of the slots, as its header warns", () => {
  const clients = Array.from({ length: 12_000 }, (_, client) => client);
  const scheduler = named("freed-slot").create(600, 1);
  const slots = clients.map((client) => scheduler.connect(client, 0) % 600);
  for (const client of clients.toSorted((one, other) => slots[one]! - slots[other]!))
    scheduler.disconnect(client, 600 + slots[client]!);
  const loads = new Array<number>(600).fill(0);
  for (const client of clients.slice(0, 6_000)) loads[scheduler.connect(client, 1_200) % 600]!++;
  assert.equal(loads.filter((load) => load === 20).length, 300);
  assert.equal(loads.filter((load) => load === 0).length, 300);
});

suite("the fact sheet's table of placements", () => {
  const AWAY: FleetPlan = { ...STEADY, churn: { kind: "lives", meanLife: 3600, meanAway: 60 } };
  const HALF_LEAVE: FleetPlan = { ...STEADY, storm: { at: 10_800, share: 0.5, returns: false } };
  /** Mean over the seeds of peak, low and CV, and how far each may be from what is expected. */
  const expectations: [string, FleetPlan, [number, number, number]][] = [
    ["optimum", STEADY, [17, 16, 0.028]],
    ["optimum", CHURN, [17, 16, 0.028]],
    ["optimum", HALF_LEAVE, [9, 8, 0.057]],
    ["random-slot", STEADY, [30.6, 5.7, 0.245]],
    ["random-slot", CHURN, [30.4, 5.2, 0.248]],
    ["hash-slot", STEADY, [30.6, 5.7, 0.245]],
    ["sequential-slot", STEADY, [17, 16, 0.028]],
    ["sequential-slot", CHURN, [26.2, 8.7, 0.175]],
    ["two-choices", STEADY, [19, 12.3, 0.059]],
    ["two-choices", CHURN, [20, 10.1, 0.094]],
    ["least-loaded", STEADY, [17, 16, 0.028]],
    ["least-loaded", CHURN, [17, 16, 0.028]],
    ["least-loaded", AWAY, [17, 15.3, 0.03]],
    ["least-loaded-rebalancing", CHURN, [17, 16, 0.028]],
    ["least-loaded-rebalancing", HALF_LEAVE, [9.2, 7, 0.065]],
  ];
  for (const [name, plan, [peak, low, cv]] of expectations) {
    const kind =
      plan === STEADY ? "at rest" : plan === CHURN ? "churn" : plan === AWAY ? "away" : "half leave";
    test(`${name}, ${kind}: ${peak} / ${low} / ${cv}`, () => {
      // The optimum looks at every slot for every heartbeat.
      const seen = (name === "optimum" ? seeds.slice(0, 2) : seeds).map((seed) =>
        evennessOf(observedMessages(run(named(name), plan, seed))),
      );
      const mean = (value: (one: (typeof seen)[number]) => number) =>
        seen.reduce((sum, one) => sum + value(one), 0) / seen.length;
      const found = [mean((one) => one.peak), mean((one) => one.low), mean((one) => one.cv)] as const;
      const isExact = cv <= 0.028;
      assert.ok(Math.abs(found[0] - peak) <= (isExact ? 0 : 1.5), `peak ${found[0]}`);
      assert.ok(Math.abs(found[1] - low) <= (isExact ? 0 : 1.5), `low ${found[1]}`);
      assert.ok(Math.abs(found[2] - cv) <= Math.max(0.002, 0.06 * cv), `CV ${found[2]}`);
    });
  }

  test("least loaded holds 15 to 18 through hours of churn, and no heartbeat is off its interval", () => {
    for (const seed of seeds) {
      const seen = run(named("least-loaded"), { ...CHURN, observedIntervals: 30 }, seed);
      const { peak, low } = evennessOf(observedMessages(seen));
      assert.ok(peak <= 18 && low >= 15, `seed ${seed}: ${peak} and ${low}`);
      assert.deepEqual([seen.mostEarlier, seen.mostLater], [0, 0]);
    }
  });
});

suite("the fleet", () => {
  const { create } = named("least-loaded");

  test("lives have the mean that was asked for", () => {
    // 10,000 clients x 21,600 s / 3600 s = 60,000 connects, with a standard deviation of 245, plus the connects at the
    // start.
    for (const seed of [1, 2, 3]) {
      const connects = connectTimes(CHURN, seed).length - 10_000;
      assert.ok(Math.abs(connects - 60_000) < 4 * 245, `seed ${seed}: ${connects} connects`);
    }
  });

  test("times away have the mean that was asked for", () => {
    // Of 10,000 clients 3600 / (3600 + 400) are connected at any time, with a standard deviation of 30, and have a
    // slot.
    const plan: FleetPlan = { ...STEADY, churn: { kind: "lives", meanLife: 3600, meanAway: 400 } };
    for (const seed of [1, 2, 3]) {
      const { mean } = evennessOf(observedMessages(runFleet(create(600, seed), plan, seed)));
      assert.ok(Math.abs(600 * mean - 9000) < 5 * 30, `seed ${seed}: ${600 * mean} clients`);
    }
  });

  test("lives are geometric", () => {
    // One client that connects again at once: its lives end in each second with the same probability, 1 / 2.
    const plan: FleetPlan = {
      ...SMALL,
      clients: 1,
      interval: 1,
      horizon: 40_001,
      observedIntervals: 40_000 - 2,
      churn: { kind: "lives", meanLife: 2, meanAway: 0 },
    };
    const lives = connectTimes(plan).map((at, index, times) => (times[index + 1] ?? at) - at);
    for (const length of [1, 2, 3, 4, 5]) {
      const share = lives.filter((life) => life === length).length / lives.length;
      assert.ok(Math.abs(share - 2 ** -length) < 0.015, `${length} s: ${share}`);
    }
  });

  test("arrivals: uniform from 0 to the most, and Poisson", () => {
    const perSecond = (arrivals: FleetPlan["arrivals"]) => {
      const times = connectTimes({ ...STEADY, clients: 20_000, arrivals });
      const counts = new Array<number>(times.at(-1)!).fill(0);
      for (const at of times) if (at < counts.length) counts[at]!++;
      return evennessOf(Int32Array.from(counts));
    };
    const uniform = perSecond({ kind: "uniform", most: 10 });
    assert.deepEqual([uniform.low, uniform.peak], [0, 10]);
    assert.ok(Math.abs(uniform.mean - 5) < 0.2 && Math.abs(uniform.dispersion - 2) < 0.1);
    const poisson = perSecond({ kind: "poisson", mean: 4.5 });
    assert.ok(Math.abs(poisson.mean - 4.5) < 0.13 && Math.abs(poisson.dispersion - 1) < 0.1);
  });

  test("a storm takes the share it says, of all clients alike", () => {
    const seen = runFleet(create(60, 1), plans["half leave for good"]!, 1);
    const sent = (of: FleetSeen) => observedMessages(of).reduce((sum, count) => sum + count, 0);
    assert.deepEqual([sent(seen), seen.restingSince, seen.alwaysFull], [2 * 350, 601, false]);
    const back = runFleet(create(60, 1), plans["half drop out and come back"]!, 1);
    assert.deepEqual([sent(back), back.alwaysFull], [2 * 700, true]);
    const slots = seen.messages.subarray(seen.observedFrom, seen.observedFrom + 60);
    assert.ok(evennessOf(slots).dispersion > 0.2, "chosen by chance, the slots lose unequally");
  });

  test("a run is how a longer run begins, whatever the list", () => {
    const plan: FleetPlan = {
      ...SMALL,
      arrivals: { kind: "uniform", most: 30 },
      churn: { kind: "lives", meanLife: 400, meanAway: 0 },
    };
    for (const makeList of [ringOfSlots.create, sortedList.create, appendOnly.create])
      for (const name of ["random-slot", "sequential-from-now", "jitter-300"]) {
        const messages = (horizon: number) =>
          runFleet(named(name).create(60, 1), { ...plan, horizon }, 1, makeList).messages;
        assert.deepEqual(messages(1200), messages(1500).subarray(0, 1200), name);
      }
  });

  test("rebalancing leaves slots within 15 s of each other within one client", () => {
    const plan: FleetPlan = { ...STEADY, storm: { at: 7200, share: 0.5, returns: false } };
    for (const seed of seeds.slice(0, 3)) {
      const { messages } = run(named("least-loaded-rebalancing"), plan, seed);
      const slots = messages.subarray(-600);
      for (let slot = 0; slot < 600; slot++)
        for (let distance = 1; distance <= 15; distance++)
          assert.ok(
            Math.abs(slots[slot]! - slots[(slot + distance) % 600]!) <= 1,
            `seed ${seed}, slot ${slot}`,
          );
    }
  });

  test("any list that keeps its order gives the same fleet; an append-only one beats late", () => {
    const plan: FleetPlan = { ...SMALL, arrivals: { kind: "uniform", most: 30 } };
    const under = (makeList?: (clients: number, reach: number) => ReturnType<typeof appendOnly.create>) =>
      runFleet(named("sequential-from-now").create(60, 1), plan, 1, makeList);
    assert.deepEqual(under(sortedList.create), under());
    const late = under(appendOnly.create);
    assert.ok(late.worstLateness > 50, `${late.worstLateness} s`);
    assert.ok(evennessOf(observedMessages(late)).peak > 2 * evennessOf(observedMessages(under())).peak);
  });

  itRefusesAsWritten("what it cannot carry out", new URL("testdata/refusals.txt", import.meta.url), () => ({
    plan: (change: object, seed = 1) => runFleet(create(60, 1), { ...SMALL, ...change }, seed),
    named: (first: number, then = first) =>
      runFleet({ connect: () => first, beat: () => then, disconnect() {} }, SMALL, 1),
  }));

  function connectTimes(plan: FleetPlan, seed = 1): number[] {
    const times: number[] = [];
    const scheduler = create(plan.interval, seed);
    runFleet(
      {
        connect(client, now) {
          times.push(now);
          return scheduler.connect(client, now);
        },
        beat: scheduler.beat,
        disconnect: scheduler.disconnect,
      },
      plan,
      seed,
    );
    return times;
  }
});

suite("evenness", () => {
  const of = (...messages: number[]) => Int32Array.from(messages);

  test("evennessOf", () => {
    assert.deepEqual(evennessOf(of(1, 3)), {
      peak: 3,
      low: 1,
      mean: 2,
      cv: 0.5,
      dispersion: 0.5,
      gini: 0.25,
    });
    assert.deepEqual(evennessOf(of(0, 0)), { peak: 0, low: 0, mean: 0, cv: 0, dispersion: 0, gini: 0 });
    assert.equal(evennessOf(of(0, 0, 0, 8)).gini, 0.75);
  });

  test("waveOf: 2 for one moment of the period, 1 for a sine down to 0, 0 for a level stream", () => {
    const period = 60;
    const seconds = Array.from({ length: 3 * period }, (_, second) => second);
    const near = (value: number, expected: number) =>
      assert.ok(Math.abs(value - expected) < 1e-3, `${value}`);
    near(waveOf(of(...seconds.map((second) => (second % period === 7 ? 50 : 0))), period), 2);
    near(
      waveOf(
        of(...seconds.map((second) => Math.round(1e6 * (1 + Math.sin((2 * Math.PI * second) / period))))),
        period,
      ),
      1,
    );
    near(waveOf(of(...seconds.map(() => 17)), period), 0);
    assert.equal(waveOf(of(...seconds.map(() => 0)), period), 0);
  });

  test("waveFallsTo: in the middle of the period where it does; undefined if never", () => {
    const period = 10;
    // Three periods that have all at one moment, and one that is level: half of either swings by 1.
    const messages = of(
      ...[0, 1, 2].flatMap(() => [10, ...new Array<number>(9).fill(0)]),
      ...new Array<number>(10).fill(1),
    );
    const at = waveFallsTo(1, messages, period, 10)!;
    assert.ok(at > 25 && at < 35, `${at}`);
    assert.equal(waveFallsTo(1, messages.subarray(0, 30), period, 10), undefined);
    assert.equal(waveFallsTo(1, messages, period, 30), 35);
  });

  test("settledAfter: from the interval after the last spike; undefined if that is the last", () => {
    const calm = [4, 4, 4, 4];
    const spiky = [32, 0, 0, 0];
    assert.equal(settledAfter(of(...spiky, ...calm, ...calm), 4, 0), 4);
    assert.equal(settledAfter(of(...calm, ...spiky, ...calm), 4, 0), 8);
    assert.equal(settledAfter(of(...calm, ...spiky, ...calm), 4, 4), 4);
    assert.equal(settledAfter(of(...calm, ...calm), 4, 0), 0);
    assert.equal(settledAfter(of(...calm, ...spiky), 4, 0), undefined);
  });

  test("settledAfter: messages at random are settled from the start, however long they are watched", () => {
    // What wide jitter makes of a fleet once it has spread it; over 200 h many a second is a rare one.
    const watched: FleetPlan = { ...STEADY, clients: 2000, horizon: 720_000 };
    const { messages } = run(named("jitter-300"), watched, 1);
    assert.ok(settledAfter(messages, 600, 0)! < 3 * 3600);
    assert.equal(settledAfter(messages, 600, 7200), 0);
  });
});
