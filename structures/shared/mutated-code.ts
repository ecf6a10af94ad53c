import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.ts";
import { type Edit, edited } from "./mutated.ts";
import { codeOf, type Instantiate } from "./wasm.ts";

/**
 * What the text of WebAssembly at `url` says, with faults planted in it, and after a `change` of it, if any. Each snippet has to
 * stand in the text exactly once.
 */
export async function mutatedCode<Code>(
  url: string,
  edits: readonly Edit[],
  change: (text: string) => string = (text) => text,
): Promise<Instantiate<Code>> {
  const path = fileURLToPath(url);
  return codeOf<Code>(await assemble(path, (text) => change(edited(text, edits, path))));
}
