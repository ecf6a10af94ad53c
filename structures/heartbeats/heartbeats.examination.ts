import assert from "node:assert/strict";
import type { Examination } from "../shared/contract.ts";
import { asserted, examined } from "../shared/examination.ts";
import { contract, type HeartbeatCompetitor, LONGEST_INTERVAL, MOST_CLIENTS } from "./heartbeats.contract.ts";
import { deviationIsBounded, level, levelForSurvivors, nobodyIsLost, punctual } from "./heartbeats.laws.ts";
import { type FleetPlan, type FleetSeen, runFleet } from "./parts/fleet.ts";

/**
 * Every law of heartbeats applied to one competitor, over fleets that come, stay, go and storm as they do in the source
 * document and worse. Written once, so that a newcomer is examined like every other competitor.
 */

/** The source document's fleet: 10,000 clients, 600 s, 6 h. */
export const STEADY: FleetPlan = {
  clients: 10_000,
  interval: 600,
  horizon: 21_600,
  observedIntervals: 2,
  arrivals: { kind: "all-at-once" },
  churn: { kind: "none" },
};
export const CHURN: FleetPlan = { ...STEADY, churn: { kind: "lives", meanLife: 3600, meanAway: 0 } };
export const SMALL: FleetPlan = { ...STEADY, clients: 700, interval: 60, horizon: 1200 };
export const FAST_CHURN: FleetPlan = {
  ...SMALL,
  arrivals: { kind: "uniform", most: 5 },
  churn: { kind: "lives", meanLife: 90, meanAway: 0 },
};

export const plans: Record<string, FleetPlan> = {
  "all at once": STEADY,
  "0 to 200 a second": { ...STEADY, arrivals: { kind: "uniform", most: 200 } },
  "100 a second at random": { ...STEADY, arrivals: { kind: "poisson", mean: 100 } },
  churn: CHURN,
  "slow arrivals, fast churn": FAST_CHURN,
  "a while away": { ...SMALL, churn: { kind: "lives", meanLife: 120, meanAway: 20 } },
  "half drop out and come back": { ...SMALL, storm: { at: 600, share: 0.5, returns: true } },
  "half drop out and come back slowly": {
    ...SMALL,
    arrivals: { kind: "uniform", most: 30 },
    storm: { at: 600, share: 0.5, returns: true },
  },
  "half leave for good": { ...SMALL, storm: { at: 600, share: 0.5, returns: false } },
  "fewer clients than seconds": { ...SMALL, clients: 7 },
  "an interval of a second": { ...SMALL, interval: 1, horizon: 60 },
};

export const examination = {
  tries: "fleets of 7 to 10,000 clients that come, stay, go and storm in eleven ways, and bad calls",
  examine: (url) => examined(url, contract, lawsBroken),
} satisfies Examination;

async function lawsBroken(competitor: HeartbeatCompetitor): Promise<(string | undefined)[]> {
  return [
    deviationIsBounded(STEADY.interval, competitor.deviation(STEADY.interval)),
    ...Object.entries(plans).flatMap(([name, plan]) => fleetLaws(competitor, name, plan)),
    await asserted("seedDecides", () =>
      assert.deepEqual(runPlan(competitor, FAST_CHURN, 7), runPlan(competitor, FAST_CHURN, 7)),
    ),
    await asserted("badSetupIsRefused", () => assertBadSetupIsRefused(competitor)),
    await asserted("misfitsAreRefused", () => assertMisfitsAreRefused(competitor)),
    await asserted("strangersAreRefused", () => assertStrangersAreRefused(competitor)),
    await asserted("anyNumberIsServed", () => assertAnyNumberIsServed(competitor)),
  ];
}

function fleetLaws(competitor: HeartbeatCompetitor, name: string, plan: FleetPlan): (string | undefined)[] {
  const seen = runPlan(competitor, plan, 1);
  const claimed = competitor.deviation(seen.interval);
  const broken = {
    punctual: punctual(seen, claimed),
    nobodyIsLost: nobodyIsLost(seen, claimed),
    level: level(seen, competitor.spread),
    levelForSurvivors: levelForSurvivors(seen, competitor.spreadOfSurvivors),
    sentWhenDue: seen.worstLateness === 0 ? undefined : `a heartbeat was sent ${seen.worstLateness} s late`,
  };
  return Object.entries(broken).map(([law, finding]) => finding && `${law}: ${name}: ${finding}`);
}

export function runPlan({ create }: HeartbeatCompetitor, plan: FleetPlan, seed: number): FleetSeen {
  return runFleet(create(plan.interval, seed), plan, seed);
}

/** An interval, a seed or a number of slots that is none. */
function assertBadSetupIsRefused(competitor: HeartbeatCompetitor): void {
  for (const interval of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, LONGEST_INTERVAL + 1])
    assert.throws(() => competitor.create(interval, 1), RangeError, `interval ${interval}`);
  for (const seed of [-1, 0.5, Number.NaN, 2 ** 32])
    assert.throws(() => competitor.create(60, seed), RangeError, `seed ${seed}`);
  for (const slots of [0, -1, 0.5, Number.NaN, 7, 120])
    assert.throws(() => competitor.create(60, 1, slots), RangeError, `${slots} slots`);
  assert.throws(() => competitor.create(60, 1, 120), /at most 60 at a resolution of 1 s/);
}

/** A call that does not fit the client's state throws and changes nothing. */
function assertMisfitsAreRefused(competitor: HeartbeatCompetitor): void {
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
}

/** A client whose number is out of range is refused, and changes nothing. */
function assertStrangersAreRefused(competitor: HeartbeatCompetitor): void {
  const disturbed = competitor.create(60, 1);
  const calm = competitor.create(60, 1);
  for (let client = 0; client < 100; client++) {
    for (const stranger of [-1, 0.5, Number.NaN, MOST_CLIENTS, 2 ** 40])
      assert.throws(() => disturbed.connect(stranger, 5), RangeError, `${stranger}`);
    assert.equal(disturbed.connect(client, 5), calm.connect(client, 5));
  }
}

/** Clients may have any numbers. */
function assertAnyNumberIsServed(competitor: HeartbeatCompetitor): void {
  const scheduler = competitor.create(60, 1);
  for (const client of [100_000, 3, 70, 0]) scheduler.connect(client, 5);
  for (const client of [0, 100_000, 70, 3]) scheduler.beat(client, 70);
  for (const client of [3, 0, 100_000, 70]) scheduler.disconnect(client, 80);
  for (const client of [1, 69, 99_999, 200_000])
    assert.throws(() => scheduler.beat(client, 90), /not connected/);
}
