import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { itJudgesAsWritten } from "../interleave/calls.trials.ts";
import { testLaws } from "../shared/law-tests.ts";
import { Random } from "../shared/sfc32.ts";
import perWorkerOffset from "./competitors/per-worker-round-robin-offset.ts";
import shuffledRoundRobin from "./competitors/shuffled-round-robin.ts";
import smoothWeighted from "./competitors/smooth-weighted.ts";
import staticStride from "./competitors/static-stride.ts";
import versionedTable from "./competitors/versioned-table.ts";
import { beginningIn, foldAt, seamsCrossed } from "./parts/rotation.ts";
import { membership, PlayedCrew, resonance } from "./parts/simulation.ts";
import { contract, type PickCompetitor, type PickSetup } from "./pick.contract.ts";
import { examination, examinationThreads } from "./pick.examination.ts";
import { attachPicker, makePicker } from "./pick.instance.ts";
import * as laws from "./pick.laws.ts";
import { mutants } from "./pick.mutants.ts";

/** Mutants have their own: what V8 has learnt of all competitors makes code slower, and races rarer. */
const [threads, mutantsThreads] = [examinationThreads(), examinationThreads()];
after(() => Promise.all([threads.destroy(), mutantsThreads.destroy()]));

/**
 * The first two are nothing but others in turn. The rest are a race's stand-ins, from the one sum it keeps, for what an
 * examination learns from the counts: noWorseThanChance and sharesFollowWeights, whose mutants break both.
 */
const WITHOUT_MUTANT = [
  "totalsAreRight",
  "excerptsAreRight",
  "meanIsUniform",
  "sumsScatter",
  "checksumFollowsWeights",
];
await testLaws({
  primitive: "pick",
  examination: { ...examination, examine: (url) => examination.examine(url, undefined, threads) },
  mutants,
  laws,
  without: WITHOUT_MUTANT,
  examineMutant: (url, breaks) => examination.examine(url, breaks, mutantsThreads),
  tries: 10,
});

it("pick: what a competitor says of its limits can stand in a sentence", async () => {
  for (const { name, url } of [...competitorsOf("pick"), ...mutants]) {
    const competitor = (await loadCompetitor(url, contract)) as PickCompetitor;
    const said = [1, 2, 7, 8, 1000, 2 ** 20].flatMap((backends) => [
      competitor.refuses?.({ backends }),
      competitor.refuses?.({ backends, weights: new Array<number>(backends).fill(65_535) }),
    ]);
    for (const reason of [...said, competitor.unavailable?.()]) {
      if (reason !== undefined) assert.match(reason, /^[a-z0-9].*[^.\s]$/, name);
    }
  }
});

/** What four backends would show after one worker made ten picks, but for what a case says. */
function work({
  picks = 10,
  checksum = 0,
  counters = {},
  perWorker = [{ picks, checksum, counters }],
  state = {},
  ...setup
}: Partial<PickSetup & laws.WorkerPicks & laws.PickWork>): laws.PickWork {
  return {
    setup: { backends: 4, seed: 0, firstTicket: 0, workers: perWorker.length, ...setup },
    state,
    perWorker,
  };
}

/** One worker's looks, after 200,000 picks each, whose sums stray from the mean at every other. */
function looks(strayed: number): laws.PickWork {
  const earlier = Array.from({ length: 8 }, (_, look) => {
    const picks = 200_000 * (look + 1);
    return { picks, checksum: (1.5 * picks + strayed * (look % 2)) | 0, counters: {} };
  });
  return work({ perWorker: [{ ...earlier.pop()!, earlier }] });
}

function excerpt(order: PickCompetitor["order"], before: number, picks: readonly number[]) {
  const setup = { backends: 8, seed: 0, firstTicket: 5, workers: 1 };
  return laws.excerptsAreRight({ order }, setup, [{ before, picked: Int32Array.from(picks) }]);
}

/** Two workers have three requests in flight. */
function inFlight(...counts: number[]): laws.PickWork {
  const perWorker = [2, 1].map((held) => ({ picks: 9, checksum: 0, counters: { inFlight: held } }));
  return work({ perWorker, state: { inFlight: counts } });
}

const answer = { backend: 3, inFlight: 2, latency: 9, heardMs: 100 };
const known = { answers: [answer, { ...answer, backend: 1 }], hotAbove: 2 };

itJudgesAsWritten("pick: laws on histories made by hand", new URL("testdata/laws.txt", import.meta.url), {
  ...laws,
  ...{ work, looks, excerpt, inFlight, answer, known },
  handedOut: (count: number, modulo: number, counters = {}) =>
    work({ state: { handedOut: { count, modulo } }, counters }),
  rotates: (more: object) => work({ state: { rotation: [2, 0, 3, 1] }, ...more }),
  whole: { picks: 4, checksum: 6, counters: {} },
  across: { backends: 3, firstTicket: 2 ** 32 - 2, picks: 4, state: { rotation: [0, 1, 2] } },
  gap: (most: number) => ({ ...shuffledRoundRobin, gapBound: () => most }),
  share: (most: number) => ({ ...staticStride, shareBound: () => most }),
  sequence: (length: number, last: number) =>
    Int32Array.from({ length }, (_, at) => (at === length - 1 ? last : at % 3)),
  heard: (change: object) =>
    new Map(known.answers.map((one) => [one.backend, one])).set(3, { ...answer, ...change }),
  answers: [30, 20, 10].map((latency, at) => ({ backend: at, inFlight: at + 1, latency, heardMs: 0 })),
});

describe("pick: laws on histories of many lengths", () => {
  it("the gap allows what the worst of all counts adds up to, and no more", () => {
    for (const backends of [2, 3, 4, 7, 8]) {
      let furthest = 0;
      const traits = { ...shuffledRoundRobin, gapBound: () => 1 };
      // Counts that differ by 1 at most: a bit for each backend says whether it has the one more.
      for (let bits = 0; bits < 2 ** backends; bits++) {
        const extra = Array.from({ length: backends }, (_, backend) => (bits >> backend) & 1);
        const picks = extra.reduce((total, one) => total + one, 0);
        const checksum = extra.reduce((total, one, backend) => total + one * backend, 0);
        furthest = Math.max(furthest, checksum - (picks * (backends - 1)) / 2);
        assert.equal(laws.checksumFitsGap(traits, work({ backends, picks, checksum })), undefined);
      }
      assert.equal(furthest, Math.floor(backends ** 2 / 4) / 2);
      // As many picks as two rotations, so that the mean is whole, and the next whole number beyond what is allowed.
      const beyond = backends * (backends - 1) + Math.floor(furthest) + 1;
      const broken = laws.checksumFitsGap(traits, work({ backends, picks: 2 * backends, checksum: beyond }));
      assert.match(broken ?? "", /^checksumFitsGap/);
    }
  });

  it("a seam is crossed by going on past it", () => {
    const crossed = (firstTicket: number, picks: number) =>
      seamsCrossed({ backends: 3, seed: 0, firstTicket, workers: 1 }, picks, 16);
    assert.deepEqual(
      [crossed(14, 2), crossed(14, 3), crossed(16, 16), crossed(16, 0), crossed(0, 33)],
      [0, 1, 0, 0, 2],
    );
  });
});

it("pick: a fixed rotation piles periodic heavy requests up by as much as arithmetic says", () => {
  // Every P-th request costs 10, the others 1: max over mean load of N backends in a fixed order. The source document's
  // own picker (github tkp1n/lb) does the same; the figures come from the facts collected about it.
  for (const [backends, period, expected] of [
    [8, 8, 4.71],
    [8, 4, 3.08],
    [7, 7, 4.38],
    [8, 6, 1.6],
  ] as const) {
    // A whole number of rotations and of periods, so that nothing is left over.
    const requests = 1_000 * backends * period;
    const { maxOverMean } = resonance(
      shuffledRoundRobin,
      { backends, seed: 1, firstTicket: 0, workers: 4 },
      period,
      requests,
    );
    assert.equal(Math.round(maxOverMean * 100) / 100, expected, `${backends} backends, period ${period}`);
  }
});

describe("pick: weights", () => {
  const WEIGHINGS = 60;
  const PICKS = 5_000;

  for (const [name, competitor] of Object.entries({ staticStride, smoothWeighted })) {
    it(`${name} gives any backends their share, and equal ones the same, across the fold of its own period`, () => {
      const random = new Random(1);
      for (let weighing = 0; weighing < WEIGHINGS; weighing++) {
        const backends = 1 + random.below(12);
        const heaviest = [1, 3, 100, 65_535][weighing % 4]!;
        const weights = Array.from({ length: backends }, () => 1 + random.below(heaviest));
        const period = backends * Math.max(...weights);
        const fold = foldAt(period);
        const firstTicket = fold - 1;
        // A distance by which the first turn is near enough to the fold.
        let seed = weighing;
        while (fold - beginningIn({ firstTicket, seed }, period) > PICKS) seed++;
        const setup = { backends, weights, firstTicket, seed, workers: 2 };
        const crew = new PlayedCrew(competitor, setup);
        const counts = new Array<number>(backends).fill(0);
        for (let pick = 0; pick < PICKS; pick++) counts[crew.pick(pick % 2)]!++;

        const bound = competitor.shareBound(setup);
        assert.equal(laws.sharesFollowWeights(counts, weights, bound), undefined, weights.join());
        assert.equal(laws.totalsAreRight(competitor, crew.work()), undefined, weights.join());
        for (const weight of weights) {
          const alike = counts.filter((_, backend) => weights[backend] === weight);
          assert.equal(laws.gapIsBounded(alike, competitor.gapBound(setup)), undefined, weights.join());
        }
      }
    });
  }

  it("the smooth order is the one that nginx gives as its example", () => {
    const crew = new PlayedCrew(smoothWeighted, {
      backends: 3,
      weights: [5, 1, 1],
      seed: 1,
      firstTicket: 0,
      workers: 1,
    });
    assert.deepEqual(
      Array.from({ length: 7 }, () => crew.pick(0)),
      [0, 0, 1, 0, 2, 0, 0],
    );
  });
});

it("pick: a change of members loses no request, and one that reaches no backend is seen", () => {
  const setup = { backends: 8, seed: 1, firstTicket: 0, workers: 2 };
  assert.equal(membership(shuffledRoundRobin, setup, 100).strays, 0);
  const given = membership(versionedTable, setup, 100);
  assert.deepEqual([given.strays, given.newWords], [0, 0]);
  assert.ok(given.newcomerWait < setup.backends);
  // It goes on picking the last backend of eight where seven are left.
  const forgetful: PickCompetitor = { ...shuffledRoundRobin, attach: () => ({ pick: () => 7 }) };
  assert.equal(membership(forgetful, setup, 100).strays, 100);
});

it("pick: workers that begin evenly apart are so at any number of them", () => {
  for (const [workers, apart] of [
    [1, [0]],
    [3, [0, 2, 5]],
    [4, [0, 2, 4, 6]],
    [8, [0, 1, 2, 3, 4, 5, 6, 7]],
  ] as const) {
    const instance = makePicker(perWorkerOffset, { backends: 8, workers });
    const picked = apart.map((_, worker) => attachPicker(perWorkerOffset, instance, worker).pick());
    assert.deepEqual(
      picked.map((backend) => (backend - picked[0]! + 8) % 8),
      apart,
    );
  }
});

it("pick: an instance has a seed of its own and begins at ticket 0 by default", () => {
  const setups = [{}, {}, { seed: undefined, firstTicket: undefined }].map(
    (given) => makePicker(shuffledRoundRobin, { backends: 8, workers: 1, ...given }).setup,
  );
  assert.equal(new Set(setups.map(({ seed }) => seed)).size, setups.length);
  assert.ok(setups.every(({ seed, firstTicket }) => seed >>> 0 === seed && firstTicket === 0));
  assert.equal(makePicker(shuffledRoundRobin, { backends: 8, workers: 1, seed: 7 }).setup.seed, 7);
});
