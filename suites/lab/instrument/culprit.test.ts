import assert from "node:assert/strict";
import { it } from "node:test";
import type { RaceJob } from "../../engine/measure/plan/protocol.ts";
import { Culprits } from "../../engine/measure/run/culprit.ts";
import { makePlan } from "../plan/make-plan.ts";
import { smokeRequest } from "../request.synthetic.ts";

it("no crew is the culprit where the instrument found itself broken, however often in its turn", async () => {
  const plan = makePlan(await smokeRequest({ workers: [1], filters: ["pick/uniform-8/cas-ring"] }));
  const [{ race: _, ...group }] = plan.groups as [(typeof plan.groups)[number]];
  const { lab, patienceMs, seed, size } = plan;
  const job: RaceJob = { kind: "race", lab, group, patienceMs, fork: 0, firstCore: 0, seed, size };
  const culprits = new Culprits();
  const waiting = { estimateMs: 1_000, signal: new AbortController().signal };
  for (let lost = 0; lost < 3; lost++) {
    const failure = { kind: "fault", reason: "two crews in one memory" } as const;
    const found = await culprits.find(job, { kind: "lost", failure, turn: 1, isInstruments: true }, waiting);
    assert.equal(found, undefined);
  }
});
