import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { checkRefused, type Ended } from "../../suites/lab/command/command.trials.ts";

const out = mkdtempSync(join(tmpdir(), "hotpath-mutate-"));
after(() => rmSync(out, { recursive: true }));

function mutate(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const script = join(import.meta.dirname, "mutate.ts");
    const child = execFile(process.execPath, [script, "--out", out, ...args], (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

describe("mutate refuses", () => {
  it("to try a record's mutants again and to draw others", async () => {
    checkRefused(await mutate("--again", "--seed", "3"), /remove --sample, --seed and folders$/m);
    checkRefused(await mutate("--again", "--sample", "3"), /remove --sample, --seed and folders$/m);
  });

  it("a sample of none", async () => {
    checkRefused(await mutate("--sample", "0"), /give whole numbers from 1 to 1000$/m);
  });

  it("to try again without a record, or with that of other sources", async () => {
    checkRefused(await mutate("--again"), /draw a sample without --again$/m);
    assert.deepEqual(readdirSync(out), []);
    const changed = { file: "structures/shared/sfc32.ts", line: 1, from: 0, to: 5, was: "other" };
    writeFileSync(join(out, "mutation.json"), JSON.stringify({ mutants: {}, tried: [changed] }));
    checkRefused(await mutate("--again"), /sfc32\.ts has changed since .*: draw a sample without --again$/m);
    assert.deepEqual(readdirSync(out), ["mutation.json"]);
  });
});
