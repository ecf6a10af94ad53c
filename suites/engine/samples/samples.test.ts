import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { golden } from "../golden.trials.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COMMAND = fileURLToPath(new URL("../cli/command.ts", import.meta.url));

describe("the samples", () => {
  it("can all be raced", (test) => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [COMMAND, "--list", relative(ROOT, import.meta.dirname)],
      { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
    );
    assert.equal(status, 0);
    golden(test, "testdata/list.txt", stdout);
  });

  it("are all on their page, in order", () => {
    const page = readFileSync(new URL("README.md", import.meta.url), "utf8");
    const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".bench.ts"));
    assert.deepEqual(
      [...page.matchAll(/^\| \[\d+\]\((.+?)\) \|/gm)].map(([, file]) => file),
      files.sort(),
    );
  });
});
