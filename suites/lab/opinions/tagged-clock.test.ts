import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { atFullSpeed, TaggedClock } from "./tagged-clock.ts";

describe("samples at full speed", () => {
  const QUIET_NS = 10.8;
  const BUSY_NS = 21.7;
  /** One of two is quiet, and costs half. */
  const samples = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? 5 : 10));
  const tags = samples.map((ns) => (ns === 5 ? QUIET_NS : BUSY_NS));

  it("are the ones whose tags are about as fast as the fastest", () => {
    const { fullSpeedNs, quiet } = atFullSpeed(samples, tags);
    assert.equal(fullSpeedNs, QUIET_NS);
    assert.equal(quiet!.samples, 30);
    assert.deepEqual([quiet!.nsPerOperation.median, quiet!.nsPerOperation.max], [5, 5]);
  });

  it("have no figure where they are few, and none without tags", () => {
    assert.equal(atFullSpeed(samples.slice(0, 38), tags.slice(0, 38)).quiet, undefined);
    assert.deepEqual(atFullSpeed(samples, []), {});
  });
});

describe("the clock of a library", () => {
  function batch(clock: TaggedClock): number {
    const begunNs = clock.now();
    clock.begin();
    return clock.now() - begunNs;
  }

  it("keeps what the library read around each batch, the last ones of it", () => {
    const clock = new TaggedClock();
    const seen = Array.from({ length: 200 }, () => {
      clock.tag();
      return batch(clock);
    });
    const { fullSpeedNs, quiet } = clock.atFullSpeed(1, 100);
    assert.ok(fullSpeedNs! > 0);
    // However busy the machine is, its fastest batches are not all.
    assert.ok(quiet === undefined || quiet.samples <= 100);
    if (quiet !== undefined) assert.ok(seen.slice(100).includes(quiet.nsPerOperation.max));
  });

  it("ignores batches that the library took no time of", () => {
    const clock = new TaggedClock();
    for (let untimed = 0; untimed < 50; untimed++) {
      clock.tag();
      clock.begin();
    }
    clock.tag();
    clock.now();
    assert.deepEqual(clock.atFullSpeed(1, Number.POSITIVE_INFINITY), {});
  });
});
