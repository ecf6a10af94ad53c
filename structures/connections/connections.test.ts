import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testLaws } from "../shared/law-tests.ts";
import hashedWheel from "./competitors/hashed-wheel.ts";
import sourceWheel from "./competitors/source-wheel.ts";
import sourceWheelMended from "./competitors/source-wheel-mended.ts";
import type { ConnectionsCompetitor } from "./connections.contract.ts";
import { examination } from "./connections.examination.ts";
import * as laws from "./connections.laws.ts";
import { mutants } from "./connections.mutants.ts";
import { VirtualLoop } from "./parts/virtual-loop.ts";

await testLaws({ primitive: "connections", examination, mutants, laws, isExact: true });

describe("a watcher and the server that it serves", () => {
  const TIMEOUT_MS = 1_000;
  const silent = (place: number) => ({ place, ping() {} });

  it("expires the next though the server threw for the one before", () => {
    const loop = new VirtualLoop();
    const expired: number[] = [];
    const watcher = hashedWheel.watch({
      capacity: 3,
      timeoutMs: TIMEOUT_MS,
      loop,
      expired({ place }) {
        expired.push(place);
        throw new Error("planned");
      },
    });
    for (const place of [0, 1, 2]) watcher.opened(silent(place));
    for (let error = 0; error < 3; error++) assert.throws(() => loop.run(2 * TIMEOUT_MS), /planned/);
    loop.run(3 * TIMEOUT_MS);
    assert.deepEqual(expired, [0, 1, 2]);
    assert.equal(watcher.size, 0);
  });

  it("waits for one timeout where the loop never catches up with what comes", () => {
    const loop = new VirtualLoop();
    const expiredAtMs: number[] = [];
    const expired = () => void expiredAtMs.push(loop.now() - beganMs);
    const watcher = hashedWheel.watch({ capacity: 2, timeoutMs: TIMEOUT_MS, loop, expired });
    const beganMs = loop.now();
    const busy = silent(1);
    watcher.opened(silent(0));
    watcher.opened(busy);
    // It takes the server longer to read a message than the client to send one.
    const read = () => {
      loop.at(0.5, read);
      loop.stand(1);
      watcher.heard(busy);
    };
    loop.at(TIMEOUT_MS / 2, read);
    while (expiredAtMs.length === 0 && loop.now() - beganMs < 3 * TIMEOUT_MS)
      loop.run(loop.now() - beganMs + 1);
    assert.equal(expiredAtMs.length, 1);
    assert.ok(expiredAtMs[0]! >= 2 * TIMEOUT_MS && expiredAtMs[0]! <= 2 * TIMEOUT_MS + 20, `${expiredAtMs}`);
    assert.equal(watcher.size, 1);
  });

  it("is refused a place that there is not, and one that is taken", () => {
    const loop = new VirtualLoop();
    const watcher = hashedWheel.watch({ capacity: 2, timeoutMs: TIMEOUT_MS, loop, expired() {} });
    for (const place of [2, -1, 0.5, Number.NaN])
      assert.throws(() => watcher.opened(silent(place)), {
        name: "RangeError",
        message: /below the capacity of 2/,
      });
    watcher.opened(silent(1));
    assert.throws(() => watcher.opened(silent(1)), { name: "RangeError", message: /has not closed/ });
    assert.equal(watcher.size, 1);
  });
});

describe("the source's wheel", () => {
  /** Seconds after which a connection expires that opens halfway between two ticks and never sends. */
  function expiresAfter({ watch }: ConnectionsCompetitor, timeoutMs: number): number {
    const loop = new VirtualLoop();
    let afterMs = Number.NaN;
    const openMs = 500;
    const expired = () => {
      afterMs = loop.now() - openedMs;
    };
    const watcher = watch({ capacity: 1, timeoutMs, loop, expired });
    loop.run(openMs);
    const openedMs = loop.now();
    watcher.opened({ place: 0, ping() {} });
    loop.run(300_000);
    return Math.round(afterMs) / 1000;
  }

  it("as written closes half a second early, and in the 31st second once it is mended", () => {
    assert.deepEqual(
      [29.5, 30.5],
      [sourceWheel, sourceWheelMended].map((one) => expiresAfter(one, 30_000)),
    );
  });

  it("as written takes a lap too many for a timeout of one lap", () => {
    assert.deepEqual(
      [119.5, 60.5],
      [sourceWheel, sourceWheelMended].map((one) => expiresAfter(one, 60_000)),
    );
  });
});
