import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import { askFork } from "./process.ts";

describe("askFork", { skip: process.platform === "win32" && "no sh" }, () => {
  it("lets a signal be heard before an answer that was given after it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hotpath-process-"));
    const done = join(folder, "done");
    let isHeard = false;
    const hear = () => (isHeard = true);
    process.once("SIGHUP", hear);
    try {
      const answer = askFork(
        { kind: "call", module: "any", argument: undefined },
        { estimateMs: 0 },
        {
          file: "/bin/sh",
          args: ["-c", `kill -HUP $PPID; echo '{"kind":"fault","reason":"any"}' >&3; : > ${done}`],
        },
      );
      // A process as busy as that finds both at one look.
      while (!existsSync(done));
      assert.deepEqual(await answer, {
        kind: "lost",
        // It was not given the job's token.
        failure: { kind: "fault", reason: "it answered in the place of its process" },
        turn: undefined,
      });
      assert.ok(isHeard);
    } finally {
      process.off("SIGHUP", hear);
      rmSync(folder, { recursive: true });
    }
  });

  it("does without a folder for compiled modules where none can be made", async () => {
    const { NODE_COMPILE_CACHE: before } = process.env;
    const folder = mkdtempSync(join(tmpdir(), "hotpath-process-"));
    process.env.NODE_COMPILE_CACHE = join(import.meta.filename, "below a file");
    try {
      const module = `data:text/javascript,${encodeURIComponent("export default () => process.env.NODE_COMPILE_CACHE")}`;
      const job = { kind: "call", module, argument: undefined, confinedTo: folder } as const;
      assert.deepEqual(await askFork(job, { estimateMs: 10_000 }), { kind: "called" });
      process.env.NODE_COMPILE_CACHE = relative(process.cwd(), join(folder, "made"));
      assert.deepEqual(await askFork({ ...job, cwd: folder }, { estimateMs: 10_000 }), {
        kind: "called",
        value: join(folder, "made"),
      });
    } finally {
      if (before === undefined) delete process.env.NODE_COMPILE_CACHE;
      else process.env.NODE_COMPILE_CACHE = before;
      rmSync(folder, { recursive: true });
    }
  });
});
