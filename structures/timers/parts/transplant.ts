import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";

const resolver = createRequire(import.meta.url);

/**
 * What a package's CommonJS file exports when it is run afresh with `surroundings` in place of what it would find under
 * these names. For packages that keep one set of timers per process, or that hold on to the process's own clock. Each
 * run is a copy with state of its own, in the code that is installed and with no global touched.
 */
export function transplant(specifier: string, surroundings: Readonly<Record<string, unknown>>): unknown {
  const filename = resolver.resolve(specifier);
  const names = Object.keys(surroundings);
  const run = compileFunction(readFileSync(filename, "utf8"), ["module", ...names], { filename });
  const module: { exports: unknown } = { exports: {} };
  run(module, ...names.map((name) => surroundings[name]));
  return module.exports;
}
