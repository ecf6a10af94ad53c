import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endAll, lingering, MARK, type MarkedProcess, processesOf, send } from "./processes.ts";

/** A run that has started processes of its own, which beat on a server, is ended at that moment: nothing of it stays. */
const BENCH = fileURLToPath(new URL("../bench.ts", import.meta.url));
const CELL = "connections/fleet-2k/hashed-wheel";
const POLL_MS = 20;

interface Ended {
  readonly exit: readonly [code: number | null, signal: NodeJS.Signals | null];
  readonly printed: string;
}

async function endedBy(
  act: (bench: ChildProcess, processes: readonly MarkedProcess[]) => void,
): Promise<Ended> {
  const out = mkdtempSync(join(tmpdir(), "hotpath-fleet-"));
  const bench = spawn(process.execPath, [BENCH, CELL, "--profile", "quick", "--out", out], {
    env: { ...process.env, [MARK]: out },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let printed = "";
  for (const stream of [bench.stdout!, bench.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  try {
    const exited = once(bench, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const has = (module: string) => processesOf(out).some(({ command }) => command.includes(module));
    while (!(has("connections/server.ts") && has("connections/client.ts"))) await setTimeout(POLL_MS);
    act(bench, processesOf(out));
    const exit = await exited;
    assert.deepEqual(await lingering(out), []);
    return { exit, printed };
  } finally {
    endAll(out);
    rmSync(out, { recursive: true });
  }
}

describe("a run with a fleet leaves nothing behind", {
  skip: process.platform !== "linux" && "no /proc",
}, () => {
  const limit = { timeout: 120_000 };

  it("when it is killed", limit, async () => {
    const { exit } = await endedBy((bench) => bench.kill("SIGKILL"));
    assert.deepEqual(exit, [null, "SIGKILL"]);
  });

  it("when Ctrl-C is pressed", limit, async () => {
    const { exit } = await endedBy((bench) => process.kill(-bench.pid!, "SIGINT"));
    assert.deepEqual(exit, [130, null]);
  });

  for (const role of ["server", "client"]) {
    it(`when a ${role} is killed, and says so`, limit, async () => {
      const { exit, printed } = await endedBy((_bench, processes) => {
        const one = processes.find(({ command }) => command.includes(`connections/${role}.ts`))!;
        send(one.pid, "SIGKILL");
      });
      assert.deepEqual(exit, [1, null]);
      // In a column of a table its words may stand below one another.
      assert.match(
        printed.replaceAll(/\s+/g, " "),
        new RegExp(`${role} process 1 \\(pid \\d+\\): died of SIGKILL`),
      );
    });
  }
});
