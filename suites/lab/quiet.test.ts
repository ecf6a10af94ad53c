import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeMachine } from "../engine/measure/machine/machine.ts";
import { waitForQuiet } from "./quiet.ts";

const LOOK_MS = 1000;
const machine = { ...describeMachine(), cores: 2, cpuQuotaCores: 1.5, governor: "powersave" };

/** Waits at most 20 s beside a machine on which others keep these numbers of cores busy, look after look, and then none. */
async function waited(othersCores: readonly number[], stopAfter = Number.POSITIVE_INFINITY) {
  const stop = new AbortController();
  const said: string[] = [];
  let looks = 0;
  const disturbances = await waitForQuiet(
    20_000,
    {
      machine,
      async observe() {
        const noise = {
          loadAverage: [],
          stealSeconds: null,
          seconds: 1,
          othersCores: othersCores[looks] ?? 0,
        };
        looks++;
        if (looks === stopAfter) stop.abort();
        return noise;
      },
      nowMs: () => looks * LOOK_MS,
    },
    { progress: (share, leftMs, what) => said.push(`${share} ${leftMs} ${what}`) },
    stop.signal,
  );
  return { disturbances, looks, said };
}

describe("waiting for a quiet machine", () => {
  it("ends when it was quiet for three looks in a row, whatever does not pass", async () => {
    assert.deepEqual(await waited([]), {
      disturbances: [],
      looks: 3,
      said: [
        "0.05 19000 waiting for a quiet machine: quiet now",
        "0.1 18000 waiting for a quiet machine: quiet now",
      ],
    });
    const { disturbances, looks } = await waited([1, 1, 0, 0, 1, 0]);
    assert.deepEqual(disturbances, []);
    assert.equal(looks, 8);
  });

  it("ends when the time is up, and names what still disturbs", async () => {
    const { disturbances, looks, said } = await waited(new Array<number>(99).fill(1.9));
    assert.equal(looks, 20);
    assert.deepEqual(
      disturbances.map(({ by }) => by),
      ["other processes (1.9 of 2 cores busy)"],
    );
    assert.equal(said[4], "0.25 15000 waiting for a quiet machine: other processes (1.9 of 2 cores busy)");
  });

  it("ends when it is stopped", async () => {
    const { looks } = await waited(new Array<number>(99).fill(1.9), 2);
    assert.equal(looks, 2);
  });
});
