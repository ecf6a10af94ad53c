import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { withScratch } from "./scratch.ts";

describe("a scratch folder, with what was written there, is gone", () => {
  it("when the work has ended, well or not", async () => {
    const seen: string[] = [];
    const use = async (folder: string) => {
      seen.push(folder);
      writeFileSync(join(folder, "file"), "");
    };
    await withScratch(use);
    const failing = withScratch(async (folder) => {
      await use(folder);
      throw new Error("no");
    });
    await assert.rejects(failing, /^Error: no$/);
    assert.equal(seen.length, 2);
    assert.deepEqual(seen.map(existsSync), [false, false]);
  });

  it("when the process exits in the middle of it", () => {
    const { href } = new URL("scratch.ts", import.meta.url);
    const program = `
      import { writeFileSync } from "node:fs";
      const { withScratch } = await import(${JSON.stringify(href)});
      await withScratch(async (folder) => {
        writeFileSync(folder + "/file", "");
        process.stdout.write(folder);
        process.exit(7);
      });`;
    const args = ["--input-type=module", "--eval", program];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    assert.equal(status, 7);
    assert.match(stdout, /hotpath-lab-profile-/);
    assert.equal(existsSync(stdout), false);
  });
});
