import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { primitives } from "../../../structures/catalog.ts";

export const MANIFEST = fileURLToPath(new URL("../../../package.json", import.meta.url));

/** The package's description as it stands, but with today's primitives among its exports. */
export function manifestText(): string {
  const description = JSON.parse(readFileSync(MANIFEST, "utf8")) as object;
  return `${JSON.stringify({ ...description, exports: packageExports() }, null, 2)}\n`;
}

/** The list of what there is; of each primitive what a program needs, and its competitors, each a module of its own. */
export function packageExports(): Record<string, string> {
  return {
    ".": "./dist/index.js",
    ...Object.fromEntries(
      primitives().flatMap((primitive) => [
        [`./${primitive}`, `./dist/${primitive}/${primitive}.exports.js`],
        [`./${primitive}/*`, `./dist/${primitive}/competitors/*.js`],
      ]),
    ),
  };
}
