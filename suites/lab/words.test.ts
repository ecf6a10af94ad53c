import assert from "node:assert/strict";
import { it } from "node:test";
import * as structures from "../../structures/shared/layout.ts";
import { Random as RandomOfStructures } from "../../structures/shared/sfc32.ts";
import { derivedSeed as derivedByStructures } from "../../structures/shared/worker-identity.ts";
import * as instrument from "../engine/words/layout.ts";
import { derivedSeed, Random } from "../engine/words/random.ts";

/** The instrument and the structures are packages of their own, and have these in common. */

it("the instrument draws what the structures draw from the same seed", () => {
  for (const [seed, stream] of [
    [0, 0],
    [1, 7],
    [2 ** 32 - 1, 2 ** 31],
  ] as const) {
    const [own, other] = [new Random(seed, stream), new RandomOfStructures(seed, stream)];
    for (let draw = 0; draw < 100; draw++) {
      assert.equal(own.fraction(), other.fraction());
      assert.equal(own.below(1000), other.below(1000));
    }
    const items = Array.from({ length: 50 }, (_, index) => index);
    assert.deepEqual(own.shuffle([...items]), other.shuffle([...items]));
    assert.equal(derivedSeed(seed, stream), derivedByStructures(seed, stream));
  }
});

it("the instrument keeps words as far apart as the structures do", () => {
  assert.equal(instrument.STRIDE_BYTES, structures.STRIDE_BYTES);
});
