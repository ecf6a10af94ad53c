import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { itRefuses } from "../../suites/engine/schema/command.trials.ts";

function call(...args: readonly string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, "command.ts"), ...args], {
    encoding: "utf8",
  });
}

describe("abuse refuses what it cannot do, in one line, before doing anything", () => {
  itRefuses(
    [
      [["signal"], /no abuse is named "signal": did you mean signals\?/],
      [["flags", "--out", "/dev/null/page.md"], /\/dev\/null.*--out FILE/],
    ],
    (args) => call(...args),
  );
});

it("abuse --list names the abuses that are asked for, each once, and tries none", () => {
  const names = call("--list").stdout.trimEnd().split("\n");
  assert.ok(names.length >= 60, `${names.length}`);
  assert.equal(new Set(names).size, names.length);
  const chosen = call("--list", "disks", "signals/kill").stdout.trimEnd().split("\n");
  assert.deepEqual(
    chosen,
    names.filter((name) => name.startsWith("disks/") || name === "signals/kill"),
  );
});
