import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { itRefuses } from "../../suites/engine/schema/command.trials.ts";
import { processesOf } from "./processes.ts";

const COMMAND = join(import.meta.dirname, "command.ts");

function call(...args: readonly string[]) {
  return spawnSync(process.execPath, [COMMAND, ...args], {
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

it("abuse is interrupted, and leaves neither a process nor a file", {
  skip: process.platform !== "linux" && "no /proc",
  timeout: 60_000,
}, async () => {
  const place = mkdtempSync(join(tmpdir(), "hotpath-interrupted-"));
  const child = spawn(process.execPath, [COMMAND, "environment/a-terminal"], {
    env: { ...process.env, TMPDIR: place },
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const scene = () => readdirSync(place).map((name) => join(place, name))[0];
  const hasBegun = () => scene() !== undefined && processesOf(scene()!).length > 0;
  while (!hasBegun()) await setTimeout(10);
  const mark = scene()!;
  child.kill("SIGINT");
  assert.equal(await ended, 130);
  assert.deepEqual(processesOf(mark), []);
  assert.deepEqual(readdirSync(place), []);
  rmSync(place, { recursive: true });
});
