import { like, type Mutants, mutantAsked, mutantsIn, writtenIn } from "../shared/mutants.ts";
import { mutatedCode } from "../shared/mutated-code.ts";
import type { LockCompetitor } from "./locks.contract.ts";
import { futexIn, type LocksCode, locksCode, ticketIn } from "./parts/wasm.ts";

const TEXT = import.meta.resolve("./parts/locks.wat");

const TABLE: Mutants<LockCompetitor> = {
  ...writtenIn<LockCompetitor>(new URL("testdata/mutants.txt", import.meta.url)),
  /** A ticket lock in WebAssembly that lets the next in line in, too. */
  "wasm-lets-the-next-in": like("wasm-ticket", "mutualExclusion", async () => {
    const faulty = await mutatedCode<LocksCode>(TEXT, [
      [
        "(if (i32.eq (local.get $serving) (local.get $mine))",
        "(if (i32.ge_s (i32.add (local.get $serving) (i32.const 1)) (local.get $mine))",
      ],
    ]);
    return { attach: (memory, _worker, linear) => ticketIn(locksCode(memory, linear, faulty)) };
  }),
  /** An unlock in WebAssembly that notifies none of the sleepers. A worker that went to sleep stays asleep. */
  "wasm-wakes-nobody": like("wasm-futex-three-state", "waitersAreWoken", async () => {
    const faulty = await mutatedCode<LocksCode>(TEXT, [
      [
        "(memory.atomic.notify (global.get $base) (i32.const 1))",
        "(memory.atomic.notify (global.get $base) (i32.const 0))",
      ],
    ]);
    return { attach: (memory, _worker, linear) => futexIn(locksCode(memory, linear, faulty), memory) };
  }),
};

export const mutants = mutantsIn(TABLE, import.meta.url);
export default await mutantAsked(TABLE, import.meta.url);
