import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";
import { type JudgedStatement, judgeDocument } from "./judge-document.ts";
import type { Bounds, Evidence, SourceDocument, Statement } from "./vocabulary.ts";

const truth = { forks: 8, rounds: 20, sliceNoise: 0.002, forkNoise: 0.002, roundNoise: 0.1, seed: 7 };
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
      metrics: {
        load: { title: "Load", unit: "max/mean", digits: 2 },
        settled: { title: "Settled", unit: "h", digits: 2, absentMeans: "never" as const },
      },
      cells: [
        { name: "", competitor: "ring", baseline: false, metrics: { load: 4.7 }, series: {} },
        { name: "", competitor: "index", baseline: false, metrics: { load: 1.01 }, series: {} },
        { name: "", competitor: "near", baseline: false, metrics: { load: 1.0304 }, series: {} },
        seeded("spread", 20, (seed) => 100 + seed),
        seeded("wide", 100, (seed) => 1 + seed),
        seeded("mostly", 20, (seed) => (seed === 7 ? undefined : 100)),
        seeded("partly", 20, (seed) => (seed < 10 ? undefined : 100)),
        seeded("rarely", 20, (seed) => (seed < 11 ? undefined : 100)),
        seeded("never", 20, () => undefined),
        settling("mostly", 91),
        settling("half", 50),
        settling("hardly", 49),
        { ...seeded("failed", 1, () => 100), failure: { kind: "law" as const, reason: "no" } },
      ],
    },
  ],
  surveys: [
    {
      primitive: "synthetic",
      scenario: "surveyed",
      title: "",
      metrics: {
        bytes: { title: "Bytes", unit: "B", digits: 0 },
        later: { title: "Later bytes", unit: "B", digits: 0 },
      },
      cells: [
        {
          ...{ name: "", competitor: "ring", baseline: true },
          forks: [
            { bytes: 16, later: 32 },
            { bytes: 18, later: 36 },
          ],
        },
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
const within = { kind: "metric", scenario: "simulated", metric: "load" } as const;
const settled = { kind: "metric", scenario: "simulated", metric: "settled" } as const;
const oneRun = { kind: "metric", scenario: "simulated", metric: "load", isOneRun: true } as const;
const bound = { kind: "metric", scenario: "simulated", metric: "load", atMost: 1.1 } as const;

describe("statements on a record whose truth is known", () => {
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
    [{ kind: "costs", ...at, competitor: "ring", atMostNs: 1e9 }, "holds"],
    [{ kind: "costs", ...at, competitor: "ring", atMostNs: 1e-3 }, "does not hold"],
    [{ kind: "costs", ...at, competitor: "absent", atMostNs: 1e9 }, "not measured"],
    [{ ...growth, competitor: "index", is: "at most" }, "holds"],
    [{ ...growth, competitor: "ring", is: "at most" }, "does not hold"],
    [{ ...growth, competitor: "ring", is: "at least" }, "holds"],
    [{ ...growth, competitor: "index", is: "at least" }, "does not hold"],
    [{ ...bound, competitor: "index" }, "holds"],
    [{ ...bound, competitor: "ring" }, "does not hold"],
    [{ ...bound, competitor: "absent" }, "not measured"],
    [{ ...bound, competitor: "failed" }, "not measured"],
    [{ ...bound, competitor: "ring", metric: "other" }, "not measured"],
    [{ ...within, competitor: "spread", atMost: 117 }, "holds"],
    [{ ...within, competitor: "spread", atMost: 116 }, "cannot tell"],
    [{ ...within, competitor: "spread", atMost: 109 }, "cannot tell"],
    [{ ...within, competitor: "spread", atMost: 108 }, "does not hold"],
    [{ ...within, competitor: "spread", atLeast: 102 }, "holds"],
    [{ ...within, competitor: "spread", atLeast: 103 }, "cannot tell"],
    [{ ...within, competitor: "spread", atLeast: 111 }, "does not hold"],
    [{ ...within, competitor: "spread", atLeast: 101, atMost: 118 }, "holds"],
    [{ ...within, competitor: "spread", atLeast: 101, atMost: 117 }, "cannot tell"],
    [{ ...within, competitor: "mostly", atLeast: 100, atMost: 100 }, "holds"],
    [{ ...within, competitor: "partly", atLeast: 100, atMost: 100 }, "cannot tell"],
    [{ ...within, competitor: "partly", atLeast: 101 }, "does not hold"],
    [{ ...within, competitor: "rarely", atLeast: 100, atMost: 100 }, "does not hold"],
    [{ ...within, competitor: "never", atLeast: 0 }, "does not hold"],
    [{ ...oneRun, competitor: "wide", atLeast: 50, atMost: 50 }, "holds"],
    [{ ...oneRun, competitor: "wide", atLeast: 50.4, atMost: 50.6 }, "holds"],
    [{ ...oneRun, competitor: "wide", atLeast: 96, atMost: 96 }, "holds"],
    [{ ...oneRun, competitor: "wide", atLeast: 97, atMost: 97 }, "cannot tell"],
    [{ ...oneRun, competitor: "wide", atLeast: 100, atMost: 100 }, "cannot tell"],
    [{ ...oneRun, competitor: "wide", atLeast: 101, atMost: 101 }, "does not hold"],
    [{ ...oneRun, competitor: "wide", atLeast: 0, atMost: 5 }, "holds"],
    [{ ...oneRun, competitor: "wide", atLeast: 0, atMost: 4 }, "cannot tell"],
    [{ ...oneRun, competitor: "wide", atLeast: 0, atMost: 0 }, "does not hold"],
    [{ ...oneRun, competitor: "ring", atLeast: 4.7, atMost: 4.7 }, "holds"],
    [{ ...oneRun, competitor: "ring", atLeast: 4.8, atMost: 4.9 }, "does not hold"],
    [{ ...oneRun, competitor: "never", atLeast: 0, atMost: 1 }, "does not hold"],
    [{ ...settled, competitor: "settles-mostly", atMost: 6 }, "holds"],
    [{ ...settled, competitor: "settles-mostly", atLeast: 6 }, "does not hold"],
    [{ ...settled, competitor: "settles-half", atMost: 6 }, "cannot tell"],
    [{ ...settled, competitor: "settles-half", atLeast: 5 }, "holds"],
    [{ ...settled, competitor: "settles-hardly", atMost: 6 }, "does not hold"],
    [{ ...settled, competitor: "never", atMost: 6 }, "does not hold"],
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
    [{ ...surveyed, competitor: "ring", atLeast: 16 }, "holds"],
    [{ ...surveyed, competitor: "ring", atLeast: 17, atMost: 20 }, "cannot tell"],
    [{ ...surveyed, competitor: "ring", atLeast: 19 }, "does not hold"],
    [{ ...surveyed, competitor: "ring", metric: "later", thanMetric: "bytes", atMost: 2.25 }, "holds"],
    [{ ...surveyed, competitor: "ring", metric: "later", thanMetric: "bytes", atMost: 2 }, "cannot tell"],
    [
      { ...surveyed, competitor: "ring", metric: "later", thanMetric: "bytes", atLeast: 2.3 },
      "does not hold",
    ],
    [{ ...surveyed, competitor: "index", metric: "bytes", thanMetric: "later", atMost: 1 }, "not measured"],
    [{ ...surveyed, competitor: "once", atMost: 18 }, "cannot tell"],
    [{ ...surveyed, competitor: "ring", than: "once", atMost: 1 }, "cannot tell"],
    [{ ...surveyed, competitor: "silent", atMost: 1 }, "not measured"],
    [{ ...surveyed, competitor: "ring", than: "silent", atMost: 1 }, "not measured"],
    [{ ...surveyed, competitor: "absent", atMost: 1 }, "not measured"],
  ];
  for (const [evidence, finding] of expected) {
    it(`${JSON.stringify(evidence)} ${finding}`, () => {
      const [judged] = judgeDocument(documentOf([evidence]), judgeRecord(record)).statements;
      assert.equal(judged!.finding, finding, judged!.evidence[0]!.seen);
    });
  }

  it("says of a bound what the source does, what was seen from all seeds, and what was meant", () => {
    const says = "about 110";
    const [judged] = judgeDocument(
      documentOf([
        { ...within, competitor: "spread", atLeast: 90, atMost: 130, says },
        { ...within, competitor: "partly", atLeast: 90 },
        { ...within, competitor: "never", atMost: 90 },
        { ...within, competitor: "mostly", atLeast: 100, atMost: 100 },
        { ...oneRun, competitor: "wide", atLeast: 95, atMost: 105, says: "about 100" },
        { ...within, competitor: "ring", atMost: 5 },
        { ...settled, competitor: "settles-mostly", atMost: 6 },
        { ...settled, competitor: "never", atMost: 6 },
      ]),
      judgeRecord(record),
    ).statements;
    assert.deepEqual(
      judged!.evidence.map(({ seen }) => seen),
      [
        "spread, Load: 109.50 (100.00-118.00) max/mean, the source says about 110, from 90 to 130 is meant, 20 of 20 seeds within; simulated",
        "partly, Load: 100.00 max/mean, in 10 of 20, at least 90 is meant, 10 of 20 seeds within; simulated",
        "never, Load: none, at most 90 is meant, 0 of 20 seeds within; simulated",
        "mostly, Load: 100.00 max/mean, in 19 of 20, exactly 100 is meant, 19 of 20 seeds within; simulated",
        "wide, Load: 50.50 (5.00-95.00) max/mean, the source says about 100, 95-105 in one run is meant, 6 of 100 seeds as far; simulated",
        "ring, Load: 4.70 max/mean, at most 5 is meant; simulated",
        "settles-mostly, Settled: 5.00 (5.00-never) h, at most 6 is meant, 91 of 100 seeds within; simulated",
        "never, Settled: never, at most 6 is meant, 0 of 20 seeds within; simulated",
      ],
    );
    assert.deepEqual(judged!.evidence[0]!.bound, {
      scenario: "simulated",
      competitor: "spread",
      metric: "load",
      what: "spread, Load",
      unit: "max/mean",
      says,
      ours: "109.50 (100.00-118.00)",
      heldTo: "from 90 to 130",
      within: "20 of 20 seeds",
    });
  });

  it("prints digits enough to see on which side of a bound a figure lies", () => {
    const oursBeside = (bounds: Bounds) =>
      judgeDocument(documentOf([{ ...within, competitor: "near", ...bounds }]), judgeRecord(record))
        .statements[0]!.evidence[0]!.bound!.ours;
    assert.equal(oursBeside({ atMost: 1.04 }), "1.03");
    assert.equal(oursBeside({ atMost: 1.03 }), "1.0304");
    assert.equal(oursBeside({ atLeast: 1.03 }), "1.03");
    assert.equal(oursBeside({ atLeast: 1.0304, atMost: 1.0304 }), "1.0304");
  });

  it("cannot tell where forks differ more than the rivals do", () => {
    const noisy = syntheticGroup({
      ...truth,
      workers: 1,
      forkNoise: 0.1,
      costsNs: { locked: 20, ring: 10, index: 9.8 },
    });
    const document = documentOf([{ kind: "faster", ...at, competitor: "index", than: "ring" }]);
    const [judged] = judgeDocument(document, judgeRecord(syntheticRecord([noisy], 1))).statements;
    assert.equal(judged!.finding, "cannot tell");
  });

  it("cannot tell how much a cost grows where the control that it is held to scatters as much", () => {
    const unsteady = record.groups.map((group) => ({
      ...group,
      cells: group.cells.map((cell) => {
        if (!cell.kind.startsWith("control")) return cell;
        const role = cell.roles.worker!;
        const p50 = role.any.costNs.p50.map((ns, fork) => ns * (fork % 2 === 0 ? 1.1 : 0.9));
        return { ...cell, roles: { worker: { ...role, any: { costNs: { ...role.any.costNs, p50 } } } } };
      }),
    }));
    const document = documentOf([{ ...growth, competitor: "index", is: "at most" }]);
    assert.equal(judgeDocument(document, judgeRecord(record)).statements[0]!.finding, "holds");
    const [judged] = judgeDocument(document, judgeRecord({ ...record, groups: unsteady })).statements;
    assert.equal(judged!.finding, "cannot tell");
  });

  it("agrees with the table about the baseline, whatever the floors of other groups", () => {
    const costsNs = { locked: 20, ring: 19 };
    const quiet = syntheticGroup({ ...truth, workers: 1, costsNs });
    const other = syntheticGroup({ ...truth, workers: 1, forkNoise: 0.1, costsNs: { locked: 20, index: 8 } });
    const both = syntheticRecord([quiet, other], 1);
    const document = documentOf([{ kind: "faster", ...at, competitor: "ring", than: "locked" }]);
    const row = judgeRecord(both).races[0]!.rows.find(({ competitor }) => competitor === "ring")!;
    assert.equal(row.noNumber === undefined && row.verdict, "faster");
    assert.equal(judgeDocument(document, judgeRecord(both)).statements[0]!.finding, "holds");
  });

  it("cannot tell from one process", () => {
    const one = syntheticGroup({
      ...truth,
      workers: 1,
      forks: 1,
      costsNs: { locked: 20, ring: 10, index: 8 },
    });
    for (const than of ["locked", "ring"]) {
      const document = documentOf([{ kind: "faster", ...at, competitor: "index", than }]);
      assert.equal(
        judgeDocument(document, judgeRecord(syntheticRecord([one], 1))).statements[0]!.finding,
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
    const document = documentOf([{ kind: "faster", ...at, competitor: "index", than: "ring" }]);
    const [judged] = judgeDocument(document, judgeRecord(syntheticRecord(groups, 1))).statements;
    assert.equal(judged!.finding, "holds");
    assert.match(judged!.evidence[0]!.seen, /0\.5\d? .*by way of the baseline/);
  });

  it("says nothing where its condition is not met, and leaves what is beyond it without a say", () => {
    const holds: Evidence = { kind: "faster", ...at, competitor: "ring", than: "locked" };
    const fails: Evidence = { kind: "faster", ...at, competitor: "locked", than: "ring" };
    const findingWith = (more: object) => {
      const document = documentOf([holds]);
      const statements = [{ ...document.statements[0]!, ...more }];
      return judgeDocument({ ...document, statements }, judgeRecord(record)).statements[0]!.finding;
    };
    assert.equal(findingWith({ condition: fails }), "condition not met");
    assert.equal(findingWith({ condition: holds }), "holds");
    assert.equal(findingWith({ beyond: [fails] }), "holds");
  });

  it("reports what a remark shows, and holds it to nothing", () => {
    const any = Number.POSITIVE_INFINITY;
    const seen: Evidence[] = [
      { kind: "costs", ...at, competitor: "ring", atMostNs: any },
      { ...surveyed, competitor: "ring", atMost: any },
      { ...surveyed, competitor: "ring", than: "index", atMost: any },
      { kind: "metric", scenario: "simulated", competitor: "ring", metric: "load", atMost: any },
    ];
    const document = { ...documentOf([seen[0]!]), remarks: [{ text: "Beside it.", seen }] };
    const { remarks, statements } = judgeDocument(document, judgeRecord(record));
    assert.equal(statements.length, 1);
    assert.deepEqual(
      remarks.map(({ text }) => text),
      ["Beside it."],
    );
    const [cost, ...bytes] = remarks[0]!.seen.map((piece) => piece.seen);
    assert.match(cost!, /^ring [\d.]+ ns \([\d.]+-[\d.]+\), [\d.]+ M\/s for each worker; test, 1 worker$/);
    assert.deepEqual(bytes, [
      "ring, Bytes: 17 (16-18) B; surveyed",
      "ring to index, Bytes: 0.55 (0.50-0.60) (17 and 31 B); surveyed",
      "ring, Load: 4.70 max/mean; simulated",
    ]);
  });

  it("a statement holds only if all of its evidence does", () => {
    const holds: Evidence = { kind: "faster", ...at, competitor: "ring", than: "locked" };
    const fails: Evidence = { kind: "faster", ...at, competitor: "locked", than: "ring" };
    const open: Evidence = { kind: "faster", ...at, competitor: "ring", than: "absent" };
    const findingOf = (evidence: Evidence[]) =>
      judgeDocument(documentOf(evidence), judgeRecord(record)).statements[0]!.finding;
    assert.equal(findingOf([]), "not measured");
    assert.equal(findingOf([holds, holds]), "holds");
    assert.equal(findingOf([holds, open]), "not measured");
    assert.equal(findingOf([holds, fails, open]), "does not hold");
  });

  it("what was guessed is open, whether or not it comes out; unless it was not measured", () => {
    const findings = (["locked", "absent"] as const).flatMap((than) =>
      [
        [than, "ring"],
        ["ring", than],
      ].map(([competitor, other]) => {
        const evidence: Evidence = { kind: "faster", ...at, competitor: competitor!, than: other! };
        const document = documentOf([evidence], { isGuessed: true });
        return judgeDocument(document, judgeRecord(record)).statements[0]!.finding;
      }),
    );
    assert.deepEqual(findings, ["cannot tell", "cannot tell", "not measured", "not measured"]);
  });

  it("another rule than the source's has a finding of its own", () => {
    const holds: Evidence = { kind: "faster", ...at, competitor: "ring", than: "locked" };
    const fails: Evidence = { kind: "faster", ...at, competitor: "locked", than: "ring" };
    const document = documentOf([fails], { otherwise: { rule: "by another rule", evidence: [holds] } });
    const [{ finding, otherwise }] = judgeDocument(document, judgeRecord(record)).statements as [
      JudgedStatement,
    ];
    assert.equal(finding, "does not hold");
    assert.deepEqual([otherwise?.rule, otherwise?.finding], ["by another rule", "holds"]);
  });
});

function documentOf(evidence: readonly Evidence[], more: Partial<Statement> = {}): SourceDocument {
  return {
    primitive: "synthetic",
    source: "",
    author: "",
    conditions: "",
    figures: { scenario: "test", unit: "ns", rows: [] },
    statements: [{ quote: "", reading: "", evidence, ...more }],
  };
}

/** A simulated cell whose load is a function of its seed's index. */
function seeded(competitor: string, seeds: number, loadOf: (seed: number) => number | undefined) {
  const load = Array.from({ length: seeds }, (_, seed) => loadOf(seed) ?? null);
  const samples = { load, settled: load.map((): number | null => null) };
  const metrics: Record<string, number> = load[0] == null ? {} : { load: load[0] };
  return { name: "", competitor, baseline: false, metrics, samples, series: {} };
}

/** A simulated cell that settles after five hours from some of 100 seeds, and never from the others. */
function settling(often: string, times: number) {
  const cell = seeded(`settles-${often}`, 100, () => undefined);
  const settled = cell.samples.settled.map((_, seed) => (seed < times ? 5 : null));
  return { ...cell, samples: { ...cell.samples, settled } };
}

/** Gives one competitor of a group a counter that grows by half as much as its operations. */
function counting(competitor: string, group: GroupRecord): GroupRecord {
  return {
    ...group,
    columns: { fails: { title: "Fails", unit: "per op", reduce: "per-op" } },
    cells: group.cells.map((cell) => {
      if (cell.competitor !== competitor) return cell;
      return { ...cell, roles: { worker: { ...cell.roles.worker!, figures: { fails: [0.5, 0.5] } } } };
    }),
  };
}
