import { mutatedCode } from "../../shared/mutated-code.ts";
import honest from "../competitors/wasm-ticket.ts";
import type { LockCompetitor } from "../locks.contract.ts";
import { type LocksCode, locksCode, ticketIn } from "../parts/wasm.ts";

/** Mutant: a ticket lock in WebAssembly that lets the next in line in, too. */
export const breaks = "mutualExclusion";

const faulty = await mutatedCode<LocksCode>(import.meta.resolve("../parts/locks.wat"), [
  [
    "(if (i32.eq (local.get $serving) (local.get $mine))",
    "(if (i32.ge_s (i32.add (local.get $serving) (i32.const 1)) (local.get $mine))",
  ],
]);

export default {
  ...honest,
  summary: "mutant: ticket lock in WebAssembly that lets two in",
  attach: (memory, _worker, linear) => ticketIn(locksCode(memory, linear, faulty)),
} satisfies LockCompetitor;
