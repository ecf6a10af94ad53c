import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { importTail } from "../described.ts";
import { surveyTail } from "./tail.ts";

const SUITE = new URL("./tail.synthetic.ts", import.meta.url).href;

/** One of the synthetic tails, by two workers of this process. */
async function surveyed(scenario: string) {
  const described = await importTail(SUITE, scenario);
  const start = { file: process.execPath, args: [] };
  const plan = { primitive: "synthetic", scenario, moduleUrl: SUITE, forks: 1, bytes: 0, absent: [], start };
  return surveyTail(described, {
    lab: undefined,
    scenario: { ...plan, oversubscribed: false },
    entry: { name: "counter", url: SUITE },
    seed: 1,
    size: "smoke",
  });
}

describe("a tail", () => {
  it("times every operation of the role that it shows, and has a percentile only of enough of them", async () => {
    const { failure, metrics } = await surveyed("counted-2");
    assert.equal(failure, undefined);
    const { operations, p50, p99, p999, max } = metrics;
    assert.equal(operations, 2_000);
    assert.ok(p50! > 0 && p50! <= p99! && p99! <= max!);
    assert.equal(p999, undefined);
  });

  it("has no figures where its race's law is broken", async () => {
    const { failure, metrics } = await surveyed("forgotten-2");
    assert.equal(failure?.kind, "law");
    assert.match(failure!.reason, /^\d+ operations, \d+ counted$/);
    assert.deepEqual(metrics, {});
  });

  it("ends with what one worker throws, though others wait for that one", async () => {
    await assert.rejects(surveyed("thrown-2"), /^Error: no more$/);
  });
});
