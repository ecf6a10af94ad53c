import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { usableCores } from "../engine/measure/machine/cores.ts";
import { busyMachine } from "../engine/measure/machine/host-noise.synthetic.ts";
import { PROFILES } from "../engine/measure/plan/plan.ts";
import { METHOD_VERSION } from "../engine/schema/envelope.ts";
import { makePlan } from "./plan/make-plan.ts";
import { announcement, beginRun, recordedRun } from "./recorded-run.ts";
import { smokeRequest } from "./request.synthetic.ts";

/** What others have: most of the cores, however many there are. */
const CORES = usableCores();
const BUSY = 0.75 * CORES;
const BY = `disturbed by other processes (${BUSY.toFixed(1)} of ${CORES} cores busy)`;

const PLAN = { seed: 1, profile: PROFILES.quick, size: "smoke" } as const;

/** The warning about a slow fork on a machine on which others keep these numbers of cores busy, second by second. */
async function saidSlow(othersCores: (second: number) => number): Promise<string[]> {
  const write = mock.method(process.stderr, "write", () => true);
  try {
    const run = beginRun(
      PLAN,
      { command: "test", argv: [], commit: null },
      undefined,
      busyMachine(othersCores),
    );
    await run.reportSlow("pick/uniform-8 2w", 4.8);
    run.end();
    return write.mock.calls.map(({ arguments: [text] }) => String(text));
  } finally {
    write.mock.restore();
  }
}

/** Looks at a machine on which others keep these numbers of cores busy, second by second, and then measures for a minute. */
async function observed(othersCores: (second: number) => number, waitQuietMs?: number) {
  const host = busyMachine(othersCores);
  const write = mock.method(process.stderr, "write", () => true);
  try {
    const run = beginRun(PLAN, { command: "test", argv: [], commit: null, waitQuietMs }, undefined, host);
    await run.observe();
    const begunMs = host.nowMs();
    await host.wait(60_000, run.signal);
    run.reportDisturbed("pick/uniform-8");
    const facts = run.end();
    const said = write.mock.calls.map(({ arguments: [text] }) => String(text));
    return { facts, begunMs, said: said.filter((text) => / left: |governor|quota/.test(text) === false) };
  } finally {
    write.mock.restore();
  }
}

describe("a run on a machine that is disturbed", () => {
  it("says so before, beside its tables, and in its record", async () => {
    const { facts, said, begunMs } = await observed(() => BUSY);
    assert.equal(begunMs, 500);
    assert.ok(said[0]!.startsWith(`${BY}: `), said[0]);
    assert.equal(said[1], `pick/uniform-8 was ${BY}\n`);
    assert.equal(said.length, 2);
    assert.deepEqual([facts.before.seconds, facts.before.othersCores], [0.5, BUSY]);
    assert.deepEqual([facts.after.seconds, facts.after.othersCores], [60, BUSY]);
    assert.equal(facts.methodVersion, METHOD_VERSION);
  });

  it("names the processes that make a fork slow, and none where none is known to", async () => {
    assert.deepEqual(await saidSlow(() => BUSY), [
      `pick/uniform-8 2w takes about 5 times as long as planned: ${BY}\n`,
    ]);
    assert.deepEqual(await saidSlow(() => 0), ["pick/uniform-8 2w takes about 5 times as long as planned\n"]);
  });

  it("begins when it is quiet, if it is to wait for that", async () => {
    const { facts, said, begunMs } = await observed((second) => (second < 5 ? BUSY : 0), 600_000);
    assert.deepEqual(said, []);
    assert.equal(begunMs, 7000);
    assert.deepEqual([facts.before.othersCores, facts.after.othersCores], [0, 0]);
  });

  it("begins nevertheless when it has waited long enough, and says so", async () => {
    const { facts, said, begunMs } = await observed(() => BUSY, 20_000);
    assert.equal(begunMs, 20_500);
    assert.equal(said[0], "not quiet after 20 s: measuring all the same\n");
    assert.ok(said[1]!.startsWith(`${BY}: `), said[1]);
    assert.equal(facts.before.othersCores, BUSY);
  });
});

it("a recorded run hands over each table when its worker count is done, and says its time after its first process", async () => {
  const filters = ["pick/uniform-8/cas-ring", "pick/resonance/cas-ring"];
  const plan = makePlan(await smokeRequest({ filters, workers: [1, 2] }));
  const said: unknown[] = [];
  const write = mock.method(process.stderr, "write", (text: string) => said.push(text.trimEnd()) > 0);
  const listener = {
    raced: (groups: readonly { readonly workers: number }[], isLast: boolean) =>
      said.push([...groups.map(({ workers }) => workers), isLast]),
    simulated: () => said.push("simulated"),
  };
  try {
    await recordedRun(plan, { command: "test", argv: [], commit: null }, listener);
  } finally {
    write.mock.restore();
  }
  const isOfTime = (text: unknown) =>
    typeof text !== "string" || /^(seed|at most|it takes|simulated)/.test(text);
  const [seed, time, ...rest] = said.filter(isOfTime);
  assert.equal(seed, `seed ${plan.seed}`);
  assert.match(String(time), /^at most about [\d.]+ s$/);
  assert.deepEqual(
    rest.filter((one) => !String(one).startsWith("it takes")),
    [[1, false], [2, true], "simulated"],
  );
});

it("a run says its time anew where it is longer, and why it may be", () => {
  assert.equal(announcement(330_000, false), "at most about 5 min 30 s");
  assert.match(
    announcement(400_000, true),
    /^it takes longer, about 6 min 40 s in all: the fewest processes of each group /,
  );
});
