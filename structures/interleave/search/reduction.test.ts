import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explore, type Part } from "../index.ts";
import { drawnProgram, functionOf, type Thread, WORDS } from "./small-programs.ts";

/** More are visited by hand: HOTPATH_PROGRAMS=20000 node --test reduction.test.ts */
const PROGRAMS = Number(process.env.HOTPATH_PROGRAMS ?? 1_000);
const SPREAD = 6;
/** 64-bit elements fit in. */
const ALL_WORDS = 2 * (WORDS + SPREAD);
const memoryOf = (words: number) => new Int32Array(new SharedArrayBuffer(4 * words));

/** What a program comes to. A watcher that looks at all states has every order visited. */
function cameTo(words: number, threads: readonly (readonly Part<Int32Array>[])[], isReduced: boolean) {
  const seen = new Set<string>();
  const watcher = {
    end: ({
      memory,
      threads: ended,
    }: {
      memory: Int32Array;
      threads: readonly { notes: readonly number[] }[];
    }) => seen.add(`${memory} ${ended.map(({ notes }) => notes.join())}`),
    ...(isReduced ? {} : { state() {} }),
  };
  const { states, ends, deadlocks, doomed, cut } = explore({ memory: memoryOf(words), threads }, watcher);
  return { states, told: { seen: [...seen].sort(), ends, deadlocks, isDoomed: doomed > 0, cut } };
}

/** A program whose threads use other words each, some of them the same. */
const spread = (threads: readonly Thread[], seed: number): Thread[] =>
  threads.map((parts, thread) =>
    parts.map((statements) =>
      statements.map((instructions) =>
        instructions.map((instruction) =>
          "at" in instruction
            ? { ...instruction, at: instruction.at + ((seed >> (2 * thread)) % SPREAD) }
            : instruction,
        ),
      ),
    ),
  );

describe("an exploration that leaves orders out", () => {
  it("comes to the same ends and deadlocks as one that does not", () => {
    let [reduced, full] = [0, 0];
    for (let seed = 0; seed < PROGRAMS; seed++) {
      const threads = spread(drawnProgram(seed, { hasParts: seed % 2 === 1 }), seed).map((parts) =>
        parts.map(functionOf),
      );
      const some = cameTo(ALL_WORDS, threads, true);
      const all = cameTo(ALL_WORDS, threads, false);
      assert.deepEqual(some.told, all.told, `seed ${seed}`);
      reduced += some.states;
      full += all.states;
    }
    assert.ok(reduced < 0.9 * full, `${reduced} of ${full} states`);
  });

  it("takes all steps where a thread would be put off for ever", () => {
    const polls: Part<Int32Array> = (words) => {
      while (Atomics.load(words, 0) === 0);
    };
    const throws: Part<Int32Array> = (words) => {
      if (Atomics.add(words, 1, 1) === 1) throw new Error("second");
    };
    const threads = [[polls], [throws], [throws]];
    assert.throws(() => explore({ memory: memoryOf(2), threads }), { message: "second" });
  });
});
