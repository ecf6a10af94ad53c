import { registerHooks } from "node:module";
import type { Collection } from "./collection.ts";
import { HARNESSES } from "./harness.ts";

/** Under which the stand-ins' modules find what to export, in this thread's global object. */
const SURFACES = Symbol.for("hotpath-race: surfaces");

const STAND_IN = "hotpath-stand-in:";

/**
 * From now on, imports and requires of this thread get stand-ins that add to `collection` in place of benchmark libraries,
 * installed or not.
 */
export function standIn(collection: Collection): void {
  const surfaces: Record<string, object> = {};
  for (const harness of HARNESSES) surfaces[harness.package] = harness.surface(collection);
  (globalThis as Record<symbol, unknown>)[SURFACES] = surfaces;
  registerHooks({
    resolve(specifier, context, next) {
      return Object.hasOwn(surfaces, specifier)
        ? { url: STAND_IN + specifier, format: "commonjs", shortCircuit: true }
        : next(specifier, context);
    },
    load(url, context, next) {
      if (!url.startsWith(STAND_IN)) return next(url, context);
      return {
        format: "commonjs",
        source: sourceOf(url.slice(STAND_IN.length), surfaces),
        shortCircuit: true,
      };
    },
  });
}

/** CommonJS whose assignments Node reads names from, so that both kinds of import find them. */
function sourceOf(name: string, surfaces: Readonly<Record<string, object>>): string {
  const names = Object.keys(surfaces[name]!).filter((key) => key !== "default");
  return [
    `const surface = globalThis[Symbol.for("${SURFACES.description}")][${JSON.stringify(name)}];`,
    "module.exports = surface;",
    ...names.map((key) => `exports.${key} = surface.${key};`),
  ].join("\n");
}
