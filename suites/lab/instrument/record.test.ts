import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { golden } from "../../engine/golden.trials.ts";
import { groupRecord } from "../../engine/judge/assemble.ts";
import { syntheticGroup } from "../../engine/judge/judge.synthetic.ts";
import { makePlan } from "../plan/make-plan.ts";
import { syntheticRequest } from "../request.synthetic.ts";
import { syntheticRecord } from "../schema/record.synthetic.ts";
import { checkRecord, readRecord, recordText } from "../schema/record-file.ts";
import { readVerdicts } from "../schema/verdict.ts";
import { saveLocal } from "../store/keep.ts";
import { checkWritable, recordName } from "../store/results.ts";
import { judgeRecord } from "../verdicts/judge-record.ts";

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

  it("that is damaged is refused in one line that says where it is and what is wrong there", (test) => {
    const [cell, ...others] = group.cells;
    const { worker } = cell!.roles;
    const text = recordText(record);
    const withGroup = (part: object) => ({ ...record, groups: [{ ...group, ...part }] });
    const withCell = (part: object) => withGroup({ cells: [{ ...cell, ...part }, ...others] });
    const withAny = (part: object) => withCell({ roles: { worker: { any: { ...worker!.any, ...part } } } });
    const withCosts = (p50: readonly number[]) => withAny({ costNs: { ...worker!.any.costNs, p50 } });
    const withMachine = (part: object) => ({ ...record, machine: { ...record.machine, ...part } });
    const old = { ...withAny({ logRatio: worker!.any.costNs }), methodVersion: 3 };
    const withSamples = (late: number[], high: number[] = []) => ({
      ...record,
      simulations: [simulated(late, high)],
    });
    const texts: readonly string[] = [
      text.slice(0, 200),
      '{"results":[]}',
      "null",
      '{"kind":"bench","schemaVersion":99}',
      text.replace(/"schemaVersion": \d+/, '"schemaVersion": "3"'),
      recordText({ ...record, methodVersion: 99 }),
      recordText({ ...record, methodVersion: 0 }),
      '{"kind":"bench"}',
      text.replace(/"seed": \d+/, '"seed": "one"'),
    ];
    const forged: readonly object[] = [
      ...[1e308, 0, 1.5].map((workers) => withGroup({ workers })),
      ...[{ rounds: 1e308 }, { sliceUs: -1 }].map(withGroup),
      ...[[20, -1], [20, 1e300], worker!.any.costNs.p50.slice(1)].map(withCosts),
      withCell({ overlap: [1, 1.5] }),
      ...[-1, 2 ** 32].map((seed) => ({ ...record, seed })),
      ...["yesterday", "2026-02-30T10:11:12.345Z"].map((startedAt) => ({ ...record, startedAt })),
      { ...record, finishedAt: "2026-11-20" },
      { ...record, commit: { hash: "../../x", dirty: false } },
      { ...record, raw: { file: "../x.gz", sha256: "0".repeat(64) } },
      ...[{ cores: 0 }, { slug: "../x" }].map(withMachine),
      ...["../pick", ".."].map((primitive) => withGroup({ primitive })),
      ...[{ scenario: "" }, { title: "two\nlines" }].map(withGroup),
      ...["../../etc/passwd", "red\u001b[31m", "drow\u202e"].map((competitor) => withCell({ competitor })),
      ...["pick/\u001b]0;x\u0007/a/1w", "pick/../a/1w"].map((name) => withCell({ name })),
      withCell({ roles: { "\u001b[2J": worker } }),
      withCell({ failure: { kind: "law", reason: "\u001b[2J" } }),
      old,
      withSamples([1]),
      withSamples([1, 2], [3]),
      { ...record, mean: 3 },
    ];
    const path = join(folder, "bad.json");
    const readText = (bad: string) => () => {
      writeFileSync(path, bad);
      return readRecord(path);
    };
    const reads = [...texts.map(readText), ...forged.map((bad) => () => checkRecord(bad, path))];
    const lines = reads.map((read) => refusalOf(read).replace(path, "FILE"));
    for (const line of lines) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
      assert.doesNotMatch(line, /[\u0000-\u001f\u202e]/);
      assert.match(line, /^FILE /);
    }
    golden(test, "testdata/damaged.txt", `${lines.join("\n")}\n`);
    checkRecord(withCell({ competitor: "my idea (2) ünïcode", name: "pick/b/my idea (2) ünïcode/1w" }), "it");
    checkRecord(withSamples([1, 2]), "it");
  });

  it("of a run keeps what was thrown in one line that a terminal shows as it stands", async () => {
    const failure = { kind: "fault" as const, reason: "it threw \u001b[31mred\nand more" };
    const lost = [{ fork: 0, failure, crews: [], threads: 1, maxRssBytes: 1 }];
    const { groups } = makePlan(await syntheticRequest({ filters: ["pick/uniform-8"], workers: [1] }));
    const raced = { sliceUs: 400, rounds: 1, looks: 1, placement: "arena", pinned: false } as const;
    const made = groupRecord(groups[0]!, lost, { ...raced, references: new Map() });
    assert.equal(made.lostForks[0]!.reason, "it threw  [31mred and more");
    assert.equal(made.cells[0]!.failure!.reason, "it threw  [31mred and more");
  });

  it("that is not there is refused too", () =>
    assert.throws(() => readRecord(join(folder, "none")), /ENOENT/));

  it("names sort by time", () => {
    const later = { ...record, startedAt: "2026-11-21T00:00:00.000Z" };
    assert.ok(recordName(record, false) < recordName(later, false));
    assert.equal(recordName(record, true), "2026-11-20-0123456-made-up-2c-1g");
  });
});

function refusalOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
  return "it was read";
}

/** A simulation from two seeds, with these samples and this band. */
function simulated(late: number[], high: number[]) {
  const cell = { name: "a/b/c", competitor: "c", baseline: true, metrics: { late: 1 }, series: {} };
  return {
    primitive: "a",
    scenario: "b",
    title: "",
    metrics: {},
    seeds: [1, 2],
    cells: [{ ...cell, samples: { late }, band: { values: 1, per: 1, low: [], high } }],
  };
}

describe("the store", () => {
  it("writes whole files and leaves no other", () => {
    const out = join(folder, "out");
    const { paths } = saveLocal(record, judgeRecord(record), "# page\n", out);
    assert.deepEqual(readdirSync(out).sort(), paths.map((path) => path.slice(out.length + 1)).sort());
    assert.deepEqual(readRecord(paths[0]!), record);
    assert.deepEqual(readVerdicts(readFileSync(paths[1]!, "utf8"), paths[1]!), judgeRecord(record));
    assert.equal(readFileSync(paths[2]!, "utf8"), "# page\n");
  });

  it("says in one line that a folder cannot be written to", () => {
    writeFileSync(join(folder, "file"), "");
    assert.throws(() => checkWritable(join(folder, "file", "below")), /cannot be written .*--out DIR/);
  });
});
