import assert from "node:assert/strict";
import { describe, it } from "node:test";
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

describe("check", () => {
  it("takes its example", () => {
    const example = () =>
      check({
        shared: new Int32Array(new SharedArrayBuffer(4)),
        names: ["count"],
        threads: [(words) => Atomics.add(words, 0, 1), (words) => words[0]!++],
        end: (words) => assert.equal(words[0], 2),
      });
    assert.throws(example, /^InterleavingError: the end is not as promised: .* 1 !== 2$/m);
  });

  it("visits every schedule of threads that keep their promises", () => {
    const coverage = check(program([locked, locked], { end: counts(2) }));
    const { complete, ends, unmet } = coverage;
    assert.deepEqual({ complete, ends, unmet }, { complete: true, ends: 1, unmet: [] });
    assert.match(
      `${coverage}`,
      /^Every schedule was visited: \d+ states, 1 end, at most \d+ steps, [\d.]+ s; starvation was not looked for\.$/,
    );
  });

  it("shows the shortest schedule in which the end is not as promised", () => {
    const error = errorOf(program([adds, increments], { end: counts(2) }));
    assert.equal(error.promise, "end");
    assert.ok(error.cause instanceof assert.AssertionError);
    // Of the stack only what called check is left.
    assert.match(error.stack!.slice(`${error}`.length), /^\n +at errorOf /);
    assert.equal(
      error.message,
      `the end is not as promised: a is 1, not 2

    thread 0: adds   thread 1: increments
 1                   plain read a = 0
 2  add 1, a 0 -> 1
    -> 0
 3                   plain write a 1 -> 1
                     done

No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "1 0 1" })`,
    );
  });

  it("shows the state that breaks an invariant, and what an assertion says in several lines", () => {
    const twice = (words: Int32Array) => {
      Atomics.store(words, 0, 1);
      Atomics.store(words, 0, 2);
      return "twice";
    };
    const invariant: Program["invariant"] = (words, { results }) => {
      if (words[0] === 2)
        throw new RangeError(`too many:\n\n  a = 2\n  ${"b".repeat(100)}\n\n  ${results.length} threads`);
    };
    const error = errorOf(program([twice, reads], { invariant }));
    assert.equal(error.promise, "invariant");
    assert.equal(
      error.message,
      `the invariant is broken: too many:

    thread 0: twice  thread 1: reads
 1  store a 0 -> 1
 2  store a 1 -> 2
    -> "twice"

  a = 2
    bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb

    2 threads

No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "0*2" })`,
    );
  });

  it("shows a deadlock", () => {
    const sleeps = (words: Int32Array) => {
      if (Atomics.load(words, 0) === 0) Atomics.wait(words, 1, 0);
    };
    const wakes = (words: Int32Array) => {
      Atomics.store(words, 0, 1);
      Atomics.notify(words, 1);
    };
    const error = errorOf(program([sleeps, wakes]));
    assert.equal(error.promise, "deadlock");
    assert.equal(
      error.message,
      `deadlock: thread 0 waits for b, and no thread is left to wake it

    thread 0: sleeps    thread 1: wakes
 1  load a = 0
 2                      store a 0 -> 1
 3                      notify b, wakes 0
                        done
 4  wait b = 0, asleep

No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "0 1*2 0" })`,
    );
  });

  it("shows a deadlock after a death", () => {
    const afterDeath = (words: Int32Array) => Atomics.wait(words, 1, 0) === "ok";
    const error = errorOf(program([reads], { dies: 0, afterDeath }));
    assert.match(error.message, /^deadlock: thread 0 waits for b, and no thread is left to wake it$/m);
  });

  it("shows where threads begin to go on for ever", () => {
    const both = (first: number, second: number) => (words: Int32Array) => {
      while (Atomics.exchange(words, first, 1) === 1);
      while (Atomics.exchange(words, second, 1) === 1);
      Atomics.store(words, second, 0);
      Atomics.store(words, first, 0);
    };
    const checked = program([both(0, 1), both(1, 0)]);
    const error = errorOf(checked);
    assert.equal(error.promise, "livelock");
    assert.equal(
      error.message,
      `livelock: from here on no schedule lets thread 0 and thread 1 finish

    thread 0           thread 1
 1  exchange a 0 -> 1
 2                     exchange b 0 -> 1

No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "0 1" })`,
    );
    assert.equal(errorOf(checked, { replay: error.replay! }).promise, "livelock");
    assert.equal(check(program([both(0, 1), both(0, 1)]), { replay: error.replay! }).cut, "replay");
  });

  it("shows what an operation throws", () => {
    const full = (words: Int32Array) => {
      if (Atomics.add(words, 0, 1) === 1) throw new RangeError("full");
    };
    const error = errorOf(program([[reads, full], adds]), { shrink: false });
    assert.equal(error.promise, "thrown");
    assert.ok(error.cause instanceof RangeError);
    assert.equal(
      error.message,
      `operation 1 of thread 0 (full) threw: RangeError: full

    thread 0                   thread 1: adds
 1                             add 1, a 0 -> 1
                               -> 0
    reads
 2    load c = 0
    reads -> 0
    full
 3    add 1, a 1 -> 2
      throws RangeError: full

No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "1 0*2" })`,
    );
  });

  it("shows where a thread dies, and what is done after its death", () => {
    const afterDeath = (words: Int32Array) => {
      Atomics.store(words, 1, 0);
    };
    const error = errorOf(program([locked, locked], { dies: 0 }));
    assert.equal(error.promise, "livelock");
    assert.match(error.message, /^livelock: from here on no schedule lets thread 1 finish$/m);
    assert.match(error.message, /^ {4}dies$/m);
    const seenIn = new Set<string>();
    const end: Program["end"] = (words, { died, done, results }) => {
      seenIn.add(JSON.stringify({ died, done, results, a: words[0] }));
    };
    check(program([locked, [reads, locked]], { dies: 0, afterDeath, end }));
    assert.deepEqual([...seenIn].sort(), [
      '{"died":[false,false],"done":[true,true],"results":[[null],[0,null]],"a":2}',
      '{"died":[true,false],"done":[false,true],"results":[[],[0,null]],"a":1}',
      '{"died":[true,false],"done":[false,true],"results":[[],[0,null]],"a":2}',
    ]);
    const promises = { dies: 0, afterDeath, end: counts(2) };
    assert.equal(
      errorOf(program([locked, locked], promises)).message,
      `the end is not as promised: a is 1, not 2

    thread 0: locked  thread 1: locked
    dies
    after its death:
 1  store b 0 -> 0
 2                    exchange b 0 -> 1
 3                    plain read a = 0
 4                    plain write a 0 -> 1
 5                    store b 1 -> 0
                      done

No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "0! 0*2 1*4" })`,
    );
  });

  it("fails where something is never true in the end, and only says so where not all was visited", () => {
    const sometimes: NonNullable<Program["sometimes"]> = {
      "both at once": (words) => words[0] === 1,
      "one by one": (words) => words[0] === 2,
      three: (words) => words[0] === 3,
    };
    const checked = program([increments, increments], { sometimes });
    const error = errorOf(checked);
    assert.equal(error.promise, "sometimes");
    assert.equal(error.message, 'sometimes is broken: "three" is true in no end of any schedule (2 ends)');
    const coverage = check(checked, { preemptions: 0 });
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
  const threads = [
    [pops, pushes],
    [reads, pops, pops],
    [pops, pushes, pops],
  ];

  it("is shown without the threads and operations that it does not need", () => {
    const checked = program(threads, { names: ["size"], invariant: once });
    const error = errorOf(checked);
    assert.equal(
      error.message,
      `the invariant is broken: two pushes got place 0

    thread 0                       thread 2
    pushes
 1    load size = 0
 2    plain write words[1] 0 -> 7
                                   pushes
 3                                   load size = 0
 4    store size 0 -> 1
    pushes -> "place 0"
 5                                   plain write words[1] 7 -> 7
 6                                   store size 1 -> 1
                                   pushes -> "place 0"

Smallest failing part found: 2 of 3 threads, 2 of 8 operations.
No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "0.1/2.1:0*2 1 0 1*2" })`,
    );
    const again = errorOf(checked, { replay: error.replay! });
    assert.equal(again.message.split("\n\n")[1], error.message.split("\n\n")[1]);
    assert.equal(again.replay, error.replay);
  });

  it("is not looked for without shrink", () => {
    const { replay } = errorOf(program(threads, { invariant: once }), { shrink: false });
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

  it("hold for the shortest schedule, too", () => {
    const error = errorOf(program([increments, increments], { end: counts(2) }), { preemptions: 1 });
    assert.match(error.message, /^No schedule with at most 1 preemption breaks it in fewer steps\.$/m);
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

  it("shows a promise that is never resolved, of the smallest part", async () => {
    const checked = program([reads, counts, [reads, forgets]]);
    const error = await checkAsync(checked).then(notBroken, (thrown: InterleavingError) => thrown);
    assert.equal(
      error.message,
      `deadlock: thread 1 waits for b, and no thread is left to wake it

    thread 1: counts            thread 2
                                forgets
 1                                exchange b 0 -> 1
 2  exchange b 1 -> 1
 3  waitAsync b = 1, a promise
 4                                store b 1 -> 0
                                forgets done

Smallest failing part found: 2 of 3 threads, 2 of 4 operations.
No schedule breaks it in fewer steps.
To see it again: await checkAsync(program, { replay: "1.0/2.1:1 0*2 1" })`,
    );
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

  it("refuses what is wrong as check does", async () => {
    await assert.rejects(checkAsync(program([])), /^ProgramError: threads is empty/);
    const end = async () => {};
    await assert.rejects(checkAsync(program([reads], { end })), /^ProgramError: end is an async function/);
  });
});

describe("what cannot be checked", () => {
  it("is refused before anything runs, in one line", () => {
    const never = () => assert.fail("nothing runs");
    const valid = program([never]);
    const wrong: readonly (readonly [object, object, string])[] = [
      [{}, {}, "shared is undefined: give the memory that the threads share"],
      [{ ...valid, shared: [1] }, {}, /^there is no shared memory: /.source],
      [
        { ...valid, threads: [] },
        {},
        "threads is empty: give an array with an operation, or several, for each thread",
      ],
      [{ ...valid, threads: [never, []] }, {}, "thread 1 has no operation: give it one, or leave it out"],
      [{ ...valid, threads: [never, [never, 1]] }, {}, "operation 1 of thread 1 is 1: give a function"],
      [
        { ...valid, threads: new Array(32).fill(never) },
        {},
        "there are 32 threads: at most 31 can be explored",
      ],
      [
        { ...valid, threads: [async () => 1] },
        {},
        "operation 0 of thread 0 is an async function: await checkAsync instead",
      ],
      [{ ...valid, end: async () => {} }, {}, "end is an async function: give one that returns at once"],
      [
        { ...valid, threads: [function* () {}] },
        {},
        "operation 0 of thread 0 is a generator: give a plain function",
      ],
      [{ ...valid, attach: 1 }, {}, "attach is 1: give a function"],
      [{ ...valid, sometimes: { full: true } }, {}, 'sometimes "full" is true: give a function'],
      [{ ...valid, dies: [0, 1] }, {}, "dies names thread 1: the threads are 0 .. 0"],
      [{ ...valid, dies: -1 }, {}, "dies names thread -1: the threads are 0 .. 0"],
      [{ ...valid, afterDeath: never }, {}, "afterDeath is given, but no thread may die: name it in dies"],
      [{ ...valid, names: "abc" }, {}, "names is not an array of strings"],
      [{ ...valid, names: ["a", "b", "c", "d", "e"] }, {}, "there are 5 names for 4 elements: leave out 1"],
      [
        { ...valid, names: new Array(7).fill("x"), shared: { shared } },
        {},
        "there are 7 names for 4 words: leave out 3",
      ],
      [
        { ...valid, thread: [] },
        {},
        'program has no "thread": it has shared, names, attach, threads, invariant, end, sometimes, dies, afterDeath',
      ],
      [
        valid,
        { seed: 1 },
        'limits has no "seed": it has preemptions, weak, shortestFirst, random, timeLimitMs, maxStates, progress, replay, ' +
          "shrink",
      ],
      [valid, { preemptions: -1 }, "preemptions is -1: give an integer of at least 0"],
      [valid, { maxStates: 0 }, "maxStates is 0: give an integer of at least 1"],
      [valid, { timeLimitMs: 0 }, "timeLimitMs is 0: give more than 0 ms"],
      [valid, { weak: 1 }, "weak is 1: give true or false"],
      [valid, { progress: true }, "progress is true: give a function"],
      [
        valid,
        { random: { seed: 1 } },
        "random has two numbers: how many schedules, and the seed they are drawn from",
      ],
      [valid, { random: { schedules: 0, seed: 1 } }, "random.schedules is 0: give an integer of at least 1"],
      [valid, { random: { schedules: 1, seed: 0.5 } }, "random.seed is 0.5: give an integer"],
      [valid, { replay: 1 }, "replay is 1: give the string that an InterleavingError names"],
      [
        valid,
        { replay: "0 x" },
        '"x" is no step of a schedule: expected a thread\'s number, as in "0*3 1 0~"',
      ],
      [valid, { replay: "1.0:0" }, "the program has no operation 0 of thread 1"],
    ];
    for (const [checked, limits, message] of wrong) {
      const expected = message.startsWith("^") ? { message: new RegExp(message) } : { message };
      assert.throws(() => check(checked as Program, limits), expected);
    }
  });

  it("is refused where a function returns what it must not", () => {
    const rejected = () => Promise.reject(new Error("unheard"));
    const wrong: [Program, string][] = [
      [program([reads, rejected]), "operation 0 of thread 1 returned a promise: await checkAsync instead"],
      [
        program([[reads, () => reads]]),
        "operation 1 of thread 0 returned a function: return numbers, strings or plain objects of such",
      ],
      [
        program([(words) => words]),
        "operation 0 of thread 0 returned a view of shared memory: return numbers, strings or plain objects of such",
      ],
      [
        { ...program([reads]), attach: rejected as never },
        "attach returned a promise: await checkAsync instead",
      ],
      [
        program([reads], { invariant: (words) => words[0] === 1 }),
        "invariant returned false: make it throw where it is broken, as assert does",
      ],
      [program([reads], { end: rejected }), "end returned a promise: give one that returns at once"],
      [
        program([reads], { sometimes: { full: (words) => words[0] as never } }),
        'sometimes "full" returned 0: make it return true or false',
      ],
    ];
    const broken = new TypeError("none of the promises");
    const throws = () => {
      throw broken;
    };
    const invariant = () => {};
    wrong.push([program([reads], { invariant, sometimes: { full: throws } }), broken.message]);
    for (const [checked, message] of wrong) assert.throws(() => check(checked), { message });
  });
});
