import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Bounds, Failure, Glimpse, Part as PartOf, Program, TracedStep } from "../index.ts";
import { replay, search } from "../index.ts";

type Part = PartOf<Int32Array>;
const memory = new Int32Array(new SharedArrayBuffer(8));
const programOf = (...parts: readonly Part[]): Program<Int32Array> => ({
  memory,
  threads: parts.map((part) => [part]),
});

/** A counter's lost update. */
const increments: Part = (words) => {
  Atomics.store(words, 0, Atomics.load(words, 0) + 1);
};
const counts = {
  end({ memory: words }: { readonly memory: Int32Array }) {
    if (words[0] !== 2) throw new Error(`counted ${words[0]}`);
  },
};

const shown = (steps: readonly TracedStep[]) =>
  steps.map(({ thread, event, access }) =>
    access === undefined
      ? `${thread} ${event}`
      : `${thread} ${event}: ${access.kind} ${access.word} ${access.before}->${access.after}`,
  );

function failureOf(program: Program<Int32Array>, watcher = {}, bounds: Bounds = {}): Failure {
  const { failure } = search(program, watcher, bounds);
  assert.ok(failure, "a failure was expected");
  return failure;
}

describe("a search that fails", () => {
  it("shows the shortest schedule, access by access", () => {
    const failure = failureOf(programOf(increments, increments), counts, { shortestFirst: true });
    assert.equal(failure.kind, "thrown");
    assert.equal((failure.error as Error).message, "counted 1");
    assert.deepEqual(shown(failure.steps), [
      "0 runs: load 0 0->0",
      "1 runs: load 0 0->0",
      "0 runs: store 0 0->1",
      "1 runs: store 0 1->1",
    ]);
    assert.equal(failure.schedule, "0 1 0 1");
  });

  it("shows a schedule whose accesses were explored in joined steps", () => {
    const apart: Part = (words) => {
      words[1]!++;
      words[1]!++;
      increments(words, null as never);
    };
    const { steps, schedule } = failureOf(programOf(apart, increments), counts, { shortestFirst: true });
    assert.equal(steps.filter(({ thread, access }) => thread === 0 && access?.word === 1).length, 4);
    assert.equal(replay(programOf(apart, increments), schedule, counts).failure?.schedule, schedule);
  });

  it("shows no access of another thread in a step that makes none", () => {
    const says: Part = (_, { note }) => note(1);
    const failed = (glimpse: Glimpse<Int32Array>) => assert.equal(glimpse.threads[1]!.notes.length, 0);
    const { steps } = failureOf(programOf(increments, says), { state: failed }, { shortestFirst: true });
    assert.deepEqual(shown(steps), ["1 runs"]);
  });

  it("tells notes before the accesses that follow them", () => {
    const notes: Part = (words, { note }) => {
      note(1);
      Atomics.add(words, 0, 1);
      note(2);
      note(3);
      Atomics.add(words, 0, 1);
    };
    const end = () => assert.fail("an end");
    const { steps } = failureOf(programOf(notes, increments), { end }, { shortestFirst: true });
    const own = steps.filter(({ thread }) => thread === 0);
    assert.deepEqual(
      own.map((step) => [step.access?.kind, step.notes]),
      [
        [undefined, [1]],
        ["add", [1, 2]],
        [undefined, [1, 2, 3]],
        ["add", [1, 2, 3]],
      ],
    );
  });

  it("goes on where a watcher takes what a thread threw", () => {
    const takes: Part = (words) => {
      if (Atomics.add(words, 0, 1) === 1) throw new Error("second");
      Atomics.add(words, 1, 1);
    };
    const thrown = new Set<string>();
    let ends = 0;
    const watcher = {
      thrown: (error: unknown, thread: number) => void thrown.add(`${thread} ${error}`),
      end: () => void ends++,
    };
    const { exploration } = search(programOf(takes, takes), watcher);
    assert.deepEqual([...thrown].sort(), ["0 Error: second", "1 Error: second"]);
    assert.deepEqual([ends, exploration.ends], [0, 0]);
    const refuse = () => {
      throw new Error("refused");
    };
    assert.equal(String(failureOf(programOf(takes, takes), { thrown: refuse }).error), "Error: refused");
  });

  it("counts polls that were given up as one row", () => {
    const polls: Part = (words) => {
      let polled = 0;
      while (Atomics.load(words, 0) === 0) if (++polled === 100) throw new Error("never");
    };
    const { steps } = failureOf(programOf(polls, increments), {}, { shortestFirst: true });
    assert.deepEqual(
      steps.map(({ access }) => access?.times),
      [1, 99],
    );
  });
});

describe("a schedule that is repeated", () => {
  it("has to fit the program", () => {
    assert.throws(() => replay(programOf(increments), "0 1"), { message: /at its step 2, thread 1 cannot/ });
    assert.throws(() => replay(programOf(increments), "0 x"), { message: /"x" is no step of a schedule/ });
  });

  it("wakes the thread that fell asleep first", () => {
    const sleeps: Part = (words, { note }) => {
      Atomics.wait(words, 0, 0);
      note(Atomics.load(words, 1));
    };
    const wakes: Part = (words) => {
      Atomics.notify(words, 0, 1);
    };
    const program = programOf(sleeps, sleeps, wakes);
    for (const [first, last] of [
      [0, 1],
      [1, 0],
    ]) {
      assert.equal(replay(program, `${first} ${last} 2 ${first}`).failure?.kind, "deadlock");
      assert.throws(() => replay(program, `${first} ${last} 2 ${last}`), {
        message: /at its step 4, thread/,
      });
    }
  });

  it("that breaks nothing has no failure", () => {
    const { failure, exploration } = replay(programOf(increments, increments), "0*2 1*2", counts);
    assert.equal(failure, undefined);
    assert.equal(exploration.ends, 1);
  });
});

describe("a search within bounds", () => {
  const three = programOf(increments, increments, increments);

  it("at random finds what it can, the same for the same seed", () => {
    const random = (seed: number) =>
      failureOf(programOf(increments, increments), counts, { random: { schedules: 50, seed } });
    assert.deepEqual(random(1), random(1));
    assert.notEqual(random(1).schedule, "");
    const { exploration } = search(three, {}, { random: { schedules: 20, seed: 3 } });
    const all = search(three).exploration;
    assert.ok(exploration.states > 6 && exploration.states < all.states);
    assert.deepEqual([exploration.cut, exploration.depth], ["random", 6]);
  });

  it("at random shows a schedule that replays, from the first one on", () => {
    const locked: Part = (words) => {
      while (Atomics.exchange(words, 1, 1) === 1);
      words[0]!++;
      Atomics.store(words, 1, 0);
    };
    const end = () => assert.fail("an end");
    for (let seed = 1; seed <= 20; seed++) {
      const program = programOf(locked, locked);
      const { schedule } = failureOf(program, { end }, { random: { schedules: 1, seed } });
      assert.ok(replay(program, schedule, { end }).failure, `${schedule} of seed ${seed}`);
    }
  });

  it("at random draws other schedules from another seed", () => {
    const visited = [1, 2, 3, 4].map((seed) => {
      const { exploration } = search(
        programOf(increments, increments),
        {},
        { random: { schedules: 2, seed } },
      );
      return exploration.states;
    });
    assert.ok(new Set(visited).size > 1, String(visited));
  });

  it("at random by priorities misses a fault of a depth no more often than it says", () => {
    const missing = { often: 0, atMost: 0 };
    for (let seed = 1; seed <= 400; seed++) {
      const found = search(programOf(increments, increments), counts, {
        random: { schedules: 6, seed, depth: 2 },
      });
      if (found.failure === undefined) missing.often++;
      missing.atMost += search(three, {}, { random: { schedules: 6, seed, depth: 2 } }).exploration.missed!;
    }
    assert.ok(missing.often > 0 && missing.often < missing.atMost, JSON.stringify(missing));
    const { missed } = search(three, {}, { random: { schedules: 100, seed: 1, depth: 2 } }).exploration;
    assert.equal(missed, (1 - 1 / (3 * 6)) ** 99);
  });

  it("counts no preemption where a thread sleeps", () => {
    const sleeps: Part = (words) => {
      Atomics.wait(words, 0, 0);
    };
    const wakes: Part = (words) => {
      Atomics.store(words, 0, 1);
      Atomics.notify(words, 0);
    };
    assert.equal(search(programOf(sleeps, wakes), {}, { preemptions: 0 }).failure, undefined);
  });

  it("shows a deadlock that it met before a bound ended it", () => {
    const sleeps: Part = (words) => {
      Atomics.wait(words, 1, 0);
    };
    const counter: Part = (words) => {
      for (let round = 0; round < 20; round++) Atomics.add(words, 0, 1);
    };
    const program = programOf(sleeps, counter, counter);
    const { exploration, failure } = search(program, {}, { maxStates: 200 });
    assert.deepEqual([exploration.cut, failure?.kind], ["states", "deadlock"]);
    assert.equal(failure!.steps.length, 41);
  });

  it("says which bound ended it", () => {
    const cutOf = (bounds: Bounds) => search(three, {}, bounds).exploration.cut;
    assert.equal(cutOf({}), undefined);
    assert.equal(cutOf({ maxStates: 10 }), "states");
    assert.equal(cutOf({ preemptions: 1 }), "preemptions");
    const counter: Part = (words) => {
      for (let round = 0; round < 40; round++) Atomics.add(words, 0, 1);
    };
    assert.equal(
      search(programOf(counter, counter, counter), {}, { timeLimitMs: 0 }).exploration.cut,
      "time",
    );
  });
});
