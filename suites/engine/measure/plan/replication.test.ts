import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_TASK } from "../../capture/address.ts";
import { groupsIn } from "../../cli/race-tasks.ts";
import { evidenceOf, intervalOf } from "../../judge/verdict.ts";
import { mean } from "../../statistics.ts";
import { Random } from "../../words/random.ts";
import { PROFILES } from "./plan.ts";
import type { CrewResult } from "./protocol.ts";
import { bestRounds, replicated, scatterIn } from "./replication.ts";

const contestants = ["base", "other"].map((label) => ({ label, url: EMPTY_TASK }));
const race = { title: "a", baseline: 0, workers: 1, contestants };
const [planned] = groupsIn([race], PROFILES.standard);
const GROUP = { ...planned!, rounds: 100, mostRounds: 300 };
const NAMES = GROUP.crews
  .filter(({ kind }) => kind === "baseline" || kind === "rival")
  .map(({ name }) => name);

/** Deviations of logarithms: from process to process, and from round to round. */
interface Noise {
  readonly between: number;
  readonly within: number;
}

/** Draws by a normal distribution (Box and Muller). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction());
}

/** What a process sees of crews that are equal. */
function processOf(random: Random, rounds: number, { between, within }: Noise): { crews: CrewResult[] } {
  const crews = NAMES.map((name) => {
    const level = Math.log(100) + between * normal(random);
    const costs = Array.from({ length: rounds }, () => Math.exp(level + within * normal(random)));
    const worker = { operations: costs.map(() => 1000), startNs: costs.map(() => 0), tagNs: [] };
    return {
      ...{ name, warmUp: { slices: 8, flat: true }, batches: [1] },
      rounds: [...costs.keys()],
      workers: [{ ...worker, endNs: costs.map((ns) => 1000 * ns) }],
    };
  });
  return { crews };
}

const processesOf = (random: Random, count: number, rounds: number, noise: Noise) =>
  Array.from({ length: count }, () => processOf(random, rounds, noise));

describe("how many rounds a process should have", () => {
  it("is the number that an exhaustive search finds", () => {
    for (const [processInRounds, between, ofRound] of [
      [100, 0.0001, 0.0001],
      [300, 0.0041, 0.0004],
      [50, 0.00001, 0.01],
    ] as const) {
      const varianceOf = (rounds: number) => (between + ofRound / rounds) * (processInRounds + rounds);
      const all = Array.from({ length: 2000 }, (_, index) => index + 1);
      const best = all.reduce((least, rounds) => (varianceOf(rounds) < varianceOf(least) ? rounds : least));
      assert.ok(Math.abs(bestRounds(processInRounds, { between, ofRound }) - best) <= 0.5);
    }
    assert.equal(bestRounds(100, { between: 0, ofRound: 1 }), Number.POSITIVE_INFINITY);
  });

  it("follows from scatter that is seen as it was made", () => {
    const noise = { between: 0.06, within: 0.05 };
    const seen = processesOf(new Random(1), 400, 200, noise);
    const { ofProcesses, ofRound } = scatterIn(seen, NAMES[0]!, NAMES.slice(1))!;
    // Of a ratio of two crews; and a median scatters pi / 2 times as much as a mean.
    const between = ofProcesses - ofRound / 200;
    assert.ok(Math.abs(between / (2 * noise.between ** 2) - 1) < 0.15, `${between}`);
    assert.ok(Math.abs(ofRound / (2 * noise.within ** 2 * (Math.PI / 2)) - 1) < 0.15, `${ofRound}`);
    assert.equal(scatterIn(seen.slice(0, 1), NAMES[0]!, NAMES), undefined);
  });

  it("is less where processes differ by more than their rounds do, and as planned elsewhere", () => {
    const random = new Random(2);
    const shortened = (noise: Noise) =>
      Array.from({ length: 50 }, () => processesOf(random, 4, GROUP.rounds, noise)).filter(
        (seen) => replicated(GROUP, seen, 2 * GROUP.rounds, 1).rounds < GROUP.rounds,
      ).length;
    assert.equal(shortened({ between: 0.06, within: 0.01 }), 50);
    const lucky = shortened({ between: 0, within: 0.05 });
    assert.ok(lucky <= 5, `${lucky}`);
    const seen = processesOf(random, 4, GROUP.rounds, { between: 0.06, within: 0.01 });
    const timed = replicated({ ...GROUP, beyondSlicesMs: 50 }, seen, 2 * GROUP.rounds, 1);
    assert.deepEqual([timed.rounds, timed.mostRounds, timed.beyondSlicesMs], [24, 72, 12]);
  });

  it("shows more in the same time, and errs as often as it says", () => {
    const noise = { between: 0.06, within: 0.03 };
    const random = new Random(3);
    const reach = { planned: [] as number[], chosen: [] as number[] };
    let missed = 0;
    for (let race = 0; race < 300; race++) {
      const first = processesOf(random, 4, GROUP.rounds, noise);
      /** In the time of twelve processes as planned, after those. */
      const interval = (rounds: number) => {
        const others = Math.floor((12 * 2 * GROUP.rounds) / (GROUP.rounds + rounds));
        const seen = [...first, ...processesOf(random, others, rounds, noise)];
        return intervalOf(evidenceOf(seen.map(ratioIn), []), 0.95);
      };
      const planned = interval(GROUP.rounds);
      const chosen = interval(replicated(GROUP, first, 2 * GROUP.rounds, 1).rounds);
      reach.planned.push(planned.high - planned.low);
      reach.chosen.push(chosen.high - chosen.low);
      if (chosen.low > 0 || chosen.high < 0) missed++;
    }
    assert.ok(mean(reach.chosen) < 0.82 * mean(reach.planned), `${mean(reach.chosen) / mean(reach.planned)}`);
    // 5 % of 300, and three deviations more.
    assert.ok(missed <= 26, `${missed}`);
  });
});

function ratioIn({ crews }: { readonly crews: readonly CrewResult[] }): number {
  const [base, other] = crews.map(({ workers }) => mean(workers[0]!.endNs.map(Math.log)));
  return other! - base!;
}
