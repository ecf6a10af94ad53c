import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { runCommand } from "./run-command.ts";

const MODULE = JSON.stringify(new URL("run-command.ts", import.meta.url).href);

describe("a command", { skip: process.platform === "win32" && "no groups of processes" }, () => {
  it("is ended before what was to be done at the exit of this process", () => {
    const program = `
      import { runCommand } from ${MODULE};
      const kill = process.kill;
      process.kill = (...given) => { console.log("ended"); return kill.call(process, ...given); };
      process.once("exit", () => console.log("removed"));
      runCommand("read never", process.cwd());
      process.exit();`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program]);
    assert.equal(String(printed), "ended\nremoved\n");
  });

  it("that has ended already is no failure to end", async (t) => {
    const gone = Object.assign(new Error("kill ESRCH"), { code: "ESRCH" });
    const kill = t.mock.method(process, "kill", () => {
      throw gone;
    });
    const aborting = new AbortController();
    const running = runCommand("true", process.cwd(), aborting.signal);
    aborting.abort();
    await running;
    assert.equal(kill.mock.callCount(), 1);
  });
});
