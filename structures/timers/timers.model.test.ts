import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { mutatedIn, type Planted } from "../shared/mutated.ts";
import { contract, type TimersCompetitor } from "./timers.contract.ts";
import { casts, exploreTimers, unexplored } from "./timers.model.ts";

/** Changes of real files, each with the set that they break, and the cast and the law that find it. */
const changes: Readonly<Record<string, Planted & { readonly cast: string }>> = {
  "inbox: pushes by load and store": {
    name: "inbox-wheels",
    cast: "two change different timers",
    file: "timers/competitors/inbox-wheels.ts",
    from: "const found = Atomics.compareExchange(memory, top, first, record);",
    to: "const found = first; Atomics.store(memory, top, record);",
    breaks: "allIsWell",
  },
  "inbox: reports in two steps": {
    name: "inbox-wheels",
    cast: "two cancel while it is due",
    file: "timers/competitors/inbox-wheels.ts",
    from: "if (handle > 0 && Atomics.compareExchange(wheel, record + HANDLE, handle, GONE) === handle) {",
    to: "if (handle > 0) { Atomics.store(wheel, record + HANDLE, GONE);",
    breaks: "endsOnce",
  },
  "inbox: ignores generations": {
    name: "inbox-wheels",
    cast: "the place is given to a new timer meanwhile",
    file: "timers/competitors/inbox-wheels.ts",
    from: "return state === handle || state === -handle;",
    to: "return state !== GONE;",
    breaks: "allIsWell",
  },
  "slots: does not look at the clock again": {
    name: "slot-locked-wheel",
    cast: "one moves it to the tick that comes",
    file: "timers/competitors/slot-locked-wheel.ts",
    from: "if (((tick - Atomics.load(memory, CLOCK)) | 0) > 0) {\n      const rest",
    to: "if (tick > 0) {\n      const rest",
    breaks: "allIsWell",
  },
  "slots: takes slots in any order": {
    name: "slot-locked-wheel",
    cast: "one moves it on, the other on and back",
    file: "timers/competitors/slot-locked-wheel.ts",
    from: "const low = hold(memory, Math.min(from, to));\n  const high = hold(memory, Math.max(from, to));",
    to: "const one = hold(memory, from);\n  const two = hold(memory, to);\n  const [low, high] = from < to ? [one, two] : [two, one];",
    breaks: "everyWorkerFinishes",
  },
};

const competitors = await Promise.all(
  competitorsOf("timers").map(async ({ name, url }) => {
    return { name, competitor: (await loadCompetitor(url, contract)) as TimersCompetitor };
  }),
);
/** Behind one lock for all of it only one thread moves at a time, and the locks' own models ask whether that is so. */
const explored = competitors.filter(
  ({ name, competitor }) => unexplored(competitor) === undefined && !name.startsWith("locked-"),
);

suite("timers: in every interleaving of a few workers that mean the same timers", () => {
  for (const { name, competitor } of explored) {
    test(name, () => {
      for (const [what, cast] of Object.entries(casts))
        assert.deepEqual(exploreTimers(competitor, cast), [], what);
    });
  }

  for (const [what, { name, cast, breaks, file, from, to }] of Object.entries(changes)) {
    test(`${what}: breaks ${breaks}`, async () => {
      const { url } = competitorsOf("timers").find((entry) => entry.name === name)!;
      const mutant = await mutatedIn<TimersCompetitor>(file, url, [from, to]);
      const broken = exploreTimers(mutant, casts[cast]!, breaks);
      assert.ok(
        broken.some((sentence) => sentence.startsWith(`${breaks}:`)),
        `got ${broken.join("; ") || "nothing"}`,
      );
    });
  }
});
