import type { Scenario } from "../../shared/vocabulary.ts";
import { FEWER_LOOKUPS, FEWER_RESOURCES, lookups, MAIN, ofKind } from "../lookup-races.ts";
import { MAIN_RESOURCES } from "../sizes.ts";

/** So few that the caches hold them with 32 ranges each, where what grows with the ranges is the search. */
const FEWEST_RESOURCES = 256;
const FEWEST_LOOKUPS = 2 ** 13;
/** As many as any machine will have cores for. */
const MOST_READERS = 64;

/** Two curves, over addresses and over the ranges of each; then kinds of lookups. */
export default [
  lookups("lookup-100k", "lookups among 100,000 addresses with 4 ranges each", MAIN, {
    // Whether readers hinder each other is asked here; the other races are about the structure.
    mostWorkers: MOST_READERS,
    point: { curve: "lookup-by-addresses", along: "addresses", at: MAIN_RESOURCES },
  }),
  sized("1k", 1_000, 4, "addresses"),
  sized("1m", 1_000_000, 4, "addresses"),
  sized("1-range", FEWEST_RESOURCES, 1, "ranges"),
  sized("4-ranges", FEWEST_RESOURCES, 4, "ranges"),
  sized("32-ranges", FEWEST_RESOURCES, 32, "ranges"),
  ofKind("hit", "that all find a range"),
  ofKind("miss", "that all fall in no range"),
  ofKind("boundary", "at the edges of ranges"),
  ofKind("bridged", "in gaps that are bridged"),
  lookups("lookup-zipf", "lookups by Zipf's law among 10,000 addresses with 4 ranges each", {
    ...MAIN,
    resources: FEWER_RESOURCES,
    lookups: FEWER_LOOKUPS,
    keys: "zipf",
  }),
];

/** A point of the curve over addresses, with 4 ranges each, or of the one over ranges. */
function sized(label: string, resources: number, ranges: number, curve: "addresses" | "ranges"): Scenario {
  return lookups(
    `lookup-${label}`,
    `lookups among ${resources.toLocaleString("en")} addresses with ${ranges} ${ranges === 1 ? "range" : "ranges"} each`,
    { ...MAIN, resources, ranges, lookups: resources > MAIN_RESOURCES ? 2 ** 20 : FEWEST_LOOKUPS },
    {
      point:
        curve === "addresses"
          ? { curve: "lookup-by-addresses", along: "addresses", at: resources }
          : { curve: "lookup-by-ranges", along: "ranges per address", at: ranges },
    },
  );
}
