import { mutatedCode } from "../../shared/mutated-code.ts";
import honest from "../competitors/wasm-futex-three-state.ts";
import type { LockCompetitor } from "../locks.contract.ts";
import { futexIn, type LocksCode, locksCode } from "../parts/wasm.ts";

/** Mutant: an unlock in WebAssembly that notifies none of the sleepers. A worker that went to sleep stays asleep. */
export const breaks = "waitersAreWoken";

const faulty = await mutatedCode<LocksCode>(import.meta.resolve("../parts/locks.wat"), [
  [
    "(memory.atomic.notify (global.get $base) (i32.const 1))",
    "(memory.atomic.notify (global.get $base) (i32.const 0))",
  ],
]);

export default {
  ...honest,
  summary: "mutant: three-state futex in WebAssembly that wakes nobody",
  attach: (memory, _worker, linear) => futexIn(locksCode(memory, linear, faulty), memory),
} satisfies LockCompetitor;
