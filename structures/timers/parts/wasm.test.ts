import assert from "node:assert/strict";
import { it } from "node:test";
import { allocateFor, allocateRegion } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import hashedWheel from "../competitors/hashed-wheel.ts";
import wasmHashedWheel from "../competitors/wasm-hashed-wheel.ts";
import { MAX_CAPACITY } from "./handles.ts";
import { HORIZON } from "./ticks.ts";
import { OUTBOX_WORDS } from "./wasm.ts";

const WORKER = { index: 0, workers: 1, role: "worker", seed: 0 };
const CAPACITY = 50;
const ROTATION = 2 ** 16;

function opened(capacity = CAPACITY) {
  const { memory, linear } = allocateFor(wasmHashedWheel, wasmHashedWheel.words(capacity));
  wasmHashedWheel.format(memory, capacity);
  return { memory, set: wasmHashedWheel.attach(memory, capacity, WORKER, linear) };
}

it("wasm-hashed-wheel does to the same words what hashed-wheel does", () => {
  const random = new Random(20_261_122);
  const twin = allocateRegion(hashedWheel.words(CAPACITY));
  hashedWheel.format(twin, CAPACITY);
  const { memory, set } = opened();
  const sets = [set, hashedWheel.attach(twin, CAPACITY)] as const;
  const handles = [1];
  for (let act = 0; act < 3000; act++) {
    const delay = [random.below(8), random.below(200), random.below(3 * ROTATION), -5][random.below(4)]!;
    const deadline = (set.clock + delay) | 0;
    const handle = handles[random.below(handles.length)]!;
    const kind = random.below(4);
    const budget = random.below(6);
    const [code, script] = sets.map((timers) => {
      if (kind === 0) return timers.size < CAPACITY ? timers.add(deadline) : 0;
      if (kind === 1) return timers.cancel(handle);
      if (kind === 2) return timers.refresh(handle, deadline);
      const out = new Int32Array(CAPACITY);
      return [timers.advance(deadline, out, budget), ...out];
    });
    assert.deepEqual(code, script, `act ${act}`);
    if (typeof code === "number" && code > 0) handles.push(code);
  }
  assert.deepEqual(memory.subarray(0, twin.length), twin);
});

it("wasm-hashed-wheel says what is wrong as hashed-wheel does, and changes nothing", () => {
  const { set } = opened(1);
  const beyond = HORIZON + 1;
  const message = `deadline ${beyond} ticks ahead; the horizon is ${HORIZON}`;
  assert.throws(() => set.add(beyond), { name: "RangeError", message });
  const handle = set.add(5);
  assert.throws(() => set.add(5), { name: "RangeError", message: "all 1 timers are in use" });
  assert.throws(() => set.refresh(handle, beyond), { name: "RangeError", message });
  assert.equal(set.nextExpiry(), 5);
});

it("wasm-hashed-wheel reports more than its outbox holds, up to the budget", () => {
  const timers = 2 * OUTBOX_WORDS + 1;
  const { set } = opened(timers);
  const added = Array.from({ length: timers }, () => set.add(3));
  const out = new Int32Array(timers);
  assert.deepEqual(
    [set.advance(3, out, 0), set.advance(3, out, 2), set.advance(3, out.subarray(2), OUTBOX_WORDS)],
    [0, 2, OUTBOX_WORDS],
  );
  assert.equal(set.advance(3, out.subarray(2 + OUTBOX_WORDS), timers), timers - OUTBOX_WORDS - 2);
  assert.deepEqual([...out], added);
});

it("wasm-hashed-wheel has room for as many timers as any", () => {
  const { set } = opened(MAX_CAPACITY);
  assert.ok(set.cancel(set.add(1)));
});
