import type { Region } from "../../shared/layout.ts";
import type { Edit } from "../../shared/mutated.ts";
import { mutatedCode } from "../../shared/mutated-code.ts";
import { observable, observed, UNUSED } from "../../shared/observable.ts";
import futex from "../competitors/futex-three-state.ts";
import ticket from "../competitors/ticket.ts";
import type { LockCompetitor } from "../locks.contract.ts";
import { futexIn, type LocksCode, ticketIn } from "./wasm.ts";

const TEXT = new URL("./locks.wat", import.meta.url).href;
/**
 * The locks in WebAssembly, by the names of their competitors. They come from a text whose accesses a model can see,
 * with few polls or planted faults, if such `edits` are given. They need no Memory.
 */
export async function observedLocks(
  ...edits: readonly Edit[]
): Promise<Readonly<Record<"wasm-futex-three-state" | "wasm-ticket", LockCompetitor>>> {
  const instantiate = await mutatedCode<LocksCode>(TEXT, edits, observable);
  const codeFor = (memory: Region) => instantiate({ locks: UNUSED, ...observed(memory, 0) });
  return {
    "wasm-futex-three-state": { ...futex, attach: (memory) => futexIn(codeFor(memory), memory) },
    "wasm-ticket": { ...ticket, attach: (memory) => ticketIn(codeFor(memory)) },
  };
}
