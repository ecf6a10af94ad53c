import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Evidence, SourceClaims } from "../claims.ts";
import { judgeClaims } from "./claims.ts";
import { syntheticGroup, syntheticRecord } from "./judge.synthetic.ts";

const truth = { forks: 5, rounds: 20, sliceNoise: 0.002, forkNoise: 0.002, roundNoise: 0.1, seed: 7 };
const record = {
  ...syntheticRecord(
    [
      syntheticGroup({ ...truth, workers: 1, costsNs: { locked: 20, ring: 10, index: 8, near: 8.05 } }),
      syntheticGroup({ ...truth, workers: 2, costsNs: { locked: 80, ring: 60, index: 8.1, near: 8.1 } }),
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
};

const at = { scenario: "test", workers: 1 } as const;
const growth = { kind: "growth", scenario: "test", from: 1, to: 2, factor: 1.1 } as const;
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
    [{ ...growth, competitor: "index", is: "at most" }, "holds"],
    [{ ...growth, competitor: "ring", is: "at most" }, "does not hold"],
    [{ ...growth, competitor: "ring", is: "at least" }, "holds"],
    [{ ...growth, competitor: "index", is: "at least" }, "does not hold"],
    [{ ...bound, competitor: "index" }, "holds"],
    [{ ...bound, competitor: "ring" }, "does not hold"],
    [{ ...bound, competitor: "absent" }, "not measured"],
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

  it("a statement holds only if all of its evidence does", () => {
    const holds: Evidence = { kind: "faster", ...at, competitor: "ring", than: "locked" };
    const fails: Evidence = { kind: "faster", ...at, competitor: "locked", than: "ring" };
    const open: Evidence = { kind: "faster", ...at, competitor: "ring", than: "absent" };
    const findingOf = (evidence: Evidence[]) =>
      judgeClaims(claiming(evidence), record).statements[0]!.finding;
    assert.equal(findingOf([holds, holds]), "holds");
    assert.equal(findingOf([holds, open]), "not measured");
    assert.equal(findingOf([holds, fails, open]), "does not hold");
  });
});

function claiming(evidence: readonly Evidence[]): SourceClaims {
  return {
    primitive: "synthetic",
    source: "",
    author: "",
    conditions: "",
    figures: { scenario: "test", unit: "ns", rows: [] },
    statements: [{ quote: "", reading: "", evidence }],
  };
}
