import assert from "node:assert/strict";
import { describe, it } from "node:test";
import twoChoices from "../pick/competitors/two-choices.ts";
import { balancer } from "../pick/parts/balancer.ts";
import { balancerLaws } from "../pick/pick.balancer.examination.ts";
import type { AffinityCompetitor } from "./affinity.contract.ts";
import maglev from "./competitors/maglev.ts";
import rendezvous from "./competitors/rendezvous.ts";
import ring from "./competitors/ring.ts";
import { byKey } from "./parts/by-key.ts";

const KEYS = Array.from({ length: 300 }, (_, at) => `user/${at}`);

describe("affinity: a balancer by key", () => {
  for (const [what, bound] of [
    ["keys alone", undefined],
    ["a bound", 1.25],
  ] as const)
    it(`keeps the laws of balancers, by ${what}`, async () => {
      let key = 0;
      const make: typeof balancer = (_competitor, items, options) => {
        const made = balancer(byKey(rendezvous, { id: String, bound }), items, options);
        return {
          ...made,
          take: () => made.take(key++),
          use: (fn, given) => made.use(fn, { ...given, key: key++ }),
        };
      };
      const broken = await balancerLaws(twoChoices, make);
      // That the busiest is spared is a promise of pickers that go by load.
      const other = broken.filter((law) => law !== undefined && !law.startsWith("busiestIsSpared"));
      assert.deepEqual(other, []);
    });

  /** The item of each key, with nothing left in flight. */
  function itemsByKey(made: ReturnType<typeof balancer<string>>, failing?: string): string[] {
    return KEYS.map((key) => {
      const { item, release } = made.take(key);
      release(item === failing);
      return item;
    });
  }

  for (const placement of [maglev, rendezvous, ring])
    it(`keeps keys where they are while items come, go and fail: ${placement.placement}`, async () => {
      let nowMs = 0;
      const made = balancer(byKey(placement), ["a", "b", "c"], { eject: { nowMs: () => nowMs } });
      const first = itemsByKey(made);
      const moved = (now: readonly string[]) => first.filter((item, at) => item !== "b" && item !== now[at]);
      await made.drain("b");
      const without = itemsByKey(made);
      assert.ok(!without.includes("b"));
      const claims: AffinityCompetitor = placement;
      assert.ok(moved(without).length <= claims.surplus(3) * KEYS.length);
      made.add("b");
      assert.deepEqual(itemsByKey(made), first);
      itemsByKey(made, "b");
      const ejected = itemsByKey(made);
      assert.ok(!ejected.includes("b"));
      assert.deepEqual(moved(ejected), []);
      nowMs = 1e6;
      itemsByKey(made);
      assert.deepEqual(itemsByKey(made), first);
    });

  it("refuses a request without a key, and a key where none counts", async () => {
    const made = balancer(byKey(maglev), ["a"]);
    await assert.rejects(
      made.use(() => 1),
      /^TypeError: undefined is no key: give a string or a safe integer$/,
    );
    assert.throws(
      () => balancer(twoChoices, ["a"]).take("k"),
      /^TypeError: this picker goes by no key 'k': /,
    );
  });
});
