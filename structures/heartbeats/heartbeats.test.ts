import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf, contractOf, lawBrokenBy, liarsOf, loadCompetitor } from "../catalog.ts";
import { type HeartbeatCompetitor, LONGEST_INTERVAL } from "./heartbeats.contract.ts";
import { evennessOf, type FleetPlan, type FleetSeen, runFleet } from "./heartbeats.fleet.ts";
import { conserved, level, nobodyIsLost, punctual } from "./heartbeats.laws.ts";

const contract = await contractOf("heartbeats");
const load = (url: string) => loadCompetitor(url, contract) as Promise<HeartbeatCompetitor>;
const competitors = await Promise.all(
  competitorsOf("heartbeats").map(async ({ name, url }) => ({ name, competitor: await load(url) })),
);
const liars = await Promise.all(
  liarsOf("heartbeats").map(async (liar) => ({
    name: liar.name,
    competitor: await load(liar.url),
    breaks: await lawBrokenBy(liar),
  })),
);

/** The source document's fleet: 10,000 clients, 600 s, 6 h. */
const STEADY: FleetPlan = {
  clients: 10_000,
  interval: 600,
  horizon: 21_600,
  observedIntervals: 2,
  arrivals: { kind: "all-at-once" },
  churn: { kind: "none" },
};
const CHURN: FleetPlan = { ...STEADY, churn: { kind: "reconnect-at-once", meanLife: 3600 } };
const SMALL: FleetPlan = { ...STEADY, clients: 700, interval: 60, horizon: 1200 };

const plans: Record<string, FleetPlan> = {
  "all at once": STEADY,
  "0 to 200 a second": { ...STEADY, arrivals: { kind: "uniform", most: 200 } },
  churn: CHURN,
  "slow arrivals, fast churn": {
    ...SMALL,
    arrivals: { kind: "uniform", most: 5 },
    churn: { kind: "reconnect-at-once", meanLife: 90 },
  },
  "fewer clients than seconds": { ...SMALL, clients: 7 },
  "an interval of a second": { ...SMALL, interval: 1, horizon: 60 },
};

const laws: Record<string, (seen: FleetSeen, competitor: HeartbeatCompetitor) => string | undefined> = {
  punctual: (seen, { deviation }) => punctual(seen, deviation),
  nobodyIsLost: (seen, { deviation }) => nobodyIsLost(seen, deviation),
  conserved: (seen, { deviation }) => conserved(seen, deviation),
  level: (seen, { spread }) => level(seen, spread),
};

function run({ create }: HeartbeatCompetitor, plan: FleetPlan, seed: number): FleetSeen {
  return runFleet(create(plan.interval, seed), plan, seed);
}

/** The names of the laws that a competitor breaks under any plan. */
function brokenBy(competitor: HeartbeatCompetitor): Set<string> {
  const broken = new Set<string>();
  for (const plan of Object.values(plans)) {
    const seen = run(competitor, plan, 1);
    for (const [name, law] of Object.entries(laws)) if (law(seen, competitor) !== undefined) broken.add(name);
  }
  return broken;
}

for (const { name, competitor } of competitors) {
  suite(name, () => {
    for (const [planName, plan] of Object.entries(plans))
      test(planName, () => {
        const seen = run(competitor, plan, 1);
        for (const law of Object.values(laws)) assert.equal(law(seen, competitor), undefined);
      });

    test("the same seed gives the same messages", () =>
      assert.deepEqual(run(competitor, CHURN, 7), run(competitor, CHURN, 7)));

    test("a bad interval or seed is a RangeError", () => {
      for (const interval of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, LONGEST_INTERVAL + 1])
        assert.throws(() => competitor.create(interval, 1), RangeError, `interval ${interval}`);
      for (const seed of [-1, 0.5, Number.NaN, 2 ** 32])
        assert.throws(() => competitor.create(60, seed), RangeError, `seed ${seed}`);
    });

    test("a call that does not fit the client's state throws and changes nothing", () => {
      const disturbed = competitor.create(60, 1);
      const calm = competitor.create(60, 1);
      for (let client = 0; client < 100; client++) {
        assert.throws(() => disturbed.beat(client, 5), /not connected/);
        assert.throws(() => disturbed.disconnect(client, 5), /not connected/);
        assert.throws(() => disturbed.connect(-1, 5), RangeError);
        assert.throws(() => disturbed.connect(0.5, 5), RangeError);
        assert.equal(disturbed.connect(client, 5), calm.connect(client, 5));
        assert.throws(() => disturbed.connect(client, 5), /already connected/);
      }
      disturbed.disconnect(50, 6);
      calm.disconnect(50, 6);
      assert.throws(() => disturbed.disconnect(50, 6), /not connected/);
      assert.equal(disturbed.connect(50, 6), calm.connect(50, 6));
      for (let client = 0; client < 100; client++)
        assert.equal(disturbed.beat(client, 65), calm.beat(client, 65));
    });
  });
}

suite("liars", () => {
  const caught = new Set<string>();
  for (const { name, competitor, breaks } of liars) {
    const broken = brokenBy(competitor);
    for (const law of broken) caught.add(law);
    test(`${name} breaks ${breaks}`, () =>
      assert.ok(broken.has(breaks), `it broke ${[...broken].join(", ")}`));
  }
  for (const law of Object.keys(laws)) test(`${law} catches one`, () => assert.ok(caught.has(law)));
});

suite("the source document's figures, and beyond", () => {
  const named = (name: string) => competitors.find((entry) => entry.name === name)!.competitor;
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

  test("random slot: peak 27 to 35, low 3 to 8, mean 16.67, repeating every interval", () => {
    for (const seed of seeds) {
      const { messages } = run(named("random-slot"), STEADY, seed);
      const { peak, low, mean } = evennessOf(messages);
      assert.ok(peak >= 27 && peak <= 35, `seed ${seed}: peak ${peak}`);
      assert.ok(low >= 3 && low <= 8, `seed ${seed}: low ${low}`);
      assert.equal(mean, 10_000 / 600);
      assert.deepEqual(messages.slice(0, 600), messages.slice(600));
    }
  });

  test("random slot: churn neither helps nor hurts", () => {
    const cvs = (plan: FleetPlan) =>
      seeds.map((seed) => evennessOf(run(named("random-slot"), plan, seed).messages).cv);
    for (const cv of [...cvs(STEADY), ...cvs(CHURN)]) assert.ok(cv > 0.21 && cv < 0.28, `CV ${cv}`);
  });

  for (const [name, plan] of Object.entries({ "at rest": STEADY, "under churn": CHURN }))
    test(`least loaded: 17 and 16 ${name}`, () => {
      const { peak, low, cv } = evennessOf(run(named("least-loaded-scan"), plan, 1).messages);
      assert.deepEqual([peak, low, cv.toFixed(3)], [17, 16, "0.028"]);
    });
});

suite("the fleet", () => {
  const { create } = competitors.find(({ name }) => name === contract.oracle)!.competitor;

  test("lives have the mean that was asked for", () => {
    // 10,000 clients x 1200 s / 3600 s = 3333 connects, with a standard deviation of 58.
    for (const seed of [1, 2, 3, 4, 5]) {
      const { observedConnects } = runFleet(create(600, seed), CHURN, seed);
      assert.ok(Math.abs(observedConnects - 3333) < 4 * 58, `seed ${seed}: ${observedConnects} connects`);
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
      churn: { kind: "reconnect-at-once", meanLife: 2 },
    };
    const connectedAt: number[] = [];
    const scheduler = create(1, 1);
    runFleet(
      {
        connect(client, now) {
          connectedAt.push(now);
          return scheduler.connect(client, now);
        },
        beat: scheduler.beat,
        disconnect: scheduler.disconnect,
      },
      plan,
      1,
    );
    const lives = connectedAt.slice(1).map((at, index) => at - connectedAt[index]!);
    for (const length of [1, 2, 3, 4, 5]) {
      const share = lives.filter((life) => life === length).length / lives.length;
      assert.ok(Math.abs(share - 2 ** -length) < 0.015, `${length} s: ${share}`);
    }
  });

  test("a scheduler that names the past, or no time, is an Error", () => {
    for (const due of [0, -1, 0.5, Number.NaN]) {
      const stuck = { connect: () => due, beat: () => due, disconnect() {} };
      assert.throws(() => runFleet(stuck, SMALL, 1), /not an integer after it/);
    }
  });

  test("a plan that does not leave everyone an interval before it observes is a RangeError", () => {
    assert.throws(() => runFleet(create(60, 1), { ...SMALL, horizon: 180 }, 1), RangeError);
    assert.throws(
      () => runFleet(create(60, 1), { ...SMALL, arrivals: { kind: "uniform", most: 1 }, horizon: 200 }, 1),
      RangeError,
    );
  });

  test("evennessOf", () => {
    assert.deepEqual(evennessOf([1, 3]), { peak: 3, low: 1, mean: 2, cv: 0.5 });
    assert.deepEqual(evennessOf([0, 0]), { peak: 0, low: 0, mean: 0, cv: 0 });
  });
});
