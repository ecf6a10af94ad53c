import assert from "node:assert/strict";
import { it } from "node:test";
import { Dispatcher } from "undici";
import { Load, scheduleOf } from "./load.ts";

const RATE = { requests: 40, perSecond: 1_000, meanDemandMs: 4 };
const STANDSTILL_MS = 60;

it("the same seed has the same requests, due at the rate and in order", () => {
  const many = { ...RATE, requests: 20_000 };
  const { dueMs, demandMs } = scheduleOf(many, 1);
  assert.deepEqual({ dueMs, demandMs }, scheduleOf(many, 1));
  assert.notDeepEqual(dueMs, scheduleOf(many, 2).dueMs);
  assert.deepEqual(
    dueMs,
    dueMs.toSorted((a, b) => a - b),
  );
  assert.ok(Math.abs(dueMs.at(-1)! / 20_000 - 1) < 0.05, String(dueMs.at(-1)));
  const mean = demandMs.reduce((sum, ms) => sum + ms, 0) / demandMs.length;
  assert.ok(Math.abs(mean / 4 - 1) < 0.05 && Math.min(...demandMs) === 1, String(mean));
});

it("the times of requests that a standstill delays count from when they were due", async () => {
  /** Answers at once, but stands still at its first request. */
  class StandsStill extends Dispatcher {
    #hasStood = false;

    override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const until = performance.now() + (this.#hasStood ? 0 : STANDSTILL_MS);
      this.#hasStood = true;
      while (performance.now() < until);
      handler.onResponseEnd!({} as Dispatcher.DispatchController, {});
      return true;
    }
  }
  const load = new Load(scheduleOf(RATE, 1), { timeoutMs: 10_000, patienceMs: 10_000 });
  const requests = await load.sendTo(new StandsStill());
  assert.equal(requests.length, RATE.requests);
  for (const { dueMs, lateMs, tookMs } of requests.slice(1)) {
    assert.ok(tookMs >= lateMs, `${tookMs} and ${lateMs}`);
    assert.ok(dueMs + lateMs >= STANDSTILL_MS, `due at ${dueMs}, late by ${lateMs}`);
  }
});
