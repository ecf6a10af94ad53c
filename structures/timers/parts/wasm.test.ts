import assert from "node:assert/strict";
import { it } from "node:test";
import { allocateFor, allocateRegion } from "../../shared/layout.ts";
import { Random } from "../../shared/sfc32.ts";
import hashedWheel from "../competitors/hashed-wheel.ts";
import wasmHashedWheel from "../competitors/wasm-hashed-wheel.ts";
import type { TimerSet } from "../timers.contract.ts";
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

/** Both twins, and what an act made of each. */
function twins(capacity: number) {
  const twin = allocateRegion(hashedWheel.words(capacity));
  hashedWheel.format(twin, capacity);
  const { memory, set } = opened(capacity);
  const sets = [set, hashedWheel.attach(twin, capacity)] as const;
  return {
    set,
    /** What the act returns, which has to be the same of both. */
    both<Result>(act: (timers: TimerSet) => Result, at: string): Result {
      const [code, script] = sets.map(act);
      assert.deepEqual(code, script, at);
      return code!;
    },
    /** Not by deepEqual, which writes a hundred thousand words down where one differs. */
    assertSameWords() {
      const word = twin.findIndex((value, index) => value !== memory[index]);
      assert.equal(word, -1, `word ${word} is ${memory[word]}, and ${twin[word]} of hashed-wheel`);
    },
  };
}

function reported(timers: TimerSet, now: number, budget: number): number[] {
  const out = new Int32Array(timers.size);
  return [timers.advance(now, out, budget), ...out];
}

it("wasm-hashed-wheel does to the same words what hashed-wheel does", () => {
  const random = new Random(20_261_122);
  const { set, both, assertSameWords } = twins(CAPACITY);
  const handles = [1];
  for (let act = 0; act < 3000; act++) {
    const delay = [random.below(8), random.below(200), random.below(3 * ROTATION), -5][random.below(4)]!;
    const deadline = (set.clock + delay) | 0;
    const live = handles[random.below(handles.length)]!;
    // Most are handles; the others are none, though they are the same modulo 2^32.
    const handle = [live, live, live, live + 0.5, live + 2 ** 32][random.below(5)]!;
    const budget = [random.below(6), random.below(6) + 0.5, -1, Number.NaN][random.below(4)]!;
    const kind = random.below(4);
    const answer = both((timers) => {
      if (kind === 0) return timers.size < CAPACITY ? timers.add(deadline) : 0;
      if (kind === 1) return timers.cancel(handle);
      if (kind === 2) return timers.refresh(handle, deadline);
      return reported(timers, deadline, budget);
    }, `act ${act}`);
    if (typeof answer === "number" && answer > 0) handles.push(answer);
  }
  assertSameWords();
});

it("wasm-hashed-wheel leaves the same words behind where it reports more than its outbox holds", () => {
  const capacity = 5 * OUTBOX_WORDS;
  for (const budget of [capacity, 3 * OUTBOX_WORDS, 3 * OUTBOX_WORDS - 1, OUTBOX_WORDS + 1.5]) {
    const { both, assertSameWords } = twins(capacity);
    for (let timer = 0; timer < capacity; timer++) both((timers) => timers.add(3 + (timer % 2)), "add");
    for (let advance = 0; advance < 5; advance++) {
      both((timers) => reported(timers, 4, budget), `advance ${advance} by ${budget}`);
      assertSameWords();
    }
  }
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
