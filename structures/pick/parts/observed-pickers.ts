import { allocateLinear, type Region } from "../../shared/layout.ts";
import type { Edit } from "../../shared/mutated.ts";
import { mutatedCode } from "../../shared/mutated-code.ts";
import { observable, observed } from "../../shared/observable.ts";
import casRing from "../competitors/cas-ring.ts";
import shuffledRoundRobin from "../competitors/shuffled-round-robin.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";
import { foldAt } from "./rotation.ts";
import type { PickCode } from "./wasm.ts";

const TEXT = new URL("./pick.wat", import.meta.url).href;
/** Imports of such a text that it does not use. */
const MEMORY = allocateLinear(0).linear;

/**
 * The pickers in WebAssembly that share words, by the names of their competitors. They come from a text whose accesses
 * a model can see, with planted faults, if any. They need no Memory.
 */
export async function observedPickers(
  ...faults: readonly Edit[]
): Promise<Readonly<Record<"wasm-round-robin" | "wasm-cas-ring", PickCompetitor>>> {
  const instantiate = await mutatedCode<PickCode>(TEXT, faults, observable);
  const codeFor = (memory: Region, { backends }: PickSetup) =>
    instantiate({
      pick: { memory: MEMORY, base: 0, backends, fold: foldAt(backends) },
      ...observed(memory, 0),
    });
  return {
    "wasm-round-robin": {
      ...shuffledRoundRobin,
      attach: (memory, setup) => ({ pick: codeFor(memory, setup).pickRoundRobin }),
    },
    "wasm-cas-ring": {
      ...casRing,
      attach: (memory, setup) => ({ pick: codeFor(memory, setup).pickRing }),
    },
  };
}
