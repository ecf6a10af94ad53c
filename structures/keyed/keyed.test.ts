import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { itRefusesAsWritten } from "../interleave/calls.trials.ts";
import { explore } from "../interleave/index.ts";
import { assertBroken } from "../shared/broken.ts";
import { faultsIn } from "../shared/faults.ts";
import { freeSeat } from "../shared/instance.ts";
import { testLaws } from "../shared/law-tests.ts";
import { allocateRegion, type Region } from "../shared/layout.ts";
import { mutatedIn, mutatedModule } from "../shared/mutated.ts";
import { EVERYBODY_FINISHES, type Part } from "../shared/program-laws.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import type { Key, Keyed, KeyedCompetitor } from "./keyed.contract.ts";
import { examination } from "./keyed.examination.ts";
import { attachLocks, createLocks, type LocksSetup } from "./keyed.instance.ts";
import * as laws from "./keyed.laws.ts";
import { exploreKeyed, exploreLeaving } from "./keyed.model.ts";
import { mutants } from "./keyed.mutants.ts";
import { fairLock } from "./parts/fair-lock.ts";
import { hashOf } from "./parts/key.ts";
import type { StripeLock } from "./parts/stripe.ts";
import { Suspects } from "./parts/suspects.ts";

const competitors = await testLaws<KeyedCompetitor>({ primitive: "keyed", examination, mutants, laws });

it("keyed: no competitor is skipped", () =>
  assert.deepEqual(
    competitors.filter(({ skip }) => skip),
    [],
  ));

/** Faults that need a certain moment to show. */
const FAULTS = new URL("testdata/model-faults.txt", import.meta.url);
const REFUSALS = new URL("testdata/refusals.txt", import.meta.url);

/** The body of a request that is refused. */
const never = (): never => assert.fail("the body ran");

describe("keyed: in every interleaving of two or three workers that die at any moments", () => {
  for (const { name, competitor } of competitors) {
    if (competitor.deadHolder !== "recovers" || name === "one-lock") continue;
    it(`${name} keeps keys apart, mends first and strands nobody`, () =>
      assert.deepEqual(exploreKeyed(competitor), []));
  }

  it("the fair lock strands nobody where one leaves the line", () => {
    assert.deepEqual(exploreLeaving(fairLock), []);
  });

  it("a fair lock that keeps the ticket of a worker that it let in is handed to that worker", async () => {
    const { url } = competitors.find(({ name }) => name === "striped-robust-fair")!;
    const mutant = await mutatedIn<KeyedCompetitor>("keyed/parts/fair-lock.ts", url, [
      "      ticket = NO_TICKET;\n      Atomics.store(memory, mine, NO_TICKET);\n",
      "      ticket = NO_TICKET;\n",
    ]);
    assert.throws(() => exploreKeyed(mutant), {
      message: /^lock: this worker holds the lock, and would wait for itself: /,
    });
  });

  it("a fair lock that one leaves with its ticket does", async () => {
    const { fairLock: faulty } = await mutatedModule<{ fairLock: StripeLock }>(
      import.meta.resolve("./parts/fair-lock.ts"),
      ["return withdraw(memory, index);", "return false;"],
    );
    assertBroken(EVERYBODY_FINISHES, exploreLeaving(faulty, EVERYBODY_FINISHES));
  });

  for (const { name: what, of, in: file, edits, breaks } of faultsIn(FAULTS)) {
    it(`${of} that ${what} breaks ${breaks}`, async () => {
      const { url } = competitors.find(({ name }) => name === of)!;
      const mutant = await mutatedIn<KeyedCompetitor>(file!, url, ...edits);
      assertBroken(breaks, exploreKeyed(mutant, breaks));
    });
  }
});

describe("keyed: a fair lock goes on where its tickets wrap", () => {
  for (const wrap of [2 ** 31 - 1, -1]) {
    it(`at ${wrap}`, async () => {
      const instance = createLocks({ stripes: 1, workers: 3, fair: true });
      instance.memory[1] = wrap - 1;
      const handles = [0, 1, 2].map((index) => attachLocks(instance, index));
      for (let round = 0; round < 3; round++) {
        const got: number[] = [];
        const came = [0, 2, 1];
        await Promise.all(came.map((by) => handles[by]!.request("key", async () => void got.push(by))));
        assert.deepEqual(got, came);
      }
    });
  }
});

describe("keyed: createLocks", () => {
  const both = [false, true];

  it("makes plain data, which workers attach to once each", () => {
    for (const fair of both) {
      const instance = structuredClone(createLocks({ stripes: 2, workers: 2, fair }));
      const locks = attachLocks(instance, 0);
      assert.equal(
        locks.requestSync("a", () => 7),
        7,
      );
      assert.throws(() => attachLocks(instance, 0), /^Error: seat 0 is taken: /);
      freeSeat(instance, 0);
      assert.equal(
        attachLocks(instance, 0).requestSync("a", () => 8),
        8,
      );
    }
  });

  it("refuses a body that returns a promise, by its types too", () => {
    const locks = attachLocks(createLocks({ stripes: 1, workers: 1 }), 0);
    // @ts-expect-error The types refuse it, too.
    assert.throws(() => locks.requestSync("a", async () => {}), /and the key is released: use request$/);
    assert.equal(
      locks.requestSync("a", () => 1),
      1,
    );
  });

  itRefusesAsWritten("refuses in one line what it does not know", REFUSALS, () => {
    const instance = createLocks({ stripes: 1, workers: 1 });
    const json = JSON.parse(JSON.stringify(instance));
    const locks = attachLocks(createLocks({ stripes: 1, workers: 1 }), 0);
    return { createLocks, attachLocks, freeSeat, instance, json, locks, never };
  });
});

describe("keyed: a thread of createLocks' workers", () => {
  const made = () => {
    const instance = createLocks({ stripes: 8, workers: 2 });
    return { instance, one: attachLocks(instance, 0), other: attachLocks(instance, 1) };
  };

  it("rejects with an AbortError, and with the reason that a signal has", async () => {
    const { one, other } = made();
    const held = Promise.withResolvers<void>();
    const holder = one.request("a", () => held.promise);
    await assert.rejects(other.request("a", { signal: AbortSignal.abort() }, never), {
      name: "AbortError",
    });
    await assert.rejects(other.request("a", { signal: AbortSignal.timeout(1) }, never), {
      name: "TimeoutError",
    });
    held.resolve();
    await holder;
    assert.equal(await other.request("a", ({ name, mode }) => `${name} ${mode}`), "a exclusive");
  });

  it("passes on what bodies throw, and releases the key", async () => {
    const { one, other } = made();
    const fault = new Error("from the body");
    const fails = () => {
      throw fault;
    };
    assert.throws(() => one.requestSync("a", fails), fault);
    await assert.rejects(one.request("a", fails), fault);
    await assert.rejects(
      one.request("a", async () => fails()),
      fault,
    );
    assert.equal(await other.request("a", { ifAvailable: true }, (key) => key?.name), "a");
  });

  it("refuses to block where a request of its own is not settled", async () => {
    const { one } = made();
    const held = Promise.withResolvers<void>();
    const holder = one.request("a", () => held.promise);
    await setImmediate();
    assert.throws(
      () => one.requestSync("a", never),
      /^Error: requestSync: a request of this thread for the key, /,
    );
    held.resolve();
    await holder;
    assert.equal(
      one.requestSync("a", () => 1),
      1,
    );
  });

  it("lets tasks go on that a body has begun, once it has ended, and those beside it at once", async () => {
    const { one } = made();
    const held = Promise.withResolvers<void>();
    let late: Promise<number> | undefined;
    const holder = one.request("a", async () => {
      late = held.promise.then(() => setImmediate()).then(() => one.request("a", () => 5));
    });
    assert.equal(await one.request("b", () => 6), 6);
    await holder;
    held.resolve();
    assert.equal(await late, 5);
  });

  it("does not look into bodies after their first await where that is not asked for", async () => {
    const instance = createLocks({ stripes: 8, workers: 1 });
    const one = attachLocks(instance, 0, { checksNesting: false });
    const [a, b] = [1, 2];
    assert.notEqual((hashOf(a) >>> 0) % 8, (hashOf(b) >>> 0) % 8);
    await one.request(a, async () => {
      await assert.rejects(one.request(b, never), /this task holds a key/);
      await setImmediate();
      assert.equal(await one.request(b, () => 7), 7);
    });
  });

  it("refuses a signal that is none, and the holder and its successor do not notice", async () => {
    for (const fair of [false, true]) {
      const instance = createLocks({ stripes: 1, workers: 2, fair });
      const [one, other] = [0, 1].map((index) => attachLocks(instance, index));
      const held = Promise.withResolvers<number>();
      const holder = one!.request("a", () => held.promise);
      const nones = [{}, { aborted: false, throwIfAborted() {} }, new EventTarget(), "signal"] as never[];
      const refused = nones.flatMap((signal) =>
        [one, other].map((by) => by!.request("a", { signal }, never)),
      );
      const next = other!.request("a", () => 8);
      for (const request of refused)
        await assert.rejects(request, {
          name: "TypeError",
          message: /^request: signal .+ is not an AbortSignal/,
        });
      held.resolve(7);
      assert.deepEqual(await Promise.all([holder, next]), [7, 8]);
    }
  });

  it("waits many times with one signal, which has one listener, and none later", async () => {
    const { one, other } = made();
    const held = Promise.withResolvers<void>();
    const holder = one.request("a", () => held.promise);
    const leaving = new AbortController();
    const { signal } = leaving;
    const waiting = Array.from({ length: 20 }, () => other.request("a", { signal }, never));
    await setImmediate();
    assert.equal(getEventListeners(signal, "abort").length, 1);
    leaving.abort();
    for (const left of await Promise.allSettled(waiting)) assert.equal(left.status, "rejected");
    assert.equal(getEventListeners(signal, "abort").length, 0);
    const patient = new AbortController().signal;
    const served = [1, 2, 3].map((nth) => other.request("a", { signal: patient }, () => nth));
    held.resolve();
    await holder;
    assert.deepEqual(await Promise.all(served), [1, 2, 3]);
    assert.equal(getEventListeners(patient, "abort").length, 0);
  });
});

describe("keyed: the keys of dead holders", () => {
  /** A set of one stripe in which this number of holders died, each with a key of its own from 0 on, and a survivor's handle. */
  async function orphaned(dead: number, options: Partial<LocksSetup> = {}) {
    const instance = createLocks({ stripes: 1, workers: 2, ...options });
    const survivor = attachLocks(instance, 1);
    const die = async (key: number) => {
      const mortal = attachLocks(instance, 0, { checksNesting: false });
      void mortal.request(key, { mend() {} }, () => new Promise<never>(() => {}));
      await setImmediate();
      freeSeat(instance, 0);
      survivor.requestSync("another", () => {}, { mend() {} });
    };
    for (let key = 0; key < dead; key++) await die(key);
    return { survivor, die };
  }

  for (const dead of [3, 40])
    it(`are remembered until each is mended, and ${dead} of them spoil no other`, async () => {
      const { survivor } = await orphaned(dead, { fair: dead === 40 });
      let mended = 0;
      const mend = () => {
        mended++;
      };
      for (let key = dead; key < dead + 100; key++) survivor.requestSync(key, () => {}, { mend });
      assert.equal(mended, 0);
      for (let key = 0; key < dead; key++)
        assert.throws(() => survivor.requestSync(key, never), { code: "EOWNERDEAD" });
      for (let round = 0; round < 2; round++)
        for (let key = 0; key < dead; key++) survivor.requestSync(key, () => {}, { mend });
      assert.equal(mended, dead);
    });

  it("are all keys of a stripe once no more can be remembered", async () => {
    const { survivor, die } = await orphaned(28 + 4095);
    assert.equal(
      survivor.requestSync("stranger", () => 7),
      7,
    );
    await die(28 + 4095);
    assert.throws(() => survivor.requestSync("stranger", never), {
      code: "EOWNERDEAD",
      message: /^requestSync: the last holder died, /,
    });
  });

  it("make room where they are mended", async () => {
    const words = new Int32Array(new SharedArrayBuffer(4 * 33));
    const suspects = new Suspects(words.subarray(0, 30), words.subarray(30));
    const keys = Array.from({ length: 31 }, (_, key) => key + 1);
    for (const key of [...keys.slice(0, 30), 30]) suspects.add(key);
    assert.deepEqual(
      keys.map((key) => suspects.has(key)),
      keys.map((key) => key <= 30),
    );
    suspects.delete(29);
    suspects.add(31);
    assert.deepEqual(
      keys.map((key) => suspects.has(key)),
      keys.map((key) => key !== 29),
    );
    suspects.add(29);
    assert.ok(keys.every((key) => suspects.has(key)) && suspects.has(1000));
  });

  it("are all noted where two stripes without room note theirs at once", () => {
    const OWN = 30;
    const memory = allocateRegion(2 * OWN + 3);
    const of = (words: Region, stripe: number) =>
      new Suspects(words.subarray(stripe * OWN, (stripe + 1) * OWN), words.subarray(2 * OWN));
    for (const stripe of [0, 1])
      for (let key = 1; key <= 28; key++) of(memory, stripe).add(100 * stripe + key);
    const threads = [0, 1].map((stripe): Part[] => [(words) => of(words, stripe).add(1000 + stripe)]);
    const { ends } = explore(
      { memory, threads },
      {
        end: ({ memory: words }) => assert.ok([0, 1].every((stripe) => of(words, stripe).has(1000 + stripe))),
      },
    );
    assert.ok(ends > 0);
  });

  it("are free with the data as they are, where the set is made so", async () => {
    const { survivor } = await orphaned(2, { deadHolder: "releases" });
    assert.equal(
      survivor.requestSync(0, () => 7),
      7,
    );
    assert.equal(await survivor.request(1, () => 8), 8);
  });
});

describe("keyed: without stripes, what is held is a key of a set, and no other", () => {
  for (const { name, competitor, skip } of competitors) {
    if (competitor.deadHolder === "recovers") continue;
    it(name, { skip }, async () => {
      const setup = { stripes: 1, workers: 1 };
      const handle = () => {
        const memory = allocateRegion(competitor.words(setup));
        competitor.format(memory, setup);
        return competitor.attach(memory, setup, workerIdentity(0, 1, 1));
      };
      const [one, other] = [handle(), handle()];
      const held = Promise.withResolvers<void>();
      const holder = one.request(5, {}, () => held.promise);
      const isFree = (keyed: Keyed, key: Key) =>
        keyed.request(key, { ifAvailable: true }, (free) => free !== null);
      const asked = [isFree(one, 5), isFree(one, "5"), isFree(one, 6), isFree(other, 5)];
      assert.deepEqual(await Promise.all(asked), [false, true, true, true]);
      held.resolve();
      await holder;
    });
  }
});

it("keyed: hashes differ where keys do, and fill stripes evenly", () => {
  const keys = [
    0,
    1,
    -1,
    2 ** 31,
    2 ** 32,
    -(2 ** 32),
    2 ** 40,
    2 ** 53 - 1,
    "",
    "0",
    "1",
    "a",
    "b",
    "ab",
    "ba",
  ];
  assert.equal(new Set(keys.map((key) => hashOf(key))).size, keys.length);
  assert.equal(hashOf(0), hashOf(-0));
  for (const nameOf of [(key: number) => key, (key: number) => `user/${key}`, (key: number) => key * 1024]) {
    const counts = new Int32Array(64);
    for (let key = 0; key < 6400; key++) counts[(hashOf(nameOf(key)) >>> 0) % 64]!++;
    assert.ok(
      Math.max(...counts) < 150 && Math.min(...counts) > 60,
      `${Math.min(...counts)} .. ${Math.max(...counts)}`,
    );
  }
});
