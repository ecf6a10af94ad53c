import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { primitives } from "../../../structures/catalog.ts";
import { inRoles, syntheticGroup, withCosts } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { mean } from "../../engine/statistics.ts";
import { readRecord } from "../schema/record-file.ts";
import { publishedRecords } from "../store/results.ts";
import { judgeRecord } from "./judge-record.ts";
import { baselinesOf, rebased } from "./rebase.ts";

const group = syntheticGroup({
  costsNs: { raced: 20, half: 10, double: 40, equal: 20.02 },
  workers: 2,
  forks: 8,
  rounds: 40,
  sliceNoise: 0.003,
  forkNoise: 0.001,
  roundNoise: 0.3,
  seed: 5,
});
const judged = judgeScenario([group]);

function measured({ rows }: JudgedScenario): JudgedMeasured[] {
  return rows.flatMap((row) => (row.noNumber === undefined ? [row] : []));
}

function rowOf(scenario: JudgedScenario, competitor: string): JudgedMeasured {
  return measured(scenario).find((row) => row.competitor === competitor)!;
}

describe("a scenario with another baseline", () => {
  it("is the same with the one that it was raced with", () => {
    assert.deepEqual(rebased(judged, "raced"), judged);
  });

  it("compares all with the new one, which the raced one is a rival of", () => {
    const to = rebased(judged, "half");
    assert.equal(to.conditions[0]!.baseline, "half");
    const verdicts = ["half", "raced", "double", "equal", "raced~aa1"].map((name) => rowOf(to, name).verdict);
    assert.deepEqual(verdicts, ["baseline", "slower", "slower", "slower", "noise floor"]);
    assert.equal(rowOf(to, "half").ratio, undefined);
    assert.equal(rowOf(to, "raced").kind, "rival");
  });

  it("has the ratio that the processes saw which raced both", () => {
    const costsOf = (name: string) =>
      group.cells.find(({ competitor }) => competitor === name)!.roles.worker!.any.costNs.p50;
    const ofBoth = costsOf("double").map((ns, fork) => Math.log(ns / costsOf("equal")[fork]!));
    const { ratio } = rowOf(rebased(judged, "equal"), "double");
    assert.ok(Math.abs(Math.log(ratio!.value) - mean(ofBoth)) < 1e-12, String(ratio!.value));
  });

  it("gives the new one both answers of a row that depends, and no remark on answers to the other", () => {
    const either = withCosts(group, ({ competitor, kind }, fork) => {
      if (fork >= 4) return 1;
      return competitor === "double" ? 1 / 8 : kind === "control" ? 2 : 1;
    });
    const raced = judgeScenario([either]);
    assert.match(rowOf(raced, "double").flags[0]!, /^4 processes at x0\.25 /);
    const to = rebased(raced, "half");
    const row = rowOf(to, "double");
    assert.equal(row.verdict, "depends");
    assert.deepEqual(
      row.groups!.map(({ ratio, forks }) => [Number(ratio.value.toPrecision(2)), forks]),
      [
        [0.5, 4],
        [4, 4],
      ],
    );
    assert.deepEqual(row.flags, []);
  });

  it("leaves the others of a role to their own baseline", () => {
    const to = rebased(judgeScenario([inRoles(group, "reader", "writer")]), "equal");
    const baselines = measured(to).filter(({ verdict }) => verdict === "baseline");
    assert.deepEqual(
      baselines.map(({ competitor, role }) => [competitor, role]),
      [
        ["equal", "reader"],
        ["equal", "writer"],
      ],
    );
    assert.equal(measured(to).filter(({ verdict }) => verdict === "faster").length, 2);
  });

  it("shows no ratio where the new one has no number", () => {
    const cells = group.cells.map((cell) =>
      cell.competitor === "half" ? { ...cell, failure: { kind: "fault", reason: "died" } as const } : cell,
    );
    const at4 = { ...group, workers: 4, cells };
    const to = rebased(judgeScenario([group, at4]), "half");
    const at = (workers: number) =>
      measured(to).find((row) => row.workers === workers && row.competitor === "double")!;
    assert.equal(at(2).verdict, "slower");
    assert.equal(at(4).verdict, "no baseline to compare with");
    assert.equal(at(4).ratio, undefined);
  });
});

describe("any two competitors of what is published", () => {
  for (const primitive of primitives().filter((name) => publishedRecords(name).length > 0)) {
    it(`${primitive}: do not contradict each other`, () => {
      const newest = readRecord(publishedRecords(primitive).at(-1)!);
      for (const scenario of judgeRecord(newest).races) {
        const names = baselinesOf(scenario);
        const to = new Map(names.map((name) => [name, rebased(scenario, name)]));
        for (const name of names) {
          for (const row of measured(to.get(name)!).filter(({ kind, ratio }) => kind === "rival" && ratio)) {
            const back = measured(to.get(row.competitor)!).find(
              ({ competitor, workers, role }) =>
                competitor === name && workers === row.workers && role === row.role,
            )!;
            const what = `${row.cell} to ${name}`;
            // How much processes differ is judged by peers, whose ratios are to the baseline: intervals are not mirrored.
            const isDecided = row.verdict === "faster" || row.verdict === "slower";
            assert.ok(!isDecided || back.verdict !== row.verdict, what);
            assert.ok(Math.abs(back.ratio!.value * row.ratio!.value - 1) < 1e-9, what);
          }
        }
      }
    });
  }
});
