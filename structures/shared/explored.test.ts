import assert from "node:assert/strict";
import { it } from "node:test";
import { competitorsOf } from "../catalog.ts";
import { unexplored as limits } from "../limits/limits.model.ts";
import * as locks from "../locks/locks.model.ts";
import * as ownership from "../ownership/ownership.model.ts";
import * as pick from "../pick/pick.model.ts";
import { unexplored as queues } from "../queues/queues.model.ts";
import * as slots from "../slots/slots.model.ts";
import * as timers from "../timers/timers.model.ts";

/** Competitors that share memory and are not explored, each with the reason. */
const unexplored: Readonly<Record<string, string>> = {
  "locks/wasm-futex-three-state": "its accesses are made by WebAssembly",
  "locks/wasm-ticket": "its accesses are made by WebAssembly",
  "locks/v8-atomics-mutex": "it is an object of V8's, not made of words",
  "ownership/wasm-seqlock-slots": "its accesses are made by WebAssembly",
  "pick/wasm-cas-ring": "its accesses are made by WebAssembly",
  "pick/wasm-fetch-and-add-loop": "its accesses are made by WebAssembly",
  "pick/wasm-round-robin": "its accesses are made by WebAssembly",
  "queues/node-broadcast-channel": "its messages go through objects of the runtime or a package",
  "queues/node-message-port": "its messages go through objects of the runtime or a package",
  "queues/node-message-port-transfer": "its messages go through objects of the runtime or a package",
  "queues/npm-ringbuf": "its messages go through objects of the runtime or a package",
  "queues/npm-sync-message-port": "its messages go through objects of the runtime or a package",
  "queues/wasm-sequence-ring": "its accesses are made by WebAssembly",
};

const reasons = {
  limits,
  locks: locks.unexplored,
  ownership: ownership.unexplored,
  pick: pick.unexplored,
  queues,
  slots: slots.unexplored,
  timers: timers.unexplored,
};

const load = async (url: string) => ((await import(url)) as { default: never }).default;

it("names all that share memory and cannot be explored, and no others", async () => {
  const found: Record<string, string> = {};
  for (const [primitive, reasonOf] of Object.entries(reasons)) {
    for (const { name, url } of competitorsOf(primitive)) {
      const reason = reasonOf(await load(url));
      if (reason !== undefined && !/shares nothing|one worker/.test(reason))
        found[`${primitive}/${name}`] = reason;
    }
  }
  assert.deepEqual(found, unexplored);
});

const explorations = {
  locks: locks.exploreLock,
  ownership: (competitor: never) => ownership.exploreLookups(competitor, ownership.scripts.append!),
  pick: pick.explorePicks,
};

it("cannot explore the threads that it names", async () => {
  for (const [primitive, explore] of Object.entries(explorations)) {
    for (const { name, url } of competitorsOf(primitive)) {
      const competitor = await load(url);
      if (`${primitive}/${name}` in unexplored) assert.throws(() => explore(competitor), Error, name);
    }
  }
});
