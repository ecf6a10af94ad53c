import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itRefusesAsWritten } from "../calls.trials.ts";
import { golden } from "../golden.trials.ts";
import { type Checked, check, checkAsync, InterleavingError, type Limits } from "../index.ts";

/** A little-known fact of these programs: words 0 to 2 are called a, b and c. */
const names = ["a", "b", "c"];
const shared = new Int32Array(new SharedArrayBuffer(16));

type Program = Checked<Int32Array>;

const increments = (words: Int32Array) => {
  words[0]!++;
};
const adds = (words: Int32Array) => Atomics.add(words, 0, 1);
const locked = (words: Int32Array) => {
  while (Atomics.exchange(words, 1, 1) === 1);
  words[0]!++;
  Atomics.store(words, 1, 0);
};
const reads = (words: Int32Array) => Atomics.load(words, 2);

const program = (threads: Program["threads"], promises: Partial<Program> = {}): Program => ({
  shared,
  names,
  threads,
  ...promises,
});

function errorOf(checked: Program, limits?: Limits): InterleavingError {
  try {
    check(checked, limits);
  } catch (error) {
    if (error instanceof InterleavingError) return error;
    throw error;
  }
  return assert.fail("a broken promise was expected");
}

const counts = (expected: number) => (words: Int32Array) =>
  assert.ok(words[0] === expected, `a is ${words[0]}, not ${expected}`);

const sometimes: NonNullable<Program["sometimes"]> = {
  "both at once": (words) => words[0] === 1,
  "one by one": (words) => words[0] === 2,
  three: (words) => words[0] === 3,
};

const takesBoth = (first: number, second: number) => (words: Int32Array) => {
  while (Atomics.exchange(words, first, 1) === 1);
  while (Atomics.exchange(words, second, 1) === 1);
  Atomics.store(words, second, 0);
  Atomics.store(words, first, 0);
};

const freesAfterDeath = (words: Int32Array) => {
  Atomics.store(words, 1, 0);
};

const pushes = (words: Int32Array) => {
  const at = Atomics.load(words, 0);
  words[1 + at] = 7;
  Atomics.store(words, 0, at + 1);
  return `place ${at}`;
};
const pops = (words: Int32Array) => words[Atomics.load(words, 0)];
const once: Program["invariant"] = (_, { results }) => {
  const first = results.flat().filter((result) => result === "place 0");
  assert.ok(first.length < 2, "two pushes got place 0");
};
const pushing = program(
  [
    [pops, pushes],
    [reads, pops, pops],
    [pops, pushes, pops],
  ],
  { names: ["size"], invariant: once },
);

const FAILURES: Readonly<Record<string, () => InterleavingError>> = {
  "the shortest schedule in which the end is not as promised": () =>
    errorOf(program([adds, increments], { end: counts(2) })),
  "the state that breaks an invariant, and what an assertion says in several lines": () => {
    const twice = (words: Int32Array) => {
      Atomics.store(words, 0, 1);
      Atomics.store(words, 0, 2);
      return "twice";
    };
    const invariant: Program["invariant"] = (words, { results }) => {
      if (words[0] === 2)
        throw new RangeError(`too many:\n\n  a = 2\n  ${"b".repeat(100)}\n\n  ${results.length} threads`);
    };
    return errorOf(program([twice, reads], { invariant }));
  },
  "a deadlock": () => {
    const sleeps = (words: Int32Array) => {
      if (Atomics.load(words, 0) === 0) Atomics.wait(words, 1, 0);
    };
    const wakes = (words: Int32Array) => {
      Atomics.store(words, 0, 1);
      Atomics.notify(words, 1);
    };
    return errorOf(program([sleeps, wakes]));
  },
  "a deadlock after a death": () => {
    const afterDeath = (words: Int32Array) => Atomics.wait(words, 1, 0) === "ok";
    return errorOf(program([reads], { dies: 0, afterDeath }));
  },
  "where threads begin to go on for ever": () => errorOf(program([takesBoth(0, 1), takesBoth(1, 0)])),
  "what an operation throws": () => {
    const full = (words: Int32Array) => {
      if (Atomics.add(words, 0, 1) === 1) throw new RangeError("full");
    };
    return errorOf(program([[reads, full], adds]), { shrink: false });
  },
  "where a thread dies": () => errorOf(program([locked, locked], { dies: 0 })),
  "what is done after its death": () =>
    errorOf(program([locked, locked], { dies: 0, afterDeath: freesAfterDeath, end: counts(2) })),
  "what is never true in the end": () => errorOf(program([increments, increments], { sometimes })),
  "a part, without the threads and operations that it does not need": () => errorOf(pushing),
  "a promise of a smaller number of preemptions": () =>
    errorOf(program([increments, increments], { end: counts(2) }), { preemptions: 1 }),
};

describe("check", () => {
  it("visits every schedule of threads that keep their promises", () => {
    const coverage = check(program([locked, locked], { end: counts(2) }));
    const { complete, ends, unmet } = coverage;
    assert.deepEqual({ complete, ends, unmet }, { complete: true, ends: 1, unmet: [] });
    assert.match(
      `${coverage}`,
      /^Every schedule was visited: \d+ states, 1 end, at most \d+ steps, [\d.]+ s; starvation was not looked for\.$/,
    );
  });

  it("shows each failure as its reader sees it", (test) => {
    const shown = Object.entries(FAILURES).map(([name, fails]) => {
      const { promise, cause, message } = fails();
      return [name, `${promise}${cause instanceof Error ? `, by ${cause.name}` : ""}\n\n${message}`];
    });
    golden(test, "testdata/failures.txt", Object.fromEntries(shown));
  });

  it("leaves of the stack only what called it", () => {
    const error = errorOf(program([adds, increments], { end: counts(2) }));
    assert.match(error.stack!.slice(`${error}`.length), /^\n +at errorOf /);
  });

  it("repeats a livelock, and finds none where the order of locks is the same", () => {
    const checked = program([takesBoth(0, 1), takesBoth(1, 0)]);
    const { replay } = errorOf(checked);
    assert.equal(errorOf(checked, { replay: replay! }).promise, "livelock");
    assert.equal(check(program([takesBoth(0, 1), takesBoth(0, 1)]), { replay: replay! }).cut, "replay");
  });

  it("tells an end who has died, and what was done", () => {
    const seenIn = new Set<string>();
    const end: Program["end"] = (words, { died, done, results }) => {
      seenIn.add(JSON.stringify({ died, done, results, a: words[0] }));
    };
    check(program([locked, [reads, locked]], { dies: 0, afterDeath: freesAfterDeath, end }));
    assert.deepEqual([...seenIn].sort(), [
      '{"died":[false,false],"done":[true,true],"results":[[null],[0,null]],"a":2}',
      '{"died":[true,false],"done":[false,true],"results":[[],[0,null]],"a":1}',
      '{"died":[true,false],"done":[false,true],"results":[[],[0,null]],"a":2}',
    ]);
  });

  it("only says that something is never true in the end where not all was visited", () => {
    const coverage = check(program([increments, increments], { sometimes }), { preemptions: 0 });
    assert.deepEqual([coverage.complete, coverage.unmet], [false, ["both at once", "three"]]);
    assert.match(
      `${coverage}`,
      /^Every schedule with at most 0 preemptions was visited: .*; "three" was true in no end\.$/,
    );
  });

  it("says which threads it has not seen at the memory, and refuses a program of such", () => {
    // As WebAssembly does, this changes memory that no stand-in stands for.
    const outside = new Int32Array(new SharedArrayBuffer(4));
    const addsOutside = () => Atomics.add(outside, 0, 1);
    const beside = check(program([adds, [addsOutside, addsOutside], [addsOutside, adds], adds]));
    assert.deepEqual(beside.withoutAccess, [1]);
    assert.match(
      String(beside),
      / s; thread 1 made no access to the shared memory; starvation was not looked for\.$/,
    );
    const end: Program["end"] = (words) => assert.equal(words[0], 2);
    for (const promises of [{}, { end }])
      for (const limits of [{}, { random: { schedules: 2, seed: 1 } }])
        assert.throws(() => check(program([addsOutside, addsOutside], promises), limits), {
          name: "ProgramError",
          message:
            "no thread accesses the shared memory: let operations use what they are given; WebAssembly, native functions " +
            "and views from outside are not seen",
        });
    assert.ok(outside[0]! > 0);
  });

  it("gives threads what they attach, by their own numbers, and results of every kind", () => {
    const seen = new Set<string>();
    check({
      shared: { ticket: new Int32Array(new SharedArrayBuffer(4)) },
      attach: ({ ticket }, thread) => ({ take: () => [`thread ${thread}`, Atomics.add(ticket, 0, 1)] }),
      threads: [(own) => own.take(), [() => undefined, (own) => own.take()]],
      end: (_, { results }) => seen.add(JSON.stringify(results)),
    });
    assert.deepEqual([...seen].sort(), [
      '[[["thread 0",0]],[null,["thread 1",1]]]',
      '[[["thread 0",1]],[null,["thread 1",0]]]',
    ]);
  });
});

describe("a failing part of a program", () => {
  it("is repeated as it was shown", () => {
    const error = errorOf(pushing);
    const again = errorOf(pushing, { replay: error.replay! });
    assert.equal(again.message.split("\n\n")[1], error.message.split("\n\n")[1]);
    assert.equal(again.replay, error.replay);
  });

  it("is not looked for without shrink", () => {
    const { replay } = errorOf(pushing, { shrink: false });
    assert.match(replay!, /^[\d* ]+$/);
  });

  it("breaks the same promise", () => {
    const marks = (words: Int32Array) => {
      if (Atomics.load(words, 0) === 2) Atomics.store(words, 2, 1);
    };
    const invariant: Program["invariant"] = (words) => assert.ok(words[2] === 0, "marked");
    const sleeps = (words: Int32Array) => {
      if (Atomics.load(words, 1) === 0) Atomics.wait(words, 3, 0);
    };
    const wakes = (words: Int32Array) => {
      Atomics.store(words, 1, 1);
      Atomics.notify(words, 3);
    };
    // A lost update breaks the end sooner.
    const lost = errorOf(program([marks, increments, increments], { invariant, end: counts(2) }));
    assert.match(
      lost.message,
      /^the invariant is broken: marked\n.*\nNo schedule breaks it in fewer steps\.\n/s,
    );
    // A missed notify is a deadlock, of a smaller part.
    const missed = errorOf(program([sleeps, wakes, marks, [adds, adds]], { invariant }));
    assert.equal(missed.promise, "invariant");
    assert.match(missed.message, /thread 2: marks .* thread 3$/m);
  });

  it("fails for the same reason, and not because a thread is missing", () => {
    const writes = (at: number) => (words: Int32Array) => {
      words[at] = 1;
    };
    const looks = (first: number, second: number) => (words: Int32Array) => [words[first]!, words[second]!];
    // Independent reads of independent writes. What thread 3 has seen is asked only if thread 2 has seen one of both.
    const end: Program["end"] = (_, { results }) => {
      const [one, other] = [results[2]![0], results[3]![0]] as number[][];
      const areTwo = one![0] === 1 && one![1] === 0 && other![0] === 1 && other![1] === 0;
      assert.ok(!areTwo, "writes are seen in two orders");
    };
    const seen = errorOf(program([writes(0), writes(1), looks(0, 1), looks(1, 0)], { end }), { weak: true });
    assert.match(seen.message, /^the end is not as promised: writes are seen in two orders\n.*thread 3/s);
    // The first failure is looked for in fewer steps, though another one has fewest.
    const opens = (words: Int32Array) => Atomics.store(words, 1, 1);
    const goesOn = (words: Int32Array) => {
      if (Atomics.load(words, 1) === 0) return;
      words[0] = 1;
      words[0] = 2;
    };
    const isLong: Program["end"] = (words) => assert.fail(words[0] === 2 ? "long" : "short");
    const long = errorOf(program([goesOn, opens], { end: isLong }));
    assert.match(
      long.message,
      /^the end is not as promised: long\n.*\nNo schedule breaks it in fewer steps\.\n/s,
    );
  });

  it("is none where promises speak of all threads", () => {
    const error = errorOf(program([increments, [increments, reads], reads], { end: counts(2) }));
    // Without one of the increments the end would be broken in every schedule.
    assert.equal(error.replay!.split(":")[0], "0.0/1.0");
  });

  it("is not looked for where every schedule of the whole fails", () => {
    const marks = (words: Int32Array) => Atomics.store(words, 2, 1);
    const end: Program["end"] = (words) => assert.ok(words[2] === 0 && words[0] === 2, "marked, or lost");
    const error = errorOf(program([increments, increments, marks], { end }));
    assert.match(error.replay!, /^[\d* ]+$/);
  });

  it("gives threads their own numbers", () => {
    const attached = new Set<number>();
    const checked: Program = {
      ...program([reads, reads, increments, increments]),
      end: (words) => assert.ok(words[0] !== 1, "lost"),
      attach(words, thread) {
        attached.add(thread);
        return words;
      },
    };
    const error = errorOf(checked);
    assert.match(error.message, /thread 2: increments .* thread 3: increments/);
    attached.clear();
    errorOf(checked, { replay: error.replay! });
    assert.deepEqual([...attached], [2, 3]);
    assert.throws(() => check(checked, { replay: "2.1:0" }), {
      message: "the program has no operation 1 of thread 2",
    });
  });
});

describe("the limits of a check", () => {
  it("make an incomplete one a coverage, which no limit makes an error", () => {
    const checked = program([locked, locked, locked]);
    assert.throws(() => check(checked, { maxStates: 20 }), {
      message:
        "not every schedule was visited: the program has at least 21 states; " +
        "make it smaller, or set preemptions, random or timeLimitMs",
    });
    const bounded = check(checked, { maxStates: 20, preemptions: 1 });
    assert.deepEqual([bounded.complete, bounded.cut], [false, "states"]);
    assert.match(`${bounded}`, /^Not every schedule was visited before the limit of states: 21 states, /);
    const random = check(checked, { random: { schedules: 3, seed: 1 } });
    assert.match(`${random}`, /^3 schedules at random were visited: /);
    const timed = check(checked, { timeLimitMs: 60_000 });
    assert.ok(timed.complete);
  });

  it("find a failure at random, and repeat it where plain accesses are weak", () => {
    const publishes = (words: Int32Array) => {
      words[0] = 7;
      words[1] = 1;
    };
    const reads = (words: Int32Array) => (words[1] === 1 ? words[0] : undefined);
    const end: Program["end"] = (_, { results }) => assert.notEqual(results[1]![0], 0, "stale");
    const checked = program([publishes, reads], { end });
    assert.ok(check(checked).complete);
    for (const limits of [{}, { random: { schedules: 200, seed: 1 } }]) {
      const error = errorOf(checked, { weak: true, ...limits });
      assert.ok(error.message.endsWith(`check(program, { replay: "${error.replay}", weak: true })`));
      assert.equal(errorOf(checked, { weak: true, replay: error.replay! }).replay, error.replay);
    }
  });
});

describe("a check of operations that return promises", () => {
  const FREE = 0;
  const TAKEN = 1;
  const lock = async (words: Int32Array) => {
    while (Atomics.exchange(words, 1, TAKEN) !== FREE) await Atomics.waitAsync(words, 1, TAKEN).value;
  };
  const counts = async (words: Int32Array) => {
    await lock(words);
    const before = words[0]!++;
    Atomics.store(words, 1, FREE);
    Atomics.notify(words, 1, 1);
    return before;
  };
  const forgets = async (words: Int32Array) => {
    await lock(words);
    Atomics.store(words, 1, FREE);
  };

  const notBroken = () => assert.fail("a broken promise was expected");

  it("visits every schedule, and knows what the promises come to", async () => {
    const ends = new Set<string>();
    const end: Program["end"] = (words, { results }) => {
      ends.add(`${words[0]}: ${results}`);
    };
    const attach = async (words: Int32Array) => words;
    const checked: Program = { ...program([counts, [counts, adds]]), attach, end };
    const coverage = await checkAsync(checked);
    assert.ok(coverage.complete);
    assert.deepEqual([...ends].sort(), ["2: 1,0,1", "3: 0,1,2", "3: 1,0,2", "3: 2,0,1"]);
  });

  it("shows a promise that is never resolved, of the smallest part", async (test) => {
    const checked = program([reads, counts, [reads, forgets]]);
    const error = await checkAsync(checked).then(notBroken, (thrown: InterleavingError) => thrown);
    golden(test, "testdata/failure-async.txt", { "a promise that is never resolved": error.message });
    assert.match(error.stack!.slice(`${error}`.length), /^\n +at [^\n]+check\.test\.ts/);
    await assert.rejects(checkAsync(checked, { replay: error.replay! }), { replay: error.replay });
  });

  it("repeats a schedule of weak accesses", async () => {
    const publishes = async (words: Int32Array) => {
      words[0] = 7;
      words[1] = 1;
    };
    const takes = (words: Int32Array) => (words[1] === 1 ? words[0] : undefined);
    const end: Program["end"] = (_, { results }) => assert.notEqual(results[1]![0], 0, "stale");
    const checked = program([publishes, takes], { end });
    assert.ok((await checkAsync(checked)).complete);
    const error = await checkAsync(checked, { weak: true }).then(
      notBroken,
      (thrown: InterleavingError) => thrown,
    );
    const again = checkAsync(checked, { weak: true, replay: error.replay! });
    await assert.rejects(again, { name: "InterleavingError", replay: error.replay });
  });

  it("shows what an operation rejects with", async () => {
    const full = async (words: Int32Array) => {
      await lock(words);
      throw new RangeError("full");
    };
    const error = await checkAsync(program([full])).then(notBroken, (thrown: InterleavingError) => thrown);
    assert.match(error.message, /^operation 0 of thread 0 \(full\) threw: RangeError: full$/m);
  });
});

describe("what cannot be checked", () => {
  const never = () => assert.fail("nothing runs");
  const valid = program([never]);
  const rejected = () => Promise.reject(new Error("unheard"));
  const throws = () => {
    throw new TypeError("none of the promises");
  };
  const scope = { check, checkAsync, valid, never, shared, program, reads, rejected, throws };
  itRefusesAsWritten(
    "is refused in one line",
    new URL("testdata/refusals.txt", import.meta.url),
    () => scope,
  );
});
