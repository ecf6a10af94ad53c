import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import hashedWheel from "../../structures/timers/competitors/hashed-wheel.ts";
import nodeSetTimeout from "../../structures/timers/competitors/node-set-timeout.ts";
import type { Survey } from "../shared/vocabulary.ts";
import { type MakeTimeouts, overNodeTimers, overTimeouts, refreshed } from "./event-loop.ts";

const INSTRUMENTS = {
  nowNs: () => 0,
  heldBytes: () => 0,
  competitorUrl: "",
  start: { file: "", args: [] },
  draw() {},
};

/** Runs a fleet at smoke size; returns its metrics and which law broke. */
async function surveyed(make: MakeTimeouts, competitor: unknown = hashedWheel) {
  const survey = refreshed("refreshed", "made up", make) as Survey<unknown, unknown>;
  const metrics = await survey.run(competitor, survey.params.smoke, 1, INSTRUMENTS);
  return { metrics, broken: survey.law(competitor, survey.params.smoke, metrics) };
}

/** Timeouts whose callback and calls are bent. */
function bent(bend: (honest: ReturnType<MakeTimeouts>, expired: (connection: number) => void) => object) {
  const make: MakeTimeouts = (competitor, connections, timeoutMs, expired) => {
    const honest = overTimeouts(competitor, connections, timeoutMs, expired);
    return { ...honest, ...bend(honest, expired) };
  };
  return make;
}

/**
 * The same in time of its own, a millisecond for each turn of the event loop. In real time a mutant may pass. Where the
 * process is held up for a whole timeout, a timer that no message moves is not early.
 */
async function surveyedInTurns({ mock }: TestContext, make: MakeTimeouts) {
  let nowMs = 0;
  mock.method(performance, "now", () => nowMs);
  mock.timers.enable({ apis: ["setTimeout", "setImmediate"] });
  let isOver = false;
  const outcome = surveyed(make).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    nowMs++;
    mock.timers.tick(1);
    await Promise.resolve();
  }
  return outcome;
}

describe("timeouts in real time", () => {
  it("call once for each connection that falls silent, in every watcher", async () => {
    const all = await Promise.all([
      surveyed(overTimeouts),
      surveyed(overNodeTimers),
      surveyed(overTimeouts, nodeSetTimeout),
    ]);
    for (const { metrics, broken } of all) {
      assert.equal(broken, undefined);
      assert.ok(metrics.fired! >= 40, `${metrics.fired} of 1,000`);
    }
  });

  it("are found to be early where a message does not move them", async (test) => {
    const { broken } = await surveyedInTurns(
      test,
      bent(() => ({ refresh() {} })),
    );
    assert.match(broken!, /^a timer was reported .* ticks before it was due$/);
  });

  it("are found to call twice", async (test) => {
    const twice: MakeTimeouts = (competitor, connections, timeoutMs, expired) =>
      overTimeouts(competitor, connections, timeoutMs, (connection) => {
        expired(connection);
        expired(connection);
      });
    const { broken, metrics } = await surveyedInTurns(test, twice);
    assert.equal(metrics.strays, metrics.fired! / 2);
    assert.match(broken!, /^\d+ reports were of timers no longer live$/);
  });

  it("are found to be lost", async (test) => {
    const { broken } = await surveyedInTurns(
      test,
      bent(({ end }) => ({ refresh: end })),
    );
    assert.match(broken!, /^\d+ timers never called$/);
  });
});
