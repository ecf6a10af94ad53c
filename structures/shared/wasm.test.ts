import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { assemble, assembledFile } from "./assemble.ts";
import { allocateFor, allocateRegion, STRIDE_BYTES } from "./layout.ts";
import { codeIn, codeOf, placeIn } from "./wasm.ts";

const STRUCTURES = new URL("../", import.meta.url);
const TEXTS = readdirSync(STRUCTURES, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith(".wat"),
);
const PICK = new URL("pick/parts/pick.wat", STRUCTURES);

describe("WebAssembly is what its text says: if not, npm run assemble", () => {
  for (const path of TEXTS)
    it(path, async () => {
      const text = fileURLToPath(new URL(path, STRUCTURES));
      assert.deepEqual(Buffer.from(await assemble(text)), readFileSync(assembledFile(text)));
    });
});

describe("code", () => {
  const { memory, linear } = allocateFor({ needsLinear: true }, 64);
  const imports = { pick: { ...placeIn(linear, memory), backends: 8, fold: 2 ** 30 } };

  it("has globals of its own in each instance, and the words in common", () => {
    const instantiate = codeIn<{ fetchAndAdd(count: number): void; ringFailures(): number }>(
      new URL(assembledFile(PICK.href)),
    );
    const [one, other] = [instantiate(imports), instantiate(imports)];
    assert.notEqual(one, other);
    one.fetchAndAdd(3);
    other.fetchAndAdd(4);
    assert.equal(memory[0], 7);
  });

  it("has the fault that was planted in its text", async () => {
    const faulty = await assemble(fileURLToPath(PICK), [
      "(drop (i32.atomic.rmw.add (global.get $base) (i32.const 1)))",
      "(drop (i32.atomic.rmw.add (global.get $base) (i32.const 2)))",
    ]);
    memory[0] = 0;
    codeOf<{ fetchAndAdd(count: number): void }>(faulty)(imports).fetchAndAdd(3);
    assert.equal(memory[0], 6);
    await assert.rejects(assemble(fileURLToPath(PICK), ["nowhere", ""]), /0 times, not once: nowhere/);
  });

  it("is told where its region begins, and needs the Memory for it", () => {
    assert.equal(placeIn(linear, memory).base, STRIDE_BYTES);
    assert.throws(() => placeIn(undefined, allocateRegion(1)), {
      message: "this is made of WebAssembly: give it the Memory that its words are in, too",
    });
  });
});

it("only who needs a Memory is given one", () => {
  assert.equal(allocateFor({}, 10).linear, undefined);
  const { memory, linear } = allocateFor({ needsLinear: true }, 10);
  assert.equal(memory.buffer, linear?.buffer);
});
