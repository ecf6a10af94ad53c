import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makePipes, type Pipe, readFrame, writeFrame } from "./pipe.ts";

/** Whose names are gone already. */
function pipes(count: number): Pipe[] {
  const folder = mkdtempSync(join(tmpdir(), "hotpath-pipe-"));
  try {
    return makePipes(folder, count);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a pipe", () => {
  it("carries messages in their order, whole, and none of another's", () => {
    const [first, second] = pipes(2) as [Pipe, Pipe];
    const messages = [{ a: 1 }, { text: "größer" }, [], { long: "x".repeat(20_000) }];
    for (const message of messages) writeFrame(first.writeFd, message);
    writeFrame(second.writeFd, "second");
    for (const message of messages) assert.deepEqual(readFrame(first.readFd), message);
    assert.equal(readFrame(second.readFd), "second");
    for (const { readFd, writeFd } of [first, second]) for (const fd of [readFd, writeFd]) closeSync(fd);
  });

  it("ends where no writer is left, and refuses to write without a reader", () => {
    const [unwritten, unread] = pipes(2) as [Pipe, Pipe];
    closeSync(unwritten.writeFd);
    assert.equal(readFrame(unwritten.readFd), undefined);
    closeSync(unwritten.readFd);
    closeSync(unread.readFd);
    assert.throws(() => writeFrame(unread.writeFd, {}), { code: "EPIPE" });
    closeSync(unread.writeFd);
  });

  it("ends within a message that its writer did not finish", () => {
    const [{ readFd, writeFd }] = pipes(1) as [Pipe];
    writeSync(writeFd, Uint8Array.of(9, 0, 0, 0, 0x22));
    closeSync(writeFd);
    assert.equal(readFrame(readFd), undefined);
    closeSync(readFd);
  });

  it("is opened without waiting by a process that inherits an end whose other is gone, and is then at its end", {
    skip: process.platform === "win32" && "no descriptors",
  }, () => {
    const [orders, answers] = pipes(2) as [Pipe, Pipe];
    closeSync(orders.writeFd);
    closeSync(answers.readFd);
    const program = `import { inheritedEnd, readFrame, writeFrame } from ${JSON.stringify(new URL("pipe.ts", import.meta.url))};
      const [orders, answers] = [inheritedEnd(3, "r"), inheritedEnd(4, "w")];
      let refused;
      try { writeFrame(answers, {}); } catch ({ code }) { refused = code; }
      console.log(String(readFrame(orders)), refused);`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit", orders.readFd, answers.writeFd],
      encoding: "utf8",
      timeout: 30_000,
    });
    closeSync(orders.readFd);
    closeSync(answers.writeFd);
    assert.equal(stdout, "undefined EPIPE\n");
  });
});
