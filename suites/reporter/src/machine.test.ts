import assert from "node:assert/strict";
import { arch, platform } from "node:os";
import { test } from "node:test";
import { machineLine } from "./machine.ts";

test("the line has the CPU, its cores, the system and Node's version", () => {
  const [label, value] = machineLine();
  assert.equal(label, "Machine");
  assert.match(value, /^\S.*, \d+ cores?, /);
  assert.ok(value.endsWith(`, ${platform()} ${arch()}, node ${process.versions.node}`), value);
});
