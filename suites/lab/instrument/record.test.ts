import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { groupRecord } from "../../engine/judge/assemble.ts";
import { syntheticGroup, syntheticRecord } from "../../engine/judge/judge.synthetic.ts";
import { readVerdicts } from "../../engine/schema/verdict.ts";
import { makePlan } from "../plan/make-plan.ts";
import { syntheticRequest } from "../request.synthetic.ts";
import { checkRecord, readRecord, recordText } from "../schema/record-file.ts";
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

  for (const [what, text, message] of [
    ["cut off", recordText(record).slice(0, 200), /is damaged: it is not JSON/],
    ["of another tool", '{"results":[]}', /is not a record of npm run bench/],
    ["no object at all", "null", /is not a record of npm run bench/],
    ["of a later schema", '{"kind":"bench","schemaVersion":99}', /has schema version 99, this lab reads/],
    [
      "of a schema version that is a text",
      recordText(record).replace(/"schemaVersion": \d+/, '"schemaVersion": "3"'),
      /has a schema version that is no number but a string, this lab reads schema version 3$/,
    ],
    [
      "of a later method",
      recordText({ ...record, methodVersion: 99 }),
      /has method version 99, this lab reads method version 4$/,
    ],
    ["of no method", recordText({ ...record, methodVersion: 0 }), /is of method 0, which is no longer read/],
    ["of no schema version", '{"kind":"bench"}', /has no schema version, this lab reads schema version 3$/],
    [
      "with a sample that is not a number",
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

  it("that says what cannot be is refused in one line, and what is wrong is said", () => {
    const [cell] = group.cells;
    const { worker } = cell!.roles;
    const withGroup = (part: object) => ({ ...record, groups: [{ ...group, ...part }] });
    const withCell = (part: object) => withGroup({ cells: [{ ...cell, ...part }, ...group.cells.slice(1)] });
    const withCosts = (p50: readonly number[]) =>
      withCell({ roles: { worker: { any: { costNs: { ...worker!.any.costNs, p50 } } } } });
    const cases: [object, RegExp][] = [
      [withGroup({ workers: 1e308 }), /\/groups\/0\/workers must be <= 1024$/],
      [withGroup({ workers: 0 }), /\/workers must be >= 1$/],
      [withGroup({ workers: 1.5 }), /\/workers /],
      [withGroup({ rounds: 1e308 }), /\/rounds must be <= /],
      [withGroup({ sliceUs: -1 }), /\/sliceUs must be >= 0$/],
      [withCosts([20, -1]), /\/p50\/1 must be >= 0$/],
      [withCosts([20, 1e300]), /\/p50\/1 must be <= /],
      [withCell({ overlap: [1, 1.5] }), /\/overlap\/1 must be <= 1$/],
      [{ ...record, seed: -1 }, /\/seed must be >= 0$/],
      [{ ...record, seed: 2 ** 32 }, /\/seed must be <= 4294967295$/],
      [{ ...record, machine: { ...record.machine, cores: 0 } }, /\/machine\/cores must be >= 1$/],
      [{ ...record, startedAt: "yesterday" }, /\/startedAt must be a time as 2026-11-20T10:11:12\.345Z$/],
      [
        { ...record, startedAt: "2026-02-30T10:11:12.345Z" },
        /\/startedAt 2026-02-30T10:11:12\.345Z is no time$/,
      ],
      [{ ...record, finishedAt: "2026-11-20" }, /\/finishedAt must be a time/],
      [{ ...record, commit: { hash: "../../x", dirty: false } }, /\/commit/],
      [{ ...record, machine: { ...record.machine, slug: "../x" } }, /\/slug must be of small letters/],
      [{ ...record, raw: { file: "../x.gz", sha256: "0".repeat(64) } }, /\/raw\/file must be a name/],
      [
        withGroup({ primitive: "../pick" }),
        /\/primitive must be a name: 1 to 200 characters, without slashes/,
      ],
      [withGroup({ primitive: ".." }), /\/primitive must be a name/],
      [withGroup({ scenario: "" }), /\/scenario must be a name/],
      [withGroup({ title: "two\nlines" }), /\/title must be one line without control characters$/],
      [withCell({ competitor: "../../etc/passwd" }), /\/competitor must be a name/],
      [withCell({ competitor: "red\u001b[31m" }), /\/competitor must be a name/],
      [withCell({ competitor: "drow\u202e" }), /\/competitor must be a name/],
      [withCell({ name: "pick/\u001b]0;x\u0007/a/1w" }), /\/name must be a cell's name/],
      [withCell({ name: "pick/../a/1w" }), /\/name must be a cell's name/],
      [withCell({ roles: { "\u001b[2J": worker } }), /\/roles\/ \[2J is not known here$/],
      [withCell({ failure: { kind: "law", reason: "\u001b[2J" } }), /\/reason must be one line/],
    ];
    for (const [forged, message] of cases) {
      assert.throws(
        () => checkRecord(forged, "it"),
        (error: Error) => {
          assert.match(error.message, message);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
          assert.doesNotMatch(error.message, /[\u0000-\u001f\u202e]/);
          return error.message.startsWith("it is damaged: ");
        },
      );
    }
    checkRecord(withCell({ competitor: "my idea (2) ünïcode", name: "pick/b/my idea (2) ünïcode/1w" }), "it");
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

  it("whose arrays of one figure are of unequal length is refused, and where they are is said", () => {
    const [cell, ...cells] = group.cells;
    const { worker } = cell!.roles;
    const costNs = { ...worker!.any.costNs, p50: worker!.any.costNs.p50.slice(1) };
    const torn = { ...cell!, roles: { worker: { ...worker!, any: { ...worker!.any, costNs } } } };
    assert.throws(() => checkRecord({ ...record, groups: [{ ...group, cells: [torn, ...cells] }] }, "it"), {
      message:
        "it is damaged: /groups/0/cells/0/roles/worker/any/costNs must have an entry of forks, counts, mean, p25, p50 and p75 for each fork",
    });
  });

  it("of a method that is no longer read is refused by that name", () => {
    const [cell, ...cells] = group.cells;
    const any = { ...cell!.roles.worker!.any, logRatio: cell!.roles.worker!.any.costNs };
    const paired = { ...cell!, roles: { worker: { any } } };
    const old = { ...record, methodVersion: 3, groups: [{ ...group, cells: [paired, ...cells] }] };
    assert.throws(() => checkRecord(old, "it"), {
      message: "it is of method 3, which is no longer read: race it again",
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

  it("says in one line that a folder cannot be written to", () => {
    writeFileSync(join(folder, "file"), "");
    assert.throws(() => checkWritable(join(folder, "file", "below")), /cannot be written .*--out DIR/);
  });
});
