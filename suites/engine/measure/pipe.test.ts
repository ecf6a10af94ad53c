import assert from "node:assert/strict";
import { closeSync, readdirSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { describe, it } from "node:test";
import { makePipe, readFrame, writeFrame } from "./pipe.ts";

describe("a pipe", () => {
  it("carries messages in their order, whole, and has no name", () => {
    const { readFd, writeFd } = makePipe();
    const messages = [{ a: 1 }, { text: "größer" }, [], { long: "x".repeat(20_000) }];
    for (const message of messages) writeFrame(writeFd, message);
    for (const message of messages) assert.deepEqual(readFrame(readFd), message);
    const own = `.hotpath-pipe-${process.pid}-`;
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => name.startsWith(own)),
      [],
    );
    closeSync(readFd);
    closeSync(writeFd);
  });

  it("ends where nobody writes any more, and refuses what nobody reads", () => {
    const unwritten = makePipe();
    closeSync(unwritten.writeFd);
    assert.equal(readFrame(unwritten.readFd), undefined);
    closeSync(unwritten.readFd);
    const unread = makePipe();
    closeSync(unread.readFd);
    assert.throws(() => writeFrame(unread.writeFd, {}), { code: "EPIPE" });
    closeSync(unread.writeFd);
  });

  it("ends within a message that its writer did not finish", () => {
    const { readFd, writeFd } = makePipe();
    writeSync(writeFd, Uint8Array.of(9, 0, 0, 0, 0x22));
    closeSync(writeFd);
    assert.equal(readFrame(readFd), undefined);
    closeSync(readFd);
  });
});
