import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { type BenchRecord, recordText } from "../../suites/engine/schema/record.ts";
import { type Ended, itRefusesAs, refusing } from "../../suites/lab/command/command.trials.ts";
import { everything, later, NUMBERLESS } from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";
import { exportRecords, type Format } from "./formats.ts";

const EXPORT = fileURLToPath(new URL("command.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-export-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs the command; the tests of a group run theirs at once, because most of their time is Node's start. */
function call(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [EXPORT, ...args], { cwd: folder }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

function write(name: string, record: BenchRecord): void {
  writeFileSync(join(folder, name), recordText(record));
}

const groups = everything().groups.slice(0, 1);
const first = everything({ groups });
const second = { ...later(), groups };
write("a.json", first);
write("b.json", second);
writeFileSync(join(folder, "damaged.json"), recordText(first).slice(0, 1000));
const { groups: _, ...groupless } = first;
writeFileSync(join(folder, "groupless.json"), recordText(groupless));
writeFileSync(join(folder, "file"), "");
const FILES = readdirSync(folder);

describe("export refuses what it cannot do, in one line, with nothing on stdout", () => {
  const calls = [
    ["a.json"],
    ["--format", "benchstats", "a.json"],
    ["--format", "otava"],
    ["--format", "otava", "a.json", "damaged.json"],
    ["--format", "otava", "groupless.json"],
    ["--format", "bencher", "a.json", "b.json"],
    ["--format", "otava", "--out", "file/out.csv", "a.json"],
  ];
  itRefusesAs("testdata/refusals.txt", calls, refusing(EXPORT, { cwd: folder }), folder);

  it("and writes nothing", () => assert.deepEqual(readdirSync(folder), FILES));
});

describe("export prints", { concurrency: true }, () => {
  const printed = (format: Format, ...records: readonly BenchRecord[]) =>
    exportRecords(
      format,
      records.map((record, index) => judgedSource(["a.json", "b.json"][index]!, record)),
    ).text;

  for (const format of ["github-action-benchmark", "bencher"] as const) {
    it(`${format}: the export alone on stdout, what has no number on stderr`, async () => {
      const { status, stdout, stderr } = await call("--format", format, "a.json");
      assert.equal(status, 0, stderr);
      assert.equal(stdout, printed(format, first));
      assert.match(stderr, /^left out, having no number: \d+ \(synthetic\/plain\/broken\/2w, .*\)\n$/);
    });
  }

  it("benchstat: records of several commits, with a remark, and the first names of what has no number", async () => {
    const { status, stdout, stderr } = await call("--format", "benchstat", "a.json", "b.json");
    assert.equal(status, 0, stderr);
    assert.equal(stdout, printed("benchstat", first, second));
    const [remark, leftOut, ...more] = stderr.trimEnd().split("\n");
    assert.match(remark!, /^the records differ in commit: benchstat/);
    const names = [...NUMBERLESS.races, ...NUMBERLESS.races, NUMBERLESS.surveyed[0]].join(", ");
    assert.equal(leftOut, `left out, having no number: 8 (${names}, 3 more)`);
    assert.deepEqual(more, []);
  });

  it("otava: with --out the file, whole, and nothing on stdout", async () => {
    const { status, stdout, stderr } = await call("--format", "otava", "--out", "new/a.csv", "a.json");
    assert.equal(status, 0, stderr);
    assert.equal(stdout, "");
    assert.match(stderr, /^wrote new\/a\.csv$/m);
    assert.equal(readFileSync(join(folder, "new", "a.csv"), "utf8"), printed("otava", first));
    assert.deepEqual(readdirSync(join(folder, "new")), ["a.csv"], "no temporary file is left");
  });
});
