import { registerHooks } from "node:module";

/** What stands in a source, and the fault that takes its place. */
export type Edit = readonly [snippet: string, replacement: string];

/**
 * The competitor at `url` with faults planted in its source; all else is what it is there. Nothing is written. Each
 * snippet has to stand in the source exactly once: a mutant whose place is gone is an error, not an honest competitor.
 */
export async function mutated<Competitor>(url: string, ...edits: readonly Edit[]): Promise<Competitor> {
  const { default: competitor } = await imported<{ default: Competitor }>(url, url, edits);
  return competitor;
}

/** The same of any module: all that it exports. */
export async function mutatedModule<Exports>(url: string, ...edits: readonly Edit[]): Promise<Exports> {
  return await imported(url, url, edits);
}

const STRUCTURES = new URL("../", import.meta.url).href;

/**
 * The same with the faults in another `file` that the competitor imports, by its path within structures. So that no
 * other competitor has them, it comes with a copy of all that it imports of structures, allocation included.
 */
export async function mutatedIn<Competitor>(
  file: string,
  url: string,
  ...edits: readonly Edit[]
): Promise<Competitor> {
  return (await mutatedModuleIn<{ default: Competitor }>(file, url, ...edits)).default;
}

/** The same of any module: all that it exports. */
export async function mutatedModuleIn<Exports>(
  file: string,
  url: string,
  ...edits: readonly Edit[]
): Promise<Exports> {
  return await imported(url, new URL(file, STRUCTURES).href, edits);
}

let made = 0;

async function imported<Exports>(url: string, file: string, edits: readonly Edit[]): Promise<Exports> {
  const query = `?mutant=${made++}`;
  let isPlanted = false;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isCopied =
        file !== url && context.parentURL?.endsWith(query) && resolved.url.startsWith(STRUCTURES);
      return isCopied ? { ...resolved, url: resolved.url + query } : resolved;
    },
    load(asked, context, next) {
      const loaded = next(asked, context);
      if (asked !== file + query) return loaded;
      isPlanted = true;
      return { ...loaded, source: edited(String(loaded.source), edits, file) };
    },
  });
  try {
    const exported = (await import(url + query)) as Exports;
    if (!isPlanted) throw new Error(`${url} does not import ${file}`);
    return exported;
  } finally {
    hooks.deregister();
  }
}

/** Throws an Error that gives the `name` where a snippet does not stand in the source exactly once. */
export function edited(source: string, edits: readonly Edit[], name: string): string {
  return edits.reduce((text, [snippet, replacement]) => {
    const parts = text.split(snippet);
    if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} times, not once: ${snippet}`);
    return parts.join(replacement);
  }, source);
}
