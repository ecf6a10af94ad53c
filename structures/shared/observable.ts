import type { Region } from "./layout.ts";
import type { Imports } from "./wasm.ts";

/**
 * WebAssembly whose atomic loads can be seen: a model and a law look at what a lookup loads, and let a writer go on in
 * between, by taking the place of Atomics.load. They reach no instruction. So the text is changed to call an import
 * instead, and nothing else of it is.
 */
export function observable(text: string): string {
  return text
    .replace(MODULE, `$&${IMPORT}`)
    .replace(LOAD, (_load, offset = "0") => `(call $observedLoad (i32.const ${offset})`);
}

const MODULE = /^\(module\n/m;
const IMPORT = `  (import "observed" "load" (func $observedLoad (param $offset i32) (param $address i32) (result i32)))\n`;
const LOAD = /\(i32\.atomic\.load(?: offset=(\d+))?/g;

/** What such a text imports besides: loads of the region that begins at the text's base. */
export function observed(memory: Region): Imports {
  const load = (offset: number, address: number) =>
    Atomics.load(memory, (address + offset - memory.byteOffset) / Int32Array.BYTES_PER_ELEMENT);
  return { observed: { load } };
}
