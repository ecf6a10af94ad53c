import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { allocateRegion } from "../shared/layout.ts";
import { workerIdentity } from "../shared/worker-identity.ts";
import lazyInsertWheels from "./competitors/lazy-insert-wheels.ts";
import type { Law } from "./parts/observer.ts";
import { type Call, examination, judge } from "./timers.examination.ts";
import { mutants } from "./timers.mutants.ts";

// Their windows are wide, so that they are caught at once; the seeds are for a machine that runs one thread at a time.
const MANY_SEEDS = Array.from({ length: 30 }, (_, index) => index + 1);

suite("timers: crew mutants", () => {
  for (const { name, url, breaks } of mutants.filter(({ isRacy }) => isRacy)) {
    test(`${name} is caught`, async () => {
      const broken = new Set<string>();
      for (const seed of MANY_SEEDS) {
        for (const sentence of await examination.examine(url, breaks, [seed]))
          broken.add(sentence.split(":")[0]!);
        if (broken.has(breaks)) return;
      }
      assert.fail(`expected ${breaks}, got ${[...broken].join(", ") || "nothing"}`);
    });
  }
});

suite("timers: what the notes of a crew prove", () => {
  const call = (kind: Call["kind"], beganNs: number, more: Partial<Call> = {}): Call => {
    return { kind, handle: 7, answer: true, deadline: 5, tick: 0, beganNs, endedNs: beganNs + 10, ...more };
  };
  const added = call("add", 0);
  const reported = call("report", 100, { tick: 5 });
  const cancelled = call("cancel", 100);
  const verdict = (calls: Call[], afterwards: Call[] = []) =>
    [...judge(calls, { last: 20, afterwards: new Set(afterwards) })]
      .filter(([, sentence]) => sentence !== undefined)
      .map(([law]) => law);

  const cases: [string, Law[], Call[]][] = [
    ["one that was reported", [], [added, reported]],
    [
      "one that was cancelled, and then refused",
      [],
      [added, cancelled, call("cancel", 200, { answer: false })],
    ],
    ["one that was lost", ["conserved"], [added]],
    ["a handle given out twice", ["conserved"], [added, call("add", 50), reported]],
    ["a report of a handle that was never added", ["reportedOnce"], [reported]],
    ["one reported twice", ["reportedOnce"], [added, reported, call("report", 200, { tick: 6 })]],
    ["one reported and cancelled", ["reportedOnce"], [added, reported, cancelled]],
    ["one cancelled twice", ["answersTruly"], [added, cancelled, call("cancel", 105)]],
    ["one refreshed after its end", ["answersTruly"], [added, cancelled, call("refresh", 200)]],
    ["one refreshed while it was cancelled", [], [added, cancelled, call("refresh", 105)]],
    [
      "one refused before its end",
      ["answersTruly"],
      [added, call("refresh", 50, { answer: false }), cancelled],
    ],
    ["one refused while it was cancelled", [], [added, call("refresh", 95, { answer: false }), cancelled]],
    ["one reported early", ["neverEarly"], [added, call("report", 100, { tick: 4 })]],
    [
      "one reported before what a refresh had moved it to",
      ["neverEarly"],
      [added, call("refresh", 50, { deadline: 9 }), reported],
    ],
    ["one reported while a refresh moved it", [], [added, call("refresh", 95, { deadline: 9 }), reported]],
    [
      "one reported by the older of two refreshes at once",
      [],
      [
        added,
        call("refresh", 50, { deadline: 9 }),
        call("refresh", 55, { deadline: 4 }),
        call("report", 100, { tick: 4 }),
      ],
    ],
  ];
  for (const [name, laws, calls] of cases) test(name, () => assert.deepEqual(verdict(calls), laws));

  test("one left over by an advance past its due", () => {
    const late = call("report", 300, { tick: 100 });
    assert.deepEqual(verdict([added, late], [late]), ["withinLateness"]);
    const moved = call("refresh", 50, { deadline: 2, tick: 20 });
    assert.deepEqual(verdict([added, moved, late], [late]), []);
  });
});

suite("timers: lazy-insert-wheels", () => {
  const CAPACITY = 100;
  /** As inbox-wheels lays them out: the bits of its slots, and their heads. */
  const [BITS, HEADS, SLOTS] = [64 + 16, 64 + 2080, 65_536];
  const attached = () => {
    const memory = allocateRegion(lazyInsertWheels.words(CAPACITY, 1));
    lazyInsertWheels.format(memory, CAPACITY, 1);
    return { memory, set: lazyInsertWheels.attach(memory, CAPACITY, workerIdentity(0, 1, 1)) };
  };

  test("what is cancelled before the clock moves was in no slot, and what is left then is in one", () => {
    const { memory, set } = attached();
    const out = new Int32Array(CAPACITY);
    const inUse = () => {
      const heads = memory.subarray(HEADS, HEADS + SLOTS).filter((head) => head !== 0);
      const bits = memory.subarray(BITS, BITS + SLOTS / 32).filter((word) => word !== 0);
      return [heads.length, bits.length];
    };
    const handles = Array.from({ length: CAPACITY }, (_, index) => set.add(100 * (1 + index)));
    set.refresh(handles[0]!, 50);
    set.advance(0, out, CAPACITY);
    assert.deepEqual(inUse(), [0, 0]);
    for (const handle of handles.slice(3)) assert.ok(set.cancel(handle));
    assert.deepEqual(inUse(), [0, 0]);
    set.advance(1, out, CAPACITY);
    assert.deepEqual(inUse(), [3, 3]);
  });

  test("a worker that asks when to wake sees the waiting timers", () => {
    const { set } = attached();
    set.add(20);
    assert.equal(set.nextExpiry(), 20);
  });
});
