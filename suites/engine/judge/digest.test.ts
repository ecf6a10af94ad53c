import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CrewResult } from "../measure/plan/protocol.ts";
import { type CrewFacts, digestFork, digestRecord, figuresOf } from "./digest.ts";

const BASELINE: CrewFacts = { name: "b", kind: "baseline" };
const RIVAL: CrewFacts = { name: "r", kind: "rival" };
const GROUP = { roles: ["worker"], oversubscribed: false, columns: {} };

/** A crew of one worker, whose slices last 1000 ns: what each cost, ns, when it ran, and its tag. */
function lone(
  name: string,
  slices: readonly (readonly [round: number, costNs: number, tagNs?: number])[],
): CrewResult {
  return {
    name,
    warmUp: { slices: 10, flat: true },
    batches: [10],
    rounds: slices.map(([round]) => round),
    workers: [
      {
        operations: slices.map(([, costNs]) => 1000 / costNs),
        startNs: slices.map(() => 0),
        endNs: slices.map(() => 1000),
        tagNs: slices.flatMap(([, , tagNs]) => tagNs ?? []),
      },
    ],
  };
}

/** One slice of two workers, of 300 and 100 operations. */
function pair(startNs: readonly number[], endNs: readonly number[]): CrewResult {
  const operations = [300, 100];
  return {
    ...lone("b", []),
    rounds: [0],
    workers: operations.map((count, index) => ({
      operations: [count],
      startNs: [startNs[index]!],
      endNs: [endNs[index]!],
      tagNs: [],
    })),
  };
}

function digestOf(crews: readonly CrewResult[], fullSpeedNs?: number) {
  const planned = [BASELINE, RIVAL].map((facts) => ({ ...facts, fullSpeedNs }));
  const digests = digestFork(crews, planned, GROUP);
  return digests.at(-1)!.roles.get("worker")!;
}

describe("the figures of a slice", () => {
  const figuresOfPair = (crew: CrewResult, roles: string[], oversubscribed = false) =>
    figuresOf(crew, roles, oversubscribed, {});

  it("overlap is the common part of the windows over their union", () => {
    assert.equal(figuresOfPair(pair([0, 100], [1000, 1100]), []).overlap[0], 900 / 1100);
    assert.ok(figuresOfPair(pair([0, 2000], [1000, 3000]), []).overlap[0]! < 0, "windows that never meet");
  });

  it("cost and fairness are by role", () => {
    const alike = figuresOfPair(pair([0, 0], [1000, 1000]), ["worker", "worker"]);
    assert.equal(alike.roles.get("worker")!.costNs[0], 2 / (0.3 + 0.1));
    assert.equal(alike.roles.get("worker")!.fairness[0], 0.1 / 0.3);
    const apart = figuresOfPair(pair([0, 0], [1000, 1000]), ["writer", "reader"]);
    assert.equal(apart.roles.get("writer")!.costNs[0], 1000 / 300);
    assert.equal(apart.roles.get("reader")!.costNs[0], 10);
  });

  it("with more workers than cores, waiting for a core is time too", () => {
    // The second worker got a core only when the first had finished; each ran for 1000 ns.
    const figures = figuresOfPair(pair([0, 1000], [1000, 2000]), ["worker", "worker"], true);
    assert.equal(figures.roles.get("worker")!.costNs[0], 2 / (300 / 1000 + 100 / 2000));
    assert.equal(figures.overlap[0], 0.5);
  });

  it("leave out the time in which batches were prepared", () => {
    const crew = lone("b", [[0, 10]]);
    const prepared = { ...crew, workers: [{ ...crew.workers[0]!, endNs: [1500], preparingNs: [500] }] };
    assert.deepEqual(figuresOf(prepared, [], false, {}), figuresOf(crew, [], false, {}));
  });
});

describe("a slice counts", () => {
  const LATE_NS = 1_000_001;
  const digest = (endNs: number[], oversubscribed = false) =>
    digestFork([pair([0, 0], endNs)], [BASELINE], { ...GROUP, oversubscribed })[0]!;

  it("if no worker was off its core meanwhile, however unfair the structure was", () => {
    assert.equal(digest([1_000_000, 1_000_000]).roles.get("worker")!.any!.count, 1);
    assert.equal(
      digest([1_000_000, 1_900_000]).roles.get("worker")!.any!.count,
      1,
      "starved, and late for that",
    );
    const apart = digest([1_000_000, 1_000_000 + LATE_NS]);
    assert.equal(apart.apart, 1);
    assert.equal(apart.roles.get("worker")!.any, undefined);
    assert.equal(
      digestFork([pair([0, LATE_NS], [2e6, 2e6])], [BASELINE], GROUP)[0]!.apart,
      1,
      "or began late",
    );
  });

  it("with more workers than cores whatever they waited", () => {
    const forced = digest([1_000_000, 1_000_000 + LATE_NS], true);
    assert.equal(forced.apart, 0);
    assert.equal(forced.roles.get("worker")!.any!.count, 1);
  });

  it("without a cost if no operation came to its end in it, which is counted", () => {
    const { any, stalled } = digestOf([
      lone("b", [[0, 10]]),
      lone("r", [
        [0, Infinity],
        [1, 20],
      ]),
    ]);
    assert.equal(stalled, 1);
    assert.deepEqual(any, { count: 1, mean: 20, p25: 20, p50: 20, p75: 20 });
  });
});

describe("the mean of slices", () => {
  it("is their time by their operations, of long and short slices alike", () => {
    const [slow, fast] = [
      { ...lone("r", [[0, 100]]).workers[0]!, operations: [10], startNs: [0], endNs: [9_000] },
      { ...lone("r", [[0, 100]]).workers[0]!, operations: [90], startNs: [0], endNs: [1_000] },
    ];
    const both = (key: "operations" | "startNs" | "endNs") => [slow[key][0]!, fast[key][0]!];
    const worker = {
      ...slow,
      operations: both("operations"),
      startNs: both("startNs"),
      endNs: both("endNs"),
      tagNs: [],
    };
    const { any } = digestOf([lone("b", []), { ...lone("r", []), rounds: [0, 1], workers: [worker] }]);
    assert.equal(any!.mean, 100);
  });
});

describe("the quiet state", () => {
  const FAST = 10;
  const FULL_SPEED = 11.2;
  const BUSY = 20;

  it("is that of slices whose tags are of the machine's full speed", () => {
    const slices = [
      [1, 30, FAST],
      [3, 60, BUSY],
      [5, 30, FAST * 1.1],
    ] as const;
    const { any, quiet } = digestOf([lone("b", []), lone("r", slices)], FULL_SPEED);
    assert.equal(any!.count, 3);
    const { mean, ...rest } = quiet!;
    assert.deepEqual(rest, { count: 2, p25: 30, p50: 30, p75: 30 });
    assert.equal(mean.toPrecision(12), "30.0000000000");
  });

  it("is none of a worker that never met the machine's full speed, nor of slices without tags", () => {
    const slices = [
      [0, 10, BUSY],
      [2, 10, BUSY],
    ] as const;
    assert.equal(digestOf([lone("b", slices)], FULL_SPEED).quiet, undefined);
    assert.equal(digestOf([lone("b", slices)], BUSY).quiet!.count, 2);
    assert.equal(digestOf([lone("b", slices)]).quiet, undefined);
    assert.equal(digestOf([lone("b", [[0, 10]])], FULL_SPEED).quiet, undefined);
  });

  it("is that of all workers of a crew", () => {
    const [one, other] = pair([0, 0], [1000, 1000]).workers as [
      CrewResult["workers"][0],
      CrewResult["workers"][0],
    ];
    const tagged = (...tags: number[]): CrewResult => ({
      ...pair([0, 0], [1000, 1000]),
      rounds: [0, 1],
      workers: [one, other].map(({ operations, startNs, endNs }, index) => ({
        operations: [operations[0]!, operations[0]!],
        startNs: [startNs[0]!, startNs[0]!],
        endNs: [endNs[0]!, endNs[0]!],
        tagNs: [FAST, tags[index]!],
      })),
    });
    const count = (crew: CrewResult) =>
      digestFork([crew], [{ ...BASELINE, fullSpeedNs: FULL_SPEED }], {
        ...GROUP,
        roles: ["worker", "worker"],
      })[0]!.roles.get("worker")!.quiet?.count;
    assert.equal(count(tagged(FAST, FAST)), 2);
    assert.equal(count(tagged(FAST, BUSY)), 1);
  });

  it("of several workers is that of near cores, and far cores have a state of their own", () => {
    const distances = [
      { ns: 50, fromNs: 45, toNs: 75 },
      { ns: 190, fromNs: 150, toNs: 250 },
    ];
    const tagged = pair([0, 0], [1000, 1000]);
    const repeated = (values: readonly number[]) => Array.from({ length: 5 }, () => values[0]!);
    const crew: CrewResult = {
      ...tagged,
      rounds: [0, 1, 2, 3, 4],
      handoverNs: [50, 70, 175, 90, 0],
      workers: tagged.workers.map(({ operations, startNs, endNs }) => ({
        operations: repeated(operations),
        startNs: repeated(startNs),
        endNs: repeated(endNs),
        tagNs: repeated([FAST]),
      })),
    };
    const facts = { fullSpeedNs: FULL_SPEED, distances };
    const states = (known: typeof facts | { fullSpeedNs: number }, oversubscribed = false) =>
      figuresOf(crew, ["worker", "worker"], oversubscribed, known).state;
    assert.deepEqual(states(facts), ["quiet", "quiet", "far", "any", "any"]);
    assert.deepEqual(states({ fullSpeedNs: FULL_SPEED }), Array(5).fill("quiet"), "where it is unknown");
    assert.deepEqual(states(facts, true), Array(5).fill("any"), "with more workers than cores");
    const [digest] = digestFork([crew], [{ ...BASELINE, ...facts }], {
      ...GROUP,
      roles: ["worker", "worker"],
    });
    const { any, quiet, far } = digest!.roles.get("worker")!;
    assert.deepEqual([any!.count, quiet!.count, far!.count], [5, 2, 1]);
  });

  it("of two runtimes, each with a tag of its own, is judged by each one's full speed", () => {
    const [own, other] = [FAST, FAST / 4];
    const crews = [lone("b", [[0, 10, own]]), lone("r", [[1, 20, other]])];
    const quietIn = (fullSpeedNs: number) =>
      digestFork(
        crews,
        [
          { ...BASELINE, fullSpeedNs: own },
          { ...RIVAL, fullSpeedNs },
        ],
        GROUP,
      ).map(({ roles }) => roles.get("worker")!.quiet?.count);
    assert.deepEqual(quietIn(other), [1, 1]);
    assert.deepEqual(quietIn(other / 2), [1, undefined]);
  });
});

describe("the figures of a race's own columns", () => {
  const columns = {
    fails: { title: "", unit: "", reduce: "per-op" },
    depth: { title: "", unit: "", reduce: "level" },
    ready: { title: "", unit: "", reduce: "prepared" },
    cpu: { title: "", unit: "", reduce: "cpu" },
  } as const;
  const crew = pair([0, 0], [1000, 1000]);
  const counted: CrewResult = {
    ...crew,
    workers: crew.workers.map((worker) => ({ ...worker, preparingNs: [200] })),
    accounts: {
      first: {
        operations: [1000, 1000],
        counters: [
          { fails: 10, depth: 5 },
          { fails: 20, depth: 1 },
        ],
      },
      last: {
        operations: [2000, 1500],
        counters: [
          { fails: 110, depth: 7 },
          { fails: 70, depth: 3 },
        ],
      },
    },
    cpu: { ns: 9000, operations: 450 },
  };
  const figuresIn = (sent: CrewResult, roles: string[]) =>
    digestFork([sent], [BASELINE], { ...GROUP, roles, columns })[0]!.roles;

  it("are growth by operation, the largest level, preparing and CPU time by operation", () => {
    const { figures } = figuresIn(counted, ["worker", "worker"]).get("worker")!;
    assert.deepEqual(Object.fromEntries(figures), { fails: 150 / 1500, depth: 7, ready: 400 / 400, cpu: 20 });
  });

  it("are the slices of a role's own workers", () => {
    const roles = figuresIn(counted, ["writer", "reader"]);
    assert.equal(roles.get("writer")!.figures.get("fails"), 0.1);
    assert.equal(roles.get("reader")!.figures.get("depth"), 3);
  });

  it("are none where nothing was counted", () => {
    const { figures } = figuresIn(crew, ["worker", "worker"]).get("worker")!;
    assert.deepEqual([...figures], [["ready", 0]]);
  });
});

describe("what a record keeps of several forks", () => {
  const digests = [1, 3, 5].map((factor, fork) => ({
    fork,
    digest: digestFork(
      [
        lone("b", [[0, 10]]),
        lone("r", [
          [1, 10 * factor],
          [9, 12.345678],
        ]),
      ],
      [BASELINE, RIVAL],
      GROUP,
    )[1]!,
  }));

  it("is a column for each figure, with an entry for each fork, rounded", () => {
    const { forks, slices, roles } = digestRecord(digests);
    assert.deepEqual([forks, slices], [3, 6]);
    const { costNs } = roles.worker!.any;
    assert.deepEqual(costNs.forks, [0, 1, 2]);
    assert.deepEqual(costNs.counts, [2, 2, 2]);
    assert.deepEqual(costNs.p50, [11.173, 21.173, 31.173]);
    assert.deepEqual(costNs.p75, [11.8, 25.6, 40.6]);
  });

  it("counts warm-ups that did not come to rest, and leaves out failures", () => {
    const [first, second, third] = digests as [(typeof digests)[0], (typeof digests)[0], (typeof digests)[0]];
    const { forks, unsettled, strays, roles } = digestRecord([
      first,
      { ...second, digest: { ...second.digest, settled: false, strays: 2 } },
      { ...third, digest: { ...third.digest, failure: { kind: "law", reason: "no" } } },
    ]);
    assert.deepEqual([forks, unsettled, strays], [2, 1, 2]);
    assert.deepEqual(roles.worker!.any.costNs.forks, [0, 1]);
  });
});
