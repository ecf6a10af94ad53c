import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import type { BenchRecord, SurveyRecord } from "../schema/record.ts";
import { checkRecord, machinesOf } from "../schema/record-file.ts";
import { mergeRecords } from "./merge.ts";

const truth = { workers: 1, forks: 2, rounds: 4, sliceNoise: 0.01, forkNoise: 0.01, roundNoise: 0.1 };

/** A record of one made-up scenario. */
function recordOf(scenario: string, other: Partial<BenchRecord> = {}): BenchRecord {
  const group = syntheticGroup({ ...truth, costsNs: { baseline: 20, rival: 10 }, seed: 5 });
  const cells = group.cells.map((cell) => ({ ...cell, name: cell.name.replace("/test/", `/${scenario}/`) }));
  return { ...syntheticRecord([{ ...group, scenario, cells }], 1), ...other };
}

const survey: SurveyRecord = {
  primitive: "synthetic",
  scenario: "bytes",
  title: "made up",
  metrics: {},
  cells: [{ name: "synthetic/bytes/baseline", competitor: "baseline", baseline: true, forks: [] }],
};
const first = recordOf("a", { command: "npm run nightly -- --shard 1/3", seed: 11 });
const second = recordOf("b", {
  command: "npm run nightly -- --shard 2/3",
  seed: 22,
  startedAt: "2026-11-20T12:00:05.000Z",
  finishedAt: "2026-11-20T12:09:00.000Z",
  machine: { ...first.machine, slug: "other-4c-8g", cpu: "Other", cores: 4 },
  surveys: [survey],
  before: { loadAverage: [1, 1, 1], stealSeconds: 5 },
  after: { loadAverage: [2, 2, 2], stealSeconds: 6 },
});
const third = recordOf("c", {
  command: "npm run nightly -- --shard 3/3",
  seed: 33,
  startedAt: "2026-11-20T12:00:07.000Z",
});

const merge = (...records: readonly BenchRecord[]) =>
  mergeRecords(records.map((record, index) => ({ name: `${index + 1}.json`, record })));
const merged = merge(first, second, third);

describe("a merged record", () => {
  it("is a record with all parts, each of its machine, from the first beginning to the last end", (test) => {
    assert.deepEqual(checkRecord(JSON.parse(JSON.stringify(merged)), "it"), merged);
    const parts = <Part extends { scenario: string; machine?: string }>(all: readonly Part[] = []) =>
      all.map(({ scenario, machine = "the record's" }) => `${scenario} on ${machine}`);
    const shown = { ...merged, groups: parts(merged.groups), surveys: parts(merged.surveys) };
    golden(test, "testdata/merged.json", `${JSON.stringify(shown, null, 2)}\n`);
  });

  it("says of all what disturbed the one that was disturbed most", () => {
    const disturbed = (record: BenchRecord, othersCores: number) => ({
      ...record,
      after: { ...record.after, seconds: 9, othersCores },
    });
    const noisy = [disturbed(first, 0.5), disturbed(second, 0.1), disturbed(third, 0.2)] as const;
    const { after } = merge(...noisy);
    assert.deepEqual(after, { ...second.after, stealSeconds: null, seconds: 9, othersCores: 0.5 });
    assert.deepEqual(merge(noisy[1], merge(noisy[2], noisy[0])).after, after);
  });

  it("is the same in whichever order its parts are given, and in however many steps", () => {
    for (const order of [
      [second, first, third],
      [third, second, first],
      [second, third, first],
    ])
      assert.deepEqual(merge(...order), merged);
    assert.deepEqual({ ...merge(third, merge(second, first)), command: "" }, { ...merged, command: "" });
    // Of two that began and ended at once, too.
    const alike = [recordOf("x"), recordOf("y")];
    assert.deepEqual(merge(...alike), merge(...alike.toReversed()));
  });

  it("of one machine, interrupted, resumed, idle or dirty parts", () => {
    const one = merge(first, third);
    assert.equal(one.machines, undefined);
    assert.ok(one.groups.every((group) => !("machine" in group)));
    assert.deepEqual(machinesOf(one), [first.machine]);
    assert.equal(merge(first, { ...third, interrupted: true }).interrupted, true);
    const resumedAt = ["2026-11-20T13:00:00.000Z"];
    assert.deepEqual(merge(first, { ...third, resumedAt }).resumedAt, resumedAt);
    // A shard that had nothing to do.
    assert.equal(merge(first, { ...third, groups: [] }).groups.length, 1);
    const dirty = { ...first, commit: { ...first.commit!, dirty: true } };
    assert.deepEqual(merge(dirty), dirty);
  });

  it("has each primitive's overview once", () => {
    const overview = { primitive: "synthetic", title: "t", variants: [], columns: [] };
    const own = { ...overview, primitive: "other" };
    const one = merge({ ...first, overviews: [overview] }, { ...third, overviews: [overview, own] });
    assert.deepEqual(one.overviews, [overview, own]);
  });
});

it("records that do not belong together are refused, each in one line that says why", (test) => {
  const { commit, runtime } = first;
  const overview = { primitive: "synthetic", title: "t", variants: [], columns: [] };
  const cases: readonly (readonly Partial<BenchRecord>[])[] = [
    [first, { commit: { hash: "f".repeat(40), dirty: false } }],
    [first, { commit: { hash: commit!.hash, dirty: true } }],
    [first, { commit: null }],
    [first, { runtime: { ...runtime, version: "25.0.0" } }],
    [first, { runtime: { ...runtime, flags: ["--harmony"] } }],
    [first, { methodVersion: 1 }],
    [first, { profile: "quick" }],
    [first, { size: "smoke" }],
    [{ ...first, overviews: [overview] }, { overviews: [{ ...overview, title: "u" }] }],
    [first, {}, { ...first, startedAt: third.finishedAt }],
    [second, { ...second, groups: [], startedAt: third.finishedAt }],
    [],
  ];
  const said = cases.map((records) => {
    let refusal = "nothing";
    try {
      merge(...records.map((record) => ({ ...third, ...record })));
    } catch (error) {
      refusal = (error as Error).message;
    }
    assert.ok(!refusal.includes("\n"));
    return `${refusal}\n`;
  });
  golden(test, "testdata/merge-refusals.txt", said.join(""));
});
