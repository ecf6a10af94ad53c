import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explore, type Part as PartOf } from "../index.ts";

type Part = PartOf<Int32Array>;
const memory = new Int32Array(new SharedArrayBuffer(8));

const takes =
  (times: number): Part =>
  (words, { note }) => {
    for (let taken = 0; taken < times; taken++) note(Atomics.add(words, 0, 1));
  };

const stores =
  (value: number): Part =>
  (words) => {
    Atomics.store(words, 0, value);
  };

const exploreAll = (...parts: readonly Part[]) => explore({ memory, threads: parts.map((part) => [part]) });

describe("the explorer", () => {
  it("meets every order of two threads, and every state once", () => {
    const orders = new Set<string>();
    const found = explore(
      { memory, threads: [[takes(2)], [takes(2)]] },
      { end: ({ threads }) => orders.add(String(threads.flatMap(({ notes }) => notes))) },
    );
    // Four tickets, two of them the first thread's: 4 over 2 ends; 1 + 2 + 4 + 6 + 6 states, by tickets taken.
    assert.deepEqual(found, { states: 19, ends: 6, doomed: 0, deadlocks: 0, depth: 4 });
    assert.equal(orders.size, 6);
  });

  it("joins accesses into one step if no other thread can distinguish them", () => {
    const apart: Part = (words) => {
      for (let round = 0; round < 5; round++) words[1]!++;
    };
    const { states } = explore({ memory, threads: [[apart], [takes(1)]] }, { state() {} });
    assert.equal(states, 4);
  });

  it("joins a thread's loads of a word that no other thread writes", () => {
    const counts: Part = (words) => {
      for (let round = 0; round < 2; round++) Atomics.store(words, 0, Atomics.load(words, 0) + 1);
    };
    const looks: Part = (words, { note }) => note(Atomics.load(words, 0));
    // The count is 0, 1 or 2 before the look: 3. After it the count is what was seen, or more: 3 + 2 + 1.
    assert.equal(exploreAll(counts, looks).states, 9);
  });

  it("takes such loads apart once another thread is found to write the word", () => {
    const counts: Part = (words, { note }) => {
      Atomics.store(words, 0, 1);
      note(Atomics.load(words, 0), Atomics.load(words, 0));
    };
    const writesLate: Part = (words) => {
      if (Atomics.load(words, 0) === 1) Atomics.store(words, 0, 2);
    };
    const seen = new Set<string>();
    explore(
      { memory, threads: [[counts], [writesLate]] },
      { end: ({ threads }) => seen.add(String(threads[0]!.notes)) },
    );
    assert.deepEqual([...seen].sort(), ["1,1", "1,2", "2,2"]);
  });

  it("shows what a thread notes when it is woken", () => {
    const sleeps: Part = (words, { note }) => {
      Atomics.wait(words, 0, 0);
      note(1);
      note(2);
    };
    const wakes: Part = (words) => {
      Atomics.notify(words, 0);
    };
    const seen = new Set<string>();
    explore(
      { memory, threads: [[sleeps], [wakes]] },
      { state: ({ threads }) => seen.add(String(threads[0]!.notes)) },
    );
    assert.ok(seen.has("1"));
  });

  it("follows plain polls to a change and to where they are given up", () => {
    const polls: Part = (words, { note }) => {
      let polled = 0;
      while (polled < 20_000 && words[0] === 0) polled++;
      note(polled === 20_000 ? 1 : 0);
    };
    const outcomes = new Set<number>();
    explore(
      { memory, threads: [[polls], [takes(1)]] },
      { end: ({ threads }) => outcomes.add(threads[0]!.notes[0]!) },
    );
    assert.deepEqual([...outcomes].sort(), [0, 1]);
    const forEver: Part = (words) => {
      while (words[0] === 0);
    };
    assert.throws(() => exploreAll(forEver, takes(1)), /plainly and without bound/);
  });

  it("follows a thread that does the same a few times, and then something else", () => {
    const looks: Part = (words, { note }) => {
      for (let round = 0; round < 5; round++) {
        Atomics.load(words, 0);
        Atomics.load(words, 1);
      }
      note(1);
    };
    const writes: Part = (words) => {
      Atomics.store(words, 0, 1);
      Atomics.store(words, 1, 1);
    };
    assert.equal(exploreAll(looks, writes).doomed, 0);
  });

  it("visits every turn of a bounded loop, and a success at every attempt", () => {
    const spins: Part = (words, { note }) => {
      let turns = 0;
      while (turns < 5 && Atomics.load(words, 0) === 0) turns++;
      note(turns);
    };
    const claims: Part = (words, { note }) => {
      let attempts = 0;
      while (attempts < 5 && Atomics.compareExchange(words, 0, 1, 2) !== 1) attempts++;
      note(attempts);
    };
    for (const part of [spins, claims]) {
      const turns = new Set<number>();
      const { cut } = explore(
        { memory, threads: [[part], [stores(1)]] },
        { end: ({ threads }) => turns.add(threads[0]!.notes[0]!) },
      );
      assert.deepEqual([...turns].sort(), [0, 1, 2, 3, 4, 5]);
      assert.equal(cut, undefined);
    }
  });

  it("says so where a thread remembers how often it went round a loop without bound", () => {
    const counted: Part = (words, { note }) => {
      let turns = 0;
      while (Atomics.load(words, 0) === 0) turns++;
      note(turns);
    };
    const odd: Part = (words, { note }) => {
      let turns = 0;
      while (Atomics.load(words, 0) === 0) turns++;
      note(turns % 2);
    };
    for (const part of [counted, odd]) {
      const { cut, unfollowed, doomed } = exploreAll(part, stores(1));
      const why = "thread 0 remembers how often it went round a loop";
      assert.deepEqual([cut, unfollowed, doomed], ["turns", [why], 0]);
    }
  });

  it("says so where the turns of a loop decide on the last access of a thread", () => {
    const acts =
      (isLast: (turns: number) => boolean): Part =>
      (words) => {
        let turns = 0;
        while (Atomics.load(words, 0) === 0 && Atomics.load(words, 1) === 0) turns++;
        if (isLast(turns)) Atomics.add(words, 1, 1);
      };
    const cutOf = (part: Part) => exploreAll(part, stores(1)).cut;
    assert.deepEqual(
      [cutOf(acts((turns) => turns % 2 === 1)), cutOf(acts(() => true))],
      ["turns", undefined],
    );
  });

  it("follows a thread that waits without bound, then with one, and ends", () => {
    const waits: Part = (words) => {
      while (Atomics.load(words, 0) === 0);
      for (let looks = 0; looks < 100 && Atomics.load(words, 1) === 0; looks++);
    };
    const changes: Part = (words) => {
      Atomics.store(words, 0, 1);
      Atomics.store(words, 1, 1);
    };
    assert.equal(exploreAll(waits, changes).cut, undefined);
  });

  it("says so where a thread remembers how often it looked, of many times", () => {
    const looks =
      (last: (turns: number) => number): Part =>
      (words, { note }) => {
        let turns = 0;
        while (turns < 100 && Atomics.load(words, 0) === 0) turns++;
        note(last(turns));
      };
    assert.equal(
      exploreAll(
        looks((turns) => Number(turns === 100)),
        stores(1),
      ).cut,
      undefined,
    );
    for (const last of [(turns: number) => turns, (turns: number) => Number(turns > 40)]) {
      const { cut, unfollowed } = exploreAll(looks(last), stores(1));
      const why = "thread 0 remembers how often it looked at word 0, up to 99 times";
      assert.deepEqual([cut, unfollowed], ["turns", [why]]);
    }
  });

  it("follows two threads that back off for ever to their ends", () => {
    const takesBoth =
      (first: number, second: number): Part =>
      (words) => {
        for (;;) {
          if (Atomics.compareExchange(words, first, 0, 1) !== 0) continue;
          if (Atomics.compareExchange(words, second, 0, 1) === 0) break;
          Atomics.store(words, first, 0);
        }
        Atomics.store(words, second, 0);
        Atomics.store(words, first, 0);
      };
    const { states, cut, doomed } = exploreAll(takesBoth(0, 1), takesBoth(1, 0));
    assert.deepEqual([cut, doomed], [undefined, 0]);
    assert.ok(states < 1_000);
  });

  it("takes a loop of polls and short waits for a spin", () => {
    const polls: Part = (words) => {
      while (Atomics.load(words, 0) === 0) {
        for (let poll = 0; poll < 500 && words[0] === 0; poll++);
        Atomics.wait(words, 0, 0, 1);
      }
    };
    assert.deepEqual(exploreAll(polls, takes(1)), {
      states: 31,
      ends: 1,
      doomed: 0,
      deadlocks: 0,
      depth: 10,
    });
  });

  it("counts every look of a turn as an access of it", () => {
    let looks = 0;
    const waits: Part = (words) => {
      while (Atomics.load(words, 0) === 0) {
        Atomics.store(words, 1, 1);
        for (let poll = 0; poll < 1_000 && words[0] === 0; poll++) looks++;
      }
    };
    const { doomed, cut } = exploreAll(waits, stores(1));
    assert.deepEqual([doomed, cut], [0, undefined]);
    // Each trial of the loop makes 30,000 accesses. If it made as many turns, there would be millions of looks.
    assert.ok(looks < 1_000_000, `${looks} looks`);
  });

  it("follows a thread that spins before other threads are known to share its words", () => {
    const [TAKEN, PUT, ITEM] = [0, 1, 2];
    const puts: Part = (words) => {
      for (let item = 1; item <= 2; item++) {
        while (Atomics.load(words, PUT) - Atomics.load(words, TAKEN) === 1);
        words[ITEM] = item;
        Atomics.add(words, PUT, 1);
      }
    };
    const takesAll: Part = (words, { note }) => {
      for (let item = 1; item <= 2; item++) {
        while (Atomics.load(words, PUT) === Atomics.load(words, TAKEN));
        note(words[ITEM]!);
        Atomics.add(words, TAKEN, 1);
      }
    };
    const seen = new Set<string>();
    const queue = new Int32Array(new SharedArrayBuffer(12));
    const { doomed } = explore(
      { memory: queue, threads: [[puts], [takesAll]] },
      { end: ({ threads }) => seen.add(threads[1]!.notes.join()) },
    );
    assert.deepEqual([doomed, [...seen]], [0, ["1,2"]]);
  });

  it("does what is to be done once a thread has stopped, and wakes none that stopped asleep", () => {
    const [DONE, STOPPED, WOKEN] = [1, 2, 3];
    const sleeper: Part = (words, { note }) => {
      Atomics.wait(words, 0, 0);
      note(DONE);
    };
    const waker: Part = (words, { note }) => {
      Atomics.wait(words, 1, 0);
      note(Atomics.notify(words, 0) === 0 ? STOPPED : WOKEN);
    };
    const obituary: Part = (words, { note }) => {
      note(STOPPED);
      Atomics.store(words, 1, 1);
      Atomics.notify(words, 1);
    };
    const ends = new Set<string>();
    const { doomed } = explore(
      { memory, threads: [[sleeper], [waker]], mortal: 0, obituary },
      {
        end({ threads }) {
          ends.add(threads.flatMap(({ notes }) => notes).join());
        },
      },
    );
    assert.deepEqual([...ends], [[STOPPED, STOPPED].join()]);
    assert.equal(doomed, 0);
  });

  it("with no preemption lets each thread run to its end", () => {
    const threads = [[takes(2)], [takes(2)]];
    assert.equal(explore({ memory, threads }, {}, { preemptions: 0 }).ends, 2);
  });

  it("leaves a thread that goes on for ever by itself, and says so", () => {
    const counts: Part = (words) => {
      for (;;) Atomics.add(words, 0, 1);
    };
    const looks: Part = (words) => {
      Atomics.load(words, 0);
    };
    const { cut, unfollowed, doomed } = exploreAll(counts, looks);
    assert.deepEqual([cut, unfollowed, doomed], ["turns", ["thread 0 goes on after 500 accesses"], 0]);
  });

  it("follows a thread that counts until it is stopped to every end that is not too far", () => {
    const counts: Part = (words) => {
      while (Atomics.load(words, 0) === 0) Atomics.add(words, 1, 1);
    };
    const counted = new Set<number>();
    const { cut, unfollowed, doomed, ends } = explore(
      { memory, threads: [[counts], [stores(1)]] },
      { end: (seen) => counted.add(seen.memory[1]!) },
    );
    assert.deepEqual([cut, unfollowed, doomed], ["turns", ["thread 0 goes on after 1,000 accesses"], 0]);
    assert.equal(counted.size, ends);
    assert.ok(counted.has(0) && counted.has(450));
  });

  it("refuses a thread that does not repeat itself", () => {
    let runs = 0;
    const fickle: Part = (words) => {
      Atomics.add(words, runs++ % 2, 1);
      Atomics.wait(words, 0, 0);
    };
    assert.throws(() => exploreAll(fickle, takes(2)), /another access than before/);
    const drawn: Part = (words) => {
      Atomics.add(words, 0, ++runs);
      Atomics.wait(words, 0, 0);
    };
    assert.throws(() => exploreAll(drawn, takes(2)), /another access than before/);
  });

  it("leaves memory and Atomics as they were", () => {
    const { add } = Atomics;
    exploreAll(takes(1));
    assert.equal(Atomics.add, add);
    assert.deepEqual([...memory], [0, 0]);
  });
});
