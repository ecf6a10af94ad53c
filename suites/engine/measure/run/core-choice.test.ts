import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CoreChoice } from "./core-choice.ts";

const QUIET_NS = 10;
const BUSY_NS = 20;

/** Slices of one crew; the given percentage of them was quiet. */
const seen = (quiet: number) => {
  const tagNs = Array.from({ length: 100 }, (_, slice) => (slice < quiet ? QUIET_NS : BUSY_NS));
  return [{ workers: [{ operations: [], startNs: [], endNs: [], tagNs }] }];
};

describe("the choice of a core", () => {
  it("tries each, then keeps to the quietest, and looks at the others now and then", () => {
    const cores = new CoreChoice(3);
    const shares = [20, 90, 40];
    const chosen = Array.from({ length: 15 }, () => {
      const { firstCore } = cores.next();
      cores.hear(firstCore, seen(shares[firstCore]!));
      return firstCore;
    });
    assert.deepEqual(chosen.slice(0, 3), [0, 1, 2]);
    assert.deepEqual(chosen.slice(3), [1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 0]);
  });

  it("moves when another one has become the quietest", () => {
    const cores = new CoreChoice(2);
    for (const share of [80, 20]) cores.hear(cores.next().firstCore, seen(share));
    const chosen = Array.from({ length: 12 }, () => {
      const { firstCore } = cores.next();
      cores.hear(firstCore, seen(firstCore === 0 ? 5 : 60));
      return firstCore;
    });
    assert.equal(chosen[0], 0);
    assert.ok(chosen.slice(-3).includes(1));
  });

  it("reports what an undisturbed core's tag is, once it has seen one", () => {
    const cores = new CoreChoice(1);
    assert.equal(cores.next().referenceNs, undefined);
    cores.hear(0, seen(0));
    assert.equal(cores.next().referenceNs, BUSY_NS);
    cores.hear(0, seen(50));
    assert.equal(cores.next().referenceNs, QUIET_NS);
  });

  it("takes no runtime's tags for another's", () => {
    const cores = new CoreChoice(1);
    cores.hear(0, seen(100), "bun");
    assert.equal(cores.next().referenceNs, undefined);
    assert.equal(cores.next("bun").referenceNs, QUIET_NS);
    cores.hear(0, seen(0));
    assert.equal(cores.next().referenceNs, BUSY_NS);
    assert.equal(cores.next("bun").referenceNs, QUIET_NS);
  });
});
