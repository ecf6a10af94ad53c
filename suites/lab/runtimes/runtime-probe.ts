import { once } from "node:events";
import { getHeapStatistics } from "node:v8";
import { Worker } from "node:worker_threads";
import { describeRuntime } from "../../engine/measure/machine/machine.ts";
import { present } from "../../engine/words/present.ts";
import type { Ability, RuntimeFacts } from "./abilities.ts";
import { findCounters } from "./held-bytes.ts";

const counters = findCounters();

/**
 * A program that reports on stdout, in one line of JSON, which runtime runs it and what that has. Whatever can be tried
 * is tried: a runtime may have a function that only throws, or a version that is another's.
 */
const ATTEMPTS: Readonly<Record<Ability, () => boolean | Promise<boolean>>> = {
  sharedMemory: () => new SharedArrayBuffer(4).byteLength === 4,
  mainThreadWait: () => Atomics.wait(word(), 0, 0, 0) === "timed-out",
  async waitAsync() {
    const shared = word();
    const { value } = Atomics.waitAsync(shared, 0, 0);
    Atomics.notify(shared, 0);
    return (await value) === "ok";
  },
  pause() {
    // Newer than the compiler's library.
    (Atomics as { pause?: () => void }).pause!();
    return true;
  },
  growable() {
    const shared = new SharedArrayBuffer(1, { maxByteLength: 2 });
    const own = new ArrayBuffer(1, { maxByteLength: 2 });
    shared.grow(2);
    own.resize(2);
    return shared.byteLength === 2 && own.byteLength === 2;
  },
  wasmThreads() {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(ATOMIC_ADD), { m: { m: memory } });
    (exports.f as () => number)();
    return memory.buffer instanceof SharedArrayBuffer && new Int32Array(memory.buffer)[0] === 1;
  },
  async workerThreads() {
    const shared = word();
    const worker = new Worker("Atomics.add(require('node:worker_threads').workerData, 0, 1)", {
      eval: true,
      workerData: shared,
    });
    await once(worker, "exit");
    return shared[0] === 1;
  },
  async oneClock() {
    const turn = word();
    const read = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
    const worker = new Worker(CLOCK_READER, { eval: true, workerData: { turn, read, readings: READINGS } });
    try {
      await once(worker, "online");
      for (let reading = 0; reading < READINGS; reading++) {
        const before = process.hrtime.bigint();
        Atomics.store(turn, 0, 2 * reading + 1);
        Atomics.notify(turn, 0);
        // A notify of an earlier turn may come late, and wakes for nothing.
        while (Atomics.load(turn, 0) === 2 * reading + 1) Atomics.wait(turn, 0, 2 * reading + 1);
        if (read[0]! < before || read[0]! > process.hrtime.bigint()) return false;
      }
      return true;
    } finally {
      await worker.terminate();
    }
  },
  heapStatistics() {
    const before = getHeapStatistics().used_heap_size;
    const objects = Array.from({ length: HEAP_OBJECTS }, (_, index) => ({ index }));
    return getHeapStatistics().used_heap_size - before > objects.length;
  },
  heldBytes: () => counters !== undefined,
  async piscina() {
    return "Piscina" in (await import("piscina"));
  },
};

/** One that began with its thread reads the same as another's only if that was kept from running for the time between. */
const READINGS = 10;
/** Writes down what its clock reads each time that it is its turn. */
const CLOCK_READER = `const { turn, read, readings } = require("node:worker_threads").workerData;
for (let reading = 0; reading < readings; reading++) {
  while (Atomics.load(turn, 0) === 2 * reading) Atomics.wait(turn, 0, 2 * reading);
  read[0] = process.hrtime.bigint();
  Atomics.store(turn, 0, 2 * reading + 2);
  Atomics.notify(turn, 0);
}`;

/** Enough to take megabytes, which no other allocation meanwhile does. */
const HEAP_OBJECTS = 1_000_000;

/** `(import "m" "m" (memory 1 1 shared)) (func (export "f") (result i32) (i32.atomic.rmw.add (i32.const 0) (i32.const 1)))` */
const ATOMIC_ADD = Buffer.from(
  "0061736d010000000105016000017f020901016d016d0203010103020100070501016600000a0c010a0041004101fe1e02000b",
  "hex",
);

function word(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

async function works(attempt: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await attempt();
  } catch {
    return false;
  }
}

const { name, version, engine } = describeRuntime();
const has: Partial<Record<Ability, boolean>> = {};
for (const ability of Object.keys(ATTEMPTS) as Ability[]) has[ability] = await works(ATTEMPTS[ability]);
const facts: RuntimeFacts = {
  name,
  version,
  engine,
  has: has as RuntimeFacts["has"],
  ...present({ counters }),
};
process.stdout.write(`${JSON.stringify(facts)}\n`, () => process.exit());
