import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
        failure: { kind: "fault", reason: "any" },
        turn: undefined,
      });
      assert.ok(isHeard);
    } finally {
      process.off("SIGHUP", hear);
      rmSync(folder, { recursive: true });
    }
  });
});
