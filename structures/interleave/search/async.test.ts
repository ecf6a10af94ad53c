import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { golden } from "../golden.trials.ts";
import {
  check,
  checkAsync,
  explore,
  exploreAsync,
  type Failure,
  type Part as PartOf,
  type Program,
  replayAsync,
  type Self,
  searchAsync,
} from "../index.ts";

const native = Atomics.waitAsync;

type Part = PartOf<Int32Array>;
const memory = new Int32Array(new SharedArrayBuffer(16));
const programOf = (...parts: readonly Part[]): Program<Int32Array> => ({
  memory,
  threads: parts.map((part) => [part]),
});
const exploreAll = (...parts: readonly Part[]) => exploreAsync(programOf(...parts));

const endOf = (words: Int32Array, index: number, expected: number, limitMs?: number) =>
  Atomics.waitAsync(words, index, expected, limitMs).value;

async function failureOf(program: Program<Int32Array>, watcher = {}): Promise<Failure> {
  const { failure } = await searchAsync(program, watcher, { shortestFirst: true });
  assert.ok(failure, "a failure was expected");
  return failure;
}

/** All that a thread's notes are in some end. */
async function endsOf(program: Program<Int32Array>, thread = 0): Promise<string[]> {
  const ends = new Set<string>();
  await exploreAsync(program, { end: ({ threads }) => ends.add(threads[thread]!.notes.join(" ")) });
  return [...ends].sort();
}

/** A mutex of Drepper's (2011, mutex 2): free, taken, or taken with waiters. */
const LOCK = 0;
const COUNT = 1;
const [FREE, TAKEN, AWAITED] = [0, 1, 2];

function take(words: Int32Array): boolean {
  return Atomics.compareExchange(words, LOCK, FREE, TAKEN) === FREE;
}

async function lockAsync(words: Int32Array): Promise<void> {
  if (take(words)) return;
  while (Atomics.exchange(words, LOCK, AWAITED) !== FREE) await endOf(words, LOCK, AWAITED);
}

function lock(words: Int32Array): void {
  if (take(words)) return;
  while (Atomics.exchange(words, LOCK, AWAITED) !== FREE) Atomics.wait(words, LOCK, AWAITED);
}

function unlock(words: Int32Array): void {
  if (Atomics.exchange(words, LOCK, FREE) === AWAITED) Atomics.notify(words, LOCK, 1);
}

const counts: Part = async (words) => {
  await lockAsync(words);
  words[COUNT]!++;
  unlock(words);
};
const countsAsleep: Part = (words) => {
  lock(words);
  words[COUNT]!++;
  unlock(words);
};
const counted = (threads: number) => ({
  end: ({ memory: words }: { readonly memory: Int32Array }) => assert.equal(words[COUNT], threads),
});

const [WOKEN, GONE] = [1, 2];
const notes = (ended: string) => (ended === "ok" ? WOKEN : GONE);

const sleepsAsync =
  (index: number, limitMs?: number): Part =>
  async (words, { note }) => {
    note(notes(await endOf(words, index, 0, limitMs)));
  };
const wakes =
  (index: number, count?: number): Part =>
  (words) => {
    Atomics.notify(words, index, count);
  };

describe("threads that wait for promises", () => {
  it("take a mutex in all orders, which are as many as those of threads that sleep", async () => {
    for (const threads of [2, 3]) {
      const found = await exploreAsync(programOf(...new Array<Part>(threads).fill(counts)), counted(threads));
      assert.equal(found.doomed, 0);
      assert.deepEqual(
        found,
        explore(programOf(...new Array<Part>(threads).fill(countsAsleep)), counted(threads)),
      );
    }
    const mixed = await exploreAsync(programOf(counts, countsAsleep), counted(2));
    assert.deepEqual(mixed, explore(programOf(countsAsleep, countsAsleep), counted(2)));
  });

  it("have several parts", async () => {
    const found = await exploreAsync({ memory, threads: [[counts, counts], [counts]] }, counted(3));
    const asleep = explore({ memory, threads: [[countsAsleep, countsAsleep], [countsAsleep]] }, counted(3));
    assert.deepEqual(found, asleep);
  });

  it("miss a wake-up, and the schedule shows how", async () => {
    const forgets: Part = async (words) => {
      await lockAsync(words);
      Atomics.exchange(words, LOCK, FREE);
    };
    const { kind, steps, schedule } = await failureOf(programOf(counts, forgets));
    assert.equal(kind, "deadlock");
    const last = steps.findLast(({ access }) => access?.kind === "waitAsync")!;
    assert.deepEqual([last.thread, last.access!.word], [0, LOCK]);
    let seen = 0;
    const watcher = {
      state() {
        seen++;
      },
    };
    const again = await replayAsync(programOf(counts, forgets), schedule, watcher);
    assert.equal(seen, steps.length + 1);
    assert.deepEqual(again.failure, { kind, steps, schedule });
  });

  it("are woken in the order of waiting, be it asleep or not", async () => {
    const [TURN, ORDER] = [2, 3];
    const sleeps: Part = (words, { note }) => {
      const turn = Atomics.add(words, TURN, 1);
      Atomics.wait(words, 0, 0);
      note(turn, Atomics.add(words, ORDER, 1));
    };
    const awaits: Part = async (words, { note }) => {
      const turn = Atomics.add(words, TURN, 1);
      await endOf(words, 0, 0);
      note(turn, Atomics.add(words, ORDER, 1));
    };
    const oneByOne: Part = (words) => {
      for (let woken = 0; woken < 2; ) {
        woken += Atomics.notify(words, 0, 1);
        while (Atomics.load(words, ORDER) < woken);
      }
    };
    const first = await failureOf(programOf(sleeps, awaits, oneByOne), {
      end({ threads }: { readonly threads: readonly { readonly notes: readonly number[] }[] }) {
        assert.ok(threads.slice(0, 2).every(({ notes: [turn, order] }) => turn === order));
      },
    });
    // The thread that took the first turn may have waited second: two accesses before the wait are two steps.
    assert.equal(first.kind, "thrown");
    const waits = first.steps.filter(({ access }) => access?.kind.startsWith("wait"));
    const wakings = first.steps.filter(({ access }) => access?.word === ORDER && access.kind === "add");
    assert.deepEqual(
      wakings.map(({ thread }) => thread),
      waits.map(({ thread }) => thread),
    );
  });

  it("learn of a limit, and at once of a value that differs or a limit of 0", async () => {
    assert.deepEqual(await endsOf(programOf(sleepsAsync(0, 10), wakes(0))), [`${WOKEN}`, `${GONE}`]);
    const { doomed } = await exploreAll(sleepsAsync(0), wakes(0));
    assert.ok(doomed > 0, "the thread may wait after it was to be woken");
    const atOnce: Part = (words, { note }) => {
      for (const [expected, limitMs] of [[1], [0, 0]] as const) {
        const { async: isAsync, value } = Atomics.waitAsync(words, 0, expected, limitMs);
        note(Number(isAsync), ["not-equal", "timed-out"].indexOf(value as string));
      }
    };
    assert.deepEqual(await endsOf(programOf(atOnce)), ["0 0 0 1"]);
  });

  it("poll with a limit, which ends where it began", async () => {
    const polls: Part = async (words) => {
      while (Atomics.load(words, 0) === 0) await endOf(words, 0, 0, 10);
    };
    const sets: Part = (words) => {
      Atomics.store(words, 0, 1);
    };
    const { states, doomed } = await exploreAll(polls, sets);
    assert.equal(doomed, 0);
    const asleep: Part = (words) => {
      while (Atomics.load(words, 0) === 0) Atomics.wait(words, 0, 0, 10);
    };
    assert.equal(states, explore(programOf(asleep, sets)).states);
  });

  it("wait for the first of two promises, or for both", async () => {
    const races =
      (limitMs?: number): Part =>
      async (words, { note }) => {
        const ends = [0, 1].map(async (index) => [index, notes(await endOf(words, index, 0, limitMs))]);
        note(...(await Promise.race(ends)));
      };
    const both: Part = async (words, { note }) => {
      const ended = await Promise.all([endOf(words, 0, 0), endOf(words, 1, 0, 10)]);
      note(...ended.map(notes));
    };
    const untilWoken =
      (index: number): Part =>
      (words) => {
        while (Atomics.notify(words, index) === 0);
      };
    assert.deepEqual(await endsOf(programOf(races(), untilWoken(0), untilWoken(1))), [
      `0 ${WOKEN}`,
      `1 ${WOKEN}`,
    ]);
    assert.deepEqual(await endsOf(programOf(races(10))), [`0 ${GONE}`, `1 ${GONE}`]);
    assert.deepEqual(await endsOf(programOf(both, untilWoken(0))), [`${WOKEN} ${GONE}`]);
  });

  it("resume in the order of notification, but for a limit that comes between", async () => {
    const order =
      (limitMs?: number): Part =>
      async (words, { note }) => {
        await Promise.all(
          [0, 1].map(async (index) =>
            note(index, notes(await endOf(words, index, 0, index === 1 ? limitMs : undefined))),
          ),
        );
      };
    const secondFirst: Part = (words) => {
      while (Atomics.notify(words, 1) === 0);
      Atomics.notify(words, 0);
    };
    assert.deepEqual(await endsOf(programOf(order(), secondFirst)), [`1 ${WOKEN} 0 ${WOKEN}`]);
    const firstThenIdle: Part = (words) => {
      while (Atomics.notify(words, 0) === 0);
    };
    assert.deepEqual(await endsOf(programOf(order(10), firstThenIdle)), [
      `0 ${WOKEN} 1 ${GONE}`,
      `1 ${GONE} 0 ${WOKEN}`,
    ]);
    // What was notified while the thread was busy.
    const busy =
      (limitMs?: number): Part =>
      async (words, { note }) => {
        const ends = [0, 1].map((index) => endOf(words, index, 0, index === 1 ? limitMs : undefined));
        while (Atomics.load(words, 3) === 0);
        await Promise.all(ends.map(async (end, index) => note(index, notes(await end))));
      };
    const says =
      (...indices: readonly number[]): Part =>
      (words) => {
        for (const index of indices) while (Atomics.notify(words, index) === 0);
        Atomics.store(words, 3, 1);
      };
    assert.deepEqual(await endsOf(programOf(busy(), says(1, 0))), [`1 ${WOKEN} 0 ${WOKEN}`]);
    assert.deepEqual(await endsOf(programOf(busy(10), says(0))), [
      `0 ${WOKEN} 1 ${GONE}`,
      `1 ${GONE} 0 ${WOKEN}`,
    ]);
    const { schedule } = await failureOf(programOf(races2), counted(1));
    assert.match(schedule, /0~1/);
    assert.equal((await replayAsync(programOf(races2), schedule, counted(1))).failure?.schedule, schedule);
  });

  it("may leave promises behind, of which those that are resolved go on", async () => {
    const leavesFor =
      (limitMs?: number): Part =>
      (words) => {
        void sleepsAsync(0, limitMs)(words, { note: () => Atomics.add(words, COUNT, 1) } as unknown as Self);
      };
    const leaves = leavesFor();
    for (const [limitMs, expected] of [
      [undefined, [0, 1]],
      [10, [1]],
    ] as const) {
      const sums = new Set<number>();
      const { doomed } = await exploreAsync(programOf(leavesFor(limitMs), wakes(0)), {
        end: ({ memory: words }) => void sums.add(words[COUNT]!),
      });
      assert.equal(doomed, 0);
      assert.deepEqual([...sums].sort(), expected);
    }
    const [DONE, STOPPED] = [1, 2];
    const done: Part = (words, self) => {
      leaves(words, self);
      self.note(DONE);
    };
    const obituary: Part = (_, { note }) => note(STOPPED);
    assert.deepEqual(await endsOf({ ...programOf(done), mortal: 0, obituary }), [`${DONE}`, `${STOPPED}`]);
    const then: Part = async (words, { note }) => note(Atomics.load(words, COUNT));
    const seen = new Set<string>();
    await exploreAsync(
      { memory, threads: [[leaves, then], [wakes(0)]] },
      { end: ({ threads, memory: words }) => seen.add(`${threads[0]!.notes} ${words[COUNT]}`) },
    );
    // Nothing is resolved between the two parts: the second loads at once.
    assert.deepEqual([...seen].sort(), ["0 0", "0 1"]);
  });

  it("die while they wait, and no longer take a wake-up", async () => {
    const [DONE, STOPPED] = [1, 2];
    const awaits: Part = async (words, { note }) => {
      await endOf(words, 0, 0);
      note(DONE);
    };
    const notifies: Part = async (words, { note }) => {
      await endOf(words, 1, 0);
      note(Atomics.notify(words, 0) === 0 ? STOPPED : DONE);
    };
    const obituary: Part = (words, { note }) => {
      note(STOPPED);
      Atomics.store(words, 1, 1);
      Atomics.notify(words, 1);
    };
    const program = { memory, threads: [[awaits], [notifies]], mortal: 0, obituary };
    assert.deepEqual(await endsOf(program, 0), [`${STOPPED}`]);
    assert.deepEqual(await endsOf(program, 1), [`${STOPPED}`]);
    assert.equal((await exploreAsync(program)).doomed, 0);
  });

  it("are asleep until a notification or a limit", async () => {
    const isAsleep = async (limitMs?: number) => {
      const seen = new Set<boolean>();
      const program = programOf(sleepsAsync(0, limitMs), wakes(0));
      await exploreAsync(program, { state: ({ threads }) => seen.add(threads[0]!.isAsleep) });
      return seen;
    };
    assert.deepEqual(await isAsleep(), new Set([false, true]));
    assert.deepEqual(await isAsleep(10), new Set([false]));
  });

  it("see what was written before a notification, where plain accesses are weak", async () => {
    const reads: Part = async (words, { note }) => {
      if ((await endOf(words, 0, 0, 10)) === "ok") note(words[COUNT]!);
    };
    const writes: Part = (words) => {
      words[COUNT] = 1;
      Atomics.notify(words, 0);
    };
    const ends = new Set<string>();
    const program = programOf(reads, writes);
    await exploreAsync(
      program,
      { end: ({ threads }) => ends.add(String(threads[0]!.notes)) },
      { weak: true },
    );
    assert.deepEqual(ends, new Set(["", "1"]));
  });

  it("that are broken are the failure, awaited or not", async () => {
    const failure = async (part: Part) => (await failureOf(programOf(part, wakes(0)))).error;
    const throwing = async (words: Int32Array) => {
      if ((await endOf(words, 0, 0)) === "ok") throw new Error("woken");
    };
    assert.match(String(await failure(throwing)), /woken/);
    assert.match(String(await failure((words) => void throwing(words))), /woken/);
    const timer: Part = (words) => {
      Atomics.load(words, 0);
      // One of 0 ms may be over before the thread is found to wait.
      return new Promise<void>((resolve) => setTimeout(resolve, 60_000).unref());
    };
    const refused = (part: Part, message: RegExp) =>
      assert.rejects(failure(part), { name: "ProgramError", message });
    await refused(timer, /thread 0 waits for something that is not explored/);
    // As late as in a later run.
    const immediates: Part = (words) => {
      setImmediate(() => setImmediate(() => Atomics.add(words, COUNT, 1)));
      Atomics.load(words, 0);
    };
    await refused(immediates, /went on after its run/);
    let runs = 0;
    const fickle: Part = async (words) => {
      Atomics.add(words, runs++ % 2, 1);
      await endOf(words, 2, 0);
    };
    await refused(fickle, /another access than before/);
    // Its accesses to a word of its own are no steps of the exploration.
    const apart: Part = async (words) => {
      words[3]!++;
      await endOf(words, 0, 0);
      words[3]!++;
      throw new Error("apart");
    };
    const { steps, schedule } = await failureOf(programOf(apart, wakes(0)));
    const ofItsOwn = steps.filter(({ access }) => access?.word === 3).map(({ access }) => access!.kind);
    assert.deepEqual(ofItsOwn, ["read", "write", "read", "write"]);
    assert.deepEqual((await replayAsync(programOf(apart, wakes(0)), schedule)).failure?.steps, steps);
  });

  it("need the functions for them, one exploration at a time", async () => {
    assert.throws(() => explore(programOf(counts)), /thread 0 returned a promise: use exploreAsync/);
    const first = exploreAll(counts, counts);
    await assert.rejects(exploreAll(counts), /await them one after the other/);
    assert.equal((await first).doomed, 0);
  });

  it("leave no rejection, no timer and no replaced function", async () => {
    const rejectionListeners = process.listeners("unhandledRejection");
    const exceptionListeners = process.listeners("uncaughtException");
    let timers = 0;
    const timed: Part = async (words) => {
      timers++;
      const kept = (async () => {
        try {
          await endOf(words, 0, 0);
          Atomics.add(words, COUNT, 1);
        } finally {
          timers--;
          for (let turn = 0; turn < 9; turn++) await undefined;
          Atomics.add(words, COUNT, 1);
        }
      })();
      void kept.then(() => Atomics.add(words, COUNT, 1));
    };
    await exploreAll(timed, wakes(0), timed);
    assert.equal(timers, 0);
    assert.equal(Atomics.waitAsync, native);
    assert.deepEqual(process.listeners("unhandledRejection"), rejectionListeners);
    assert.deepEqual(process.listeners("uncaughtException"), exceptionListeners);
  });
});

describe("checkAsync", () => {
  const shared = memory;
  const increments = async (words: Int32Array) => {
    await lockAsync(words);
    const count = words[COUNT]!++;
    unlock(words);
    return count;
  };

  it("tells of several promises of a thread", async (test) => {
    const races = (words: Int32Array) => {
      const ends = [0, 1].map(async (index) => (await endOf(words, index, 0, 10)) + index);
      return Promise.race(ends);
    };
    const broken = await checkAsync({
      shared,
      threads: [races, (words) => Atomics.notify(words, 0)],
      end: (_, { results }) => assert.notDeepEqual(results, [["ok0"], [1]]),
    }).then(
      () => assert.fail("a broken promise was expected"),
      (error: Error) => error,
    );
    golden(test, "testdata/two-promises.txt", { "of which one is notified": broken.message });
  });

  it("has operations after a death that return promises, too", async () => {
    const afterDeath = async (words: Int32Array) => {
      await endOf(words, LOCK, FREE, 10);
      Atomics.store(words, LOCK, FREE);
      Atomics.notify(words, LOCK);
    };
    const program = { shared, threads: [increments, increments], dies: 0 };
    await assert.rejects(checkAsync(program), /^InterleavingError: deadlock: thread 1 waits for words\[0\]/);
    assert.ok((await checkAsync({ ...program, afterDeath })).complete);
    assert.throws(
      () => check({ ...program, afterDeath }),
      /operation 0 of thread 0 is an async function: await checkAsync instead/,
    );
    const plain = { shared, threads: [(words: Int32Array) => increments(words)] };
    assert.throws(() => check(plain), /operation 0 of thread 0 returned a promise: await checkAsync instead/);
  });
});

/** Says which of two waits was the first to end, if it was the first. */
const races2: Part = async (words) => {
  const ends = [0, 1].map(async (index) => {
    await endOf(words, index + 2, 0, 10);
    return index;
  });
  if ((await Promise.race(ends)) === 0) Atomics.store(words, COUNT, 1);
};
