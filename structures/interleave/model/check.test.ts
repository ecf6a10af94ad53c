import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itRefusesAsWritten } from "../calls.trials.ts";
import { InterleavingError } from "../check/check.ts";
import { golden } from "../golden.trials.ts";
import { check } from "./check.ts";
import { classics } from "./classics.trials.ts";
import { type Promised, type PromisedLimits, WAITS } from "./promised.ts";

const sharing = (words: readonly number[]) => {
  const shared = new Int32Array(new SharedArrayBuffer(4 * words.length));
  shared.set(words);
  return shared;
};

/** What it comes to, in a run that takes no time. */
function saidOf<Own>(promised: Promised<Int32Array, Own>, limits: PromisedLimits = {}): string {
  try {
    return String(check(promised, limits)).replace(/\d+\.\d s\.$/, "0.0 s.");
  } catch (error) {
    if (!(error instanceof InterleavingError)) throw error;
    return error.message;
  }
}

const program = (name: string, hasFault: boolean): Promised<Int32Array, object> => {
  const { words, attach, ...rest } = classics[name]!;
  const attached = (shared: Int32Array, thread: number) => attach(shared, thread, hasFault);
  return { shared: sharing(words), attach: attached, ...rest };
};

describe("a check against a model", () => {
  it("finds the fault of each classic, and none where there is none", (test) => {
    const faults: Record<string, string> = {};
    const kept: string[] = [];
    for (const name of Object.keys(classics)) {
      kept.push(`${name}: ${saidOf(program(name, false))}`);
      assert.throws(
        () => check(program(name, true)),
        (error: InterleavingError) => {
          faults[name] = error.message;
          const again = saidOf(program(name, true), { replay: error.replay! });
          assert.ok(error.message.startsWith(again.slice(0, again.lastIndexOf("\n\n"))), again);
          return true;
        },
      );
    }
    golden(test, "testdata/classics.txt", { "without a fault": kept.join("\n"), ...faults });
  });

  const register = {
    value: 0,
    write(value: number) {
      this.value = value;
    },
    read() {
      return this.value;
    },
  };
  const sizes = { threads: 2, calls: 2 };
  const writing = { write: { args: ({ nth }: { readonly nth: number }) => [nth] }, read: {} };
  /** Each thread knows what it has written, and nothing of others. */
  const apart: Promised<Int32Array, object> = {
    model: register,
    shared: sharing([0]),
    attach(words) {
      let own: number | undefined;
      return {
        write(value: number) {
          own = value;
        },
        read: () => Atomics.load(words, 0) + (own ?? 0),
      };
    },
    operations: writing,
    ...sizes,
  };
  /** A counting network of one balancer (Aspnes, Herlihy & Shavit, 1994). */
  const network: Promised<Int32Array> = {
    model: {
      count: 0,
      next() {
        return this.count++;
      },
    },
    shared: sharing([0, 0, 1]),
    operations: { next: { call: (words) => Atomics.add(words, 1 + Atomics.xor(words, 0, 1), 2) } },
    ...sizes,
  };
  /** A pair that a thread may leave half written. */
  const pair: Promised<Int32Array> = {
    model: {
      pair: [0, 0],
      write(value: number) {
        this.pair = [value, value];
      },
      read() {
        return this.pair;
      },
    },
    shared: sharing([0, 0]),
    operations: {
      write: {
        ...writing.write,
        by: 0,
        call(words, value: number) {
          Atomics.store(words, 0, value);
          Atomics.store(words, 1, value);
        },
      },
      read: { by: 1, call: (words) => [Atomics.load(words, 0), Atomics.load(words, 1)] },
    },
    order: "quiescently consistent",
    threads: 2,
    calls: 1,
  };
  const counter: Promised<Int32Array> = {
    ...network,
    shared: sharing([0]),
    operations: { next: { call: (words) => Atomics.add(words, 0, 1) } },
  };
  /** Sleeps for a permit, but not for ever. */
  const permits: Promised<Int32Array> = {
    model: {
      permits: 0,
      acquire(): unknown {
        if (this.permits === 0) return WAITS;
        this.permits--;
        return "ok";
      },
      release() {
        this.permits++;
      },
    },
    shared: sharing([0]),
    operations: {
      acquire: {
        by: 1,
        call(words) {
          for (;;) {
            const count = Atomics.load(words, 0);
            if (count > 0 && Atomics.compareExchange(words, 0, count, count - 1) === count) return "ok";
            if (count === 0 && Atomics.wait(words, 0, 0, 10) === "timed-out") return "timed-out";
          }
        },
        inVain: ["timed-out"],
      },
      release: {
        by: 0,
        call(words) {
          Atomics.add(words, 0, 1);
          Atomics.notify(words, 0, 1);
        },
      },
    },
    ...sizes,
  };
  const { acquire, release } = permits.operations;
  const { inVain: _, ...always } = acquire!;
  const large: Promised<Int32Array> = { ...counter, threads: 5, calls: 3 };

  const cases: Readonly<Record<string, () => string>> = {
    "threads apart are not linearizable": () => saidOf(apart),
    "threads apart are sequentially consistent": () => saidOf({ ...apart, order: "sequentially consistent" }),
    "threads apart are not quiescently consistent": () =>
      saidOf({ ...apart, order: "quiescently consistent" }),
    "a counting network is not linearizable": () => saidOf(network),
    "a counting network is not sequentially consistent": () =>
      saidOf({ ...network, order: "sequentially consistent" }),
    "a counting network is quiescently consistent": () =>
      saidOf({ ...network, order: "quiescently consistent" }),
    "a call that times out explains itself": () => saidOf(permits),
    "and else does not": () => saidOf({ ...permits, operations: { acquire: always, release: release! } }),
    "calls that give up wait for nobody": () =>
      saidOf({ ...permits, operations: { acquire: { ...acquire!, by: [0, 1] } }, calls: 1 }),
    "a thread that dies within a call has made it or not": () => saidOf({ ...counter, dies: [0, 1] }),
    "a thread that dies leaves half a pair": () => saidOf({ ...pair, dies: 0 }),
    "words are published by plain stores": () =>
      saidOf({ ...weakly, order: "sequentially consistent" }, { weak: true }),
    "scenarios are too large to visit every schedule": () => saidOf(large, { maxStates: 300, scenarios: 4 }),
    "nothing is known of what is missed where plain accesses are weak": () =>
      saidOf(
        {
          ...large,
          model: { next: () => 1 },
          operations: { next: { call: (words) => (words[0] = 1) } },
          order: "sequentially consistent",
        },
        { maxStates: 20, scenarios: 4, weak: true },
      ),
    "the time is over": () => saidOf(large, { timeLimitMs: 1e-9 }),
  };
  const weakly: Promised<Int32Array> = {
    model: { ...register, read: () => 1 },
    shared: sharing([0, 0]),
    operations: {
      write: {
        by: 0,
        call(words) {
          words[0] = 1;
          words[1] = 1;
        },
      },
      read: { by: 1, call: (words) => (words[1] === 1 ? words[0] : 1) },
    },
    threads: 2,
    calls: 1,
  };

  it("says what was found, and else what was visited", (test) => {
    golden(
      test,
      "testdata/cases.txt",
      Object.fromEntries(Object.entries(cases).map(([name, said]) => [name, said()])),
    );
  });

  it("draws the calls as an image, too", (test) => {
    assert.throws(
      () => check(network),
      (error: InterleavingError) => {
        golden(test, "testdata/image.txt", {
          "calls of a counting network": (error.cause as { svg: string }).svg,
        });
        return true;
      },
    );
  });

  itRefusesAsWritten("refuses in one line", new URL("testdata/refusals.txt", import.meta.url), () => ({
    check,
    counter,
    permits,
  }));
});
