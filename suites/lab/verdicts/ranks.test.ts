import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SyntheticGroup, syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import type { JudgedMeasured } from "../../engine/schema/verdict.ts";
import { ranksAmong } from "./ranks.ts";

const QUIET: Omit<SyntheticGroup, "costsNs"> = {
  workers: 2,
  forks: 8,
  rounds: 40,
  sliceNoise: 0.003,
  forkNoise: 0.001,
  roundNoise: 0.3,
  seed: 5,
};

describe("ranks", () => {
  const costsNs = { baseline: 20, first: 10, alike: 10.01, third: 15, last: 40 };

  it("count the rows that are shown to be faster, and share a place where that is open", () => {
    const rows = competing(syntheticGroup({ ...QUIET, costsNs }));
    const labels = ranksAmong(rows);
    const of = (name: string) => labels.get(`synthetic/test/${name}/2w`);
    assert.deepEqual(of("first"), { rank: 1, leads: true });
    assert.deepEqual(of("alike"), { rank: 1, leads: true });
    assert.deepEqual(of("third"), { rank: 3, leads: false });
    assert.deepEqual(of("baseline"), { rank: 4, leads: false });
    assert.deepEqual(of("last"), { rank: 5, leads: false });
  });

  it("are among the rows given", () => {
    const rows = competing(syntheticGroup({ ...QUIET, costsNs }));
    const labels = ranksAmong(rows.filter(({ competitor }) => !["first", "alike"].includes(competitor)));
    assert.deepEqual(labels.get("synthetic/test/third/2w"), { rank: 1, leads: true });
    assert.equal(labels.get("synthetic/test/first/2w"), undefined);
  });

  it("put all rows first where nothing is known", () => {
    const alike = { baseline: 20, first: 20, second: 20, third: 20 };
    const labels = ranksAmong(competing(syntheticGroup({ ...QUIET, costsNs: alike, forkNoise: 0.1 })));
    assert.ok([...labels.values()].every(({ rank, leads }) => rank === 1 && leads));
  });

  function competing(group: GroupRecord): JudgedMeasured[] {
    return judgeScenario([group]).rows.filter(
      (row): row is JudgedMeasured => row.noNumber === undefined && row.kind !== "aa-control",
    );
  }
});
