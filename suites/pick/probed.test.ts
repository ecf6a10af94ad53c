import assert from "node:assert/strict";
import { it } from "node:test";
import hotColdProbes from "../../structures/pick/competitors/hot-cold-probes.ts";
import noOp from "../../structures/pick/competitors/no-op.ts";
import perWorkerRandom from "../../structures/pick/competitors/per-worker-random.ts";
import shuffledRoundRobinMask from "../../structures/pick/competitors/shuffled-round-robin-mask.ts";
import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import type { PickInstance } from "../../structures/pick/pick.instance.ts";
import type { Race } from "../engine/race.ts";
import type { Scenario } from "../shared/vocabulary.ts";
import type { Params } from "./picking.ts";
import membersChanging from "./scenarios/members-changing.ts";
import membership from "./scenarios/membership.ts";
import resonances from "./scenarios/resonance.ts";
import unevens from "./scenarios/uneven-backends.ts";
import uniform8 from "./scenarios/uniform-8.ts";

const resonance = resonances[0]!;
const unevenBackends = unevens[0]!;

const absence = (scenario: Scenario, competitor: PickCompetitor) =>
  scenario.absent?.(competitor, scenario.params.full);

it("a picker that probes is where backends answer, and the page says why it is nowhere else", () => {
  for (const scenario of [resonance, membership, membersChanging]) {
    assert.equal(absence(scenario, hotColdProbes), "no backend answers its probes here");
    assert.equal(absence(scenario, perWorkerRandom)?.includes("probes") ?? false, false);
  }
  for (const scenario of [uniform8, unevenBackends])
    assert.equal(absence(scenario, hotColdProbes), undefined);
});

it("uneven backends are for pickers that can be repeated and can serve a hundred of them, once for each kind", () => {
  assert.equal(absence(unevenBackends, noOp), "a floor picks nothing");
  assert.equal(absence(unevenBackends, shuffledRoundRobinMask), "backends are no power of two");
  const variant = { ...perWorkerRandom, variantOf: "per-worker-math-random" };
  assert.equal(absence(unevenBackends, variant), "it picks as what it is a variant of");
});

it("a race answers probes, and counts what is in flight", () => {
  const race = uniform8 as Race<PickCompetitor, Params, PickInstance>;
  const setup = { params: race.params.full, workers: 1, seed: 7, fork: 0 };
  const shared = race.prepare(hotColdProbes, setup);
  let answers = 0;
  const heard: PickCompetitor = {
    ...hotColdProbes,
    attach(...at) {
      const picker = hotColdProbes.attach(...at);
      const answer: typeof picker.probes.answer = (...args) => {
        answers++;
        picker.probes.answer(...args);
      };
      return { ...picker, probes: { ...picker.probes, answer } };
    },
  };
  const worker = { index: 0, workers: 1, role: "worker", seed: 7 };
  const runner = race.attach(heard, setup, shared, worker);
  const checksum = runner.run(100);
  assert.equal(answers, 3 * 100);
  const work = { role: "worker", operations: 100, checksum, counters: runner.counters!() };
  assert.equal(race.law(heard, setup, shared, [work]), undefined);
  const forgotten = { ...work, counters: { ...work.counters, inFlight: 0 } };
  assert.match(race.law(heard, setup, shared, [forgotten]) ?? "", /^inFlightIsConserved/);
});
