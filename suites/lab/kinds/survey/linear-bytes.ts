import { type Allocator, type LinearMemory, separate } from "../../../engine/words/layout.ts";

/** WebAssembly memories of the allocator below, as far as they are not collected. */
const linears = new Set<WeakRef<LinearMemory>>();

/** Knows which of its WebAssembly memories are alive: no counter of an engine has a shared one. */
export const linearsWatched: Allocator = {
  bytes: separate.bytes,
  linear(pages) {
    const linear = separate.linear(pages);
    linears.add(new WeakRef(linear));
    return linear;
  },
};

/**
 * Bytes of the memories that `linearsWatched` gave, after a garbage collection. None is collected before the task ends
 * that made it or asked for it here.
 */
export function linearBytes(): number {
  let bytes = 0;
  for (const reference of linears) {
    const linear = reference.deref();
    if (linear === undefined) linears.delete(reference);
    else bytes += linear.buffer.byteLength;
  }
  return bytes;
}
