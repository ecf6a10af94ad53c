import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { callsOf, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { argumentsOf } from "../../suites/lab/resume.ts";
import { readCalibration } from "../../suites/lab/schema/calibration.ts";
import { newestCalibrations } from "../../suites/lab/store/calibration.ts";

/** The commands as a person types them, without npm around them. */
const CALIBRATE = fileURLToPath(new URL("command.ts", import.meta.url));
const BENCH = fileURLToPath(new URL("../bench.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-calibrate-"));
after(() => rmSync(folder, { recursive: true }));
const out = join(folder, "out");

/** A test runner that prints in colours has its tests do so. */
const { FORCE_COLOR: _, ...env } = process.env;

function call(script: string, ...args: string[]) {
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8", cwd: folder, env });
}

const checkNothingWritten = () => assert.equal(existsSync(out), false, "nothing is written");

describe("calibrate refuses what it cannot do, in one line, before doing anything", () => {
  writeFileSync(join(folder, "damaged.json"), "{");
  writeFileSync(join(folder, "foreign.json"), '{"schemaVersion":1}');
  copyFileSync(newestCalibrations().alone!.path, join(folder, "whole.json.gz"));
  const file = join(import.meta.dirname, "testdata/refusals.txt");
  itRefusesAsWritten(file, callsOf(CALIBRATE, { cwd: folder, env }), folder, checkNothingWritten);
});

describe("bench --engine refuses what no library can do, in one line, before doing anything", () => {
  const file = join(import.meta.dirname, "testdata/refusals-of-engines.txt");
  itRefusesAsWritten(file, callsOf(BENCH, { cwd: folder, env }), folder, checkNothingWritten);
});

it("calibrate --list says every cell and the time, and measures nothing", () => {
  const verdicts = call(CALIBRATE, "verdicts", "--list");
  assert.equal(verdicts.status, 0, verdicts.stderr);
  assert.match(verdicts.stdout, /^locks\/short-section\/futex-three-state\/2w$/m);
  assert.match(verdicts.stdout, /^9 cells, about \d/m);
});

it("calibrate keeps the record and its page, and prints the record alone on stdout with --json", () => {
  const local = join(folder, "local");
  const args = [
    "verdicts",
    "pick/uniform-8/cas-ring/1w",
    "--turns",
    "1",
    "--opinions",
    "0",
    "--budget",
    "1s",
  ];
  const { status, stdout, stderr } = call(CALIBRATE, ...args, "--json", "--out", local);
  assert.equal(status, 0, stderr);
  const [, record, page] = /^wrote (local\/\S+-verdicts\.json)\n +(local\/\S+-verdicts\.md)$/m.exec(stderr)!;
  assert.ok(existsSync(join(folder, page!)));
  assert.match(stderr, /^How often a verdict of this lab is wrong/m, "the page is on stderr");
  const kept = readCalibration(join(folder, record!));
  assert.deepEqual(JSON.parse(stdout), kept);
  assert.deepEqual(argumentsOf(kept).slice(0, 2), args.slice(0, 2));
});

it("bench --engine --json prints what the library said and nothing else on stdout", () => {
  const args = ["--engine", "tinybench", "pick/uniform-8/no-op", "--workers", "1", "--json", "--out", out];
  const { status, stdout, stderr } = call(BENCH, ...args);
  assert.equal(status, 0, stderr);
  const { engine, cells } = JSON.parse(stdout);
  assert.equal(engine.name, "tinybench");
  assert.deepEqual(
    cells.map(({ cell }: { cell: string }) => cell),
    ["pick/uniform-8/no-op/1w"],
  );
  assert.ok(cells[0].opinion.nsPerOperation.high > cells[0].opinion.nsPerOperation.low);
  assert.match(stderr, /^no-op +\d/m, "the table is on stderr");
  assert.match(stderr, /One process, no pairing/);
  assert.match(stderr, /wrote out\/.*-tinybench\.json/);
});
