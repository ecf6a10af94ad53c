import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import CODE from "../pick/parts/pick.wasm.ts";
import { assemble, assembledFile, assembledModule } from "./assemble.ts";
import { allocateFor, allocateRegion, STRIDE_BYTES } from "./layout.ts";
import { type Edit, edited } from "./mutated.ts";
import { observable, observed } from "./observable.ts";
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
      assert.equal(readFileSync(assembledFile(text), "utf8"), assembledModule(text, await assemble(text)));
    });
});

describe("code", () => {
  const { memory, linear } = allocateFor({ needsLinear: true }, 64);
  const imports = { pick: { ...placeIn(linear, memory), backends: 8, fold: 2 ** 30 } };

  it("has globals of its own in each instance, and the words in common", () => {
    const instantiate = codeIn<{ fetchAndAdd(count: number): void; ringFailures(): number }>(CODE);
    const [one, other] = [instantiate(imports), instantiate(imports)];
    assert.notEqual(one, other);
    one.fetchAndAdd(3);
    other.fetchAndAdd(4);
    assert.equal(memory[0], 7);
  });

  it("is given the Memory that its words are in, and no other", () => {
    assert.throws(() => placeIn(undefined, memory), { message: /give it the Memory that its words are in/ });
    assert.throws(() => placeIn(linear, allocateRegion(64)), {
      message: /^the words are in another Memory /,
    });
    assert.throws(() => placeIn(linear, allocateFor({ needsLinear: true }, 64).memory), {
      message: /^the words are in another Memory /,
    });
  });

  it("knows its Memory by a view whose buffer is another object over the same bytes, as Bun clones it", () => {
    const cloned = structuredClone(memory);
    assert.notEqual(cloned.buffer, memory.buffer);
    assert.deepEqual(placeIn(linear, cloned), placeIn(linear, memory));
    // A region behind the words of something else, which keeps them.
    const words = [...memory];
    assert.equal(placeIn(linear, cloned.subarray(32)).base, 2 * STRIDE_BYTES);
    assert.deepEqual([...memory], words);
  });

  it("has the fault that was planted in its text", async () => {
    const text = fileURLToPath(PICK);
    const planted: Edit = ["(drop (i32.atomic.rmw.add (global.get $base) (i32.const 1)))", "(nop)"];
    const faulty = await assemble(text, (source) => edited(source, [planted], text));
    memory[0] = 0;
    codeOf<{ fetchAndAdd(count: number): void }>(faulty)(imports).fetchAndAdd(3);
    assert.equal(memory[0], 0);
  });

  it("that is observable does by JavaScript what it does by instructions", async () => {
    const text = `(module
  (import "pick" "memory" (memory 1 65536 shared))
  (func (export "run") (param $base i32) (result i32)
    (i32.store offset=4 (local.get $base) (i32.const 5))
    (i32.atomic.store (local.get $base) (i32.load offset=4 (local.get $base)))
    (drop (i32.atomic.rmw.add (local.get $base) (i32.const 2)))
    (i32.store offset=8 (local.get $base) (i32.atomic.rmw.xchg offset=4 (local.get $base) (i32.const -1)))
    (drop (i32.atomic.rmw.cmpxchg (local.get $base) (i32.const 7) (i32.const 9)))
    (drop (i32.atomic.rmw.cmpxchg (local.get $base) (i32.const 7) (i32.const 8)))
    (i32.store offset=12 (local.get $base) (memory.atomic.notify (local.get $base) (i32.const 1)))
    (i32.store offset=16 (local.get $base)
      (memory.atomic.wait32 (local.get $base) (i32.const 7) (i64.const -1)))
    (memory.atomic.wait32 (local.get $base) (i32.const 9) (i64.const 1000))))`;
    const seen = await Promise.all(
      [(own: string) => own, observable].map(async (change) => {
        const { run } = codeOf<{ run(base: number): number }>(
          await assemble(fileURLToPath(PICK), () => change(text)),
        )({
          ...imports,
          ...observed(memory),
        });
        memory.fill(0);
        return [run(memory.byteOffset), ...memory.subarray(0, 6)];
      }),
    );
    assert.deepEqual(seen[0], [2, 9, -1, 5, 0, 1, 0]);
    assert.deepEqual(seen[1], seen[0]);
  });

  it("that is observable loads by Atomics.load what it loads by an instruction", async () => {
    const bytes = await assemble(fileURLToPath(PICK), observable);
    const { pickRing } = codeOf<{ pickRing(): number }>(bytes)({ ...imports, ...observed(memory) });
    memory.set([4, 0, 0, 0, 3, 8]);
    const { load } = Atomics;
    const loaded: number[] = [];
    Atomics.load = ((words: Int32Array, index: number) => {
      loaded.push(index);
      return load(words, index);
    }) as typeof Atomics.load;
    try {
      assert.equal(pickRing(), 3);
    } finally {
      Atomics.load = load;
    }
    assert.deepEqual([loaded, memory[0]], [[0], 8]);
  });

  it("that is observable has no access that goes unseen", () => {
    const text = "(module\n  (i64.load (i32.const 0)))";
    assert.throws(() => observable(text), { message: "the text has i64.load: let observable.ts know it" });
  });

  it("receives the offset of its region, and needs the Memory for it", () => {
    assert.equal(placeIn(linear, memory).base, STRIDE_BYTES);
    assert.throws(() => placeIn(undefined, allocateRegion(1)), {
      message: "this is made of WebAssembly: give it the Memory that its words are in, too",
    });
  });
});

it("only a competitor that needs a Memory is given one", () => {
  assert.equal(allocateFor({}, 10).linear, undefined);
  const { memory, linear } = allocateFor({ needsLinear: true }, 10);
  assert.equal(memory.buffer, linear?.buffer);
});
