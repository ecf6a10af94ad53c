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
import { seenInGroup } from "./judge.ts";

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
