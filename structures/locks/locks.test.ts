import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, liarsOf, loadCompetitor } from "../catalog.ts";
import { contract } from "./locks.contract.ts";
import { examine } from "./locks.examination.ts";
import * as laws from "./locks.laws.ts";
import {
  acquisitionsAreConserved,
  everyWorkerFinishes,
  mutualExclusion,
  tryLockIsTrue,
  waitersAreWoken,
} from "./locks.laws.ts";
import { explore, models, unmodelled } from "./locks.model.ts";

describe("locks: every competitor keeps every law", () => {
  for (const { name, url } of competitorsOf("locks")) {
    it(name, async () => assert.deepEqual(await examine(url), []));
  }
});

// Together, because those that strand a waiter are only waited for.
describe("locks: every liar is caught by the law it breaks", { concurrency: true }, () => {
  for (const liar of liarsOf("locks")) {
    const { name, url } = liar;
    it(name, async () => {
      const broken = await examine(url);
      const breaks = await lawBrokenBy(liar);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `expected ${breaks}, got ${broken.join("; ") || "nothing"}`,
      );
    });
  }
});

it("locks: every law has a liar", async () => {
  const broken = await Promise.all(liarsOf("locks").map(lawBrokenBy));
  assert.deepEqual(
    Object.keys(laws).filter((law) => !broken.includes(law)),
    [],
  );
});

describe("locks: in every interleaving of 3 threads that lock twice", () => {
  const threads = 3;
  const rounds = 2;

  for (const { name } of competitorsOf("locks").filter((entry) => entry.name in models)) {
    it(`${name} lets one inside at a time and can always finish`, () => {
      const { crowded, doomed } = explore(models[name]!, threads, rounds);
      assert.deepEqual({ crowded, doomed }, { crowded: 0, doomed: 0 });
    });
  }

  for (const liar of liarsOf("locks").filter((entry) => entry.name in models)) {
    const { name } = liar;
    it(`${name} does not`, async () => {
      const { crowded, doomed } = explore(models[name]!, threads, rounds);
      const found = { mutualExclusion: crowded, waitersAreWoken: doomed, everyWorkerFinishes: doomed };
      assert.ok((found as Record<string, number>)[await lawBrokenBy(liar)]! > 0);
    });
  }

  it("is asked of every blocking competitor, or there is a reason", async () => {
    const missing: string[] = [];
    for (const { name, url } of competitorsOf("locks")) {
      const { progress } = await loadCompetitor(url, contract);
      if (progress === "blocking" && !(name in models) && !unmodelled[name]) missing.push(name);
    }
    assert.deepEqual(missing, []);
  });

  it("is asked of models whose file exists", () => {
    const names = [...competitorsOf("locks"), ...liarsOf("locks")].map(({ name }) => name);
    assert.deepEqual(
      [...Object.keys(models), ...Object.keys(unmodelled)].filter((name) => !names.includes(name)),
      [],
    );
  });
});

describe("locks: laws on observations made by hand", () => {
  it("one violation is one too many", () => {
    assert.equal(mutualExclusion({ acquisitions: 10, violations: 0 }), undefined);
    assert.match(mutualExclusion({ acquisitions: 10, violations: 1 }) ?? "", /1 of 10/);
  });

  it("acquisitions are compared with a counter that wraps", () => {
    const acquisitions = 2 ** 32 + 2 ** 31 + 5;
    assert.equal(acquisitionsAreConserved({ acquisitions, entries: acquisitions | 0 }), undefined);
    assert.match(
      acquisitionsAreConserved({ acquisitions, entries: (acquisitions - 3) | 0 }) ?? "",
      /3 fewer/,
    );
  });

  it("a worker that did not finish is stuck, and stranded where the lock is free", () => {
    assert.equal(everyWorkerFinishes({ workers: 4, finished: 4 }), undefined);
    assert.match(everyWorkerFinishes({ workers: 4, finished: 3 }) ?? "", /1 of 4/);
    assert.equal(waitersAreWoken({ waiting: 0, free: true }), undefined);
    assert.equal(waitersAreWoken({ waiting: 1, free: false }), undefined);
    assert.match(waitersAreWoken({ waiting: 1, free: true }) ?? "", /lock is free/);
  });

  it("one wrong answer is one too many", () => {
    assert.equal(tryLockIsTrue({ asked: 4, wrong: 0 }), undefined);
    assert.match(tryLockIsTrue({ asked: 4, wrong: 1 }) ?? "", /1 of 4/);
  });
});

it("locks' oracle competes", () => {
  assert.ok(competitorsOf("locks").some(({ name }) => name === contract.oracle));
});
