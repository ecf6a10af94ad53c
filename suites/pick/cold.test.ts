import assert from "node:assert/strict";
import { it } from "node:test";
import perWorkerRandom from "../../structures/pick/competitors/per-worker-random.ts";
import twoChoices from "../../structures/pick/competitors/two-choices.ts";
import type { Simulation } from "../shared/vocabulary.ts";
import { type Joining, join } from "./cold.ts";
import scenarios from "./scenarios/cold-backend.ts";

const [{ params, run, law }] = scenarios as unknown as [Simulation<typeof twoChoices, Joining>];
const BRIEF = { ...params.full, joinsMs: 500, lastMs: 1_500 };

it("many that take the less loaded of two flood a cold backend, and do not in its slow start", () => {
  const seen = run(twoChoices, BRIEF, 1);
  assert.equal(law(twoChoices, BRIEF, seen), undefined);
  const { shareAtOnce, shareSlowly } = seen.metrics;
  assert.ok(shareAtOnce! > 0.5 && shareSlowly! < 0.2, JSON.stringify(seen.metrics));
  assert.deepEqual(run(twoChoices, BRIEF, 1), seen);
});

it("a backend that is warm at once gets its fair share of random picks, and is as quick as any", () => {
  const { since } = join(perWorkerRandom, { ...params.full, slowness: 1, lastMs: 12_000 }, undefined, 1);
  const its = since.filter(({ isNew }) => isNew);
  assert.ok(Math.abs((9 * its.length) / since.length - 1) < 0.1, `${its.length} of ${since.length}`);
  const mean = (of: typeof since) => of.reduce((sum, { tookMs }) => sum + tookMs, 0) / of.length;
  assert.ok(Math.abs(mean(its) / mean(since) - 1) < 0.2, `${mean(its)} ms of ${mean(since)} ms`);
});
