import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { primitives } from "../../../structures/catalog.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
export const MANIFEST = join(ROOT, "package.json");

/** The package's description as it stands, but with today's primitives among its exports. */
export function manifestText(): string {
  const description = JSON.parse(readFileSync(MANIFEST, "utf8")) as object;
  return `${JSON.stringify({ ...description, exports: packageExports() }, null, 2)}\n`;
}

/** The front; every door, `structures/<folder>/<door>.exports.ts`; and each primitive's competitors, a module each. */
export function packageExports(): Record<string, string> {
  const exported: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      doors().map(({ name, file }) => [`./${name}`, `./dist/${file.replace(/\.ts$/, ".js")}`]),
    ),
    ...Object.fromEntries(
      primitives().map((primitive) => [`./${primitive}/*`, `./dist/${primitive}/competitors/*.js`]),
    ),
  };
  return {
    ".": "./dist/index.js",
    ...Object.fromEntries(Object.entries(exported).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** What a program can import by one word: the part of the file's name before `.exports.ts`. */
export interface Door {
  readonly name: string;
  /** Below `structures`. */
  readonly file: string;
}

/** By name. */
export function doors(): Door[] {
  return globSync("*/*.exports.ts", { cwd: join(ROOT, "structures") })
    .map((file) => ({ name: basename(file, ".exports.ts"), file }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
