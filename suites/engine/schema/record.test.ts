import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { syntheticGroup, syntheticRecord } from "../judge/judge.synthetic.ts";
import { judgeRecord } from "../judge/judge.ts";
import { saveLocal } from "../store/keep.ts";
import { checkWritable, recordName, writeWhole } from "../store/results.ts";
import { checkRecord, readRecord, recordText } from "./record.ts";
import { readVerdicts } from "./verdict.ts";

const folder = mkdtempSync(join(tmpdir(), "hotpath-record-"));
after(() => rmSync(folder, { recursive: true }));

const group = syntheticGroup({
  costsNs: { baseline: 20, rival: 10 },
  workers: 2,
  forks: 2,
  rounds: 3,
  sliceNoise: 0.01,
  forkNoise: 0.01,
  roundNoise: 0.1,
  seed: 1,
});
const record = syntheticRecord([group], 1);

describe("a record", () => {
  it("comes back from its text as it was", () => {
    const path = join(folder, "whole.json");
    writeFileSync(path, recordText(record));
    assert.deepEqual(readRecord(path), record);
  });

  it("keeps text that looks like an array of numbers as it is", () => {
    const odd = { ...record, command: 'npm run bench -- "[1,\\n 2]" [ 3, 4 ]' };
    assert.deepEqual(JSON.parse(recordText(odd)), odd);
  });

  it("has one line for each cell", () => {
    const lines = recordText(record).split("\n");
    const cells = lines.filter((line) => line.includes('"competitor":'));
    assert.equal(cells.length, group.cells.length);
    assert.ok(cells.every((line) => line.includes('"roles":') && line.includes('"p75":')));
  });

  for (const [what, text, message] of [
    ["cut off", recordText(record).slice(0, 200), /is damaged: it is not JSON/],
    ["of another tool", '{"results":[]}', /is not a record of npm run bench/],
    ["no object at all", "null", /is not a record of npm run bench/],
    ["of a later schema", '{"kind":"bench","schemaVersion":99}', /has schema version 99/],
    [
      "with a sample that is no number",
      recordText(record).replace(/"seed": \d+/, '"seed": "one"'),
      /is damaged: \/seed/,
    ],
  ] as const) {
    it(`that is ${what} is refused in one line that names the file`, () => {
      const path = join(folder, "bad.json");
      writeFileSync(path, text);
      assert.throws(
        () => readRecord(path),
        (error: Error) => {
          assert.match(error.message, message);
          assert.ok(error.message.startsWith(path) && !error.message.includes("\n"));
          return true;
        },
      );
    });
  }

  it("whose arrays of one figure are of unequal length is refused, and where they are is said", () => {
    const [cell, ...cells] = group.cells;
    const { worker } = cell!.roles;
    const costNs = { ...worker!.any.costNs, p50: worker!.any.costNs.p50.slice(1) };
    const torn = { ...cell!, roles: { worker: { ...worker!, any: { ...worker!.any, costNs } } } };
    assert.throws(() => checkRecord({ ...record, groups: [{ ...group, cells: [torn, ...cells] }] }, "it"), {
      message:
        "it is damaged: /groups/0/cells/0/roles/worker/any/costNs must have an entry of forks, counts, p25, p50 and p75 for each fork",
    });
  });

  it("of a simulation with samples of other seeds than it names is refused", () => {
    const cell = { name: "a/b/c", competitor: "c", baseline: true, metrics: { late: 1 }, series: {} };
    const simulated = (late: number[], high: number[] = []) => ({
      primitive: "a",
      scenario: "b",
      title: "",
      metrics: {},
      seeds: [1, 2],
      cells: [{ ...cell, samples: { late }, band: { values: 1, per: 1, low: [], high } }],
    });
    const check = (...columns: Parameters<typeof simulated>) =>
      checkRecord({ ...record, simulations: [simulated(...columns)] }, "it");
    check([1, 2]);
    assert.throws(() => check([1]), /\/simulations\/0 must have a sample of each metric for each seed$/);
    assert.throws(() => check([1, 2], [3]), /\/simulations\/0\/cells\/0\/band must have low and high/);
  });

  it("that is not there is refused too", () =>
    assert.throws(() => readRecord(join(folder, "none")), /ENOENT/));

  it("names sort by time", () => {
    const later = { ...record, startedAt: "2026-11-21T00:00:00.000Z" };
    assert.ok(recordName(record, false) < recordName(later, false));
    assert.equal(recordName(record, true), "2026-11-20-0123456-made-up-2c-1g");
  });

  it("with an extra key is not taken for ours", () => {
    assert.throws(() => checkRecord({ ...record, mean: 3 }, "it"), /damaged/);
  });
});

describe("the store", () => {
  it("writes whole files and leaves no other", () => {
    const out = join(folder, "out");
    const { paths } = saveLocal(record, judgeRecord(record), "# page\n", out);
    assert.deepEqual(readdirSync(out).sort(), paths.map((path) => path.slice(out.length + 1)).sort());
    assert.deepEqual(readRecord(paths[0]!), record);
    assert.deepEqual(readVerdicts(readFileSync(paths[1]!, "utf8"), paths[1]!), judgeRecord(record));
    assert.equal(readFileSync(paths[2]!, "utf8"), "# page\n");
  });

  it("cleans up after a write that fails", () => {
    const blocked = join(folder, "blocked");
    mkdirSync(join(blocked, "name"), { recursive: true });
    assert.throws(() => writeWhole(join(blocked, "name"), "text"));
    assert.deepEqual(readdirSync(blocked), ["name"]);
  });

  it("says in one line that a folder cannot be written to", () => {
    writeFileSync(join(folder, "file"), "");
    assert.throws(() => checkWritable(join(folder, "file", "below")), /cannot be written .*--out DIR/);
  });
});
