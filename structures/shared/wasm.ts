import { Buffer } from "node:buffer";
import type { LinearMemory, Region } from "./layout.ts";

/** What the text imports, by module and name. */
export type Imports = Readonly<Record<string, Readonly<Record<string, Imported>>>>;
type Imported = LinearMemory | number | ((...parameters: never[]) => unknown);

/** The functions of one worker, whose instance has globals of its own: `imports` say which memory they are for. */
export type Instantiate<Code> = (imports: Imports) => Code;

/** The code that `npm run assemble` left in base64. It is compiled once in each thread, for the first instance. */
export function codeIn<Code>(base64: string): Instantiate<Code> {
  let instantiate: Instantiate<Code> | undefined;
  return (imports) => {
    instantiate ??= codeOf<Code>(Buffer.from(base64, "base64"));
    return instantiate(imports);
  };
}

/** The same of its bytes, compiled at once. */
export function codeOf<Code>(bytes: Uint8Array): Instantiate<Code> {
  const module = new WebAssembly.Module(bytes);
  return (imports) => new WebAssembly.Instance(module, imports).exports as Code;
}

/**
 * The Memory that `memory` views, and the byte of it where the region begins: what code imports to find its words. Throws
 * an Error where no Memory came along, or another one.
 */
export function placeIn(
  linear: LinearMemory | undefined,
  memory: Region,
): { readonly memory: LinearMemory; readonly base: number } {
  if (linear === undefined)
    throw new Error("this is made of WebAssembly: give it the Memory that its words are in, too");
  if (!isIn(linear, memory)) throw new Error("the words are in another Memory than the one given");
  return { memory: linear, base: memory.byteOffset };
}

/**
 * Whether `memory` views `linear`. Bun 1.4.5 gives a worker two buffers for a Memory and its view, over the same bytes. So
 * where buffers differ, a write to the one must be seen in the other. The first word of a Memory belongs to nobody: see
 * `allocateLinear`.
 */
function isIn(linear: LinearMemory, memory: Region): boolean {
  if (memory.buffer === linear.buffer) return true;
  if (memory.buffer.byteLength !== linear.buffer.byteLength) return false;
  const viewed = new Int32Array(memory.buffer, 0, 1);
  const before = Atomics.load(viewed, 0);
  // It is not taken back: another worker that looks at the same time could otherwise see no change.
  Atomics.add(new Int32Array(linear.buffer, 0, 1), 0, 1);
  return Atomics.load(viewed, 0) !== before;
}
