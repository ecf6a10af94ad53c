import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { losePatience } from "./patience.ts";

it("patience is lost after its time, once, unless it is ended before", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let lost = 0;
  losePatience(8_000, () => lost++);
  const other = losePatience(8_000, () => lost++);
  t.mock.timers.tick(7_900);
  assert.equal(lost, 0);
  other.end();
  t.mock.timers.tick(100);
  assert.equal(lost, 1);
  t.mock.timers.tick(60_000);
  assert.equal(lost, 1);
});

it("patience is not lost while the process stands still", async () => {
  let lost = false;
  const waiting = losePatience(100, () => {
    lost = true;
  });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
  // One turn for the timers, and one in which messages are heard.
  for (let turn = 0; turn < 2; turn++) await setImmediate();
  waiting.end();
  assert.equal(lost, false);
});

it("a process ends whose parent ended before the thread that watches it began", {
  skip: process.platform === "win32" && "no parents",
}, () => {
  const patience = JSON.stringify(new URL("patience.ts", import.meta.url).href);
  // The parent is this process, and that of this process none of its own.
  const program = `import { endWithParent } from ${patience}; endWithParent(${process.ppid}); for (;;);`;
  const { signal } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", program], {
    timeout: 10_000,
    killSignal: "SIGTERM",
  });
  assert.equal(signal, "SIGKILL");
});
