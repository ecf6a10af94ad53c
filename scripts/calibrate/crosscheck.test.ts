import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

/** The commands as a person types them, without npm around them. */
const CROSSCHECK = fileURLToPath(new URL("crosscheck.ts", import.meta.url));
const BENCH = fileURLToPath(new URL("../bench.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-crosscheck-"));
after(() => rmSync(folder, { recursive: true }));
const out = join(folder, "out");

function call(script: string, ...args: string[]) {
  // A test runner that prints in colours has its tests do so.
  const { FORCE_COLOR: _, ...env } = process.env;
  return spawnSync(process.execPath, [script, ...args], { encoding: "utf8", cwd: folder, env });
}

function isRefused(script: string, args: readonly string[], message: RegExp) {
  const { status, stdout, stderr } = call(script, ...args);
  assert.equal(status, 2, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, message);
  assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
  assert.equal(existsSync(out), false, "nothing is written");
}

describe("crosscheck refuses what it cannot do, in one line, before doing anything", () => {
  writeFileSync(join(folder, "empty.json"), "{}");
  for (const [args, message] of [
    [["pik"], /no cell is named "pik".*nearest first: pick/],
    [["pick", "--turns", "0"], /--turns 0 is out of range/],
    [["pick", "--publish"], /--publish has a place of its own: leave away --out/],
  ] as const) {
    it(args.join(" "), () => isRefused(CROSSCHECK, [...args, "--out", out], message));
  }
  it("--resume with anything beside it, and of what is no record", () => {
    isRefused(CROSSCHECK, ["--resume", "empty.json", "--turns", "5", "pick"], /leave away pick, --turns/);
    isRefused(CROSSCHECK, ["--resume", "empty.json"], /empty.json is not a record of npm run crosscheck/);
  });
});

describe("bench --engine refuses what no library can do, in one line, before doing anything", () => {
  for (const [args, message] of [
    [["mitato"], /--engine mitato is unknown/],
    [["mitata", "--twins", "2"], /pairs nothing: leave away --twins/],
    [["tinybench", "--resume", "x.json"], /--resume asks for what its record was asked: leave away --engine/],
    [["tinybench", "heartbeats/steady"], /no cell asked for is a race of one worker/],
  ] as const) {
    it(args.join(" "), () => {
      const [engine, ...others] = args;
      const place = others.some((arg) => arg === "--resume") ? [] : ["--out", out];
      isRefused(BENCH, ["--engine", engine, ...others, ...place], message);
    });
  }
});

it("crosscheck --help names every option, --list every cell and the time; neither measures", () => {
  const help = call(CROSSCHECK, "--help");
  assert.equal(help.status, 0);
  for (const option of ["--all", "--turns", "--seed", "--list", "--out", "--publish", "--resume", "--json"]) {
    assert.ok(help.stdout.includes(option), option);
  }
  const { status, stdout } = call(CROSSCHECK, "--list", "--turns", "2");
  assert.equal(status, 0);
  assert.match(stdout, /^pick\/uniform-8\/cas-ring\/1w$/m);
  assert.match(stdout, /^timers\/refresh-100k\/hashed-wheel\/1w$/m);
  assert.doesNotMatch(stdout, /^locks/m);
  assert.match(stdout, /^\d+ cells, about \d.* in 2 turns/m);
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
