import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Evidence, SourceClaims } from "../claims.ts";
import type { GroupRecord } from "../record/record.ts";
import { judgeClaims } from "./claims.ts";
import { syntheticGroup, syntheticRecord } from "./judge.synthetic.ts";
import { judgeRecord } from "./judge.ts";

const truth = { forks: 5, rounds: 20, sliceNoise: 0.002, forkNoise: 0.002, roundNoise: 0.1, seed: 7 };
const record = {
  ...syntheticRecord(
    [
      syntheticGroup({ ...truth, workers: 1, costsNs: { locked: 20, ring: 10, index: 8, near: 8.05 } }),
      counting(
        "ring",
        syntheticGroup({ ...truth, workers: 2, costsNs: { locked: 80, ring: 60, index: 8.1, near: 8.1 } }),
      ),
    ],
    1,
  ),
  simulations: [
    {
      primitive: "synthetic",
      scenario: "simulated",
      title: "",
      metrics: { load: { title: "Load", unit: "max/mean", digits: 2 } },
      cells: [
        { name: "", competitor: "ring", baseline: false, metrics: { load: 4.7 }, series: {} },
        { name: "", competitor: "index", baseline: false, metrics: { load: 1.01 }, series: {} },
      ],
    },
  ],
  surveys: [
    {
      primitive: "synthetic",
      scenario: "surveyed",
      title: "",
      metrics: { bytes: { title: "Bytes", unit: "B", digits: 0 } },
      cells: [
        { name: "", competitor: "ring", baseline: true, forks: [{ bytes: 16 }, { bytes: 18 }] },
        { name: "", competitor: "index", baseline: false, forks: [{ bytes: 30 }, { bytes: 32 }] },
        { name: "", competitor: "once", baseline: false, forks: [{ bytes: 8 }] },
        { name: "", competitor: "silent", baseline: false, forks: [{}] },
      ],
    },
  ],
};

const at = { scenario: "test", workers: 1 } as const;
const two = { scenario: "test", workers: 2 } as const;
const growth = { kind: "growth", from: at, to: two, factor: 1.1 } as const;
const surveyed = { kind: "surveyed", scenario: "surveyed", metric: "bytes" } as const;
const bound = { kind: "metric", scenario: "simulated", metric: "load", atMost: 1.1 } as const;

describe("claims on a record whose truth is known", () => {
  const expected: [Evidence, string][] = [
    [{ kind: "faster", ...at, competitor: "ring", than: "locked" }, "holds"],
    [{ kind: "faster", ...at, competitor: "ring", than: "index" }, "does not hold"],
    [{ kind: "faster", ...at, competitor: "index", than: "near" }, "does not hold"],
    [{ kind: "faster", ...at, competitor: "ring", than: "absent" }, "not measured"],
    [{ kind: "faster", ...at, workers: 64, competitor: "ring", than: "locked" }, "not measured"],
    [{ kind: "slowest", ...at, competitor: "locked" }, "holds"],
    [{ kind: "slowest", ...at, competitor: "ring" }, "does not hold"],
    [{ kind: "slowest", ...at, competitor: "ring", among: ["index", "near"] }, "holds"],
    [{ kind: "slowest", ...at, competitor: "locked", among: ["ring", "absent"] }, "not measured"],
    [{ kind: "counted", ...two, competitor: "ring", column: "fails", atLeast: 0.5 }, "holds"],
    [{ kind: "counted", ...two, competitor: "ring", column: "fails", atLeast: 0.51 }, "does not hold"],
    [{ kind: "counted", ...two, competitor: "index", column: "fails", atLeast: 0 }, "not measured"],
    [{ ...growth, competitor: "index", is: "at most" }, "holds"],
    [{ ...growth, competitor: "ring", is: "at most" }, "does not hold"],
    [{ ...growth, competitor: "ring", is: "at least" }, "holds"],
    [{ ...growth, competitor: "index", is: "at least" }, "does not hold"],
    [{ ...bound, competitor: "index" }, "holds"],
    [{ ...bound, competitor: "ring" }, "does not hold"],
    [{ ...bound, competitor: "absent" }, "not measured"],
    [{ kind: "faster", ...at, competitor: "ring", than: "locked", atMost: 0.53 }, "holds"],
    [{ kind: "faster", ...at, competitor: "ring", than: "locked", atMost: 0.5 }, "cannot tell"],
    [{ kind: "faster", ...at, competitor: "ring", than: "locked", atMost: 0.48 }, "does not hold"],
    [{ kind: "faster", ...at, competitor: "ring", than: "absent", atMost: 1 }, "not measured"],
    [{ ...surveyed, competitor: "ring", atMost: 18 }, "holds"],
    [{ ...surveyed, competitor: "ring", atMost: 17 }, "cannot tell"],
    [{ ...surveyed, competitor: "ring", atMost: 15 }, "does not hold"],
    [{ ...surveyed, competitor: "ring", than: "index", atMost: 0.6 }, "holds"],
    [{ ...surveyed, competitor: "ring", than: "index", atMost: 0.55 }, "cannot tell"],
    [{ ...surveyed, competitor: "ring", than: "index", atMost: 0.4 }, "does not hold"],
    [{ ...surveyed, competitor: "once", atMost: 18 }, "cannot tell"],
    [{ ...surveyed, competitor: "ring", than: "once", atMost: 1 }, "cannot tell"],
    [{ ...surveyed, competitor: "silent", atMost: 1 }, "not measured"],
    [{ ...surveyed, competitor: "ring", than: "silent", atMost: 1 }, "not measured"],
    [{ ...surveyed, competitor: "absent", atMost: 1 }, "not measured"],
  ];
  for (const [evidence, finding] of expected) {
    it(`${JSON.stringify(evidence)} ${finding}`, () => {
      const [judged] = judgeClaims(claiming([evidence]), record).statements;
      assert.equal(judged!.finding, finding, judged!.evidence[0]!.seen);
    });
  }

  it("cannot tell where forks differ more than the rivals do", () => {
    const noisy = syntheticGroup({
      ...truth,
      workers: 1,
      forkNoise: 0.1,
      costsNs: { locked: 20, ring: 10, index: 9.8 },
    });
    const claims = claiming([{ kind: "faster", ...at, competitor: "index", than: "ring" }]);
    const [judged] = judgeClaims(claims, syntheticRecord([noisy], 1)).statements;
    assert.equal(judged!.finding, "cannot tell");
  });

  it("agrees with the table about the baseline, whatever the floors of other groups", () => {
    const costsNs = { locked: 20, ring: 19 };
    const quiet = syntheticGroup({ ...truth, workers: 1, costsNs });
    const other = syntheticGroup({ ...truth, workers: 1, forkNoise: 0.1, costsNs: { locked: 20, index: 8 } });
    const both = syntheticRecord([quiet, other], 1);
    const claims = claiming([{ kind: "faster", ...at, competitor: "ring", than: "locked" }]);
    const row = judgeRecord(both)[0]!.rows.find(({ competitor }) => competitor === "ring")!;
    assert.equal(row.noNumber === undefined && row.verdict, "faster");
    assert.equal(judgeClaims(claims, both).statements[0]!.finding, "holds");
  });

  it("cannot tell from one process", () => {
    const one = syntheticGroup({
      ...truth,
      workers: 1,
      forks: 1,
      costsNs: { locked: 20, ring: 10, index: 8 },
    });
    for (const than of ["locked", "ring"]) {
      const claims = claiming([{ kind: "faster", ...at, competitor: "index", than }]);
      assert.equal(
        judgeClaims(claims, syntheticRecord([one], 1)).statements[0]!.finding,
        "cannot tell",
        than,
      );
    }
  });

  it("compares rows that never met by way of the baseline, and says so", () => {
    const groups = ["ring", "index"].map((name, index) =>
      syntheticGroup({
        ...truth,
        seed: index,
        workers: 1,
        costsNs: { locked: 20, [name]: name === "ring" ? 10 : 5 },
      }),
    );
    const claims = claiming([{ kind: "faster", ...at, competitor: "index", than: "ring" }]);
    const [judged] = judgeClaims(claims, syntheticRecord(groups, 1)).statements;
    assert.equal(judged!.finding, "holds");
    assert.match(judged!.evidence[0]!.seen, /0\.5\d? .*by way of the baseline/);
  });

  it("says nothing where its condition is not met, and leaves what is beyond it without a say", () => {
    const holds: Evidence = { kind: "faster", ...at, competitor: "ring", than: "locked" };
    const fails: Evidence = { kind: "faster", ...at, competitor: "locked", than: "ring" };
    const findingWith = (more: object) => {
      const claims = claiming([holds]);
      const statements = [{ ...claims.statements[0]!, ...more }];
      return judgeClaims({ ...claims, statements }, record).statements[0]!.finding;
    };
    assert.equal(findingWith({ condition: fails }), "condition not met");
    assert.equal(findingWith({ condition: holds }), "holds");
    assert.equal(findingWith({ beyond: [fails] }), "holds");
  });

  it("a statement holds only if all of its evidence does", () => {
    const holds: Evidence = { kind: "faster", ...at, competitor: "ring", than: "locked" };
    const fails: Evidence = { kind: "faster", ...at, competitor: "locked", than: "ring" };
    const open: Evidence = { kind: "faster", ...at, competitor: "ring", than: "absent" };
    const findingOf = (evidence: [Evidence, ...Evidence[]]) =>
      judgeClaims(claiming(evidence), record).statements[0]!.finding;
    assert.equal(findingOf([holds, holds]), "holds");
    assert.equal(findingOf([holds, open]), "not measured");
    assert.equal(findingOf([holds, fails, open]), "does not hold");
  });
});

function claiming(evidence: readonly [Evidence, ...Evidence[]]): SourceClaims {
  return {
    primitive: "synthetic",
    source: "",
    author: "",
    conditions: "",
    figures: { scenario: "test", unit: "ns", rows: [] },
    statements: [{ quote: "", reading: "", evidence }],
  };
}

/** Gives one competitor of a group a counter that grows by half as much as its operations. */
function counting(competitor: string, group: GroupRecord): GroupRecord {
  return {
    ...group,
    columns: { fails: { title: "Fails", unit: "per op", reduce: "per-op" } },
    cells: group.cells.map((cell) => {
      if (cell.competitor !== competitor) return cell;
      const forks = cell.forks.map((fork) => {
        const totals = new Array<number>(group.workers).fill(0);
        const fails = fork.operationsWithRamps.map((done) =>
          done.map((operations, worker) => {
            totals[worker]! += operations / 2;
            return totals[worker]!;
          }),
        );
        return { ...fork, counters: { fails } };
      });
      return { ...cell, forks };
    }),
  };
}
