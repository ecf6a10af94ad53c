import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, contractOf, loadCompetitor } from "../catalog.ts";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { freeSeat } from "../shared/instance.ts";
import { Interner } from "../shared/interner.ts";
import { Random } from "../shared/sfc32.ts";
import denseTimeline from "./competitors/dense-timeline.ts";
import eventTimeLog from "./competitors/event-time-log.ts";
import flatSlots from "./competitors/flat-slots.ts";
import seqlockSlots from "./competitors/seqlock-slots.ts";
import wasmSeqlockSlots from "./competitors/wasm-seqlock-slots.ts";
import {
  attributed,
  type ClaimsCompetitor,
  inferred,
  isInferred,
  NO_EVIDENCE,
  type OwnershipCompetitor,
  privateOwnership,
} from "./ownership.contract.ts";
import { attachOwnership, makeOwnership, WRITER } from "./ownership.instance.ts";
import { exportClaims, rebuild } from "./parts/stream.ts";

const SETUP = { resources: 2, owners: 4, windowMs: 60_000, ranges: 16, workers: 2, since: 0 };

describe("ownership: an instance", () => {
  it("is written by one worker and read by others", () => {
    const instance = makeOwnership(seqlockSlots, SETUP);
    const writer = attachOwnership(seqlockSlots, instance, WRITER);
    const reader = attachOwnership(seqlockSlots, structuredClone(instance), 1);
    writer.claim(0, 3, 10, 20);
    assert.deepEqual([reader.ownerAt(0, 19), reader.ownerAt(0, 20)], [3, NO_EVIDENCE]);
  });

  it("whose lookups are in WebAssembly has the words of seqlock-slots, and the Memory they are in", () => {
    const setup = { ...SETUP, owners: 2 ** 31 - 1 };
    const lastOwner = 2 ** 31 - 2;
    const instance = makeOwnership(wasmSeqlockSlots, setup);
    const writer = attachOwnership(wasmSeqlockSlots, instance, WRITER);
    const reader = attachOwnership(wasmSeqlockSlots, structuredClone(instance), 1);
    const twin = seqlockSlots.attach(instance.memory, setup);
    writer.claim(1, lastOwner, 10, 20);
    twin.claim(1, lastOwner, 24, 30);
    for (const { ownerAt } of [writer, reader, twin]) {
      // The answer that this owner is inferred is below any int32.
      assert.deepEqual(
        [ownerAt(1, 12.5), ownerAt(1, 22), ownerAt(1, 22, 4), ownerAt(1, 22, 3.5), ownerAt(1, Number.NaN, 4)],
        [lastOwner, NO_EVIDENCE, inferred(lastOwner), NO_EVIDENCE, NO_EVIDENCE],
      );
    }
  });

  it("gives each worker a replica to fill where nothing is shared", () => {
    const instance = makeOwnership(flatSlots, SETUP);
    const replicas = [0, 1].map((index) => attachOwnership(flatSlots, instance, index));
    for (const replica of replicas) replica.claim(0, 3, 10, 20);
    for (const replica of replicas) assert.equal(replica.ownerAt(0, 19), 3);
    const log = attachOwnership(eventTimeLog, makeOwnership(eventTimeLog, SETUP), 1);
    log.change(0, 2, 10, 10);
    assert.equal(log.ownerAt(0, 11), 2);
  });

  it("keeps its ranges for the next worker in a seat", () => {
    const instance = makeOwnership(seqlockSlots, SETUP);
    attachOwnership(seqlockSlots, instance, WRITER).claim(0, 3, 10, 20);
    freeSeat(instance, WRITER);
    const next = attachOwnership(seqlockSlots, instance, WRITER);
    next.claim(0, 3, 20, 30);
    assert.deepEqual(next.rangesOf(0), [{ start: 10, end: 30, owner: 3 }]);
  });

  it("is made again, with more room, of what another exports", () => {
    const before = attachOwnership(seqlockSlots, makeOwnership(seqlockSlots, SETUP), WRITER);
    before.claim(0, 3, 10, 20);
    before.claim(0, 1, 15, 30);
    const larger = { ...SETUP, ranges: 32 };
    const after = attachOwnership(seqlockSlots, makeOwnership(seqlockSlots, larger), WRITER);
    assert.equal(rebuild(after, larger, exportClaims(before, SETUP)), 3);
    assert.deepEqual(after.rangesOf(0), before.rangesOf(0));
  });
});

const REFUSALS = new URL("testdata/refusals.txt", import.meta.url);

itRefusesAsWritten("ownership: what an instance is not for, in a line each", REFUSALS, () => {
  const instance = makeOwnership(seqlockSlots, SETUP);
  const wasm = makeOwnership(wasmSeqlockSlots, SETUP);
  const { linear: _, ...withoutMemory } = wasm;
  return {
    ...{ attachOwnership, makeOwnership, seqlockSlots, denseTimeline, wasmSeqlockSlots, SETUP },
    ...{ instance, withoutMemory },
    reader: attachOwnership(seqlockSlots, instance, 1),
    wasmReader: attachOwnership(wasmSeqlockSlots, wasm, 1),
    changed: (setup: object) => ({ ...instance, setup: { ...SETUP, ...setup } }),
  };
});

/** A map that is given names, and its interners, of this number of names at a time. */
class NamedMap {
  readonly #map;
  readonly #addresses;
  readonly #owners;

  constructor(competitor: ClaimsCompetitor, resources: number, owners: number) {
    this.#map = privateOwnership(competitor, { resources, owners, windowMs: 64, ranges: 512 }, 0);
    this.#addresses = new Interner(resources);
    this.#owners = new Interner(owners);
  }

  claim(address: string, owner: string, start: number, end: number): void {
    this.#map.claim(this.#addresses.idOf(address, end), this.#owners.idOf(owner, end), start, end);
  }

  ownerAt(address: string, t: number): string {
    const resource = this.#addresses.find(address);
    const answer = resource === undefined ? NO_EVIDENCE : this.#map.ownerAt(resource, t, 4);
    return attributed(answer) < 0
      ? String(answer)
      : `${isInferred(answer)} ${this.#owners.nameOf(attributed(answer))}`;
  }

  trim(watermark: number): void {
    this.#map.trim(watermark);
  }

  forget(watermark: number): void {
    for (const names of [this.#addresses, this.#owners]) names.reuse(names.forget(watermark));
  }
}

describe("ownership: names that are forgotten after each trim", async () => {
  const contract = await contractOf("ownership");
  for (const { name, url } of competitorsOf("ownership")) {
    const competitor = (await loadCompetitor(url, contract)) as OwnershipCompetitor;
    if (competitor.hears !== "claims" || competitor.rule !== "evidence") continue;
    it(`${name}: give the answers of a map that forgets none`, { skip: competitor.unavailable?.() }, () => {
      const random = new Random(7);
      const forgetful = new NamedMap(competitor, 24, 24);
      const faithful = new NamedMap(competitor, 252, 252);
      for (let now = 0; now < 4_000; now += 4) {
        // Every 64 ms other names: 252 in all; the window contains a dozen of them.
        const era = Math.floor(now / 64);
        const [address, owner] = [`10.0.${era}.${random.below(4)}`, `workload ${era}-${random.below(4)}`];
        const start = now + random.below(12);
        const end = start + 1 + random.below(16);
        for (const map of [forgetful, faithful]) map.claim(address, owner, start, end);
        const watermark = Math.max(0, now - 32);
        for (const map of [forgetful, faithful]) map.trim(watermark);
        forgetful.forget(watermark);
        for (const asked of [era - 1, era])
          for (let host = 0; host < 4; host++)
            for (let t = watermark; t < now + 28; t += 3)
              assert.equal(
                forgetful.ownerAt(`10.0.${asked}.${host}`, t),
                faithful.ownerAt(`10.0.${asked}.${host}`, t),
              );
      }
    });
  }
});

describe("ownership: the first claim of the present needs no trim", async () => {
  const contract = await contractOf("ownership");
  for (const { name, url } of competitorsOf("ownership")) {
    const competitor = (await loadCompetitor(url, contract)) as OwnershipCompetitor;
    it(name, { skip: competitor.unavailable?.() }, () => {
      const { since: _, ...today } = SETUP;
      const now = Date.now();
      if (competitor.hears === "claims") {
        const shared = attachOwnership(competitor, makeOwnership(competitor, today), WRITER);
        for (const map of [shared, privateOwnership(competitor as ClaimsCompetitor, today)]) {
          assert.ok(map.claim(0, 1, now - 1_000, now + 1_000));
          assert.equal(map.ownerAt(0, now), 1);
        }
      } else {
        const log = attachOwnership(competitor, makeOwnership(competitor, today), WRITER);
        log.change(0, 1, now - 100, now);
        log.change(1, 1, now + 61_000, now + 61_000);
        assert.equal(log.ownerAt(0, now), 1);
      }
    });
  }
});
