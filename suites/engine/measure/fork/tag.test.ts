import assert from "node:assert/strict";
import { it } from "node:test";
import { fastTagNs, isFullSpeed, quietShareOf, SpeedTag } from "./tag.ts";

it("a tag is a time", () => {
  const tag = new SpeedTag();
  for (let read = 0; read < 3; read++) assert.ok(tag.readNs() > 0);
});

it("the fast tag is near the least, and not moved by a stray one below", () => {
  const tags = [1, ...Array.from({ length: 60 }, () => 10), ...Array.from({ length: 60 }, () => 20)];
  assert.equal(fastTagNs(tags), 10);
  assert.equal(fastTagNs([7]), 7);
  assert.equal(fastTagNs([]), undefined);
});

it("full speed is distinguished from half", () => {
  assert.ok(isFullSpeed(10.5, 10));
  assert.ok(!isFullSpeed(14, 10));
  assert.ok(!isFullSpeed(20, 10));
});

it("a slice is quiet where every worker's core was at full speed", () => {
  assert.equal(quietShareOf([{ tagNs: [10, 10, 20, 20] }, { tagNs: [10, 20, 10, 20] }], 10), 1 / 4);
  assert.equal(quietShareOf([{ tagNs: [] }], 10), 0);
});
