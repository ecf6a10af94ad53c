import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { type FlameRecord, readFlame } from "../schema/flame.ts";
import { RESULTS } from "./results.ts";

/** Every published flamegraph of a primitive, in the order of their names, which have no ending. */
export function publishedFlames(
  primitive: string,
  results = RESULTS,
): readonly { readonly name: string; readonly record: FlameRecord }[] {
  return globSync(join(results, primitive, "flame-*.json.gz"))
    .sort()
    .map((path) => ({ name: basename(path, ".json.gz"), record: readFlame(path) }));
}
