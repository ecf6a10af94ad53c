import type { Region } from "../../shared/layout.ts";
import { codeIn, placeIn } from "../../shared/wasm.ts";
import type { PickSetup } from "../pick.contract.ts";
import CODE from "./pick.wasm.ts";
import { foldAt } from "./rotation.ts";

/** The functions of pick.wasm, whose text (pick.wat) says what they do to the region that they were instantiated for. */
export interface PickCode {
  pickRoundRobin(): number;
  pickRing(): number;
  /** Failed compare-exchanges of `pickRing` so far. */
  ringFailures(): number;
  /** Sets the words of the generator that `pickRandom` draws from. */
  seedRandom(a: number, b: number, c: number, counter: number): void;
  pickRandom(): number;
  /** Makes `count` adds, 1 or more. */
  fetchAndAdd(count: number): void;
}

const instantiate = codeIn<PickCode>(CODE);

/**
 * The code for one worker's region, which must view `linear`. Every call makes an instance, because where the region is
 * and its sizes are constants of one.
 */
export function pickCode(memory: Region, { linear, backends }: PickSetup): PickCode {
  return instantiate({ pick: { ...placeIn(linear, memory), backends, fold: foldAt(backends) } });
}
