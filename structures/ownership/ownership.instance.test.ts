import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, contractOf, loadCompetitor } from "../catalog.ts";
import { freeSeat } from "../shared/instance.ts";
import denseTimeline from "./competitors/dense-timeline.ts";
import eventTimeLog from "./competitors/event-time-log.ts";
import flatSlots from "./competitors/flat-slots.ts";
import seqlockSlots from "./competitors/seqlock-slots.ts";
import {
  type ClaimsCompetitor,
  NO_EVIDENCE,
  type OwnershipCompetitor,
  privateOwnership,
} from "./ownership.contract.ts";
import { attachTo, makeInstance, WRITER } from "./ownership.instance.ts";
import { exportClaims, rebuild } from "./parts/stream.ts";

const SETUP = { resources: 2, owners: 4, windowMs: 60_000, ranges: 16, workers: 2, since: 0 };

describe("ownership: an instance", () => {
  it("is written by one worker and read by others", () => {
    const instance = makeInstance(seqlockSlots, SETUP);
    const writer = attachTo(seqlockSlots, instance, WRITER);
    const reader = attachTo(seqlockSlots, structuredClone(instance), 1);
    writer.claim(0, 3, 10, 20);
    assert.deepEqual([reader.ownerAt(0, 19), reader.ownerAt(0, 20)], [3, NO_EVIDENCE]);
    const refused = { message: "worker 1 looks up: claim and trim in worker 0 alone" };
    assert.throws(() => reader.claim(0, 2, 10, 20), refused);
    assert.throws(() => reader.trim(15), refused);
    assert.equal(reader.ownerAt(0, 12), 3);
  });

  it("gives each worker a replica to fill where nothing is shared", () => {
    const instance = makeInstance(flatSlots, SETUP);
    const replicas = [0, 1].map((index) => attachTo(flatSlots, instance, index));
    for (const replica of replicas) replica.claim(0, 3, 10, 20);
    for (const replica of replicas) assert.equal(replica.ownerAt(0, 19), 3);
    const log = attachTo(eventTimeLog, makeInstance(eventTimeLog, SETUP), 1);
    log.change(0, 2, 10, 10);
    assert.equal(log.ownerAt(0, 11), 2);
  });

  it("is attached to by the structure that made it alone, for what it was made for, by one worker in a seat", () => {
    const instance = makeInstance(seqlockSlots, SETUP);
    assert.throws(() => attachTo(denseTimeline, instance, 0), {
      message: /^this instance was made by another competitor, ".+": attach with that one, not ".+"$/,
    });
    for (const changed of [{ workers: 3 }, { resources: 3 }, { ranges: 17 }])
      assert.throws(() => attachTo(seqlockSlots, { ...instance, setup: { ...SETUP, ...changed } }, 0), {
        name: "RangeError",
        message: /^(workers|resources|ranges) \d+ is not the \d+ that this instance was made for: /,
      });
    attachTo(seqlockSlots, instance, WRITER).claim(0, 3, 10, 20);
    assert.throws(() => attachTo(seqlockSlots, instance, WRITER), { message: /^seat 0 is taken: / });
    freeSeat(instance, WRITER);
    const next = attachTo(seqlockSlots, instance, WRITER);
    next.claim(0, 3, 20, 30);
    assert.deepEqual(next.rangesOf(0), [{ start: 10, end: 30, owner: 3 }]);
  });

  it("refuses a setup that cannot be in a line", () => {
    for (const [changed, message] of [
      [{ workers: 0 }, /^workers 0 is not an integer in 1 \.\. \d+$/],
      [{ owners: 0 }, /^owners 0 of the capacity is not an integer in 1 \.\. \d+$/],
      [{ since: -1 }, /^watermark -1 is not a time: /],
    ] as const)
      assert.throws(() => makeInstance(seqlockSlots, { ...SETUP, ...changed }), {
        name: "RangeError",
        message,
      });
  });

  it("is made again, with more room, of what another exports", () => {
    const before = attachTo(seqlockSlots, makeInstance(seqlockSlots, SETUP), WRITER);
    before.claim(0, 3, 10, 20);
    before.claim(0, 1, 15, 30);
    const larger = { ...SETUP, ranges: 32 };
    const after = attachTo(seqlockSlots, makeInstance(seqlockSlots, larger), WRITER);
    assert.equal(rebuild(after, larger, exportClaims(before, SETUP)), 3);
    assert.deepEqual(after.rangesOf(0), before.rangesOf(0));
  });
});

describe("ownership: the first claim of the present needs no trim", async () => {
  const contract = await contractOf("ownership");
  for (const { name, url } of competitorsOf("ownership")) {
    const competitor = (await loadCompetitor(url, contract)) as OwnershipCompetitor;
    it(name, { skip: competitor.unavailable?.() }, () => {
      const { since: _, ...today } = SETUP;
      const now = Date.now();
      if (competitor.hears === "claims") {
        const shared = attachTo(competitor, makeInstance(competitor, today), WRITER);
        for (const map of [shared, privateOwnership(competitor as ClaimsCompetitor, today)]) {
          assert.ok(map.claim(0, 1, now - 1_000, now + 1_000));
          assert.equal(map.ownerAt(0, now), 1);
        }
      } else {
        const log = attachTo(competitor, makeInstance(competitor, today), WRITER);
        log.change(0, 1, now - 100, now);
        log.change(1, 1, now + 61_000, now + 61_000);
        assert.equal(log.ownerAt(0, now), 1);
      }
    });
  }
});
