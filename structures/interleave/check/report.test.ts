import { describe, it } from "node:test";
import { golden } from "../golden.trials.ts";
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
  return tableOf({ threads, steps, notes, nameOf, resultOf, ...more }).join("\n");
}

const TABLES: Readonly<Record<string, () => string>> = {
  "has a column for each thread and a row for each access": () => {
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
    return tableFor([single(0, "consumer"), single(1, "producer")], steps);
  },
  "shows where operations begin and what they return": () => {
    const steps = [load(0, "head", 0), load(1, "head", 0), store(0, "head", 0, 1), load(0, "tail", 0)];
    const notes = [
      [[], []],
      [[], [1]],
      [[0, 2], [1]],
      [[0, 2, 3], [1]],
    ];
    return tableFor([thread(0, "push(1)", "size()", "pop()"), single(2, "peek")], steps, notes);
  },
  "shows who sleeps, is woken, gives up waiting and dies": () => {
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
    return tableFor(
      threads,
      steps,
      steps.map((_, at) => [at === 8 ? [-1] : [], [], []]),
    );
  },
  "shows promises of Atomics.waitAsync, and where they are resolved": () => {
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
    return tableFor([single(0, "waits"), single(1, "wakes")], steps);
  },
  "shows where weak accesses return older values and are kept back": () => {
    const arrives: TracedStep = { ...step(0, "write", "data", [0, 7]), event: "store arrives" };
    const steps = [
      step(0, "write", "data", [0, 0], { operand: 7 }),
      arrives,
      step(1, "read", "data", [7, 7], { answer: 0 }),
    ];
    return tableFor([thread(0, "put(7)"), single(1, "reads")], steps, [[[0], []]]);
  },
  "shows what an operation throws": () => {
    const steps = [load(0, "head", 0)];
    return tableFor([thread(0, "push(1)")], steps, [], {
      thrown: { thread: 0, error: new RangeError("full\n now") },
    });
  },
  "folds what is repeated": () => {
    const polls = new Array<TracedStep>(213).fill(load(0, "flag", 0));
    const rounds = new Array(5).fill([load(1, "head", 0), load(1, "tail", 0)]).flat();
    const given = { ...load(0, "flag", 0), access: { ...load(0, "flag", 0).access!, times: 250 } };
    const steps = [...polls, ...rounds, given];
    return tableFor([single(0, "polls"), single(1, "looks")], steps);
  },
  "cuts the middle of long names, and fits three threads into 112 columns": () => {
    const nameOf = () => "connections.byAddress.freeList[17]";
    const steps = [0, 1, 2].flatMap((at) => [
      load(at, "head", 1234567),
      step(at, "compareExchange", "head", [1234567, 1234567], { operand: -7654321, other: 7654321 }),
    ]);
    const threads = [0, 1, 2].map((at) => thread(at, "reserveTheNextConnection(0, 1, 2, 3)"));
    return tableFor(threads, steps, [], { nameOf });
  },
  "has one column for more threads than fit": () => {
    const steps = [0, 1, 2, 3, 4].map((at) =>
      step(at, "compareExchange", "slots[0]", [5, 5], { operand: 3, other: 4 }),
    );
    const threads = [0, 1, 2, 3, 7].map((number) => thread(number, "push(1)"));
    return tableFor(threads, steps);
  },
  "shows that a notify leaves those asleep who wait for other words": () => {
    const asleep = (thread: number, word: string) =>
      step(thread, "wait", word, [0, 0], { operand: 0, answer: undefined });
    const notify = step(2, "notify", "flag", [0, 0], { operand: 1, answer: 1 });
    const threads = [thread(0, "a()"), thread(1, "b()"), thread(2, "c()")];
    return tableFor(threads, [asleep(0, "head"), asleep(1, "flag"), notify], [[], [], []]);
  },
  "folds rows of one thread only": () => {
    const [one, other] = [load(0, "head", 0), load(1, "head", 0)];
    const pair = [one, load(0, "tail", 0)];
    return [
      [one, other, one, other, one, other, one, other],
      [one, one, one, one, other],
      [one, load(1, "tail", 0), ...pair, ...pair, ...pair, ...pair],
    ]
      .map((steps) => tableFor([single(0, "polls"), single(1, "looks")], steps))
      .join("\n");
  },
  "leaves out the middle of a long one": () => {
    const steps = Array.from({ length: 1000 }, (_, at) => store(0, "head", at, at + 1));
    return tableFor([single(0, "counts")], steps);
  },
};

describe("the table of a schedule", () => {
  it("is as its reader sees it", (test) => {
    const tables = Object.entries(TABLES).map(([name, table]) => [name, table()]);
    golden(test, "testdata/tables.txt", Object.fromEntries(tables));
  });
});

describe("the message of a failure", () => {
  it("says what broke, how, and how to see it again", (test) => {
    const report = {
      broken: "the end is broken: 1 !== 2",
      table: ["    thread 0", " 1  load head = 0"],
      remarks: ["No schedule breaks it in fewer steps."],
      call: "check",
      limits: { replay: "0*2 1", weak: true },
    };
    golden(test, "testdata/message.txt", {
      "with a table": messageOf(report),
      "with details": messageOf({ ...report, details: "Expected\n\n1 !== 2", table: [], remarks: [] }),
    });
  });
});
