import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import hotColdProbes from "./competitors/hot-cold-probes.ts";
import perWorkerRandom from "./competitors/per-worker-random.ts";
import { withBackends } from "./parts/backends.ts";
import { contract, type Probes } from "./pick.contract.ts";
import { attachPicker, makePicker } from "./pick.instance.ts";
import { inFlightIsConserved, noWorseThanChance } from "./pick.laws.ts";

function attached(backends: number) {
  const instance = makePicker(hotColdProbes, { backends, workers: 1, seed: 7 });
  const picker = attachPicker(hotColdProbes, instance, 0);
  return { pick: picker.pick, probes: picker.probes };
}

const knownOf = (probes: Probes) => probes.known().answers.map(({ backend }) => backend);

describe("hot-cold-probes", () => {
  it("picks by chance before the first answer, and where only one is known", () => {
    for (const answers of [0, 1]) {
      const { pick, probes } = attached(8);
      const counts = new Array<number>(8).fill(0);
      for (let picks = 0; picks < 8_000; picks++) {
        if (answers === 1) probes.answer(3, 0, 0);
        counts[pick()]!++;
      }
      assert.equal(noWorseThanChance(counts), undefined);
    }
  });

  it("takes the quickest that is cold, whatever a hot one says", () => {
    const { pick, probes } = attached(96);
    for (let backend = 0; backend < 9; backend++) probes.answer(backend, 2, 30 + backend);
    probes.answer(20, 9, 1);
    probes.answer(21, 2, 20);
    assert.equal(probes.known().hotAbove, 2);
    assert.equal(pick(), 21);
  });

  it("takes the one with the fewest requests where all are hot", () => {
    const { pick, probes } = attached(96);
    for (let backend = 0; backend < 90; backend++) probes.answer(backend, 1, 1);
    // Too old to go by, and still the measure of what is hot.
    probes.advance(2_000);
    probes.answer(0, 7, 1);
    probes.answer(1, 5, 9);
    probes.answer(2, 6, 1);
    assert.equal(probes.known().hotAbove, 1);
    assert.equal(pick(), 1);
  });

  it("counts the request whose pick used an answer", () => {
    const { pick, probes } = attached(2);
    probes.answer(1, 4, 30);
    probes.answer(0, 4, 20);
    assert.equal(pick(), 0);
    assert.deepEqual(probes.known().answers, [{ backend: 0, inFlight: 5, latency: 20, heardMs: 0 }]);
  });

  it("discards the oldest answer and the worst in turn", () => {
    const { pick, probes } = attached(96);
    for (let backend = 0; backend < 9; backend++)
      probes.answer(backend, backend === 6 ? 30 : 1, 10 + backend);
    pick();
    assert.ok(!knownOf(probes).includes(0));
    assert.ok(knownOf(probes).includes(6));
    pick();
    assert.ok(!knownOf(probes).includes(6));
    const [oldest] = knownOf(probes);
    pick();
    assert.ok(!knownOf(probes).includes(oldest!));
  });

  it("forgets answers by the time that `now` sets, and not before", () => {
    const { probes } = attached(96);
    probes.advance(5_000);
    probes.answer(1, 0, 0);
    probes.advance(6_000);
    probes.answer(2, 0, 0);
    assert.deepEqual(knownOf(probes), [1, 2]);
    probes.advance(6_001);
    assert.deepEqual(knownOf(probes), [2]);
  });

  it("asks for three probes after each pick and for none before, and the next pick voids unsent ones", () => {
    const { pick, probes } = attached(8);
    assert.equal(probes.next(), -1);
    pick();
    assert.notEqual(probes.next(), -1);
    pick();
    const asked = [probes.next(), probes.next(), probes.next()];
    assert.equal(new Set(asked).size, 3);
    assert.equal(probes.next(), -1);
  });

  describe("refuses an invalid answer", () => {
    const { probes } = attached(8);
    itRefusesAsWritten("in a line", new URL("testdata/probes-refusals.txt", import.meta.url), () => ({
      probes,
    }));

    it("and keeps nothing of it", () => assert.deepEqual(probes.known(), { answers: [], hotAbove: 0 }));
  });

  it("budgets uses as the paper does, for 100 backends and for few", () => {
    const { kept, uses } = hotColdProbes.probes;
    // (1 + 1) / ((1 - 16 / 100) * 3 - 1) = 1.3, and (1 + 1) / ((1 - 2 / 12) * 3 - 1) = 1.3.
    assert.deepEqual([kept(100), uses(100)], [16, 2]);
    assert.deepEqual([kept(12), uses(12)], [2, 2]);
    assert.deepEqual([kept(1_000), uses(1_000)], [16, 2]);
    assert.deepEqual([kept(2), uses(2)], [2, Number.POSITIVE_INFINITY]);
  });
});

describe("a picker that probes, with backends played beside it", () => {
  it("hears what they have in flight, and every request is counted until it is released", () => {
    const competitor = withBackends(hotColdProbes, () => 0);
    const { memory, setup } = makePicker(competitor, { backends: 8, workers: 1, seed: 7 }, -7);
    const picker = competitor.attach(memory, setup, { index: 0, workers: 1, role: "worker", seed: 7 });
    const picked = Array.from({ length: 100 }, () => picker.pick());
    assert.ok(picker.probes!.known().answers.length > 0);
    const underWay = picked.splice(90);
    for (const backend of picked) picker.release!(backend);
    const state = competitor.inspect(memory, setup);
    const counters = { inFlight: underWay.length };
    const work = { setup, state, perWorker: [{ picks: 100, checksum: 0, counters }] };
    assert.equal(inFlightIsConserved(work), undefined);
    assert.equal(state.inFlight![underWay[0]!], underWay.filter((backend) => backend === underWay[0]).length);
  });

  it("any other picker is as it was", () => {
    assert.equal(
      withBackends(perWorkerRandom, () => 0),
      perWorkerRandom,
    );
  });
});

it("pick: order and probes go together", () => {
  const { probes, ...without } = hotColdProbes;
  const both = /"probed" and probes go together/;
  assert.match(contract.contradiction(without) ?? "", both);
  assert.match(contract.contradiction({ ...perWorkerRandom, probes }) ?? "", both);
  assert.equal(contract.contradiction(hotColdProbes), undefined);
});
