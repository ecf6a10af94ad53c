import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { competitorsOf, loadCompetitor } from "../catalog.ts";
import { findsFaults, type Planted } from "../shared/planted.ts";
import { contract, type TimersCompetitor } from "./timers.contract.ts";
import { casts, exploreTimers, type TimersLaw, timersLaws, unexplored } from "./timers.model.ts";

/** Each with the cast that finds it. */
const faults: Readonly<Record<string, Planted<TimersLaw> & { readonly cast: string }>> = {
  "pushes by load and store": {
    name: "inbox-wheels",
    cast: "two change different timers",
    file: "timers/competitors/inbox-wheels.ts",
    from: "const found = Atomics.compareExchange(memory, top, first, record);",
    to: "const found = first; Atomics.store(memory, top, record);",
    breaks: "nothingIsLost",
  },
  "reports in two steps": {
    name: "inbox-wheels",
    cast: "two cancel while it is due",
    file: "timers/competitors/inbox-wheels.ts",
    from: "if (handle > 0 && Atomics.compareExchange(wheel, record + HANDLE, handle, GONE) === handle) {",
    to: "if (handle > 0) { Atomics.store(wheel, record + HANDLE, GONE);",
    breaks: "endsOnce",
  },
  "ignores generations": {
    name: "inbox-wheels",
    cast: "the place is given to a new timer meanwhile",
    file: "timers/competitors/inbox-wheels.ts",
    from: "return state === handle || state === -handle;",
    to: "return state !== GONE;",
    breaks: "nothingIsLost",
  },
  "does not look at the clock again": {
    name: "slot-locked-wheel",
    cast: "one moves it to the tick that comes",
    file: "timers/competitors/slot-locked-wheel.ts",
    from: "if (((tick - Atomics.load(memory, CLOCK)) | 0) > 0) {\n      const rest",
    to: "if (tick > 0) {\n      const rest",
    breaks: "nothingIsLost",
  },
  "takes slots in any order": {
    name: "slot-locked-wheel",
    cast: "one moves it on, the other on and back",
    file: "timers/competitors/slot-locked-wheel.ts",
    from: "const low = hold(memory, Math.min(from, to));\n  const high = hold(memory, Math.max(from, to));",
    to: "const one = hold(memory, from);\n  const two = hold(memory, to);\n  const [low, high] = from < to ? [one, two] : [two, one];",
    breaks: "everyWorkerFinishes",
  },
  "frees what the owner cancels also where it is in the inbox": {
    name: "inbox-wheels",
    cast: "the owner cancels it too",
    file: "timers/competitors/inbox-wheels.ts",
    from: "if (state === handle) {\n      if (isOwn) this.#free(record);\n      else this.#leave(owner, record);\n    }",
    to: "if (isOwn) this.#free(record);\n    else if (state === handle) this.#leave(owner, record);",
    breaks: "placesComeBackOnce",
  },
  "unlinks what is moved although it is in no slot": {
    name: "inbox-wheels",
    cast: "one is moved while it is due, and the place behind it given again",
    file: "timers/competitors/inbox-wheels.ts",
    from: "if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);\n        wheel[record + DEADLINE]",
    to: "unlink(wheel, record);\n        wheel[record + DEADLINE]",
    breaks: "placesComeBackOnce",
  },
  "unlinks what is cancelled although it is in no slot": {
    name: "inbox-wheels",
    cast: "one is cancelled while it is due, and the place behind it given again",
    file: "timers/competitors/inbox-wheels.ts",
    from: "if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);\n    wheel[record + NEXT]",
    to: "unlink(wheel, record);\n    wheel[record + NEXT]",
    breaks: "placesComeBackOnce",
  },
  "does not say where it is moved to": {
    name: "inbox-wheels",
    cast: "two change different timers",
    file: "timers/competitors/inbox-wheels.ts",
    from: "wheel[this.#mailOf(record) + WANTED] = tick;",
    to: "",
    breaks: "newestDeadlineCounts",
  },
  "registers the newest of its list alone": {
    name: "lazy-insert-wheels",
    cast: "two change different timers",
    file: "timers/parts/slot-lists.ts",
    from: "older !== NONE; older = memory[record + NEXT]!) record = older;",
    to: "older === -1;) record = older;",
    breaks: "nothingIsLost",
  },
  "keeps in its list what was cancelled": {
    name: "lazy-insert-wheels",
    cast: "two change different timers",
    file: "timers/competitors/inbox-wheels.ts",
    from: "if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);\n    wheel[record + NEXT]",
    to: "wheel[record + NEXT]",
    breaks: "placesComeBackOnce",
  },
  "reports nothing": {
    name: "inbox-wheels",
    cast: "two cancel while it is due",
    file: "timers/competitors/inbox-wheels.ts",
    from: "if (handle > 0 && Atomics.compareExchange(wheel, record + HANDLE, handle, GONE) === handle) {",
    to: "if (handle < 0) {",
    breaks: "everythingHappens",
  },
};

const competitors = await Promise.all(
  competitorsOf("timers").map(async ({ name, url }) => {
    return { name, competitor: (await loadCompetitor(url, contract)) as TimersCompetitor };
  }),
);
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

suite("timers: in every interleaving of a few workers that mean the same timers", () => {
  for (const { name, competitor } of explored) {
    test(name, () => {
      for (const [what, cast] of Object.entries(casts))
        assert.deepEqual(exploreTimers(competitor, cast), [], what);
    });
  }

  findsFaults("timers", timersLaws, faults, (mutant: TimersCompetitor, { cast, breaks }) =>
    exploreTimers(mutant, casts[cast]!, breaks),
  );
});
