import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { type Counts, freeSeat, LAYOUT_VERSION, type Stamped, seated, stampOf } from "./instance.ts";
import { allocateRegion } from "./layout.ts";
import { type WorkerIdentity, workerIdentity } from "./worker-identity.ts";

const RING = { summary: "a ring" };
const COUNTS = { workers: 2, backends: 8 };

interface Ring extends Stamped {
  readonly counts: Counts;
}
const READING = { counts: ({ counts }: Ring) => counts, seed: () => 1 };

function instance(): Ring {
  return { memory: allocateRegion(1), counts: COUNTS, stamp: stampOf(RING, COUNTS) };
}

function attach(to: Ring, index = 0): WorkerIdentity {
  return seated(RING, to, index, READING, (worker) => worker);
}

describe("an instance", () => {
  it("is attached to by what made it, in another thread too", () => {
    const made = instance();
    assert.equal(attach(made).index, 0);
    assert.equal(attach(structuredClone(made), 1).index, 1);
  });

  itRefusesAsWritten(
    "is for what it was made for alone",
    new URL("testdata/instance.txt", import.meta.url),
    () => {
      const made = instance();
      const taken = instance();
      attach(taken);
      return {
        ...{ attach, freeSeat, made, taken },
        changed: (counts: object) => ({ ...made, counts: { ...COUNTS, ...counts } }),
        stamped: (stamp: object) => ({ ...made, stamp: { ...made.stamp, ...stamp } }),
        later: LAYOUT_VERSION + 1,
        json: JSON.parse(JSON.stringify(made)),
      };
    },
  );
});

describe("a seat", () => {
  it("has one holder at a time, whichever copy of the instance it came by", () => {
    const made = instance();
    attach(made);
    for (const same of [made, structuredClone(made)])
      assert.throws(() => attach(same), /^Error: seat 0 is taken: /);
    assert.equal(attach(made, 1).generation, 0);
  });

  it("that was freed is taken by the next, which learns how many came before", () => {
    const made = instance();
    for (let generation = 0; generation < 3; generation++) {
      assert.equal(attach(made).generation, generation);
      freeSeat(structuredClone(made), 0);
      // There is no holder to free it for.
      freeSeat(made, 0);
    }
  });

  it("gives each of its holders a seed of its own, the same ones every time", () => {
    const seeds = () => {
      const made = instance();
      return Array.from({ length: 64 }, () => {
        const { seed } = attach(made);
        freeSeat(made, 0);
        return seed;
      });
    };
    assert.equal(seeds()[0], workerIdentity(0, 2, 1).seed);
    assert.equal(new Set(seeds()).size, 64);
    assert.deepEqual(seeds(), seeds());
  });

  it("stays free where attaching fails", () => {
    const made = instance();
    const failing = () => {
      throw new Error("no memory left");
    };
    assert.throws(() => seated(RING, made, 0, READING, failing), /^Error: no memory left$/);
    attach(made);
  });
});
