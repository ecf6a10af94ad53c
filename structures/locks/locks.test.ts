import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { competitorsOf, lawBrokenBy, loadCompetitor, mutantsOf } from "../catalog.ts";
import { DONE, explore, type Step } from "../shared/explorer.ts";
import { allocateRegion, STRIDE_WORDS } from "../shared/layout.ts";
import ticket from "./competitors/ticket.ts";
import { contract, type LockCompetitor } from "./locks.contract.ts";
import { examine, examineAfterDeath } from "./locks.examination.ts";
import * as laws from "./locks.laws.ts";
import {
  acquisitionsAreConserved,
  everyWorkerFinishes,
  mutualExclusion,
  tryLockIsTrue,
  waitersAreWoken,
} from "./locks.laws.ts";
import { exploreLock, models, unmodelled } from "./locks.model.ts";

const competitors = await Promise.all(
  competitorsOf("locks").map(async ({ name, url }) => {
    const competitor = (await loadCompetitor(url, contract)) as LockCompetitor;
    return { name, url, competitor, skip: competitor.unavailable?.() ?? false };
  }),
);

describe("locks: every competitor keeps every law", () => {
  for (const { name, url, skip } of competitors) {
    it(name, { skip }, async () => assert.deepEqual(await examine(url), []));
  }
});

// Together, because those that strand a waiter are only waited for.
describe("locks: every mutant is caught by the law it breaks", { concurrency: true }, () => {
  for (const mutant of mutantsOf("locks")) {
    const { name, url } = mutant;
    it(name, async () => {
      const broken = await examine(url);
      const breaks = await lawBrokenBy(mutant);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `expected ${breaks}, got ${broken.join("; ") || "nothing"}`,
      );
    });
  }
});

// Together, as above.
describe("locks: a holder that is terminated leaves what its lock claims", { concurrency: true }, () => {
  for (const { name, url, competitor, skip } of competitors) {
    it(`${name} ${competitor.deadHolder} it`, { skip }, async () => {
      const found =
        competitor.deadHolder === "keeps" ? ["everyWorkerFinishes: 1 of 1 workers are stuck"] : [];
      assert.deepEqual(await examineAfterDeath(url), found);
    });
  }
});

it("locks: every law has a mutant", async () => {
  const broken = await Promise.all(mutantsOf("locks").map(lawBrokenBy));
  assert.deepEqual(
    Object.keys(laws).filter((law) => !broken.includes(law)),
    [],
  );
});

describe("locks: in every interleaving of 3 threads that lock twice, or of which one only tries", () => {
  const crews = [
    { lockers: 3, rounds: 2 },
    { lockers: 2, triers: 1, rounds: 2 },
  ];

  for (const { name } of competitors.filter((entry) => entry.name in models)) {
    it(`${name} lets one inside at a time and can always finish`, () => {
      for (const crew of crews) {
        const { crowded, doomed } = exploreLock(models[name]!, crew);
        assert.deepEqual({ crowded, doomed }, { crowded: 0, doomed: 0 });
      }
    });
  }

  for (const { name } of competitors.filter((entry) => entry.name in models)) {
    it(`${name} refuses its own holder, and goes on`, () => {
      const { crowded, doomed } = exploreLock(models[name]!, { lockers: 2, rounds: 2, greedy: true });
      assert.deepEqual({ crowded, doomed }, { crowded: 0, doomed: 0 });
    });
  }

  for (const mutant of mutantsOf("locks").filter((entry) => entry.name in models)) {
    const { name } = mutant;
    it(`${name} does not`, async () => {
      const breaks = await lawBrokenBy(mutant);
      const found = crews.map((crew) => {
        const { crowded, doomed } = exploreLock(models[name]!, crew);
        const broken = {
          mutualExclusion: crowded,
          tryLockIsTrue: crowded,
          waitersAreWoken: doomed,
          everyWorkerFinishes: doomed,
        };
        return (broken as Record<string, number>)[breaks]!;
      });
      assert.ok(found.some((states) => states > 0));
    });
  }

  it("is asked of every blocking competitor, or there is a reason", () => {
    const missing = competitors.filter(
      ({ name, competitor }) => competitor.progress === "blocking" && !(name in models) && !unmodelled[name],
    );
    assert.deepEqual(
      missing.map(({ name }) => name),
      [],
    );
  });

  it("is asked of models whose file exists", () => {
    const names = [...competitors, ...mutantsOf("locks")].map(({ name }) => name);
    assert.deepEqual(
      [...Object.keys(models), ...Object.keys(unmodelled)].filter((name) => !names.includes(name)),
      [],
    );
  });
});

describe("locks: the explorer of interleavings", () => {
  const addThen =
    (next: number): Step =>
    (cpu) => {
      cpu.record(cpu.add(0, 1));
      return next;
    };

  it("meets every order of two threads, and every state once", () => {
    const program = [addThen(1), addThen(DONE)];
    const orders: number[][] = [];
    const { states, ends, doomed } = explore(
      { words: [2 ** 31 - 1], threads: [program, program] },
      { end: ({ threads }) => orders.push(threads.flatMap(({ results }) => results)) },
    );
    // Four tickets, two of them the first thread's: 4 over 2 ends; 1 + 2 + 4 + 6 + 6 states, by tickets taken.
    assert.deepEqual({ states, ends, doomed }, { states: 19, ends: 6, doomed: 0 });
    const tickets = [2 ** 31 - 1, -(2 ** 31), -(2 ** 31) + 1, -(2 ** 31) + 2];
    assert.equal(new Set(orders.map(String)).size, 6);
    for (const order of orders) assert.deepEqual(new Set(order), new Set(tickets));
  });

  it("wakes as many as were asked for, and those only who sleep already", () => {
    const sleep: Step = (cpu) => {
      cpu.wait(0, 0);
      return DONE;
    };
    const wake =
      (count?: number): Step =>
      (cpu) => {
        cpu.notify(0, count);
        return DONE;
      };
    const ends = [1, 2, undefined].map(
      (count) => explore({ words: [0], threads: [[sleep], [sleep], [wake(count)]] }).ends,
    );
    assert.deepEqual(ends, [0, 1, 1]);
    assert.equal(explore({ words: [1], threads: [[sleep], [sleep], [wake(1)]] }).doomed, 0);
  });

  it("follows each of several next steps", () => {
    const either: Step[] = [() => [1, 2], addThen(DONE), () => DONE];
    const sums = new Set<number>();
    explore({ words: [0], threads: [either, either] }, { end: ({ words }) => sums.add(words[0]!) });
    assert.deepEqual([...sums].sort(), [0, 1, 2]);
  });

  it("refuses a step of two accesses and one that leads nowhere", () => {
    const twice: Step = (cpu) => cpu.add(0, 1) + cpu.load(0);
    assert.throws(
      () => explore({ words: [0], threads: [[twice]] }),
      /step 0 of thread 0 makes more than one/,
    );
    assert.throws(() => explore({ words: [0], threads: [[() => 1]] }), /leads to step 1/);
    assert.throws(() => explore({ words: [], threads: [[addThen(DONE)]] }), /word 0, which does not exist/);
  });
});

describe("locks: tickets go on where their numbers wrap", () => {
  for (const wrap of [2 ** 31, 2 ** 32]) {
    it(`at ${wrap}`, () => {
      const memory = allocateRegion(ticket.words());
      ticket.format(memory);
      const [next, serving] = [0, STRIDE_WORDS];
      memory[next] = memory[serving] = wrap - 2;
      const one = ticket.attach(memory);
      const other = ticket.attach(memory);
      for (let turn = 0; turn < 2; turn++) {
        one.lock();
        assert.equal(other.tryLock(), false);
        one.unlock();
        assert.equal(other.tryLock(), true);
        assert.equal(one.tryLock(), false);
        other.unlock();
      }
      assert.deepEqual([memory[next], memory[serving]], [(wrap + 2) | 0, (wrap + 2) | 0]);
    });
  }
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
