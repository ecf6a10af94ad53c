import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planted, processOf, statOf } from "./host-noise.synthetic.ts";
import { HOST, type HostSource, noiseBetween, readHost } from "./host-noise.ts";

/** What is seen in ten seconds from one set of files to another. */
function noiseOf(
  first: Readonly<Record<string, string>>,
  last: Readonly<Record<string, string>>,
  own: Partial<HostSource> = {},
) {
  const from = readHost(planted(first, own));
  return noiseBetween(from, readHost(planted(last, { ...own, nowMs: () => 10_000 })));
}

describe("host noise", () => {
  it("is what other processes had of the cores that may be used, and what was stolen of them", () => {
    const noise = noiseOf(
      {
        "/proc/stat": statOf([100, 0], [100, 10], [0, 0]),
        "/proc/10/stat": processOf(10, 1, 50, 0),
        "/proc/11/stat": processOf(11, 10, 5, 0),
        "/proc/12/stat": processOf(12, 11, 20, 0),
        "/proc/20/stat": processOf(20, 1, 100, 0),
      },
      {
        // The third core had others busy all the time, but no worker of ours can come there.
        "/proc/stat": statOf([1100, 0], [900, 210], [1000, 1000]),
        "/proc/10/stat": processOf(10, 1, 150, 0),
        // Its child has ended, and counts as what it has outlived.
        "/proc/11/stat": processOf(11, 10, 105, 420),
        "/proc/20/stat": processOf(20, 1, 2000, 0),
      },
    );
    // 1800 ticks in all. Our processes had 100 + 100 + 420 - 20 - 3 of them, as each has 3 ticks of the system's.
    assert.equal(noise.othersCores, (1800 - 597) / 1000);
    assert.equal(noise.stolenCores, 0.2);
    assert.equal(noise.seconds, 10);
    assert.equal(noise.stealSeconds, 12.1);
    assert.deepEqual(noise.loadAverage, [0.12, 0, 0]);
  });

  it("knows how long processes waited, and a quota stopped them, by either version of control groups", () => {
    const pressure = (total: number) =>
      `some avg10=0.34 avg60=0.65 avg300=8.16 total=${total}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=${total}\n`;
    const noise = noiseOf(
      { "/proc/pressure/cpu": pressure(1_000_000), "/sys/fs/cgroup/cpu.stat": "throttled_usec 500000\n" },
      {
        "/proc/pressure/cpu": pressure(3_500_000),
        "/sys/fs/cgroup/cpu.stat": "usage_usec 9\nnr_throttled 3\nthrottled_usec 2000000\n",
      },
    );
    assert.deepEqual([noise.waiting, noise.quotaStoppedSeconds], [0.25, 1.5]);
    const ofVersion1 = (ns: number) => ({
      "/sys/fs/cgroup/cpu/cpu.stat": `nr_periods 9\nnr_throttled 3\nthrottled_time ${ns}\n`,
    });
    assert.equal(noiseOf(ofVersion1(1e9), ofVersion1(3e9)).quotaStoppedSeconds, 2);
  });

  it("counts how often the cores that may be used were slowed for heat", () => {
    const counts = (...each: readonly number[]) =>
      Object.fromEntries(
        each.flatMap((count, core) => {
          const folder = `/sys/devices/system/cpu/cpu${core}/thermal_throttle`;
          return [
            [`${folder}/core_throttle_count`, `${count}\n`],
            [`${folder}/package_throttle_count`, "1\n"],
          ];
        }),
      );
    assert.equal(noiseOf(counts(1, 2, 0), counts(4, 2, 9)).heatSlowdowns, 3);
  });

  it("distinguishes a battery in use from one that is charged, and from a mouse's", () => {
    const battery = (status: string, scope = "System") => {
      const folder = "/sys/class/power_supply/BAT0";
      return {
        [`${folder}/type`]: "Battery\n",
        [`${folder}/status`]: `${status}\n`,
        [`${folder}/scope`]: `${scope}\n`,
      };
    };
    const isOnBattery = (files: Readonly<Record<string, string>>, own: Partial<HostSource> = {}) =>
      readHost(planted(files, own)).onBattery;
    assert.equal(isOnBattery(battery("Discharging")), true);
    assert.equal(isOnBattery(battery("Charging")), false);
    assert.equal(isOnBattery(battery("Discharging", "Device")), undefined);
    assert.equal(isOnBattery({}), undefined);
    const onMac = (from: string) => ({
      powerText: () => `Now drawing from '${from}'\n -InternalBattery-0\n`,
    });
    assert.equal(isOnBattery({}, onMac("Battery Power")), true);
    assert.equal(isOnBattery({}, onMac("AC Power")), false);
  });

  it("is not known where the machine does not report it", () => {
    assert.deepEqual(noiseOf({}, {}), { loadAverage: [0.12, 0, 0], stealSeconds: null, seconds: 10 });
  });

  it("is not known for a time that is too short for the kernel's ticks", () => {
    const reading = readHost(planted({ "/proc/stat": statOf([0, 0], [0, 0]) }));
    assert.equal(noiseBetween(reading, { ...reading, atMs: 50, busySeconds: 0.04 }).seconds, undefined);
  });

  it("is read on the machine that the tests run on, whatever it reports", () => {
    const noise = noiseBetween(readHost(HOST), { ...readHost(HOST), atMs: Number.MAX_SAFE_INTEGER });
    if (process.platform === "linux") assert.equal(typeof noise.othersCores, "number");
  });
});
