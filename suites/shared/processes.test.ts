import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, it } from "node:test";
import { findProgram, killProcess } from "./processes.ts";

describe("findProgram", () => {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-lab-programs-"));
  after(() => rmSync(folder, { recursive: true }));
  const [near, far] = ["near", "far"].map((name) => {
    const place = join(folder, name);
    mkdirSync(place);
    return place;
  });
  const program = (place: string, name: string, mode: number) => {
    writeFileSync(join(place, name), "");
    chmodSync(join(place, name), mode);
  };
  program(near!, "second", 0o755);
  program(far!, "first", 0o755);
  program(far!, "second", 0o755);
  const path = [near, far].join(delimiter);

  it("takes the first folder before the first name", () => {
    assert.equal(findProgram(["first", "second"], path), join(near!, "second"));
    assert.equal(findProgram(["first", "second"], far), join(far!, "first"));
  });

  it("finds none where there is none", () => {
    assert.equal(findProgram(["third"], path), undefined);
    assert.equal(findProgram(["first"], ""), undefined);
  });
});

describe("killProcess", () => {
  it("resolves when the process has ended, and at once when it had", async () => {
    const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await killProcess(child);
    assert.equal(child.signalCode, "SIGKILL");
    await killProcess(child);
  });
});
