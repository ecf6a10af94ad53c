import { allocateLinear, type Region } from "./layout.ts";
import type { Imports } from "./wasm.ts";

/**
 * WebAssembly whose accesses can be observed. It takes the place of Atomics and of the words. A model and a law then
 * see what code does to shared words, and let others run in between. They reach no instruction. So the text is changed
 * to call an import for each access, and nothing else of it is. Throws an Error where it has one that is not known
 * here.
 */
export function observable(text: string): string {
  const changed = text
    .replace(MODULE, `$&${IMPORTS}`)
    .replace(ACCESS, (_access, instruction, offset = "0") => `(call $${instruction} (i32.const ${offset})`);
  const unknown = ANY_ACCESS.exec(changed);
  if (unknown !== null) throw new Error(`the text has ${unknown[1]}: let observable.ts know it`);
  return changed;
}

/** What such a text imports besides: accesses to this region, which begins at the text's `base`. */
export function observed(memory: Region, base = memory.byteOffset): Imports {
  const imports = Object.entries(ACCESSES).map(([instruction, { make }]) => {
    const access = make(memory) as (word: number, ...operands: never[]) => number;
    const ofAddress = (offset: number, address: number, ...operands: never[]) =>
      access((address + offset - base) / Int32Array.BYTES_PER_ELEMENT, ...operands);
    return [instruction, ofAddress];
  });
  return { observed: Object.fromEntries(imports) };
}

/** What such a text imports and does not use: a Memory, and where its words would begin in it. */
export const UNUSED = { memory: allocateLinear(0).linear, base: 0 };

interface Access {
  /** Types of what it takes besides the address, and of what it returns. */
  readonly type: string;
  make(memory: Region): (word: number, ...operands: never[]) => unknown;
}

const RESULT = "(result i32)";
const OPERAND = "(param i32)";
const NS_PER_MS = 1e6;

/** What an instruction does to a word of the memory, by its name. */
const ACCESSES: Readonly<Record<string, Access>> = {
  "i32.load": { type: RESULT, make: (memory) => (word) => memory[word]! },
  "i32.store": {
    type: OPERAND,
    make: (memory) => (word, value) => {
      memory[word] = value;
    },
  },
  "i32.atomic.load": { type: RESULT, make: (memory) => (word) => Atomics.load(memory, word) },
  "i32.atomic.store": {
    type: OPERAND,
    make: (memory) => (word, value) => {
      Atomics.store(memory, word, value);
    },
  },
  "i32.atomic.rmw.add": {
    type: OPERAND + RESULT,
    make: (memory) => (word, value) => Atomics.add(memory, word, value),
  },
  "i32.atomic.rmw.xchg": {
    type: OPERAND + RESULT,
    make: (memory) => (word, value) => Atomics.exchange(memory, word, value),
  },
  "i32.atomic.rmw.cmpxchg": {
    type: OPERAND + OPERAND + RESULT,
    make: (memory) => (word, expected, value) => Atomics.compareExchange(memory, word, expected, value),
  },
  "memory.atomic.notify": {
    type: OPERAND + RESULT,
    make: (memory) => (word, count) => Atomics.notify(memory, word, count),
  },
  "memory.atomic.wait32": {
    type: `${OPERAND}(param i64)${RESULT}`,
    make: (memory) => (word, expected, ns) =>
      WAIT_ANSWERS.indexOf(Atomics.wait(memory, word, expected, msOf(ns))),
  },
};

/** By the numbers that the instruction returns for them. */
const WAIT_ANSWERS = ["ok", "not-equal", "timed-out"];

/** The limit of a wait, below 0 for none. */
function msOf(ns: bigint): number {
  return ns < 0 ? Number.POSITIVE_INFINITY : Number(ns) / NS_PER_MS;
}

const MODULE = /^\(module\n/m;
const IMPORTS = Object.entries(ACCESSES)
  .map(
    ([instruction, { type }]) =>
      `  (import "observed" "${instruction}" (func $${instruction} (param i32) (param i32) ${type}))\n`,
  )
  .join("");
const NAMES = Object.keys(ACCESSES).join("|").replaceAll(".", "\\.");
const ACCESS = new RegExp(`\\((${NAMES})(?=\\s)(?: offset=(\\d+))?`, "g");
const ANY_ACCESS = /\(([a-z0-9]+\.[a-z0-9_.]*(?:load|store|rmw|wait|notify|fill|copy)[a-z0-9_.]*)/;
