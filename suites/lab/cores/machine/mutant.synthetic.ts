import { registerHooks } from "node:module";
import { type Edit, edited } from "../../../../structures/shared/mutated.ts";

/** Program of a simulator's threads: thread.ts, with faults planted in a `file` beside it. Nothing is written. */
export function mutantProgram(file: string, ...edits: readonly Edit[]): URL {
  const { href: thread } = new URL("./thread.ts", import.meta.url);
  const program = `import { plant } from ${JSON.stringify(import.meta.url)};
plant(${JSON.stringify(file)}, ${JSON.stringify(edits)});
await import(${JSON.stringify(thread)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
}

/** From now on this thread loads the file with the edits. */
export function plant(file: string, edits: readonly Edit[]): void {
  const { href } = new URL(file, import.meta.url);
  registerHooks({
    load(asked, context, next) {
      const loaded = next(asked, context);
      return asked === href ? { ...loaded, source: edited(String(loaded.source), edits, file) } : loaded;
    },
  });
}
