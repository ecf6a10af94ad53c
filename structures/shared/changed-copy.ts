import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

/** One place of one file, as it should not be. */
export interface Change {
  /** Path within structures. */
  readonly file: string;
  /** Stands in the file once. */
  readonly from: string;
  readonly to: string;
}

const STRUCTURES = new URL("../", import.meta.url).href;
let copies = 0;

/**
 * Imports a module, and with it a copy of all that it imports of structures, in which one place of one file is changed.
 * Nothing is written: the copies have the URLs of the originals with a query. Throws an Error where `from` does not stand
 * in the file exactly once, or the file is not imported.
 */
export async function importChanged(url: string, { file, from, to }: Change): Promise<unknown> {
  const query = `?changed=${++copies}`;
  const changed = new URL(file, STRUCTURES).href + query;
  let found: number | undefined;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isCopied = context.parentURL?.endsWith(query) && resolved.url.startsWith(STRUCTURES);
      return isCopied ? { ...resolved, url: resolved.url + query } : resolved;
    },
    load(address, context, next) {
      const loaded = next(address, context);
      if (address !== changed) return loaded;
      const parts = String(loaded.source ?? "").split(from);
      found = parts.length - 1;
      return { ...loaded, source: parts.join(to) };
    },
  });
  try {
    const module: unknown = await import(url + query);
    if (found !== 1)
      throw new Error(
        `${fileURLToPath(new URL(file, STRUCTURES))} has the place to change ${found ?? "in no import,"} times`,
      );
    return module;
  } finally {
    hooks.deregister();
  }
}
