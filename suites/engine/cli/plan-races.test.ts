import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EMPTY_ASYNC_TASK, EMPTY_TASK, urlOf } from "../capture/address.ts";
import type { Probe, ProbedWork } from "../capture/probe.ts";
import { type ProbedTask, planRaces, type RacesAsked } from "./plan-races.ts";

const ASKED: RacesAsked = { title: "parse", workers: 1 };
const addressOf = (name: string) =>
  ({ file: "file:///bench.js", ending: "pause", key: { groups: ["parse"], name, ordinal: 0 } }) as const;

function task(label: string, work: Partial<ProbedWork> = {}, more: Partial<ProbedTask> = {}): ProbedTask {
  const probe: Probe = {
    importMs: 100,
    work: { nsPerOperation: 1000, isAsync: false, hooks: [], timesItself: false, ...work },
  };
  return { label, address: addressOf(label), isBaseline: false, probe, ...more };
}

const labelsOf = (tasks: readonly ProbedTask[], asked: RacesAsked = ASKED) =>
  planRaces(tasks, asked).races.map(({ title, part, span, contestants, baseline }) => [
    ...[title, part, span].filter((text) => text !== undefined),
    contestants.map(({ label }) => label),
    contestants[baseline]!.label,
  ]);

describe("races of a group's tasks", () => {
  it("are one, of tasks that can be compared", () => {
    const { races, refusals, remarks } = planRaces([task("a"), task("b", { nsPerOperation: 90_000 })], ASKED);
    assert.deepEqual(refusals, []);
    assert.deepEqual(remarks, []);
    const contestants = [
      { label: "a", url: urlOf(addressOf("a")), operationMs: 0.001 },
      { label: "b", url: urlOf(addressOf("b")), operationMs: 0.09 },
    ];
    // 4 processes of 25 slices, of two crews of "a" and one of "b", each with an operation before its window.
    const LEAST_MS = 4 * 25 * (2 * (0.001 + 1.8) + (0.09 + 1.8));
    assert.deepEqual(races, [
      { title: "parse", contestants, baseline: 0, workers: 1, leastMs: LEAST_MS, sliceMs: 1.8 },
    ]);
  });

  it("leave out what a race could only be wrong about, in one line each", () => {
    const refused: readonly (readonly [ProbedTask, string])[] = [
      [{ label: "a", address: addressOf("a"), isBaseline: false, refused: "is a string" }, "is a string"],
      [task("a", {}, { probe: { failure: "it threw: no" } }), "it threw: no"],
      [task("a", { timesItself: true }), "times itself; a race needs the operation alone"],
      [task("a", { helpers: "threads" }), "has threads work for it; a race sees what its own thread does"],
      [
        task("a", { helpers: "the thread pool", isAsync: true }),
        "has the thread pool work for it; a race sees what its own thread does",
      ],
      [
        task("a", { isAsync: true, waitingShare: 0.97 }),
        "waits 97 % of its time; a race says nothing about waiting",
      ],
      [
        task("a", { nsPerOperation: 400, hooks: ["beforeEach"] }),
        "an operation takes 400 ns, and beforeEach has to run before each; 2 us is the least",
      ],
      [
        task("a", { nsPerOperation: 1999, hooks: ["afterEach"] }),
        "an operation takes 2 us, and afterEach has to run after each; 2 us is the least",
      ],
      [task("a", { nsPerOperation: 3e9 }), "an operation takes 3 s; 2 s is the most"],
    ];
    for (const [one, why] of refused) {
      const { races, refusals, failures } = planRaces([one, task("b")], ASKED);
      assert.deepEqual(refusals, [`a: ${why}`]);
      assert.deepEqual(failures, why.startsWith("it threw") ? refusals : []);
      assert.deepEqual(
        races.map(({ contestants }) => contestants.map(({ label }) => label)),
        [["b"]],
      );
    }
    assert.deepEqual(planRaces([refused[0]![0]], ASKED).races, []);
  });

  it("leave out nothing that is just good enough", () => {
    const tasks = [
      task("a", { nsPerOperation: 2000, hooks: ["beforeEach"] }),
      task("b", { waitingShare: 0.9 }),
    ];
    assert.deepEqual(planRaces(tasks, ASKED).refusals, []);
    const half = task("a", { isAsync: true, waitingShare: 0.5 });
    assert.deepEqual(planRaces([half], ASKED).refusals, []);
  });

  it("await no promises on several workers", () => {
    const { races, refusals } = planRaces([task("a", { isAsync: true }), task("b")], {
      ...ASKED,
      workers: 2,
    });
    assert.deepEqual(refusals, ["a: returns promises, which only one worker alone may run"]);
    assert.equal(races[0]!.workers, 2);
  });

  it("keep async tasks apart from the others", () => {
    const tasks = [task("a"), task("b", { isAsync: true }), task("c"), task("d", { isAsync: true })];
    assert.deepEqual(labelsOf(tasks), [
      ["parse", ["a", "c"], "a"],
      ["parse", "async", ["b", "d"], "b"],
    ]);
    const { races, remarks } = planRaces(tasks, ASKED);
    assert.deepEqual(remarks, ["parse: async tasks race by themselves; compare async with async only"]);
    assert.equal(races[1]!.contestants[0]!.url, urlOf({ ...addressOf("b"), isAsync: true }));
    assert.deepEqual(labelsOf([task("b", { isAsync: true })]), [["parse", ["b"], "b"]]);
  });

  it("are parts of their group where async tasks are far apart, also of a group without a name", () => {
    const tasks = [1e3, 1e3, 1e6].map((nsPerOperation, place) =>
      task(`${place}`, { nsPerOperation, isAsync: place > 0 }),
    );
    assert.deepEqual(
      planRaces(tasks, { ...ASKED, title: "" }).races.map(({ part, span }) => [part, span]),
      [
        [undefined, undefined],
        ["async", "1 us"],
        ["async", "1 ms"],
      ],
    );
    assert.match(
      planRaces(tasks, { ...ASKED, title: "" }).remarks[1]!,
      /^tasks, async: tasks are up to 1000 times/,
    );
  });

  it("compare with the task that is asked for, else the file's own, else the first", () => {
    const tasks = [task("a"), task("b", {}, { isBaseline: true }), task("c")];
    const baselineOf = (asked: RacesAsked) => planRaces(tasks, asked).races[0]!.baseline;
    assert.equal(baselineOf({ ...ASKED, baseline: "c" }), 2);
    assert.equal(baselineOf(ASKED), 1);
    assert.equal(baselineOf({ ...ASKED, baseline: "of another group" }), 1);
    assert.deepEqual(labelsOf([task("a"), task("c")])[0]![2], "a");
  });

  it("are of tasks at most a hundred times apart", () => {
    const tasks = [
      task("slow", { nsPerOperation: 1e6 }),
      task("fast", { nsPerOperation: 1000 }),
      task("fair", { nsPerOperation: 100_000 }),
      task("mean", { nsPerOperation: 100_001 }, { isBaseline: true }),
    ];
    assert.deepEqual(labelsOf(tasks), [
      ["parse", "1 us to 100 us", ["fast", "fair"], "fast"],
      ["parse", "100 us to 1 ms", ["slow", "mean"], "mean"],
    ]);
    assert.deepEqual(planRaces(tasks, ASKED).remarks, [
      "parse: tasks are up to 1000 times apart, so that each range races by itself: times, and no verdict between ranges",
    ]);
  });

  it("show the floor of the loop where a task is not far above it", () => {
    const [near] = planRaces([task("a"), task("b", { nsPerOperation: 29 })], ASKED).races;
    assert.equal(near!.floor, 2);
    assert.equal(near!.contestants[2]!.url, EMPTY_TASK);
    const [far] = planRaces([task("a"), task("b", { nsPerOperation: 31 })], ASKED).races;
    assert.equal(far!.floor, undefined);
    const [awaited] = planRaces([task("a", { isAsync: true, nsPerOperation: 999 })], ASKED).races;
    assert.equal(awaited!.contestants[awaited!.floor!]!.url, EMPTY_ASYNC_TASK);
  });

  it("have slices for twenty long operations in 50 ms, or two collections in 20 ms", () => {
    const sliceMsOf = (work: Partial<ProbedWork>) => planRaces([task("a", work)], ASKED).races[0]!.sliceMs;
    assert.equal(sliceMsOf({ nsPerOperation: 9_999 }), undefined);
    assert.equal(sliceMsOf({ nsPerOperation: 10_000 }), 0.2);
    assert.equal(sliceMsOf({ collectionEveryMs: 3 }), 6);
    assert.equal(sliceMsOf({ collectionEveryMs: 12 }), 20);
    assert.equal(sliceMsOf({ nsPerOperation: 1e6, collectionEveryMs: 3 }), 20);
    assert.equal(sliceMsOf({ nsPerOperation: 100e6 }), 50);
  });

  it("say how long they take where operations are slow", () => {
    const remarksOf = (ms: number) => planRaces([task("a", { nsPerOperation: ms * 1e6 })], ASKED).remarks;
    assert.deepEqual(remarksOf(19.9), []);
    assert.deepEqual(remarksOf(20), ["parse: an operation takes up to 20 ms, and the race at least 14 s"]);
    // 4 processes, 2 crews, 25 slices of one operation before the window and one in it.
    assert.deepEqual(remarksOf(100), ["parse: an operation takes up to 100 ms, and the race at least 40 s"]);
  });

  it("say what importing costs: each task and the control, in four processes", () => {
    assert.equal(planRaces([task("a"), task("b")], ASKED).importMs, 3 * 100 * 4);
    assert.equal(planRaces([task("a"), task("b")], { ...ASKED, workers: 2 }).importMs, 3 * 100 * 4 * 2);
  });
});
