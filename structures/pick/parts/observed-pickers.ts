import type { Region } from "../../shared/layout.ts";
import type { Edit } from "../../shared/mutated.ts";
import { mutatedCode } from "../../shared/mutated-code.ts";
import { observable, observed, UNUSED } from "../../shared/observable.ts";
import casRing from "../competitors/cas-ring.ts";
import shuffledRoundRobin from "../competitors/shuffled-round-robin.ts";
import wasmFetchAndAddLoop from "../competitors/wasm-fetch-and-add-loop.ts";
import type { PickCompetitor, PickSetup } from "../pick.contract.ts";
import { foldAt } from "./rotation.ts";
import { addsIn, type PickCode, ringIn } from "./wasm.ts";

type Name = "wasm-round-robin" | "wasm-cas-ring" | "wasm-fetch-and-add-loop";

const TEXT = new URL("./pick.wat", import.meta.url).href;

/**
 * The pickers in WebAssembly, by the names of their competitors. They come from a text whose accesses a model can see,
 * with planted faults, if any. They need no Memory.
 */
export async function observedPickers(
  ...faults: readonly Edit[]
): Promise<Readonly<Record<Name, PickCompetitor>>> {
  const instantiate = await mutatedCode<PickCode>(TEXT, faults, observable);
  const codeFor = (memory: Region, { backends }: PickSetup) =>
    instantiate({
      pick: { ...UNUSED, backends, fold: foldAt(backends) },
      ...observed(memory, 0),
    });
  const { needsLinear: _, ...fetchAndAddLoop } = wasmFetchAndAddLoop;
  return {
    "wasm-round-robin": {
      ...shuffledRoundRobin,
      attach: (memory, setup) => ({ pick: codeFor(memory, setup).pickRoundRobin }),
    },
    "wasm-cas-ring": { ...casRing, attach: (memory, setup) => ringIn(codeFor(memory, setup)) },
    "wasm-fetch-and-add-loop": {
      ...fetchAndAddLoop,
      attach: (memory, setup) => addsIn(codeFor(memory, setup)),
    },
  };
}
