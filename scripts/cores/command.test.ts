import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { callsOf, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { recordOf } from "../../suites/lab/cores/record.synthetic.ts";
import { readCores } from "../../suites/lab/cores/record.ts";

const CORES = fileURLToPath(new URL("command.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-cores-"));
after(() => rmSync(folder, { recursive: true }));
const out = join(folder, "out");

/** A test runner that prints in colours has its tests do so. */
const { FORCE_COLOR: _, ...env } = process.env;

describe("cores refuses what it cannot do, in one line, before doing anything", () => {
  const record = recordOf([]);
  writeFileSync(join(folder, "damaged.json"), "{");
  writeFileSync(join(folder, "whole.json"), JSON.stringify(record));
  writeFileSync(join(folder, "cut.json"), JSON.stringify({ ...record, interrupted: true }));
  const file = join(import.meta.dirname, "testdata/refusals.txt");
  itRefusesAsWritten(file, callsOf(CORES, { cwd: folder, env }), folder, () =>
    assert.equal(existsSync(out), false, "nothing is written"),
  );
});

it("cores --list says what would be simulated where, and why some is not", () => {
  const args = [CORES, "locks", "pick/uniform-8/cas-ring", "--workers", "2,64", "--draws", "0", "--list"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    cwd: folder,
    env,
  });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^pick\/uniform-8\/cas-ring: 2, 64 workers on here$/m);
  assert.match(
    stdout,
    /^locks\/short-section\/v8-atomics-mutex: not simulated, as it shares an object of V8's/m,
  );
  assert.match(stdout, /^\d+ simulated figures, each of at most 10,000 operations: \d+ crews$/m);
});

describe("cores simulates a candidate that loses every second pick", () => {
  const shelf = new URL("../../structures/pick/competitors/shuffled-round-robin.ts", import.meta.url);
  writeFileSync(
    join(folder, "every-second.js"),
    `import honest from ${JSON.stringify(shelf.href)};
    export default {
      ...honest,
      attach(...seat) {
        const { pick } = honest.attach(...seat);
        return { pick: () => (pick(), pick()) };
      },
    };`,
  );
  const asked = ["--candidate", "every-second.js", "--machine", "here", "--workers", "2", "--draws", "0"];
  const args = [CORES, ...asked, "--seed", "7", "--jobs", "1", "--json", "--out", join(folder, "kept")];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    cwd: folder,
    env,
  });

  it("beside its baseline, and says which law it broke", () => {
    assert.match(stderr, /^pick\/uniform-8, 2 workers on .*, simulated$/ms);
    assert.match(stderr, /^shuffled-round-robin +\d/m);
    assert.match(stderr, /^broken law, simulated: pick\/uniform-8\/every-second\/2w on here: \S/m);
    assert.equal(status, 1);
  });

  it("and keeps a record of it, which is all that it prints on stdout", () => {
    const [, path] = /^wrote (\S+)$/m.exec(stderr)!;
    const record = readCores(join(folder, path!));
    assert.deepEqual(JSON.parse(stdout), record);
    const [honest, liar] = record.cells;
    assert.equal(honest!.nominal!.broken, undefined);
    assert.ok(honest!.measuredNs! > 0 && honest!.localNs! > 0);
    assert.notEqual(liar!.nominal!.broken, undefined);
  });
});
