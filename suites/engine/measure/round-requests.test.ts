import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makePlan, OWN_CREWS_EVERY } from "./plan.ts";
import { syntheticRequest } from "./request.synthetic.ts";
import { requestsIn } from "./round-requests.ts";

function roundsOf(group: Parameters<typeof requestsIn>[2], what: "account" | "withCpu"): number[] {
  const indices = [...new Array(group.rounds).keys()];
  return indices.filter((index) => requestsIn(index, index === group.rounds - 1, group)[what]);
}

describe("what is asked for in the rounds of a fork", () => {
  it("is an account in the first, in every `accountEvery`th and in the last", () => {
    assert.deepEqual(roundsOf({ rounds: 50, accountEvery: 20 }, "account"), [0, 20, 40, 49]);
    assert.deepEqual(roundsOf({ rounds: 2, accountEvery: 20 }, "account"), [0, 1]);
    assert.deepEqual(roundsOf({ rounds: 6, accountEvery: 1 }, "account"), [0, 1, 2, 3, 4, 5]);
  });

  it("is CPU time in four at least, where there are as many, and in none with an account", () => {
    for (let rounds = 2; rounds <= 400; rounds++) {
      const group = { rounds, accountEvery: 20 };
      const withAccount = roundsOf(group, "account");
      const withCpu = roundsOf(group, "withCpu");
      assert.ok(withCpu.length >= Math.min(4, rounds - withAccount.length), `${rounds}: ${withCpu}`);
      if (rounds >= 22) assert.ok(withCpu.length <= rounds / 5 + 1, `${rounds}: ${withCpu}`);
      assert.ok(!withCpu.some((index) => withAccount.includes(index)), `${rounds}`);
      // Every second round is the reverse of the one before.
      if (rounds >= 4)
        assert.equal(new Set(withCpu.map((index) => index % 2)).size, 2, `${rounds}: ${withCpu}`);
    }
  });

  it("is an account of the engine's own crews too, in every plan", async () => {
    const { groups } = makePlan(await syntheticRequest({ all: true }));
    assert.ok(groups.length > 0);
    for (const { accountEvery } of groups) assert.equal(accountEvery % OWN_CREWS_EVERY, 0);
  });
});
