import assert from "node:assert/strict";
import { describe, it } from "node:test";
import hotColdProbes from "../../structures/pick/competitors/hot-cold-probes.ts";
import peakEwma from "../../structures/pick/competitors/peak-ewma.ts";
import perWorkerRandom from "../../structures/pick/competitors/per-worker-random.ts";
import staticStride from "../../structures/pick/competitors/static-stride.ts";
import twoChoices from "../../structures/pick/competitors/two-choices.ts";
import type { PickCompetitor } from "../../structures/pick/pick.contract.ts";
import { quantile } from "../engine/statistics.ts";
import { requestsAreServed, type Serving, serve } from "./serving.ts";

const SERVING: Serving = { backends: 20, processes: 5, workers: 2, utilisation: 0.75, seconds: 5 };

describe("requests at uneven backends", () => {
  it("are the same ones for every picker, and the same again from the same seed", () => {
    const seen = [perWorkerRandom, twoChoices, hotColdProbes].map((picker) => serve(picker, SERVING, 1));
    assert.equal(new Set(seen.map(({ requests }) => requests)).size, 1);
    assert.equal(new Set(seen.map(({ offeredMs }) => offeredMs)).size, 1);
    assert.deepEqual(serve(hotColdProbes, SERVING, 1), seen[2]);
    assert.notEqual(serve(hotColdProbes, SERVING, 2).offeredMs, seen[2]!.offeredMs);
  });

  it("come as often and are as large as is said", () => {
    const { requests, offeredMs } = serve(perWorkerRandom, { ...SERVING, seconds: 20 }, 1);
    // Ten backends of speed 1 and ten of 1.4, all of them at half speed for a quarter of the time.
    const capacity = (10 + 14) * 0.875;
    assert.ok(Math.abs(requests / (20_000 * 0.075 * capacity) - 1) < 0.03, `${requests} requests`);
    assert.ok(Math.abs(offeredMs / requests / 10 - 1) < 0.1, `${offeredMs / requests} ms`);
  });

  it("all end, and each is reported to its picker", () => {
    for (const picker of [perWorkerRandom, staticStride, twoChoices, peakEwma, hotColdProbes])
      assert.equal(requestsAreServed(serve(picker, SERVING, 1)), undefined);
  });

  it("get nobody past the law that lost one, did other work, or forgot to release", () => {
    const seen = serve(twoChoices, SERVING, 1);
    const breaks = (changes: Partial<typeof seen>, how: RegExp) =>
      assert.match(requestsAreServed({ ...seen, ...changes }) ?? "", how);
    breaks({ requests: seen.requests + 1 }, /1 did not end/);
    breaks({ doneMs: seen.doneMs * 1.001 }, /were done/);
    breaks({ unreleased: 1 }, /1 requests are under way/);
    const forgetful: PickCompetitor = {
      ...twoChoices,
      attach(...at) {
        const { pick } = twoChoices.attach(...at);
        return { pick, release() {} };
      },
    };
    assert.equal(serve(forgetful, SERVING, 1).unreleased, seen.requests);
  });

  it("are three probes each for who probes three times, and none for others", () => {
    const { probes, requests } = serve(hotColdProbes, SERVING, 1);
    assert.equal(probes, 3 * requests);
    assert.equal(serve(twoChoices, SERVING, 1).probes, 0);
  });

  it("wait less the more their picker knows of loads", () => {
    const p99 = [perWorkerRandom, staticStride, twoChoices].map((picker) =>
      quantile(serve(picker, SERVING, 1).latenciesMs, 0.99),
    );
    assert.deepEqual(
      p99.toSorted((one, other) => other - one),
      p99,
    );
  });
});
