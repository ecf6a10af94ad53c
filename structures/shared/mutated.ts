import { registerHooks } from "node:module";

/** What stands in a source, and the fault that takes its place. */
export type Edit = readonly [snippet: string, replacement: string];

/** Source that leaves the core for a while, as preemption would: it holds a window open that is an instruction wide. */
export function pausing(ms: number): string {
  return `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});`;
}

let made = 0;

/**
 * The competitor at `url` with faults planted in its source; all else is what it is there. Each snippet has to stand in
 * the source exactly once: a mutant whose place is gone is an error, not an honest competitor.
 */
export async function mutated<Competitor>(url: string, ...edits: readonly Edit[]): Promise<Competitor> {
  const target = `${url}?mutant=${made++}`;
  const hooks = registerHooks({
    load(asked, context, nextLoad) {
      const loaded = nextLoad(asked, context);
      return asked === target ? { ...loaded, source: edited(String(loaded.source), edits, url) } : loaded;
    },
  });
  try {
    return ((await import(target)) as { default: Competitor }).default;
  } finally {
    hooks.deregister();
  }
}

function edited(source: string, edits: readonly Edit[], name: string): string {
  return edits.reduce((text, [snippet, replacement]) => {
    const parts = text.split(snippet);
    if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} times, not once: ${snippet}`);
    return parts.join(replacement);
  }, source);
}
