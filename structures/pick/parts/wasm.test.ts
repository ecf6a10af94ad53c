import assert from "node:assert/strict";
import { describe, it } from "node:test";
import casRing from "../competitors/cas-ring.ts";
import shuffledRoundRobin from "../competitors/shuffled-round-robin.ts";
import wasmCasRing from "../competitors/wasm-cas-ring.ts";
import wasmFetchAndAddLoop from "../competitors/wasm-fetch-and-add-loop.ts";
import wasmRoundRobin from "../competitors/wasm-round-robin.ts";
import type { PickCompetitor } from "../pick.contract.ts";
import { makePicker } from "../pick.instance.ts";
import { foldAt } from "./rotation.ts";
import { PlayedCrew } from "./simulation.ts";

const SEED = 20_261_120;

describe("pick: a yardstick in WebAssembly does the same as the original to the same bytes", () => {
  const aaControls: readonly [string, PickCompetitor, PickCompetitor][] = [
    ["wasm-round-robin", shuffledRoundRobin, wasmRoundRobin],
    ["wasm-cas-ring", casRing, wasmCasRing],
  ];
  for (const [name, script, code] of aaControls) {
    it(name, () => {
      for (const backends of [1, 2, 7, 8, 1000]) {
        for (const firstTicket of [0, foldAt(backends) - 3, 2 ** 32 - 1]) {
          const setup = { backends, seed: SEED, firstTicket, workers: 2 };
          assert.deepEqual(tenPicks(new PlayedCrew(code, setup)), tenPicks(new PlayedCrew(script, setup)));
        }
      }
    });
  }

  it("wasm-round-robin, when another worker drew the fold and has not taken it off yet", () => {
    const [script, code] = [shuffledRoundRobin, wasmRoundRobin].map((competitor) => {
      const crew = new PlayedCrew(competitor, { backends: 7, seed: SEED, firstTicket: 0, workers: 2 });
      crew.instance.memory[0] = foldAt(7) + 1;
      return tenPicks(crew);
    });
    assert.deepEqual(code, script);
  });

  /** What two workers get that pick in turn, and the words afterwards. */
  function tenPicks(crew: PlayedCrew) {
    return {
      picked: Array.from({ length: 10 }, (_, pick) => crew.pick(pick % 2)),
      words: [...crew.instance.memory],
    };
  }
});

it("wasm-fetch-and-add-loop adds as often as it is asked to", () => {
  const { memory, setup } = makePicker(wasmFetchAndAddLoop, {
    backends: 8,
    seed: SEED,
    firstTicket: 2 ** 32 - 3,
    workers: 1,
  });
  const picker = wasmFetchAndAddLoop.attach(memory, setup);
  for (const count of [0, 1, 1000]) picker.pickMany(count);
  assert.equal(wasmFetchAndAddLoop.inspect(memory, setup).handedOut.count, 1001);
});
