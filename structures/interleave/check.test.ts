import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Checked, check, InterleavingError, type Limits } from "./index.ts";

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
  it("visits every schedule of threads that keep their promises", () => {
    const coverage = check(program([locked, locked], { end: counts(2) }));
    const { complete, ends, unmet } = coverage;
    assert.deepEqual({ complete, ends, unmet }, { complete: true, ends: 1, unmet: [] });
    assert.match(
      `${coverage}`,
      /^Every schedule was visited: \d+ states, 1 end, at most \d+ steps, [\d.]+ s\.$/,
    );
  });

  it("shows the shortest schedule in which the end is not as promised", () => {
    const error = errorOf(program([adds, increments], { end: counts(2) }));
    assert.equal(error.promise, "end");
    assert.ok(error.cause instanceof assert.AssertionError);
    assert.equal(
      error.message,
      `the end is not as promised: a is 1, not 2

    thread 0: adds   thread 1: increments
 1                   plain read a = 0
 2  add 1, a 0 -> 1
    -> 0
 3                   plain write a 1 -> 1
                     done

No schedule that breaks it is shorter.
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

No schedule that breaks it is shorter.
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

No schedule that breaks it is shorter.
To see it again: check(program, { replay: "0 1*2 0" })`,
    );
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

No schedule that breaks it is shorter.
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

No schedule that breaks it is shorter.
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

No schedule that breaks it is shorter.
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
