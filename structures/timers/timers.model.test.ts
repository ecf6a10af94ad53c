import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { loadCompetitors } from "../catalog.ts";
import { findsFaults } from "../shared/law-tests.ts";
import { type Mutant, planted, plantedIn } from "../shared/mutants.ts";
import type { TimersCompetitor } from "./timers.contract.ts";
import { casts, exploreTimers, type TimersLaw, timersLaws, unexplored } from "./timers.model.ts";

/** Each with the cast that finds it. */
const faults: Readonly<Record<string, Mutant<TimersCompetitor, TimersLaw> & { readonly cast: string }>> = {
  "pushes by load and store": {
    cast: "two change different timers",
    ...planted("inbox-wheels", "nothingIsLost", [
      "const found = Atomics.compareExchange(memory, top, first, record);",
      "const found = first; Atomics.store(memory, top, record);",
    ]),
  },
  "reports in two steps": {
    cast: "two cancel while it is due",
    ...planted("inbox-wheels", "endsOnce", [
      "if (handle > 0 && Atomics.compareExchange(wheel, record + HANDLE, handle, GONE) === handle) {",
      "if (handle > 0) { Atomics.store(wheel, record + HANDLE, GONE);",
    ]),
  },
  "ignores generations": {
    cast: "the place is given to a new timer meanwhile",
    ...planted("inbox-wheels", "nothingIsLost", [
      "return state === handle || state === -handle;",
      "return state !== GONE;",
    ]),
  },
  "does not look at the clock again": {
    cast: "one moves it to the tick that comes",
    ...planted("slot-locked-wheel", "nothingIsLost", [
      "if (((tick - Atomics.load(memory, CLOCK)) | 0) > 0) {\n      const rest",
      "if (tick > 0) {\n      const rest",
    ]),
  },
  "looks at the clock before it sets the bit of its slot": {
    cast: "another adds one for the tick that comes",
    ...planted("slot-locked-wheel", "nothingIsLost", [
      "      if (head === NONE) setBit(memory, slot);\n      const clock = Atomics.load(memory, CLOCK);",
      "      const clock = Atomics.load(memory, CLOCK);\n      if (head === NONE) setBit(memory, slot);",
    ]),
  },
  "clears the bit of a slot that it has let go": {
    cast: "one moves it on, the other on and back",
    ...planted("slot-locked-wheel", "nothingIsLost", [
      "  if (head === NONE) clearBit(memory, slot);\n  letGo(memory, slot, head);\n}",
      "  letGo(memory, slot, head);\n  if (head === NONE) clearBit(memory, slot);\n}",
    ]),
  },
  "looks for the next of its inbox after it has opened a timer": {
    cast: "two move two timers",
    ...planted("inbox-wheels", "nothingIsLost", [
      "      record = below;",
      "      record = Atomics.load(wheel, this.#mailOf(record) + BELOW);",
    ]),
  },
  "takes slots in any order": {
    cast: "one moves it on, the other on and back",
    ...planted("slot-locked-wheel", "everyWorkerFinishes", [
      "const low = hold(memory, Math.min(from, to));\n  const high = hold(memory, Math.max(from, to));",
      "const one = hold(memory, from);\n  const two = hold(memory, to);\n  const [low, high] = from < to ? [one, two] : [two, one];",
    ]),
  },
  "frees what the owner cancels also where it is in the inbox": {
    cast: "the owner cancels it too",
    ...planted("inbox-wheels", "placesComeBackOnce", [
      "if (state === handle) {\n      if (isOwn) this.#free(record);\n      else this.#leave(owner, record);\n    }",
      "if (isOwn) this.#free(record);\n    else if (state === handle) this.#leave(owner, record);",
    ]),
  },
  "unlinks what is moved although it is in no slot": {
    cast: "one is moved while it is due, and the place behind it given again",
    ...planted("inbox-wheels", "placesComeBackOnce", [
      "if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);\n        wheel[record + DEADLINE]",
      "unlink(wheel, record);\n        wheel[record + DEADLINE]",
    ]),
  },
  "unlinks what is cancelled although it is in no slot": {
    cast: "one is cancelled while it is due, and the place behind it given again",
    ...planted("inbox-wheels", "placesComeBackOnce", [
      "if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);\n    wheel[record + NEXT]",
      "unlink(wheel, record);\n    wheel[record + NEXT]",
    ]),
  },
  "does not say where it is moved to": {
    cast: "two change different timers",
    ...planted("inbox-wheels", "newestDeadlineCounts", ["wheel[this.#mailOf(record) + WANTED] = tick;", ""]),
  },
  "registers the newest of its list alone": {
    cast: "two change different timers",
    ...plantedIn("timers/parts/slot-lists.ts", "lazy-insert-wheels", "nothingIsLost", [
      "older !== NONE; older = memory[record + NEXT]!) record = older;",
      "older === -1;) record = older;",
    ]),
  },
  "keeps in its list what was cancelled": {
    cast: "two change different timers",
    ...plantedIn("timers/competitors/inbox-wheels.ts", "lazy-insert-wheels", "placesComeBackOnce", [
      "if (wheel[record + PREVIOUS] !== NOWHERE) unlink(wheel, record);\n    wheel[record + NEXT]",
      "wheel[record + NEXT]",
    ]),
  },
  "reports nothing": {
    cast: "two cancel while it is due",
    ...planted("inbox-wheels", "everythingHappens", [
      "if (handle > 0 && Atomics.compareExchange(wheel, record + HANDLE, handle, GONE) === handle) {",
      "if (handle < 0) {",
    ]),
  },
};

const competitors = await loadCompetitors<TimersCompetitor>("timers");
const explored = competitors.filter(({ competitor }) => unexplored(competitor) === undefined);

suite("timers: in every interleaving of a few workers that mean the same timers", () => {
  for (const { name, competitor } of explored) {
    test(name, () => {
      for (const [what, cast] of Object.entries(casts))
        assert.deepEqual(exploreTimers(competitor, cast), [], what);
    });
  }

  findsFaults("timers", timersLaws, faults, (mutant, { cast, breaks }) =>
    exploreTimers(mutant, casts[cast]!, breaks),
  );
});
