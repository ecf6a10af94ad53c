import { readFileSync } from "node:fs";
import wabt from "wabt";

const FEATURES = { threads: true };

/**
 * WebAssembly from its text, which must be ASCII, after a `change` of it, if any. The only file that needs wabt, which
 * is for development: competitors load the bytes that `npm run assemble` left beside the text.
 *
 * The same text and the same wabt give the same bytes. Function names are kept, so that profiles can show them. Throws
 * an Error that says where the text is wrong.
 */
export async function assemble(
  path: string,
  change: (text: string) => string = (text) => text,
): Promise<Uint8Array> {
  const module = (await wabt()).parseWat(path, change(readFileSync(path, "utf8")), FEATURES);
  // Its own types leave out that validation has to be told the features too.
  const validated: { validate(features: typeof FEATURES): void } = module;
  try {
    validated.validate(FEATURES);
    return module.toBinary({ write_debug_names: true }).buffer;
  } finally {
    module.destroy();
  }
}

/** The file in which the bytes made from this text are kept. */
export function assembledFile(path: string): string {
  return path.replace(/\.wat$/, ".wasm");
}
