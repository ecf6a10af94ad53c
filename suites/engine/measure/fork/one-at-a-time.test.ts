import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { allocateRegion, allocateWith, type Region } from "../../words/layout.ts";
import { InstrumentBroken } from "../plan/failures.ts";
import {
  type Arena,
  ArenaAllocator,
  type Copy,
  clearArena,
  copyIn,
  copyOut,
  enterArena,
  keepState,
  leaveArena,
  makeArena,
} from "./arena.ts";
import { GENERATION, makeGate, NOTHING, serveSlice } from "./gate.ts";
import { OneAtATime } from "./one-at-a-time.ts";

const ORDER = { sliceUs: 1, rampUs: 0, calibrating: false, together: true, account: false };
const WITH_ACCOUNT = { ...ORDER, account: true };
const doNothing = () => {};
const NOBODY_ELSE = { enter: () => NOTHING, run: doNothing, leave: doNothing };

/** Crews of one worker, which this thread plays. */
class Played {
  readonly arena: Arena = makeArena(2 ** 16);
  readonly crews = new OneAtATime(this.arena);
  readonly #copies: Copy[][] = [];
  readonly #gates: Region[] = [];

  /** Joins a crew that has a word in the arena, and attaches it; returns its number and word. */
  join(name: string): { readonly crew: number; readonly word: Region } {
    const gate = makeGate(1);
    const crew = this.crews.join(name, gate);
    this.crews.enter(crew);
    clearArena(this.arena);
    const allocator = new ArenaAllocator(this.arena);
    allocateWith(allocator);
    const word = allocateRegion(1);
    allocateWith(undefined);
    const copies = keepState(this.arena, allocator.taken);
    this.crews.leave(crew, copies);
    this.#copies[crew] = copies;
    this.#gates[crew] = gate;
    return { crew, word };
  }

  order(crew: number, order = ORDER): void {
    this.crews.open(crew, this.#copies[crew]!, order);
  }

  serve(crew: number, run = doNothing): void {
    serveSlice(this.gateOf(crew), 0, {
      enter: () => {
        const found = enterArena(this.arena, crew);
        if (found === NOTHING) copyIn(this.#copies[crew]!);
        return found;
      },
      run,
      leave: () => {
        copyOut(this.#copies[crew]!);
        leaveArena(this.arena, crew);
      },
    });
  }

  slice(crew: number, order = ORDER): void {
    this.order(crew, order);
    this.serve(crew);
  }

  gateOf(crew: number): Region {
    return this.#gates[crew]!;
  }
}

const broken = (message: RegExp) => (error: unknown) =>
  error instanceof InstrumentBroken && message.test(error.message);

describe("crews that may run one at a time", () => {
  it("take turns, each finding its own state", () => {
    const played = new Played();
    const [a, b] = [played.join("A"), played.join("B")];
    for (let turn = 0; turn < 3; turn++) {
      for (const { crew, word } of [a, b]) {
        played.order(crew, WITH_ACCOUNT);
        played.serve(crew, () => {
          word[0]! += crew;
        });
        assert.equal(word[0], (turn + 1) * crew);
      }
    }
    played.crews.check();
  });

  it("do not begin before the one that ran last has acknowledged its slice", () => {
    const played = new Played();
    const [a, b] = [played.join("A"), played.join("B")];
    played.order(a.crew);
    assert.throws(
      () => played.order(b.crew),
      broken(/^two crews at once: A was still running when B was to begin$/),
    );
    assert.throws(() => played.order(a.crew), broken(/^two crews at once: A was still running/));
    played.serve(a.crew);
    played.slice(b.crew);
  });

  it("run no slice that was not ordered", () => {
    const played = new Played();
    const [a, b] = [played.join("A"), played.join("B")];
    played.slice(a.crew);
    played.slice(b.crew);
    // As a worker sees it that has lost count.
    Atomics.add(played.gateOf(a.crew), GENERATION, 2);
    let runs = 0;
    const run = () => runs++;
    assert.throws(() => serveSlice(played.gateOf(a.crew), 0, { ...NOBODY_ELSE, run }), InstrumentBroken);
    assert.equal(runs, 0);
    const found = broken(/^two crews at once: A was about to run a slice that nobody had ordered$/);
    assert.throws(() => played.crews.check(), found);
    assert.throws(() => played.order(b.crew), found);
  });

  it("do not enter while another is inside", () => {
    const played = new Played();
    const [a, b] = [played.join("A"), played.join("B")];
    enterArena(played.arena, a.crew);
    played.order(b.crew);
    let runs = 0;
    const run = () => runs++;
    assert.throws(() => played.serve(b.crew, run), InstrumentBroken);
    assert.equal(runs, 0);
    const found = broken(/^two crews in one memory: A had not left when B entered$/);
    assert.throws(() => played.crews.check(), found);
    assert.throws(() => played.join("C"), broken(/^two crews in one memory: A had not left when C entered$/));
  });

  it("go on without one whose threads were ended, wherever it was", () => {
    const played = new Played();
    const [a, b] = [played.join("A"), played.join("B")];
    played.order(a.crew);
    enterArena(played.arena, a.crew);
    a.word[0] = 7;
    played.crews.ended(a.crew);
    played.slice(b.crew, WITH_ACCOUNT);
    played.slice(b.crew, WITH_ACCOUNT);
  });

  it("have no stranger's write between them", async () => {
    const played = new Played();
    const [a, b] = [played.join("A"), played.join("B")];
    const stranger = new Worker(
      `const { parentPort, workerData } = require("node:worker_threads");
      parentPort.on("message", () => parentPort.postMessage(Atomics.add(workerData, 0, 1)));`,
      { eval: true, workerData: a.word },
    );
    const writes = async () => {
      stranger.postMessage("write");
      await once(stranger, "message");
    };
    try {
      played.slice(a.crew, WITH_ACCOUNT);
      await writes();
      // Where no account is given there is no look, and what was written is gone with the next state.
      played.slice(b.crew);
      played.slice(a.crew, WITH_ACCOUNT);
      await writes();
      assert.throws(
        () => played.slice(b.crew, WITH_ACCOUNT),
        broken(/^a stranger in the memory of all crews: somebody wrote there after A had left$/),
      );
    } finally {
      await stranger.terminate();
    }
  });

  it("need no arena", () => {
    const crews = new OneAtATime(undefined);
    const gates = [makeGate(1), makeGate(1)];
    const numbers = gates.map((gate, index) => crews.join(`${index}`, gate));
    for (const [index, crew] of numbers.entries()) {
      crews.enter(crew);
      crews.leave(crew, []);
      crews.open(crew, [], WITH_ACCOUNT);
      serveSlice(gates[index]!, 0, NOBODY_ELSE);
    }
    crews.check();
  });
});
