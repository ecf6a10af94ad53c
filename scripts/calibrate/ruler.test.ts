import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const RULER = fileURLToPath(new URL("ruler.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-ruler-"));
after(() => rmSync(folder, { recursive: true }));

function call(...args: string[]) {
  return spawnSync(process.execPath, [RULER, ...args], { encoding: "utf8", cwd: folder });
}

describe("ruler refuses what it cannot do, in one line, before doing anything", () => {
  writeFileSync(join(folder, "damaged.json"), "{");
  writeFileSync(join(folder, "foreign.json"), '{"schemaVersion":1}');
  for (const [args, message] of [
    [["pick/uniform-9/cas-ring/1w"], /no cell is named "pick\/uniform-9\/cas-ring\/1w".*nearest first/],
    [["heartbeats/steady"], /is no race: name cells that have a worker count/],
    [["--repeats", "0"], /--repeats 0 is out of range: give whole numbers from 1 to 1000/],
    [["--readings", "x"], /--readings x is out of range/],
    [["--budget", "5"], /--budget 5 is out of range: give 1s to 24h/],
    [["--seed", "-1"], /--seed -1 is out of range/],
    [["--frequency", "1"], /Unknown option '--frequency'/],
    [["--resume", "nowhere.json"], /nowhere.json cannot be read: ENOENT/],
    [["--resume", "damaged.json"], /damaged.json is damaged: it is not JSON/],
    [["--resume", "foreign.json"], /foreign.json is no ruler record/],
    [["--resume", "foreign.json", "--seed", "1"], /--resume asks for what its record was asked/],
  ] as const) {
    it(args.join(" "), () => {
      const before = readdirSync(folder);
      const { status, stdout, stderr } = call(...args);
      assert.equal(status, 2, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
      assert.deepEqual(readdirSync(folder), before);
    });
  }
});

it("help names every option", () => {
  const { status, stdout } = call("--help");
  assert.equal(status, 0);
  for (const option of ["repeats", "budget", "readings", "seed", "out", "publish", "resume"]) {
    assert.match(stdout, new RegExp(`--${option}\\b`));
  }
});
