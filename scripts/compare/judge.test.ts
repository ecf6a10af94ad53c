import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeenRace } from "../../suites/engine/cli/commits/verdicts.ts";
import {
  type SyntheticGroup,
  syntheticGroup,
  withCosts,
  withDearControl,
} from "../../suites/engine/judge/judge.synthetic.ts";
import { LEAST_FLOOR } from "../../suites/engine/judge/verdict.ts";
import type { GroupRecord } from "../../suites/engine/schema/record.ts";
import { syntheticRecord } from "../../suites/lab/schema/record.synthetic.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { acrossRuntimes } from "../../suites/lab/verdicts/runtimes.synthetic.ts";
import { compareRecords, seenInGroup } from "./judge.ts";
import { mismatches } from "./records.ts";

const QUIET: Omit<SyntheticGroup, "costsNs"> = {
  workers: 1,
  forks: 12,
  rounds: 60,
  sliceNoise: 0.003,
  forkNoise: 0.001,
  roundNoise: 0.3,
  seed: 5,
};

/** A group of one competitor at two revisions, the newer one's cost a factor of the older one's. */
function pairGroup(competitor: string, factor: number, more: Partial<SyntheticGroup> = {}): GroupRecord {
  const costsNs = { [`${competitor}@1a2b3c4`]: 20, [`${competitor}@working-tree`]: 20 * factor };
  return syntheticGroup({ ...QUIET, costsNs, ...more });
}

const brief = ({ verdict, reason }: SeenRace) => [verdict, ...(reason === undefined ? [] : [reason])];
const verdictOf = (group: GroupRecord) => seenInGroup(group).map(({ verdict }) => verdict);
/** The group with these cells changed. */
const changed = (group: GroupRecord, kind: string, more: object): GroupRecord => ({
  ...group,
  cells: group.cells.map((cell) => (cell.kind === kind || kind === "" ? { ...cell, ...more } : cell)),
});

describe("two sides that raced together", () => {
  it("are judged against their own floor, however much host noise both share", () => {
    const verdicts = [1.05, 0.9, 1].map((factor) => verdictOf(pairGroup("ring", factor))[0]);
    assert.deepEqual(verdicts, ["slower", "faster", "same"]);
    const [{ ratio, baseNs, headNs, floor, processes }] = seenInGroup(pairGroup("slow", 1.05)) as [SeenRace];
    assert.ok(Math.abs(ratio!.value - 1.05) < 0.005, String(ratio!.value));
    assert.ok(ratio!.low! < ratio!.value && ratio!.value < ratio!.high! && headNs! > baseNs!);
    assert.deepEqual([floor, processes], [LEAST_FLOOR, 12]);
  });

  it("cannot be distinguished by less than the base differs from itself, and say what could have been", () => {
    const [{ floor, verdict, sees }] = seenInGroup(withDearControl(pairGroup("ring", 1.035), 1.06)) as [
      SeenRace,
    ];
    assert.ok(floor! > 0.035 && floor! < 0.1, String(floor));
    assert.equal(verdict, "cannot tell");
    assert.ok(sees! > floor!);
    const loud = withDearControl(pairGroup("ring", 1.035), 1.2);
    assert.deepEqual(verdictOf(loud), ["no power"], "where the base strays by more than 10 %");
    assert.deepEqual(verdictOf(pairGroup("ring", 1.035)), ["slower"], "but by more they can");
  });

  it("are of the quiet state where there is enough of it", () => {
    const busyFactors = { "ring@1a2b3c4": 2, "ring@working-tree": 1.8 };
    const [{ ratio }] = seenInGroup(pairGroup("ring", 1.02, { rounds: 120, busyFactors })) as [SeenRace];
    assert.ok(Math.abs(ratio!.value - 1.02) < 0.005, String(ratio!.value));
  });

  it("depend where their processes fall into two groups, and have the ratios of both", () => {
    const group = withCosts(pairGroup("ring", 0.5), ({ kind }, fork) => {
      if (fork >= 4) return 1;
      return kind === "rival" ? 4 : kind === "control" ? 2 : 1;
    });
    const [{ verdict, groups }] = seenInGroup(group) as [SeenRace];
    const both = groups!.map(({ ratio, forks }) => [Number(ratio.value.toPrecision(2)), forks]);
    assert.deepEqual([verdict, ...both], ["depends", [0.5, 8], [2, 4]]);
  });

  it("are seen in each role", () => {
    const group = pairGroup("ring", 1.1, { workers: 2 });
    const roles = seenInGroup({ ...group, roles: ["reader", "writer"] }).map(({ role }) => role);
    assert.deepEqual(roles, ["reader", "writer"]);
    assert.ok(!("role" in seenInGroup(group)[0]!));
  });

  it("have failed, have no base or no number where a law broke or nothing counts", () => {
    const group = pairGroup("ring", 1);
    const broken = { failure: { kind: "law", reason: "rotationIsConserved" }, roles: {} };
    const uncounted =
      "no slice counts: a worker was off its core in each, or an operation is too long for the slice";
    for (const [seen, expected] of [
      [changed(group, "rival", broken), ["failed", "rotationIsConserved"]],
      [changed(group, "baseline", broken), ["no base", "in the base: rotationIsConserved"]],
      [
        changed(group, "aa-control", broken),
        ["no number", "its A/A control, which sets the noise floor, has no number"],
      ],
      [changed(group, "", { roles: {} }), ["no number", uncounted]],
    ] as const)
      assert.deepEqual(seenInGroup(seen).map(brief), [expected]);
  });
});

describe("two records", () => {
  /** As a bench leaves it: a baseline and rivals; the whole machine slower or faster by `hostNoise`. */
  const record = (costs: Readonly<Record<string, number>>, hostNoise: number, seed: number): BenchRecord => {
    const costsNs = Object.fromEntries(Object.entries(costs).map(([name, ns]) => [name, ns * hostNoise]));
    return syntheticRecord([syntheticGroup({ ...QUIET, costsNs, seed })], seed);
  };
  const before = record({ locked: 50, ring: 20, wheel: 30, gone: 10 }, 1, 1);
  const after = record({ locked: 50, ring: 21.4, wheel: 30, added: 10 }, 1.3, 2);

  it("are compared by ratios to their baselines, from which the host's noise cancels", () => {
    const { rows, onlyInBase, onlyInHead } = compareRecords(before, after);
    assert.deepEqual(
      rows.map((row) => [row.task, row.verdict]),
      [
        ["synthetic/test/ring/1w", "slower"],
        ["synthetic/test/wheel/1w", "same"],
        ["synthetic/test/locked/1w", "not judged"],
      ],
    );
    const [ring, , locked] = rows;
    assert.ok(Math.abs(ring!.ratio!.value - 1.07) < 0.01, String(ring!.ratio!.value));
    assert.ok(Math.abs(locked!.ratio!.value - 1.3) < 0.2, "the noise itself");
    assert.deepEqual([onlyInBase, onlyInHead], [["synthetic/test/gone/1w"], ["synthetic/test/added/1w"]]);
  });

  it("have intervals wider than either's own", () => {
    const ownWidth = (one: BenchRecord) => {
      const [ring] = compareRecords(one, structuredClone(one)).rows;
      return Math.log(ring!.ratio!.high! / ring!.ratio!.low!) / Math.SQRT2;
    };
    const [ring] = compareRecords(before, after).rows;
    const width = Math.log(ring!.ratio!.high! / ring!.ratio!.low!);
    assert.ok(width > ownWidth(before) && width > ownWidth(after));
  });

  it("swap their verdicts when they swap places", () => {
    const ring = compareRecords(after, before).rows.find(({ task }) => task.includes("/ring/"));
    assert.equal(ring!.verdict, "faster");
  });

  it("of one process each have no verdict, whatever they show, nor a least visible difference", () => {
    const one = (costs: Readonly<Record<string, number>>, seed: number) =>
      syntheticRecord([syntheticGroup({ ...QUIET, forks: 1, costsNs: costs, seed })], seed);
    const { rows } = compareRecords(one({ locked: 50, ring: 20 }, 1), one({ locked: 50, ring: 200 }, 2));
    const ring = rows.find(({ task }) => task.includes("/ring/"));
    const { verdict, sees } = ring!;
    assert.deepEqual([verdict, sees], ["cannot tell", undefined]);
  });

  it("are not judged where they were raced beside two different baselines", () => {
    const other = record({ wheel: 30, ring: 20, locked: 50 }, 1, 3);
    const { rows } = compareRecords(before, other);
    assert.deepEqual(
      rows.map((row) => row.verdict),
      ["not judged", "not judged", "not judged"],
    );
    assert.ok(Math.abs(rows[1]!.ratio!.value - 1) < 0.2, "the costs' own, not 5 / 3");
  });

  it("are not of one kind where a part of a merged record is of another machine, whatever its first is", () => {
    const elsewhere = (one: BenchRecord): BenchRecord => ({
      ...one,
      groups: one.groups.map((group) => ({ ...group, machine: "other-4c-8g" })),
    });
    assert.deepEqual(mismatches(before, elsewhere(after)), ["machines made-up-2c-1g and other-4c-8g"]);
    assert.deepEqual(mismatches(elsewhere(before), elsewhere(after)), []);
  });

  it("are of one kind unless machine, runtime or size differ", () => {
    const { machine, runtime } = before;
    assert.deepEqual(mismatches(before, { ...after, seed: 9, profile: "full" }), []);
    for (const [change, shown] of [
      [{ machine: { ...machine, slug: "other-4c-8g" } }, "machines made-up-2c-1g and other-4c-8g"],
      [{ runtime: { ...runtime, version: "25.0.0" } }, "runtimes Node.js 24.0.0 and Node.js 25.0.0"],
      [
        { runtime: { ...runtime, flags: ["--jitless"] } },
        "runtimes Node.js 24.0.0 and Node.js 24.0.0 --jitless",
      ],
      [{ size: "smoke" }, "sizes full and smoke"],
    ] as const) {
      assert.deepEqual(mismatches(before, { ...after, ...change } as BenchRecord), [shown]);
    }
  });

  it("compare a competitor's cells on several runtimes, unless one of these is of another version", () => {
    const raced = (bun: number) => syntheticRecord([acrossRuntimes("ring", { node24: 20, bun })], 1);
    const { rows } = compareRecords(raced(10), raced(12));
    assert.deepEqual(
      rows.map((row) => [row.task, row.verdict]),
      [
        ["synthetic/test@ring/ring@bun/1w", "slower"],
        ["synthetic/test@ring/ring@node24/1w", "not judged"],
      ],
    );
    const newer = raced(12);
    const groups = newer.groups.map((group) => ({
      ...group,
      runtimes: group.runtimes!.map((one) => (one.name === "bun" ? { ...one, version: "Bun 1.5.0" } : one)),
    }));
    assert.deepEqual(mismatches(raced(10), newer), []);
    assert.deepEqual(mismatches(raced(10), { ...newer, groups }), ["runtimes Bun 1.4.5 and Bun 1.5.0"]);
  });
});
