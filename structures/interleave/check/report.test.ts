import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Kind, NOT_EQUAL, TIMED_OUT, type Value, WAITING, WORD } from "../memory/access.ts";
import type { TracedStep } from "../search/program.ts";
import { messageOf, type ShownThread, type Story, tableOf } from "./report.ts";

const NAMES = ["head", "tail", "slots[0]", "data", "flag"];

/** One step of a thread: an access to a word of that name. */
function step(
  thread: number,
  kind: Kind,
  name: string,
  [before, after]: readonly [Value, Value],
  more: { operand?: Value; other?: Value; answer?: Value | undefined; times?: number } = {},
): TracedStep {
  const given = { operand: after, other: 0, answer: before, times: 1, ...more };
  const access = { kind, word: NAMES.indexOf(name), lane: WORD, before, after, ...given };
  return { thread, event: "runs", notes: [], access };
}

const load = (thread: number, name: string, value: Value) => step(thread, "load", name, [value, value]);
const store = (thread: number, name: string, before: Value, after: Value) =>
  step(thread, "store", name, [before, after]);

const thread = (number: number, ...operations: string[]): ShownThread => ({
  number,
  operations,
  isSingle: false,
});
const single = (number: number, name: string): ShownThread => ({
  number,
  operations: [name],
  isSingle: true,
});

/** `results` by step, then by thread: what it has noted by then. */
function tableFor(
  threads: readonly ShownThread[],
  steps: readonly TracedStep[],
  notes: Story["notes"] = [],
  more: Partial<Story> = {},
): string {
  const nameOf = (word: number) => NAMES[word]!;
  const results = [undefined, true, "item", [1, 2]];
  const resultOf = (note: number) => (note < 0 ? undefined : { result: results[note] });
  return `\n${tableOf({ threads, steps, notes, nameOf, resultOf, ...more }).join("\n")}\n`;
}

describe("the table of a schedule", () => {
  it("has a column for each thread and a row for each access", () => {
    const steps = [
      load(0, "head", 0),
      step(1, "add", "head", [0, 1], { operand: 1 }),
      step(0, "compareExchange", "head", [1, 1], { operand: 0, other: 1 }),
      step(0, "compareExchange", "head", [1, 2], { operand: 1, other: 2 }),
      step(1, "write", "data", [0, 7], { answer: 7 }),
      step(0, "read", "data", [7, 7]),
      step(1, "exchange", "tail", [0, -1]),
      step(0, "or", "flag", [1n, 5n], { operand: 4n }),
    ];
    assert.equal(
      tableFor([single(0, "consumer"), single(1, "producer")], steps),
      `
    thread 0: consumer                         thread 1: producer
 1  load head = 0
 2                                             add 1, head 0 -> 1
 3  compareExchange head 0 -> 1 failed, was 1
 4  compareExchange head 1 -> 2
 5                                             plain write data 0 -> 7
 6  plain read data = 7
 7                                             exchange tail 0 -> -1
 8  or 4n, flag 1n -> 5n
`,
    );
  });

  it("shows where operations begin and what they return", () => {
    const steps = [load(0, "head", 0), load(1, "head", 0), store(0, "head", 0, 1), load(0, "tail", 0)];
    const notes = [
      [[], []],
      [[], [1]],
      [[0, 2], [1]],
      [[0, 2, 3], [1]],
    ];
    assert.equal(
      tableFor([thread(0, "push(1)", "size()", "pop()"), single(2, "peek")], steps, notes),
      `
    thread 0             thread 2: peek
    push(1)
 1    load head = 0
 2                       load head = 0
                         -> true
 3    store head 0 -> 1
    push(1) done
    size() -> "item"
    pop()
 4    load tail = 0
    pop() -> [1, 2]
`,
    );
  });

  it("shows that a notify leaves those asleep who wait for other words", () => {
    const asleep = (thread: number, word: string) =>
      step(thread, "wait", word, [0, 0], { operand: 0, answer: undefined });
    const steps = [
      asleep(0, "head"),
      asleep(1, "flag"),
      step(2, "notify", "flag", [0, 0], { operand: 1, answer: 1 }),
    ];
    const table = tableFor([thread(0, "a()"), thread(1, "b()"), thread(2, "c()")], steps, [[], [], []]);
    assert.match(table, /wait flag, woken/);
    assert.doesNotMatch(table, /wait head, woken/);
  });

  it("shows who sleeps, is woken, gives up waiting and dies", () => {
    const asleep = (thread: number) =>
      step(thread, "wait", "flag", [0, 0], { operand: 0, answer: undefined });
    const notify = (thread: number, answer: number) =>
      step(thread, "notify", "flag", [0, 0], { operand: 1, answer });
    const steps: readonly TracedStep[] = [
      asleep(1),
      asleep(0),
      notify(2, 1),
      { thread: 0, event: "times out", notes: [] },
      step(1, "wait", "flag", [2, 2], { operand: 0, answer: NOT_EQUAL }),
      step(0, "wait", "flag", [2, 2], { operand: 2, answer: TIMED_OUT }),
      asleep(0),
      { thread: 0, event: "stops", notes: [] },
      { thread: 0, event: "runs", notes: [-1] },
      asleep(1),
      notify(2, 1),
      store(0, "flag", 0, 1),
    ];
    const threads = [thread(0, "take()", "take()"), thread(1, "take()"), thread(2, "give()")];
    assert.equal(
      tableFor(
        threads,
        steps,
        steps.map((_, at) => [at === 8 ? [-1] : [], [], []]),
      ),
      `
    thread 0                    thread 1                 thread 2
                                take()
 1                                wait flag = 0, asleep
    take()
 2    wait flag = 0, asleep
                                                         give()
 3                                                         notify flag, wakes 1
                                  wait flag, woken
      wait flag, timed out
 4                                wait flag = 2, not 0
 5    wait flag = 2, timed out
 6    wait flag = 0, asleep
      dies
 7                                wait flag = 0, asleep
 8                                                         notify flag, wakes 1
                                  wait flag, woken
      after its death:
 9    store flag 0 -> 1
`,
    );
  });

  it("shows promises of Atomics.waitAsync, and where they are resolved", () => {
    const promised = (number: number, name: string, other: number) =>
      step(0, "waitAsync", name, [0, 0], { operand: 0, other, answer: WAITING + number });
    const steps: readonly TracedStep[] = [
      promised(0, "flag", 0),
      promised(1, "flag", 0),
      promised(2, "flag", 1),
      promised(3, "data", 1),
      step(1, "notify", "flag", [0, 0], { operand: 1, answer: 1 }),
      { thread: 0, event: "resumes", notes: [] },
      { thread: 0, event: "times out", nth: 1, notes: [] },
      { thread: 0, event: "times out", notes: [] },
      step(0, "waitAsync", "flag", [0, 0], { operand: 1, answer: NOT_EQUAL }),
    ];
    assert.equal(
      tableFor([single(0, "waits"), single(1, "wakes")], steps),
      `
    thread 0: waits                thread 1: wakes
 1  waitAsync flag = 0, a promise
 2  waitAsync flag = 0, a promise
 3  waitAsync flag = 0, a promise
 4  waitAsync data = 0, a promise
 5                                 notify flag, wakes 1
    waitAsync flag, notified
    resumes
    waitAsync data, timed out
    waitAsync flag, timed out
 6  waitAsync flag = 0, not 1
`,
    );
  });

  it("shows where weak accesses return older values and are kept back", () => {
    const arrives: TracedStep = { ...step(0, "write", "data", [0, 7]), event: "store arrives" };
    const steps = [
      step(0, "write", "data", [0, 0], { operand: 7 }),
      arrives,
      step(1, "read", "data", [7, 7], { answer: 0 }),
    ];
    assert.equal(
      tableFor([thread(0, "put(7)"), single(1, "reads")], steps, [[[0], []]]),
      `
    thread 0                           thread 1: reads
    put(7)
 1    plain write data = 7, kept back
    put(7) done
 2    write of data arrives 0 -> 7
 3                                     plain read data = 0, now 7
`,
    );
  });

  it("shows what an operation throws", () => {
    const steps = [load(0, "head", 0)];
    assert.equal(
      tableFor([thread(0, "push(1)")], steps, [], {
        thrown: { thread: 0, error: new RangeError("full\n now") },
      }),
      `
    thread 0
    push(1)
 1    load head = 0
      throws RangeError: full now
`,
    );
  });

  it("folds what is repeated", () => {
    const polls = new Array<TracedStep>(213).fill(load(0, "flag", 0));
    const rounds = new Array(5).fill([load(1, "head", 0), load(1, "tail", 0)]).flat();
    const given = { ...load(0, "flag", 0), access: { ...load(0, "flag", 0).access!, times: 250 } };
    const steps = [...polls, ...rounds, given];
    assert.equal(
      tableFor([single(0, "polls"), single(1, "looks")], steps),
      `
     thread 0: polls           thread 1: looks
  1  load flag = 0
     ... 212 more times
214                            load head = 0
215                            load tail = 0
                               ... these 2 rows 4 more times
224  load flag = 0, 250 times
`,
    );
  });

  it("folds rows of one thread only", () => {
    const lengthOf = (steps: readonly TracedStep[]) =>
      tableFor([single(0, "polls"), single(1, "looks")], steps)
        .trim()
        .split("\n").length;
    const [one, other] = [load(0, "head", 0), load(1, "head", 0)];
    assert.equal(lengthOf([one, other, one, other, one, other, one, other]), 9);
    // One row, what is folded, and the row of the other thread.
    assert.equal(lengthOf([one, one, one, one, other]), 4);
    const pair = [one, load(0, "tail", 0)];
    assert.equal(lengthOf([one, load(1, "tail", 0), ...pair, ...pair, ...pair, ...pair]), 6);
  });

  it("leaves out the middle of a long one", () => {
    const steps = Array.from({ length: 1000 }, (_, at) => store(0, "head", at, at + 1));
    const lines = tableFor([single(0, "counts")], steps)
      .trim()
      .split("\n");
    assert.equal(lines.length, 1 + 40 + 1 + 100);
    assert.equal(lines[40], "  40  store head 39 -> 40");
    assert.equal(lines[41], "      ... 860 rows are left out ...");
    assert.equal(lines.at(-1), "1000  store head 999 -> 1000");
  });

  it("cuts the middle of long names, and fits three threads into 112 columns", () => {
    const nameOf = () => "connections.byAddress.freeList[17]";
    const steps = [0, 1, 2].flatMap((at) => [
      load(at, "head", 1234567),
      step(at, "compareExchange", "head", [1234567, 1234567], { operand: -7654321, other: 7654321 }),
    ]);
    const threads = [0, 1, 2].map((at) => thread(at, "reserveTheNextConnection(0, 1, 2, 3)"));
    assert.equal(
      tableFor(threads, steps, [], { nameOf }),
      `
    thread 0                            thread 1                            thread 2
    reserveTheNextC...tion(0, 1, 2, 3)
 1    load connect...ist[17] = 1234567
 2    CAS co...17] -7654321 -> 7654...
                                        reserveTheNextC...tion(0, 1, 2, 3)
 3                                        load connect...ist[17] = 1234567
 4                                        CAS co...17] -7654321 -> 7654...
                                                                            reserveTheNextC...tion(0, 1, 2, 3)
 5                                                                            load connect...ist[17] = 1234567
 6                                                                            CAS co...17] -7654321 -> 7654...
`,
    );
  });

  it("has one column for more threads than fit", () => {
    const steps = [0, 1, 2, 3, 4].map((at) =>
      step(at, "compareExchange", "slots[0]", [5, 5], { operand: 3, other: 4 }),
    );
    const threads = [0, 1, 2, 3, 7].map((number) => thread(number, "push(1)"));
    assert.equal(
      tableFor(threads, steps),
      `
    thread: what it does
    0: push(1)
 1  0:   compareExchange slots[0] 3 -> 4 failed, was 5
    1: push(1)
 2  1:   compareExchange slots[0] 3 -> 4 failed, was 5
    2: push(1)
 3  2:   compareExchange slots[0] 3 -> 4 failed, was 5
    3: push(1)
 4  3:   compareExchange slots[0] 3 -> 4 failed, was 5
    7: push(1)
 5  7:   compareExchange slots[0] 3 -> 4 failed, was 5
`,
    );
  });
});

describe("the message of a failure", () => {
  it("says what broke, how, and how to see it again", () => {
    const report = {
      broken: "the end is broken: 1 !== 2",
      table: ["    thread 0", " 1  load head = 0"],
      remarks: ["No schedule breaks it in fewer steps."],
      call: "check",
      limits: { replay: "0*2 1", weak: true },
    };
    assert.equal(
      messageOf(report),
      `the end is broken: 1 !== 2

    thread 0
 1  load head = 0

No schedule breaks it in fewer steps.
To see it again: check(program, { replay: "0*2 1", weak: true })`,
    );
    assert.equal(
      messageOf({ ...report, details: "Expected\n\n1 !== 2", table: [], remarks: [] }),
      `the end is broken: 1 !== 2

  Expected

  1 !== 2

To see it again: check(program, { replay: "0*2 1", weak: true })`,
    );
  });
});
