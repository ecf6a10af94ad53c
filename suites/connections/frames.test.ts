import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BEAT, pongFor, ServerReader } from "./frames.ts";

const RESPONSE = Buffer.from("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n");
const frame = (first: number, payload: string) =>
  Buffer.concat([Buffer.from([first, payload.length]), Buffer.from(payload)]);
const STREAM = Buffer.concat([
  RESPONSE,
  frame(0x81, "17"),
  frame(0x89, ""),
  frame(0x89, "ab"),
  frame(0x88, ""),
]);

/** The messages that a reader finds in these chunks. */
function messagesOf(...chunks: readonly Buffer[]): string[] {
  const heard: string[] = [];
  const reader = new ServerReader({
    text: (payload) => heard.push(`text ${payload}`),
    ping: (payload) => heard.push(`ping ${payload}`),
  });
  for (const chunk of chunks) reader.read(chunk);
  return heard;
}

describe("the frames that a client reads", () => {
  it("are reported in whatever pieces they come", () => {
    const expected = ["text 17", "ping ", "ping ab"];
    assert.deepEqual(messagesOf(STREAM), expected);
    assert.deepEqual(messagesOf(...[...STREAM].map((byte) => Buffer.from([byte]))), expected);
    for (let cut = 1; cut < STREAM.length; cut++)
      assert.deepEqual(messagesOf(STREAM.subarray(0, cut), STREAM.subarray(cut)), expected, `cut at ${cut}`);
  });

  it("are kept from one piece to the next although the piece is used again", () => {
    const heard: string[] = [];
    const reader = new ServerReader({ text: (payload) => heard.push(payload), ping() {} });
    const shared = Buffer.alloc(4);
    for (let from = 0; from < STREAM.length; from += shared.length) {
      const length = STREAM.copy(shared, 0, from, from + shared.length);
      reader.read(shared.subarray(0, length));
      shared.fill(0);
    }
    assert.deepEqual(heard, ["17"]);
  });

  it("are refused where the server does not upgrade, or sends what no server here does", () => {
    assert.throws(
      () => messagesOf(Buffer.from("HTTP/1.1 503 Busy\r\n\r\n")),
      /the server answered HTTP\/1\.1 503 Busy/,
    );
    assert.throws(() => messagesOf(RESPONSE, Buffer.from([0x81, 126, 1, 0])), /masked or long/);
  });
});

it("a client's frames are masked: each byte is that of the payload and of the mask", () => {
  const unmasked = (bytes: Buffer) => bytes.subarray(6).map((byte, index) => byte ^ bytes[2 + (index % 4)]!);
  assert.deepEqual([BEAT[0], BEAT[1]], [0x81, 0x84]);
  assert.equal(unmasked(BEAT).toString(), "beat");
  const pong = pongFor(Buffer.from("abcde"));
  assert.deepEqual([pong[0], pong[1], unmasked(pong).toString()], [0x8a, 0x85, "abcde"]);
  assert.deepEqual([...pongFor(Buffer.alloc(0)).subarray(0, 2)], [0x8a, 0x80]);
});
