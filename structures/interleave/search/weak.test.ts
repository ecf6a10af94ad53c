import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  explore,
  type Failure,
  type Glimpse,
  type Part as PartOf,
  type Program,
  replay,
  search,
} from "../index.ts";

type Part = PartOf<Int32Array>;
const [DATA, FLAG] = [0, 1];

/** All that the threads of a program may note, one thread after the other. */
function outcomesOf(weak: boolean, ...parts: readonly Part[]): string[] {
  const outcomes = new Set<string>();
  const memory = new Int32Array(new SharedArrayBuffer(16));
  explore(
    { memory, threads: parts.map((part) => [part]) },
    { end: ({ threads }) => outcomes.add(threads.map(({ notes }) => notes).join(" ")) },
    { weak },
  );
  return [...outcomes].sort();
}

/** Litmus tests: small programs that tell memory models apart (Alglave, Maranget & Tautschnig 2014 has their names). */
describe("weak plain accesses", () => {
  it("of a store and a load of another word may change places (SB)", () => {
    const stores =
      (own: number, other: number): Part =>
      (words, { note }) => {
        words[own] = 1;
        note(words[other]!);
      };
    const both = [stores(0, 1), stores(1, 0)];
    assert.deepEqual(outcomesOf(false, ...both), ["0 1", "1 0", "1 1"]);
    assert.deepEqual(outcomesOf(true, ...both), ["0 0", "0 1", "1 0", "1 1"]);
  });

  it("do so before an atomic load, and not if the store is atomic", () => {
    const dekker =
      (store: (words: Int32Array, word: number) => void) =>
      (own: number, other: number): Part =>
      (words, { note }) => {
        store(words, own);
        note(Atomics.load(words, other));
      };
    const plain = dekker((words, word) => {
      words[word] = 1;
    });
    const atomic = dekker((words, word) => Atomics.store(words, word, 1));
    assert.ok(outcomesOf(true, plain(0, 1), plain(1, 0)).includes("0 0"));
    assert.deepEqual(outcomesOf(true, atomic(0, 1), atomic(1, 0)), ["0 1", "1 0", "1 1"]);
  });

  it("let a message arrive before what it announces, unless its flag is atomic (MP)", () => {
    const announces: Part = (words) => {
      words[DATA] = 7;
      words[FLAG] = 1;
    };
    const looks: Part = (words, { note }) => {
      const flag = words[FLAG]!;
      note(flag, words[DATA]!);
    };
    assert.deepEqual(outcomesOf(false, announces, looks), [" 0,0", " 0,7", " 1,7"]);
    assert.deepEqual(outcomesOf(true, announces, looks), [" 0,0", " 0,7", " 1,0", " 1,7"]);
    const releases: Part = (words) => {
      words[DATA] = 7;
      Atomics.store(words, FLAG, 1);
    };
    const acquires: Part = (words, { note }) => {
      const flag = Atomics.load(words, FLAG);
      note(flag, words[DATA]!);
    };
    assert.deepEqual(outcomesOf(true, releases, acquires), [" 0,0", " 0,7", " 1,7"]);
    // One atomic side is not enough.
    assert.ok(outcomesOf(true, releases, looks).includes(" 1,0"));
    assert.ok(outcomesOf(true, announces, acquires).includes(" 1,0"));
  });

  it("order a message by a wake-up", () => {
    const wakes: Part = (words) => {
      words[DATA] = 7;
      Atomics.notify(words, FLAG);
      Atomics.store(words, FLAG, 1);
      Atomics.notify(words, FLAG);
    };
    const sleeps: Part = (words, { note }) => {
      Atomics.wait(words, FLAG, 0);
      note(words[DATA]!);
    };
    assert.deepEqual(outcomesOf(true, wakes, sleeps), [" 7"]);
  });

  it("let a thread see its own stores", () => {
    const own: Part = (words, { note }) => {
      words[0] = 1;
      const first = words[0]!;
      words[0] = 2;
      note(first, words[0]!, Atomics.load(words, 0));
    };
    const looks: Part = (words, { note }) => note(words[0]!, words[0]!);
    const seen = outcomesOf(true, own, looks);
    assert.deepEqual([...new Set(seen.map((outcome) => outcome.split(" ")[0]))], ["1,2,2"]);
    assert.deepEqual(
      seen.map((outcome) => outcome.split(" ")[1]),
      // Older values may come after newer ones: only atomic accesses are coherent.
      ["0,0", "0,1", "0,2", "1,0", "1,1", "1,2", "2,0", "2,1", "2,2"],
    );
  });

  it("become visible in order where they are to one word", () => {
    const stores: Part = (words) => {
      words[0] = 1;
      words[0] = 2;
    };
    const watches: Part = (words, { note }) => note(Atomics.load(words, 0), Atomics.load(words, 0));
    assert.deepEqual(outcomesOf(true, stores, watches), [" 0,0", " 0,1", " 0,2", " 1,1", " 1,2", " 2,2"]);
  });

  it("of 64 bits are two of 32 bits", () => {
    const [low, high] = [1n, 1n << 32n];
    const left = (weak: boolean): string[] => {
      const seen = new Set<string>();
      explore(
        {
          memory: new BigInt64Array(new SharedArrayBuffer(8)),
          threads: [
            [
              (longs) => {
                longs[0] = low + high;
              },
            ],
            [
              (longs, { note }) => {
                const long = longs[0]!;
                note(Number(long >> 32n), Number(long & 0xffffn));
              },
            ],
          ],
        },
        { end: ({ threads }) => seen.add(threads[1]!.notes.join()) },
        { weak },
      );
      return [...seen].sort();
    };
    assert.deepEqual(left(false), ["0,0", "1,1"]);
    assert.deepEqual(left(true), ["0,0", "0,1", "1,0", "1,1"]);
  });

  it("of a byte leave the others of its word as they are", () => {
    const seen = new Set<string>();
    const puts = (at: number) => (bytes: Uint8Array) => {
      bytes[at] = 9;
    };
    explore(
      { memory: new Uint8Array(new SharedArrayBuffer(4)), threads: [[puts(0)], [puts(1)]] },
      { end: ({ memory }) => seen.add(memory.join()) },
      { weak: true },
    );
    assert.deepEqual([...seen], ["9,9,0,0"]);
  });

  it("let an atomic add miss no store of its own thread, and lose one of another", () => {
    const adds: Part = (words, { note }) => {
      words[0] = 10;
      note(Atomics.add(words, 0, 1));
    };
    const reads: Part = (words) => {
      Atomics.add(words, 0, 100);
    };
    assert.deepEqual(outcomesOf(true, adds, reads), ["10 ", "110 "]);
  });
});

/** A schedule leads to what it was shown for. */
function repeats<Shared>(
  program: Program<Shared>,
  { schedule, steps, error }: Failure,
  end: (glimpse: Glimpse<Shared>) => void,
) {
  const again = replay(program, schedule, { end }, { weak: true }).failure;
  assert.equal(again?.schedule, schedule);
  assert.equal(again.steps.length, steps.length);
  assert.equal(String(again.error), String(error));
}

describe("weak accesses and atomic ones of the same thread", () => {
  it("show a thread its own atomic store, and nothing from before it", () => {
    const stores: Part = (words, { note }) => {
      Atomics.store(words, 0, 1);
      note(words[0]!);
    };
    const seen = outcomesOf(true, stores, (words) => {
      Atomics.compareExchange(words, 0, 0, 5);
    });
    assert.deepEqual(seen, ["1 "]);
  });

  it("are ordered by an atomic store to a word that no other thread uses", () => {
    const program: Program<Int32Array> = {
      memory: new Int32Array(new SharedArrayBuffer(16)),
      threads: [
        [
          (words) => {
            words[DATA] = 1;
            Atomics.store(words, 3, 1);
          },
        ],
        [(words, { note }) => note(words[DATA]!)],
      ],
    };
    for (const expected of [0, 1]) {
      const end = ({ threads }: Glimpse<Int32Array>) => assert.notEqual(threads[1]!.notes[0], expected);
      const { failure } = search(program, { end }, { weak: true });
      repeats(program, failure!, end);
    }
  });
});

describe("the schedule of a fault that weak accesses make", () => {
  it("shows both halves of a 64-bit store, whichever other threads use", () => {
    const stores = (longs: BigInt64Array) => {
      longs[0] = (1n << 32n) + 5n;
      longs[0] = longs[0]! + 1n;
    };
    const loads = (at: number) => (longs: BigInt64Array) => {
      Atomics.load(new Int32Array(longs.buffer), at);
    };
    const memory = new BigInt64Array(new SharedArrayBuffer(16));
    for (const other of [[], [loads(0)], [loads(1)], [loads(0), loads(1)], [loads(2)]]) {
      const program: Program<BigInt64Array> = { memory, threads: [[stores], other] };
      const end = ({ memory: left }: Glimpse<BigInt64Array>) => assert.equal(left[0], 0n);
      const { failure } = search(program, { end }, { weak: true });
      assert.equal(failure?.steps.filter(({ event }) => event === "store arrives").length, 4);
      repeats(program, failure!, end);
    }
  });

  const program: Program<Int32Array> = {
    memory: new Int32Array(new SharedArrayBuffer(16)),
    threads: [
      [
        (words) => {
          words[DATA] = 7;
          words[FLAG] = 1;
          words[2] = 5;
        },
      ],
      [
        (words) => {
          if (words[FLAG] === 1 && words[DATA] !== 7) throw new Error("an early message");
        },
      ],
    ],
  };

  it("shows when stores become visible, and is repeated", () => {
    const { failure } = search(program, {}, { weak: true, shortestFirst: true });
    assert.deepEqual(
      failure?.steps.map(({ thread, event, access }) => `${thread} ${event} ${access?.kind} ${access?.word}`),
      [
        "0 runs write 0",
        "0 runs write 1",
        // Nobody else uses this word: its store joins the one before, and is visible at once.
        "0 runs write 2",
        "0 store arrives write 2",
        "0 store arrives write 1",
        "1 runs read 1",
        "1 runs read 0",
      ],
    );
    assert.deepEqual(replay(program, failure!.schedule, {}, { weak: true }).failure, failure);
  });
});
