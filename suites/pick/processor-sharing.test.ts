import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Random } from "../../structures/shared/sfc32.ts";
import { SharedProcessor } from "./processor-sharing.ts";

describe("a backend that shares its speed", () => {
  it("gives each request an equal part of it", () => {
    const backend = new SharedProcessor(1);
    const ended: string[] = [];
    const begin = (nowMs: number, workMs: number, name: string) =>
      backend.begin(nowMs, workMs, () => ended.push(name));
    begin(0, 10, "long");
    // Half of the long one is done. Then both go at half speed, until the short one has had its 2.
    begin(5, 2, "short");
    assert.equal(backend.inFlight, 2);
    assert.equal(backend.endMs, 9);
    assert.equal(backend.end(), 4);
    assert.equal(backend.endMs, 12);
    assert.equal(backend.end(), 12);
    assert.deepEqual(ended, ["short", "long"]);
    assert.deepEqual([backend.inFlight, backend.endMs, backend.doneMs], [0, Number.POSITIVE_INFINITY, 12]);
  });

  it("takes longer from the moment when it is slower", () => {
    const backend = new SharedProcessor(2);
    backend.begin(0, 20, () => {});
    backend.turn(5, 0.5);
    assert.equal(backend.endMs, 25);
    assert.equal(backend.end(), 25);
    assert.equal(backend.doneMs, 20);
  });

  it("expects what requests took lately that found about as many", () => {
    const backend = new SharedProcessor(1);
    assert.equal(backend.latencyMs, 0);
    for (const [beginMs, workMs] of [
      [0, 4],
      [10, 6],
      [20, 100],
    ] as const) {
      backend.begin(beginMs, workMs, () => {});
      backend.end();
    }
    assert.equal(backend.latencyMs, 6);
    // Nobody has found two in flight: it uses the workers that found none.
    backend.begin(200, 1, () => {});
    backend.begin(200, 1, () => {});
    assert.equal(backend.latencyMs, 6);
    backend.end();
    backend.end();
    backend.begin(300, 1, () => {});
    assert.equal(backend.latencyMs, 2);
  });

  it("takes 1 / (1 - load) times as long as alone on average, whatever the work is like", () => {
    const load = 0.5;
    const meanMs = 10;
    for (const work of [() => meanMs, (random: Random) => (random.below(10) === 0 ? 91 : 1)]) {
      const random = new Random(1);
      const backend = new SharedProcessor(1);
      let [arrivalMs, totalMs] = [0, 0];
      const requests = 40_000;
      for (let begun = 0, ended = 0; ended < requests; ) {
        if (begun < requests && arrivalMs <= backend.endMs) {
          backend.begin(arrivalMs, work(random), () => {});
          arrivalMs += (-meanMs / load) * Math.log(1 - random.fraction());
          begun++;
        } else {
          totalMs += backend.end();
          ended++;
        }
      }
      const expectedMs = meanMs / (1 - load);
      assert.ok(Math.abs(totalMs / requests - expectedMs) < 0.05 * expectedMs, `${totalMs / requests} ms`);
    }
  });
});
