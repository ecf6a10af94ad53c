import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostWarnings } from "./disturbance.ts";

const QUIET = { cores: 2, cpuQuotaCores: null, governor: "performance" };

describe("a warning", () => {
  const noise = { loadAverage: [9, 9, 9], stealSeconds: 100, seconds: 1 };

  it("is one line with the figure, what it means, and what to do", () => {
    const warned = (more: object, machine: object = {}) =>
      hostWarnings({ ...noise, ...more }, { ...QUIET, ...machine });
    for (const [lines, message] of [
      [
        warned({ othersCores: 1.34 }),
        /^disturbed by other processes \(1\.3 of 2 cores busy\): .* longer; stop them, .*--wait-quiet 10m$/,
      ],
      [warned({ stolenCores: 0.24 }), /^disturbed by other virtual machines \(0\.2 of 2 cores stolen\): /],
      [
        warned({}, { cpuQuotaCores: 1.5 }),
        /^disturbed by the container's quota of 1\.5 cores: .*--cpuset-cpus/,
      ],
      [
        warned({ quotaStoppedSeconds: 3.21 }, { cpuQuotaCores: 1.5 }),
        /quota of 1\.5 cores \(stopped for 3\.2 s\): /,
      ],
      [warned({ heatSlowdowns: 12 }), /^disturbed by heat \(cores slowed 12 times\): /],
      [warned({ onBattery: true }), /^disturbed by running on battery: .*plug it in$/],
      [warned({}, { governor: "powersave" }), /^disturbed by the cores' governor powersave: .*cpupower/],
    ] as const) {
      assert.equal(lines.length, 1, lines.join("\n"));
      assert.match(lines[0]!, message);
    }
    assert.equal(warned({ othersCores: 2, onBattery: true }, { governor: "powersave" }).length, 3);
  });

  it("is not given for what a shared machine always has, or where nothing is known", () => {
    assert.deepEqual(hostWarnings({ ...noise, othersCores: 0.1, stolenCores: 0.1, waiting: 0.9 }, QUIET), []);
    assert.deepEqual(hostWarnings(noise, { ...QUIET, governor: null }), []);
  });

  it("is not given for a record that is older than such figures", () => {
    const { seconds: _, ...old } = noise;
    assert.deepEqual(hostWarnings(old, { ...QUIET, governor: "powersave", cpuQuotaCores: 1 }), []);
  });
});
