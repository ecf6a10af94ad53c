import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, liarsOf } from "../catalog.ts";
import { contract } from "./pick.contract.ts";
import { examine } from "./pick.examination.ts";
import * as laws from "./pick.laws.ts";
import { lapIsPermutation, meanIsUniform, ticketsAreConserved, ticketsAreLinearizable } from "./pick.laws.ts";

describe("pick: every competitor keeps every law", () => {
  for (const { name, url } of competitorsOf("pick")) {
    it(name, async () => assert.deepEqual(await examine(url), []));
  }
});

describe("pick: every liar is caught by the law it breaks", async () => {
  for (const liar of liarsOf("pick")) {
    const { name, url } = liar;
    const breaks = await lawBrokenBy(liar);
    const { racy = false } = (await import(url)) as { racy?: boolean };
    it(name, { skip: racy && availableParallelism() < 2 && "it takes two cores to race" }, async () => {
      // On a crowded machine the workers of a racy liar may take turns by chance, and a liar that is not raced is
      // honest. So it is examined until caught.
      let broken: string[] = [];
      for (
        let tries = 0;
        tries < 10 && !broken.some((sentence) => sentence.startsWith(`${breaks}:`));
        tries++
      ) {
        broken = await examine(url);
      }
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `expected ${breaks}, got ${broken.join("; ") || "nothing"}`,
      );
    });
  }
});

it("pick: every law has a liar", async () => {
  const broken = await Promise.all(liarsOf("pick").map(lawBrokenBy));
  // The mean is a race's cheap stand-in for the counts, which only an examination has: the same liar breaks both.
  const known = [...Object.keys(laws)].filter((law) => law !== "totalsAreRight" && law !== "meanIsUniform");
  assert.deepEqual(
    known.filter((law) => !broken.includes(law)),
    [],
  );
});

describe("pick: laws on histories made by hand", () => {
  const work = { backends: 4, workers: 1, firstTicket: 0, picks: 10, checksum: 0, state: {} };

  it("ticket conservation counts modulo what the words can tell", () => {
    const state = (count: number, modulo: number) => ({ ...work, state: { handedOut: { count, modulo } } });
    assert.equal(ticketsAreConserved(state(10, 2 ** 32)), undefined);
    assert.equal(ticketsAreConserved(state(2, 4)), undefined);
    assert.match(ticketsAreConserved(state(9, 2 ** 32)) ?? "", /account for 1 fewer/);
  });

  it("a lap is a permutation", () => {
    assert.equal(lapIsPermutation({ ...work, state: { lap: [2, 0, 3, 1] } }), undefined);
    assert.match(lapIsPermutation({ ...work, state: { lap: [2, 0, 2, 1] } }) ?? "", /lapIsPermutation/);
  });

  it("the mean is judged in standard errors, across the wrap of the checksum", () => {
    // 2^31 picks of 4 backends add up to 1.5 * 2^31, which an int32 cannot hold.
    const picks = 2 ** 31;
    assert.equal(meanIsUniform({ ...work, picks, checksum: (1.5 * picks) | 0 }), undefined);
    assert.match(
      meanIsUniform({ ...work, picks, checksum: (1.5 * picks + 400_000) | 0 }) ?? "",
      /meanIsUniform/,
    );
  });

  it("a pick that overtakes an earlier one is no longer linearizable", () => {
    const first = { ticket: 0, calledNs: 0, returnedNs: 10 };
    assert.equal(ticketsAreLinearizable([first, { ticket: 1, calledNs: 5, returnedNs: 8 }]), undefined);
    assert.match(
      ticketsAreLinearizable([
        { ...first, ticket: 1 },
        { ticket: 0, calledNs: 11, returnedNs: 12 },
      ]) ?? "",
      /lower/,
    );
    assert.match(ticketsAreLinearizable([first, { ticket: 0, calledNs: 5, returnedNs: 8 }]) ?? "", /twice/);
  });
});

it("pick's oracle competes", () => {
  assert.ok(competitorsOf("pick").some(({ name }) => name === contract.oracle));
});
