import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrewResult } from "../measure/plan/protocol.ts";
import { Random } from "../words/random.ts";
import { driftsIn } from "./drift.ts";

const ROUNDS = 40;
const FEWEST_ROUNDS = 16;
const SLICE_NS = 400_000;

/** A crew whose operations take `costNs(share)` ns, by the share of the process that has passed. */
function crew(name: string, costNs: (share: number) => number, every = 1, most = ROUNDS): CrewResult {
  const rounds = Array.from({ length: most / every }, (_, index) => index * every);
  const operations = rounds.map((round) => Math.round(SLICE_NS / costNs(round / (most - 1))));
  const same = (value: number) => rounds.map(() => value);
  const workers = [{ operations, startNs: same(0), endNs: same(SLICE_NS), tagNs: same(5) }];
  return { name, warmUp: { slices: 8, flat: true }, batches: [1], rounds, workers };
}

const control = (costNs: (share: number) => number = () => 6) => crew("~control", costNs, 4);
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

const grows = (share: number) => 100 * (1 + share);
/** From the middle of the first quarter to that of the last. */
const GREW = grows(34.5 / (ROUNDS - 1)) / grows(4.5 / (ROUNDS - 1));
const steady = () => 100;

/** Steady work whose slices take up to twice as long, and now and then six times. */
function noisy(seed: number): () => number {
  const random = new Random(seed);
  return () => 100 * (1 + random.fraction()) * (random.fraction() < 0.1 ? 3 : 1);
}

/** A machine that becomes half as fast in the middle of the process. */
const slowed = (costNs: number) => (share: number) => (share < 0.5 ? costNs : 2 * costNs);

describe("work that changes as it runs", () => {
  it("is seen, with how many times as long it takes at the end", () => {
    const processes = times(4, () => ({ crews: [crew("t0", steady), crew("t1", grows), control()] }));
    const drifts = driftsIn(processes);
    assert.deepEqual([...drifts.keys()], ["t1"]);
    assert.ok(Math.abs(drifts.get("t1")! - GREW) < 0.01, `${drifts.get("t1")}`);
  });

  it("is seen where it gets faster", () => {
    const processes = times(4, () => ({ crews: [crew("t1", (share) => 200 - 100 * share), control()] }));
    assert.ok(Math.abs(driftsIn(processes).get("t1")! - 1 / GREW) < 0.01);
  });

  it("is seen in spite of one disturbed process, and not in it alone", () => {
    const disturbed = { crews: [crew("t1", steady), control()] };
    const drifting = { crews: [crew("t1", grows), control()] };
    assert.ok(driftsIn([drifting, drifting, disturbed, drifting]).has("t1"));
    assert.deepEqual(driftsIn([disturbed, disturbed, drifting, disturbed]), new Map());
    assert.deepEqual(driftsIn([drifting]), new Map());
  });

  it("is not what noise looks like", () => {
    for (let seed = 0; seed < 500; seed++) {
      const processes = times(4, (fork) => ({
        crews: [crew("t1", noisy(4 * seed + fork), 1, FEWEST_ROUNDS), control()],
      }));
      assert.deepEqual(driftsIn(processes), new Map(), `seed ${seed}`);
    }
  });

  it("is not a change of the machine, which the control shows too", () => {
    const processes = times(4, () => ({ crews: [crew("t1", slowed(100)), control(slowed(6))] }));
    assert.deepEqual(driftsIn(processes), new Map());
    const alone = times(4, () => ({ crews: [crew("t1", slowed(100)), control()] }));
    assert.ok(driftsIn(alone).has("t1"));
  });

  it("is not hidden by a change of the machine", () => {
    const both = (share: number) => grows(share) * (share < 0.5 ? 1 : 2);
    const drift = driftsIn(times(4, () => ({ crews: [crew("t1", both), control(slowed(6))] })));
    assert.ok(Math.abs(drift.get("t1")! - GREW) < 0.01);
    const against = (share: number) => grows(share) * (share < 0.5 ? 1 : 0.85);
    const faster = (share: number) => (share < 0.5 ? 6 : 5.1);
    assert.ok(driftsIn(times(4, () => ({ crews: [crew("t1", against), control(faster)] }))).has("t1"));
  });

  it("leaves the time out that preparing took", () => {
    const prepared = crew("t1", () => 100);
    const [worker] = prepared.workers;
    const preparingNs = prepared.rounds.map((round) => 20_000 * round);
    const endNs = preparingNs.map((ns) => SLICE_NS + ns);
    const crews = [{ ...prepared, workers: [{ ...worker!, endNs, preparingNs }] }, control()];
    assert.deepEqual(driftsIn(times(4, () => ({ crews }))), new Map());
  });

  it("is not decided on a few slices, or on a crew that failed", () => {
    const few = crew("t1", grows, 8);
    assert.deepEqual(driftsIn(times(4, () => ({ crews: [few] }))), new Map());
    const failed: CrewResult = { ...few, rounds: [], workers: [], failure: { kind: "fault", reason: "no" } };
    assert.deepEqual(driftsIn(times(4, () => ({ crews: [failed] }))), new Map());
  });
});
