import assert from "node:assert/strict";
import { describe, it } from "node:test";
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

  it("is attached to by nothing else", () => {
    const made = instance();
    const { stamp } = made;
    assert.throws(() => attach({ ...made, stamp: { ...stamp, madeBy: "a heap" } }), {
      message: 'this instance was made by another competitor, "a heap": attach with that one, not "a ring"',
    });
    assert.throws(() => attach({ ...made, stamp: { ...stamp, layout: LAYOUT_VERSION + 1 } }), {
      message: /^this instance has layout version 4, not 3: /,
    });
  });

  it("is refused after JSON, and so is what never was one", () => {
    for (const none of [
      JSON.parse(JSON.stringify(instance())),
      {},
      { memory: new Int32Array(1) },
      undefined,
    ]) {
      const refused = { name: "TypeError", message: /^this is no instance, or it went / };
      assert.throws(() => attach(none), refused);
      assert.throws(() => freeSeat(none, 0), refused);
    }
  });

  it("keeps the counts that its memory was made for", () => {
    assert.throws(() => attach({ ...instance(), counts: { ...COUNTS, backends: 9 } }), {
      name: "RangeError",
      message: "backends 9 is not the 8 that this instance was made for: make another",
    });
    assert.throws(() => attach({ ...instance(), counts: { ...COUNTS, workers: 3 } }, 2), {
      name: "RangeError",
      message: "workers 3 is not the 2 that this instance was made for: make another",
    });
  });
});

describe("a seat", () => {
  it("has one holder at a time, whichever copy of the instance it came by", () => {
    const made = instance();
    attach(made);
    for (const same of [made, structuredClone(made)])
      assert.throws(() => attach(same), {
        message:
          "seat 0 is taken: give each worker a number of its own; once its holder has ended, call freeSeat(instance, 0)",
      });
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

  it("is a worker's", () => {
    for (const index of [-1, 2, Number.NaN]) {
      assert.throws(() => attach(instance(), index), {
        name: "RangeError",
        message: /^worker \S+ is not/,
      });
      assert.throws(() => freeSeat(instance(), index), { name: "RangeError", message: /^worker \S+ is not/ });
    }
  });
});
