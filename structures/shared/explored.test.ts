import assert from "node:assert/strict";
import { it } from "node:test";
import { competitorsOf } from "../catalog.ts";
import { unexplored as lock } from "../locks/locks.model.ts";
import { unexplored as pick } from "../pick/pick.model.ts";
import { unexplored as slots } from "../slots/slots.model.ts";
import { unexplored as timers } from "../timers/timers.model.ts";

/** Competitors that share memory and are not explored, each with the reason. Those behind a lock are left to its own model. */
const unexplored: Readonly<Record<string, string>> = {
  "locks/v8-atomics-mutex": "it is an object of V8's, not made of words",
  "pick/wasm-cas-ring": "its accesses are made by WebAssembly",
  "pick/wasm-fetch-and-add-loop": "its accesses are made by WebAssembly",
  "pick/wasm-round-robin": "its accesses are made by WebAssembly",
};

it("names all that share memory and cannot be explored, and nobody else", async () => {
  const found: Record<string, string> = {};
  for (const [primitive, reasonOf] of Object.entries({ locks: lock, pick, slots, timers })) {
    for (const { name, url } of competitorsOf(primitive)) {
      const { default: competitor } = (await import(url)) as { default: never };
      const reason = reasonOf(competitor);
      if (reason !== undefined && !/shares nothing|one worker/.test(reason))
        found[`${primitive}/${name}`] = reason;
    }
  }
  assert.deepEqual(found, unexplored);
});
