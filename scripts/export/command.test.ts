import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { golden } from "../../suites/engine/golden.trials.ts";
import { callsOf, type Ended, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import { recordText } from "../../suites/lab/schema/record-file.ts";
import { everything, later } from "./export.synthetic.ts";
import { judgedSource } from "./figures.ts";
import { exportRecords } from "./formats.ts";

const EXPORT = fileURLToPath(new URL("command.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-export-"));
after(() => rmSync(folder, { recursive: true }));

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
const SOURCES = [judgedSource("a.json", first), judgedSource("b.json", second)];
writeFileSync(join(folder, "damaged.json"), recordText(first).slice(0, 1000));
const { groups: _, ...groupless } = first;
writeFileSync(join(folder, "groupless.json"), recordText(groupless));
writeFileSync(join(folder, "file"), "");
const FILES = readdirSync(folder);

describe("export refuses what it cannot do, in one line, with nothing on stdout", () => {
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals.txt"),
    callsOf(EXPORT, { cwd: folder }),
    folder,
  );

  it("and writes nothing", () => assert.deepEqual(readdirSync(folder), FILES));
});

it("export prints the export alone on stdout; on stderr a remark, and the first names of what has no number", async (test) => {
  const { status, stdout, stderr } = await call("--format", "benchstat", "a.json", "b.json");
  assert.equal(status, 0, stderr);
  assert.equal(stdout, exportRecords("benchstat", SOURCES).text);
  golden(test, "testdata/remarks.txt", stderr);
});

it("export with --out writes the file, whole, and nothing on stdout", async () => {
  const { status, stdout, stderr } = await call("--format", "benchstat", "--out", "new/a.txt", "a.json");
  assert.equal(status, 0, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, /^wrote new\/a\.txt$/m);
  const { text } = exportRecords("benchstat", SOURCES.slice(0, 1));
  assert.equal(readFileSync(join(folder, "new", "a.txt"), "utf8"), text);
  assert.deepEqual(readdirSync(join(folder, "new")), ["a.txt"], "no temporary file is left");
});
