import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { describeMachine } from "../../suites/engine/measure/machine/machine.ts";
import { callsOf, itRefusesAsWritten } from "../../suites/lab/command/command.trials.ts";
import { currentCommit } from "../../suites/lab/git.ts";
import { recordName } from "../../suites/lab/store/results.ts";
import type { CpuProfile } from "./cpu-profile.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The command as a person types it, without npm around it. */
const FLAME = fileURLToPath(new URL("command.ts", import.meta.url));
const DIES = fileURLToPath(new URL("../../suites/lab/faulty/dies.ts", import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "hotpath-flame-"));
after(() => rmSync(folder, { recursive: true }));
/** Where passes keep what they will remove; empty after each. */
const scratch = join(folder, "tmp");
mkdirSync(scratch);

const asTyped = (out: string, ...args: string[]) => [FLAME, ...args, "--out", out];

function surroundings() {
  const { FORCE_COLOR: _, ...own } = process.env;
  return { cwd: folder, env: { ...own, TMPDIR: scratch } };
}

function flame(...typed: Parameters<typeof asTyped>) {
  return spawnSync(process.execPath, asTyped(...typed), { encoding: "utf8", ...surroundings() });
}

function start(...typed: Parameters<typeof asTyped>) {
  return spawn(process.execPath, asTyped(...typed), {
    stdio: ["ignore", "ignore", "pipe"],
    ...surroundings(),
  });
}

describe("flame refuses what it cannot do, in one line, before doing anything", () => {
  const out = join(folder, "refused");
  itRefusesAsWritten(
    join(import.meta.dirname, "testdata/refusals.txt"),
    callsOf(FLAME, { args: ["--out", out], ...surroundings() }),
    folder,
    () => assert.equal(existsSync(out), false, "nothing is written"),
  );
});

describe("flame", () => {
  it("writes three files for each cell, with both workers in them, and their difference", () => {
    const out = join(folder, "well");
    const cell = "pick/uniform-8/cas-ring/2w";
    const other = "pick/uniform-8/locked-random/2w";
    const { status, stdout, stderr } = flame(
      out,
      cell,
      "--seconds",
      "0.1",
      "--against",
      other,
      "--seed",
      "7",
    );
    assert.equal(status, 0, stderr);
    assert.equal(stdout, "");
    assert.match(stderr, /^seed 7, about /m);
    const files = readdirSync(out).sort();
    assert.deepEqual(
      files.map((file) => file.replace(/^.*-pick-/, "")),
      ["cpuprofile", "html", "svg"].map(
        (ending) => `flame-uniform-8-cas-ring-2w-against-uniform-8-locked-random-2w.${ending}`,
      ),
    );
    const [profile, page, picture] = files.map((file) => readFileSync(join(out, file), "utf8"));
    const { nodes } = JSON.parse(profile!) as CpuProfile;
    const named = (id: number) => nodes.find((node) => node.id === id)!.callFrame.functionName;
    assert.deepEqual(nodes[0]!.children!.map(named), ["worker 0", "worker 1"]);
    assert.match(page!, /structures\/pick\/parts\/ring\.ts:\d+/);
    assert.match(stderr, /^0x with all frames: file:\/\/\S+\.html#%7B/m);
    assert.match(picture!, /ring\.ts:\d+</);
    assert.ok(picture!.includes(`Against ${other}`));
    for (const text of [profile!, page!, picture!]) {
      for (const machine of ["file:///", ROOT, folder]) assert.equal(text.includes(machine), false, machine);
    }
    assert.deepEqual(readdirSync(scratch), []);
  });

  it("leaves no file of a cell whose files cannot all be written", () => {
    const out = join(folder, "blocked");
    // A folder is in the way of the page, whose name says when the command was started: the fake clock always says now.
    const startedAt = new Date().toISOString();
    const stopped = join(folder, "stopped-clock.mjs");
    writeFileSync(stopped, `Date.prototype.toISOString = () => ${JSON.stringify(startedAt)};`);
    const identity = { startedAt, commit: currentCommit(), machine: describeMachine() };
    const name = `${recordName(identity, false)}-pick-flame-uniform-8-cas-ring-1w.html`;
    mkdirSync(join(out, name), { recursive: true });
    const typed = asTyped(out, "pick/uniform-8/cas-ring/1w", "--seconds", "0.1");
    const { status, stderr } = spawnSync(process.execPath, ["--import", stopped, ...typed], {
      encoding: "utf8",
      ...surroundings(),
    });
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^pick\/uniform-8\/cas-ring\/1w was profiled, but not written: /m);
    assert.deepEqual(
      readdirSync(out).filter((file) => !file.endsWith(".html")),
      [],
    );
  });

  it("reports a cell that crashed, leaves no file of it, and goes on with the others", () => {
    const out = join(folder, "crashed");
    const cells = ["pick/uniform-8/dies/1w", "pick/uniform-8/cas-ring/1w"];
    const { status, stderr } = flame(out, ...cells, "--candidate", DIES, "--seconds", "0.1");
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^pick\/uniform-8\/dies\/1w has no profile: its process died of SIGKILL$/m);
    assert.equal(readdirSync(out).length, 3);
    for (const file of readdirSync(out)) assert.match(file, /flame-uniform-8-cas-ring-1w\./);
    assert.deepEqual(readdirSync(scratch), []);
  });

  it("leaves nothing when its terminal is closed, and what a killed one left is removed by the next", {
    skip: process.platform === "win32" && "no signals",
  }, async () => {
    const cell = "pick/uniform-8/cas-ring/1w";
    const endOf = async (signal: NodeJS.Signals) => {
      const child = start(join(folder, "ended"), cell, "--seconds", "600");
      await new Promise<void>((resolve) =>
        child.stderr.on("data", (text) => String(text).includes(", profiled") && resolve()),
      );
      assert.equal(readdirSync(scratch).length, 1);
      child.kill(signal);
      // Its stderr is closed when the process that it started has ended too.
      return await once(child, "close");
    };
    assert.deepEqual(await endOf("SIGHUP"), [130, null]);
    assert.deepEqual(readdirSync(scratch), []);
    assert.deepEqual(await endOf("SIGKILL"), [null, "SIGKILL"]);
    assert.equal(readdirSync(scratch).length, 1, "nobody has cleaned up yet");
    const { status, stderr } = flame(join(folder, "next"), cell, "--seconds", "0.1");
    assert.equal(status, 0, stderr);
    assert.deepEqual(readdirSync(scratch), []);
  });
});
