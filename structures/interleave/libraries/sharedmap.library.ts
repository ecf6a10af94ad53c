import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as sharedmap from "sharedmap";
import { check } from "../index.ts";

/**
 * sharedmap: a hash map of strings, with a lock for each bucket.
 *
 * Promise: "fully thread-safe, multiple get/set can execute in parallel", "fine-grain-locked with deadlock recovery".
 * Visited completely: one key, which two threads set; which one sets and another deletes; and of which one writes two
 * characters while another reads them.
 * Found: a `get` and a `set` deadlock. A thread that follows a chain locks upwards, but one that appends to the last bucket
 * locks the first one next, without the recovery that other ways down have.
 */
type SharedMap = sharedmap.SharedMap;
// Its types name the class, which is all that it exports.
const { default: SharedMap } = sharedmap as unknown as { readonly default: typeof sharedmap.SharedMap };

const shareable = (map: SharedMap): object => {
  const { storage: _, ...views } = map as SharedMap & { readonly storage: SharedArrayBuffer };
  return views;
};
const attach = (shared: object): SharedMap => Object.setPrototypeOf({ ...shared }, SharedMap.prototype);
const set = (key: string, value: string) => (own: SharedMap) => own.set(key, value);
const get = (key: string) => (own: SharedMap) => own.get(key);

describe("sharedmap", () => {
  it("keeps one key whole while threads set, get and delete it", () => {
    const map = new SharedMap(4, 4, 4);
    map.set("key", "--");
    const programs = [
      { threads: [set("key", "1"), set("key", "2")], ends: ["1", "2"] },
      { threads: [set("key", "1"), (own: SharedMap) => own.delete("key")], ends: ["1", undefined] },
      { threads: [set("key", "12"), get("key")], ends: ["12"], seen: ["--", "12"] },
    ];
    for (const { threads, ends, seen = [undefined] } of programs)
      check({
        shared: shareable(map),
        attach,
        threads,
        end(shared, { results }) {
          const value = attach(shared).get("key");
          assert.ok((ends as unknown[]).includes(value), `the value is ${value}`);
          assert.ok((seen as unknown[]).includes(results[1]![0]), `${results[1]![0]} was got`);
          assert.equal(attach(shared).length, value === undefined ? 0 : 1);
        },
      });
  });

  it("deadlocks", () => {
    const map = new SharedMap(4, 4, 4);
    // Of hash 0, 1, 2 and 0: the last one is chained to bucket 3, which is the first one of "h".
    for (const key of ["d", "a", "g", "e"]) map.set(key, key);
    for (const key of ["a", "g"]) map.delete(key);
    const program = { shared: shareable(map), attach, threads: [get("e"), set("h", "h")] };
    const message = /thread 0 waits for linelocks, thread 1 waits for linelocks/;
    assert.throws(() => check(program, { shrink: false }), { promise: "deadlock", message });
  });
});
