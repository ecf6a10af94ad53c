import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";

it("a process ends whose parent ended before the thread that watches it began", {
  skip: process.platform === "win32" && "no parents",
}, () => {
  const watchdog = JSON.stringify(new URL("watchdog.ts", import.meta.url).href);
  // The parent is this process, and that of this process none of its own.
  const program = `import { endWithParent } from ${watchdog}; endWithParent(${process.ppid}); for (;;);`;
  const { signal } = spawnSync(process.execPath, ["--input-type=module-typescript", "--eval", program], {
    timeout: 10_000,
    killSignal: "SIGTERM",
  });
  assert.equal(signal, "SIGKILL");
});
