import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Accounts, accountsOf, brokenLaw } from "./accounts.ts";
import type { Expiry } from "./orders.ts";

const HONEST: Accounts = {
  sent: 100,
  received: 100,
  stalled: 0,
  unclosed: 0,
  shortestSilenceMs: 30_000,
  allowedEarlyMs: 1_000,
  watched: 0,
  timers: 0,
};
const CLAIMED = { timeoutMs: 30_000, closesTheDead: true };

describe("the laws of a fleet", () => {
  const cases: readonly [string, Partial<Accounts>, RegExp | undefined][] = [
    ["honest", {}, undefined],
    ["as early as is claimed", { shortestSilenceMs: 29_000 }, undefined],
    ["earlier", { shortestSilenceMs: 28_999 }, /^noLiveClosed: .* 28999 ms/],
    ["never closed", { unclosed: 3 }, /^everyDeadClosed: 3 /],
    ["a beat lost", { received: 99 }, /^everyBeatReceived: 99 of 100 /],
    ["a beat too many", { received: 101 }, /^everyBeatReceived: 101 of 100 /],
    ["still watched", { watched: 1 }, /^noTimerLeft: 1 /],
    ["a timer left", { timers: 2 }, /^noTimerLeft: .* 2 timers/],
    ["fewer timers than before", { timers: -1 }, undefined],
    ["stalled by the machine", { stalled: 7 }, undefined],
  ];
  for (const [name, change, expected] of cases) {
    it(name, () => {
      const broken = brokenLaw({ ...HONEST, ...change }, CLAIMED);
      if (expected === undefined) assert.equal(broken, undefined);
      else assert.match(broken!, expected);
    });
  }

  it("do not ask a floor for the dead", () => {
    assert.equal(brokenLaw({ ...HONEST, unclosed: 3 }, { ...CLAIMED, closesTheDead: false }), undefined);
  });
});

it("beats of a connection that was closed while its client lived, or spoke, count as no loss", () => {
  const reading = { userUs: 0, systemUs: 0, rssBytes: 0, open: 0, watched: 0, timers: 0 };
  const expiry = (client: number, life: number, received: number): Expiry => ({
    client,
    life,
    received,
    silenceMs: 31_000 + client,
    turnMs: 200,
    atMs: 0,
  });
  const accounts = accountsOf(
    30_000,
    { earliness: (_timeoutMs, turnMs) => 1 + turnMs },
    {
      // The second client was cut off in its second life, after it had sent a beat that was never read.
      left: [{ lives: [[5], [4, 3]] }, { lives: [[2], [6]] }],
      readings: [
        { ...reading, received: 8 },
        { ...reading, received: 10 },
      ],
      expiries: [expiry(1, 1, 2)],
    },
    {
      deaths: [0, 3].map((client) => ({ client, lastSentMs: 0 })),
      // The last beat of the fourth came when it had been closed.
      expiries: [expiry(0, 0, 5), expiry(3, 0, 5)],
      unclosed: 0,
      delays: [],
    },
  );
  assert.deepEqual(accounts, {
    sent: 11,
    received: 11,
    stalled: 2,
    unclosed: 0,
    shortestSilenceMs: 31_000,
    allowedEarlyMs: 201,
    watched: 0,
    timers: 0,
  });
});
