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
const PAIRS_IN_ORDER = [" 0,0", " 0,1", " 0,2", " 1,1", " 1,2", " 2,2"];

/** Notes what it reads of word x or y, which is atomic where the letter is large. */
function act(text: string, words: Int32Array, note: (value: number) => void): void {
  const [, name, sign, digits] = /^(.)(\D?)(\d*)$/.exec(text)!;
  const [at, value] = ["xy".indexOf(name!.toLowerCase()), Number(digits)];
  const isAtomic = name !== name!.toLowerCase();
  if (sign === "") note(isAtomic ? Atomics.load(words, at) : words[at]!);
  else if (sign === "+") note(Atomics.add(words, at, value));
  else if (sign === "~") Atomics.compareExchange(words, at, 0, value);
  else if (sign === "?") Atomics.wait(words, at, value);
  else if (sign === "!") Atomics.notify(words, at);
  else if (isAtomic) Atomics.store(words, at, value);
  else words[at] = value;
}

/** All that the threads of a program may note, one thread after the other. */
function outcomesOf(weak: boolean, threads: string): string[] {
  const outcomes = new Set<string>();
  const parts = threads.split(" | ").map((acts): Part[] => [
    (words, { note }) => {
      for (const text of acts.split(" ")) act(text, words, note);
    },
  ]);
  explore(
    { memory: new Int32Array(new SharedArrayBuffer(16)), threads: parts },
    { end: ({ threads: ended }) => outcomes.add(ended.map(({ notes }) => notes).join(" ")) },
    { weak },
  );
  return [...outcomes].sort();
}

/**
 * Litmus tests: small programs that tell memory models apart (Alglave, Maranget & Tautschnig 2014 has their names). With
 * what their threads may note, and what besides where plain accesses are weak.
 */
const LITMUS: readonly (readonly [what: string, threads: string, always: string[], weakly: string[]])[] = [
  ["SB: a store and a load of another word change places", "x=1 y | y=1 x", ["0 1", "1 0", "1 1"], ["0 0"]],
  ["a store and an atomic load do", "x=1 Y | y=1 X", ["0 1", "1 0", "1 1"], ["0 0"]],
  ["an atomic store and load do not", "X=1 Y | Y=1 X", ["0 1", "1 0", "1 1"], []],
  ["MP: a message comes after its flag", "x=7 y=1 | y x", [" 0,0", " 0,7", " 1,7"], [" 1,0"]],
  ["it does not if the flag is atomic", "x=7 Y=1 | Y x", [" 0,0", " 0,7", " 1,7"], []],
  ["to store it so is not enough", "x=7 Y=1 | y x", [" 0,0", " 0,7", " 1,7"], [" 1,0"]],
  ["to load it so is not enough", "x=7 y=1 | Y x", [" 0,0", " 0,7", " 1,7"], [" 1,0"]],
  ["a wake-up orders a message", "x=7 Y! Y=1 Y! | Y?0 x", [" 7"], []],
  ["only atomic accesses are coherent", "x=1 | x x", [" 0,0", " 0,1", " 1,1"], [" 1,0"]],
  ["stores to one word arrive in order", "x=1 x=2 | X X", PAIRS_IN_ORDER, []],
  [
    "a thread sees its own stores, and another older values later",
    "x=1 x x=2 x X | x x",
    PAIRS_IN_ORDER.map((pair) => `1,2,2${pair}`),
    ["1,2,2 1,0", "1,2,2 2,0", "1,2,2 2,1"],
  ],
  ["an atomic add misses no store of its own thread", "x=10 X+1 | X+100", ["10 0", "10 11", "110 10"], []],
  ["a thread sees nothing from before its atomic store", "X=1 x | X~5", ["1 "], []],
];

describe("weak plain accesses", () => {
  for (const [what, threads, always, weakly] of LITMUS)
    it(`${threads}: ${what}`, () => {
      assert.deepEqual(outcomesOf(false, threads), always);
      assert.deepEqual(outcomesOf(true, threads), [...always, ...weakly].sort());
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
