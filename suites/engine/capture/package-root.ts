import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageAt } from "../measure/load/written.ts";

/**
 * The folder that a bench file is run from: the nearest one above it with a package.json, or its own if there is none. One that
 * only says how its JavaScript is written, or is no JSON, does not count. `file` is a path.
 */
export function packageRootOf(file: string): string {
  const packaged = nearest("package.json", file, (path) =>
    Object.keys(packageAt(path)).some((key) => key !== "type" && key !== "sideEffects"),
  );
  return dirname(packaged ?? file);
}

/** The nearest file of this name above the one at a path, of those that `is` accepts. */
export function nearest(
  name: string,
  file: string,
  is = existsSync as (path: string) => boolean,
): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const path = join(folder, name);
    if (existsSync(path) && is(path)) return path;
    if (dirname(folder) === folder) return undefined;
  }
}
