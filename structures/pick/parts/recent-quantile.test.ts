import assert from "node:assert/strict";
import { it } from "node:test";
import { Random } from "../../shared/sfc32.ts";
import { RecentQuantile } from "./recent-quantile.ts";

it("the quantile of the latest numbers is that of all of them sorted, whatever comes", () => {
  for (const [most, share] of [
    [1, 0.5],
    [7, 1],
    [16, 0.25],
    [128, 2 ** -0.25],
  ] as const) {
    const quantile = new RecentQuantile(most, share);
    assert.equal(quantile.value, 0);
    const random = new Random(most);
    const seen: number[] = [];
    for (let number = 0; number < 1_000; number++) {
      const value = random.below(number % 100 < 50 ? 5 : 1_000_000);
      seen.push(value);
      quantile.add(value);
      const latest = seen.slice(-most).sort((one, other) => one - other);
      assert.equal(quantile.value, latest[Math.ceil(share * latest.length) - 1]);
    }
  }
});
