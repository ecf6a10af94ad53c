import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as pass } from "node:timers/promises";

/**
 * By the clocks of the machine, so by night alone: event loops of the main thread and of a worker that hang, and a process
 * that is suspended. Each runs in a process of its own, which prints what its watching thread says.
 */
const PROGRAM = new URL("./watchdog.examination.worker.ts", import.meta.url).pathname;
const BLOCKED_MS = 4000;
const SUSPENDED_MS = 10_000;
const SEEN_WITHIN_MS = 1200;

interface Said {
  readonly loop: number;
  /** Since the block began, where the main thread or the worker blocks. */
  readonly afterMs: number;
  readonly stack?: string;
}

/** What its watching thread said, once it has ended. */
async function said(what: "main" | "worker" | "nothing", meanwhile?: (pid: number) => Promise<void>) {
  const child = spawn(process.execPath, [PROGRAM, what, String(BLOCKED_MS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (data: Buffer) => {
    text += data.toString();
  });
  if (meanwhile !== undefined) {
    await once(child.stdout, "data");
    await meanwhile(child.pid!);
  }
  const [code] = (await once(child, "close")) as [number];
  assert.equal(code, 0);
  const [first, ...lines] = text.trimEnd().split("\n");
  assert.equal(first, "watched");
  return lines.map((line) => JSON.parse(line) as Said);
}

describe("watchdog: by the clocks of the machine", { timeout: 60_000 }, () => {
  for (const [what, loop] of [
    ["main", 0],
    ["worker", 1],
  ] as const)
    it(`sees within ${SEEN_WITHIN_MS} ms, with its stack, that the loop of ${what} is blocked`, async () => {
      const hangs = await said(what);
      assert.deepEqual(
        hangs.map((hang) => hang.loop),
        [loop],
      );
      const [{ afterMs, stack }] = hangs as [Said];
      assert.ok(afterMs < SEEN_WITHIN_MS, `${afterMs} ms`);
      assert.match(String(stack), /^ {4}at blocks \(file:\S+watchdog\.examination\.worker\.ts:\d+:\d+\)\n/);
    });

  it(`blames nobody for ${SUSPENDED_MS} ms in which the process was suspended`, async () => {
    const hangs = await said("nothing", async (pid) => {
      process.kill(pid, "SIGSTOP");
      await pass(SUSPENDED_MS);
      process.kill(pid, "SIGCONT");
    });
    assert.deepEqual(hangs, []);
  });
});
