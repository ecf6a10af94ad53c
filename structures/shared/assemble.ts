import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import wabt from "wabt";

const FEATURES = { threads: true };

/**
 * WebAssembly from its text, which must be ASCII, after a `change` of it, if any. The only file that needs wabt, which
 * is for development: competitors import the module that `npm run assemble` left beside the text.
 *
 * The same text and the same wabt give the same bytes. Function names are kept, so that profiles can show them. Throws
 * an Error that says where the text is wrong.
 */
export async function assemble(
  path: string,
  change: (text: string) => string = (text) => text,
): Promise<Uint8Array> {
  const module = (await wabt()).parseWat(path, change(readFileSync(path, "utf8")), FEATURES);
  // Its own types omit that validation needs the features too.
  const validated: { validate(features: typeof FEATURES): void } = module;
  try {
    validated.validate(FEATURES);
    return module.toBinary({ write_debug_names: true }).buffer;
  } finally {
    module.destroy();
  }
}

/** The file of the module that exports the bytes made from this text. */
export function assembledFile(path: string): string {
  return path.replace(/\.wat$/, ".wasm.ts");
}

/** The text of that module. Bytes in a file beside it would be left behind by most bundlers. */
export function assembledModule(path: string, bytes: Uint8Array): string {
  return `/** \`npm run assemble\` makes this from ${basename(path)}: the code in base64, so that it is in every bundle. */
export default "${Buffer.from(bytes).toString("base64")}";
`;
}
