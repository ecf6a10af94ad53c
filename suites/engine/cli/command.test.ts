import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { withScratch } from "../measure/machine/scratch.ts";

const COMMAND = fileURLToPath(new URL("command.ts", import.meta.url));

describe("hotpath-race under Ctrl-C", { skip: process.platform === "win32" && "no signals" }, () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    it(`ends in order on ${signal}, which may come twice, and leaves nothing`, () =>
      withScratch("command", async (folder) => {
        const [file, temporary] = [join(folder, "a.bench.mjs"), join(folder, "tmp")];
        writeFileSync(file, "export const a = () => 1;\nexport const b = () => 2;\n");
        mkdirSync(temporary);
        const child = spawn(process.execPath, [COMMAND, file], {
          stdio: ["ignore", "pipe", "pipe"],
          env: { ...process.env, TMPDIR: temporary },
        });
        let said = "";
        const isRacing = new Promise<void>((resolve) =>
          child.stderr.setEncoding("utf8").on("data", (more: string) => {
            said += more;
            if (said.includes("looking at")) resolve();
          }),
        );
        const [out, ended] = [text(child.stdout), once(child, "close")];
        await Promise.race([isRacing, ended]);
        child.kill(signal);
        child.kill(signal);
        assert.deepEqual(await ended, [130, null]);
        assert.match(said, /\ninterrupted: 0 tables decided\n$/);
        assert.equal(await out, "");
        assert.deepEqual(readdirSync(temporary), []);
      }));
});

describe("hotpath-race without a temporary folder", () => {
  it("says which one it was told of, in one line, and exits with 2", () => {
    const missing = join(import.meta.dirname, "not-there");
    const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, COMMAND], {
      encoding: "utf8",
      env: { ...process.env, TMPDIR: missing },
    });
    const reason = `no temporary folder can be made in ${missing} (ENOENT): set TMPDIR to a folder that can be written`;
    assert.deepEqual([status, stdout, stderr], [2, "", `${reason}\n`]);
  });
});
