import { assertOptions, type OptionKinds, shown } from "../../shared/arguments.ts";
import { assertUsable, type Kind } from "../../shared/instance.ts";
import type { AffinityCompetitor } from "../affinity.contract.ts";
import { assertBound, bounded } from "./bounded.ts";

export interface ByKeyOptions<Item> {
  /**
   * The id of an item, the same in every thread and no other item's. If absent a string is its own id, and a URL's is its
   * `href`.
   */
  readonly id?: ((item: Item) => string) | undefined;
  /**
   * The most that an item may have in flight, as a multiple of the average in this thread: above 1, such as 1.25. A key whose
   * item has as many goes to the next in its order meanwhile. If absent, keys alone decide.
   */
  readonly bound?: number | undefined;
}

/** What `byKey` returns, for `balancer` and `Balanced`. */
export interface ByKey<Item> {
  readonly affinity: AffinityCompetitor;
  idOf(item: Item): string;
}

/**
 * Requests of one key go to one item, as long as items are the same: `balancer(byKey(rendezvous), urls)`. Each request then
 * names its key: `use(fn, { key })`. While an item is ejected, its keys go to others, each to its own next one, and back
 * afterwards. Threads with the same items agree without messages. Throws a TypeError for a placement whose members may come and
 * go at the end alone, such as jump, and a RangeError for a bound that is not above 1.
 */
export function byKey<Item = string>(
  competitor: AffinityCompetitor,
  options: ByKeyOptions<Item> = {},
): ByKey<Item> {
  assertUsable(competitor, PLACEMENT);
  assertOptions("byKey", options, OPTIONS);
  if (competitor.follows === "positions")
    throw new TypeError(
      `"${competitor.summary}" would move keys of all when an item goes: take rendezvous, ring or maglev`,
    );
  const { id = ownId, bound } = options;
  if (bound !== undefined) assertBound(bound);
  return { affinity: bound === undefined ? competitor : bounded(competitor, bound), idOf: id };
}

export function isByKey(given: object): given is ByKey<unknown> {
  return Object.hasOwn(Object(given), "affinity");
}

const PLACEMENT: Kind = {
  what: "placement by key",
  module: "hotpath-lab/affinity/rendezvous",
  mark: "follows",
};
const OPTIONS: OptionKinds<ByKeyOptions<unknown>> = { id: "function", bound: "any" };

function ownId(item: unknown): string {
  if (typeof item === "string") return item;
  if (item instanceof URL) return item.href;
  throw new TypeError(
    `byKey: ${shown(item)} is no string and no URL: give id, as in { id: (item) => item.name }`,
  );
}
