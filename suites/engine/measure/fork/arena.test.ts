import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allocateRegion, allocateWith, type LinearMemory, STRIDE_BYTES } from "../../words/layout.ts";
import { ArenaAllocator, clearArena, copyIn, copyOut, enterTaken, keepState, makeArena } from "./arena.ts";

const PAGE_BYTES = 2 ** 16;

function allocateIn<Made>(allocator: ArenaAllocator, make: () => Made): Made {
  allocateWith(allocator);
  try {
    return make();
  } finally {
    allocateWith(undefined);
  }
}

describe("an arena", () => {
  it("puts every crew in the same place, and gives each its own state back", () => {
    const arena = makeArena(PAGE_BYTES);
    const crews = [1, 2, 3].map((mark) => {
      clearArena(arena);
      const allocator = new ArenaAllocator(arena);
      const region = allocateIn(allocator, () => [allocateRegion(10), allocateRegion(100)]);
      assert.ok(region.every((words) => words.every((word) => word === 0)));
      for (const words of region) words.fill(mark);
      return { mark, region, copies: keepState(arena, allocator.taken) };
    });
    const places = crews.map(({ region }) =>
      region.map(({ buffer, byteOffset }) => ({ buffer, byteOffset })),
    );
    assert.deepEqual(places[1], places[0]);
    assert.equal(places[1]![0]!.buffer, places[0]![0]!.buffer);
    for (let turn = 0; turn < 3; turn++) {
      for (const { mark, region, copies } of crews) {
        copyIn(copies);
        for (const words of region) {
          assert.ok(words.every((word) => word === mark + 10 * turn));
          for (let word = 0; word < words.length; word++) words[word]! += 10;
        }
        copyOut(copies);
      }
    }
  });

  it("goes on where another thread's allocator stopped, and shares no line", () => {
    const arena = makeArena(PAGE_BYTES);
    const first = allocateIn(new ArenaAllocator(arena), () => allocateRegion(1));
    const second = allocateIn(new ArenaAllocator(arena), () => allocateRegion(1));
    assert.equal(second.buffer, first.buffer);
    assert.ok(second.byteOffset - first.byteOffset >= STRIDE_BYTES);
  });

  it("has no place for an object that does not fit, and counts it", () => {
    const arena = makeArena(PAGE_BYTES);
    const allocator = new ArenaAllocator(arena);
    const large = allocateIn(allocator, () => allocateRegion(PAGE_BYTES));
    assert.notEqual(large.buffer, arena.buffer);
    assert.equal(allocator.strays, 1);
  });

  it("has the Memory that a worker made, for the crews that come after too", () => {
    const arena = makeArena(PAGE_BYTES);
    for (const mark of [1, 2]) {
      clearArena(arena);
      const taken: LinearMemory[] = [];
      // What a worker is sent, what it makes of it, and what comes back, each as another object for the same.
      const sent = structuredClone({ arena, taken });
      const worker = new ArenaAllocator(sent.arena, sent.taken);
      const { buffer } = worker.linear(1);
      assert.equal(new Int32Array(buffer)[0], 0);
      new Int32Array(buffer)[0] = mark;
      enterTaken(arena, taken, structuredClone(worker.taken.slice(sent.taken.length)));
      const [copy] = keepState(arena, taken);
      new Int32Array(buffer)[0] = 9;
      copyIn([copy!]);
      assert.equal(new Int32Array(buffer)[0], mark);
      assert.equal(worker.strays, 0);
      assert.equal(arena.linears.size, 1);
    }
  });

  it("has one Memory for each number of pages, and for one crew only once", () => {
    const arena = makeArena(PAGE_BYTES);
    const [one, another] = [new ArenaAllocator(arena), new ArenaAllocator(arena)];
    const memory = one.linear(1);
    assert.equal(another.linear(1), memory);
    assert.notEqual(another.linear(1), memory);
    assert.equal(another.strays, 1);
    new Int32Array(memory.buffer).fill(7);
    const [copy] = keepState(arena, one.taken);
    clearArena(arena);
    assert.ok(new Int32Array(memory.buffer).every((word) => word === 0));
    copyIn([copy!]);
    assert.ok(new Int32Array(memory.buffer).every((word) => word === 7));
  });
});
