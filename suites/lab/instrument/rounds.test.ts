import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OWN_CREWS_EVERY, requestsIn } from "../../engine/measure/plan/rounds.ts";
import { makePlan } from "../plan/make-plan.ts";
import { syntheticRequest } from "../request.synthetic.ts";

function roundsOf(group: Parameters<typeof requestsIn>[2], what: "account" | "withCpu", seed = 7): number[] {
  const indices = [...new Array(group.rounds).keys()];
  return indices.filter((index) => requestsIn(index, index === group.rounds - 1, group, seed)[what]);
}

describe("what is asked for in the rounds of a fork", () => {
  it("is an account in the first, in the last, and in one of `accountEvery` that the seed chooses", () => {
    const group = { rounds: 60, accountEvery: 20 };
    const seen = new Set<number>();
    for (let seed = 0; seed < 300; seed++) {
      const rounds = roundsOf(group, "account", seed);
      assert.deepEqual(rounds, roundsOf(group, "account", seed));
      const between = rounds.filter((round) => round !== 0 && round !== 59);
      for (const from of [0, 20, 40]) {
        const own = between.filter((round) => round >= from && round < from + 20);
        assert.ok(own.length <= 1, `${rounds}`);
        // Where it is one of the two that have an account anyway, there is no other.
        if (own.length === 0) assert.equal(from % 40, 0, `${rounds}`);
      }
      for (const round of between) seen.add(round);
    }
    // All but the rounds in which CPU time is asked for.
    const withCpu = roundsOf(group, "withCpu");
    for (let round = 1; round < 59; round++) assert.equal(seen.has(round), round % 5 !== 2, `${round}`);
    assert.ok(withCpu.every((round) => round % 5 === 2));
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
