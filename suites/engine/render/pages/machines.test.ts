import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeScenario } from "../../judge/judge.ts";
import type { GroupRecord } from "../../schema/record.ts";
import { broken, raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { type MachineResults, machinesPage } from "./machines.ts";

const CALM = { forks: 12, rounds: 40, sliceNoise: 0.002, forkNoise: 0.002 };
const COSTS = { base: 20, turning: 10, steady: 10 };
const TURNED = { base: 20, turning: 40, steady: 12 };

function machine(slug: string, ...groups: readonly GroupRecord[]): MachineResults {
  const races = groups.length === 0 ? [] : [judgeScenario(groups)];
  return { machine: { slug, cpu: `CPU of ${slug}`, cores: 2, platform: "linux x64" }, races };
}

function raced(costs: Readonly<Record<string, number>>, workers = 1): GroupRecord {
  return raceOf(costs, workers, CALM);
}

describe("the page of machines", () => {
  it("has a run sheet and one row for each machine, also where there is one", () => {
    const page = machinesPage([machine("home", raced(COSTS))]);
    assert.match(page, /^## Run sheet\n/m);
    assert.match(page, /^\| home +\| CPU of home +\| +2 \| linux x64 \| +1 \|$/m);
    assert.match(page, /^Only one machine has published/m);
    assert.doesNotMatch(page, /What turns over/);
  });

  it("names what turns over, and shows the rows of both side by side", () => {
    const page = machinesPage([machine("home", raced(COSTS)), machine("away", raced(TURNED))]);
    assert.match(page, /^- `turning` in synthetic\/test 1w: faster on home, slower on away\.$/m);
    assert.doesNotMatch(page, /^- `steady`/m);
    assert.match(page, /^\| turning +\| +0\.5\d? .* \| \*\*faster\*\* \| +2\.0\d? .* \| \*\*slower\*\* \|$/m);
    assert.match(page, /^\| steady +\| +0\.5\d? .* \| \*\*faster\*\* \| +0\.6\d? .* \| \*\*faster\*\* \|$/m);
    assert.doesNotMatch(page, /base~aa1/);
  });

  it("shows both ratios of a row that depends", () => {
    const away = machine("away", slowAtFirst(raced(COSTS), "turning"));
    const page = machinesPage([machine("home", raced(COSTS)), away]);
    assert.match(page, /^\| turning .* \*\*faster\*\* \| +0\.\d+ \(.+\) or \d\.\d+ \(.+\) \| .*depends/m);
  });

  it("says that nothing turns over", () => {
    const page = machinesPage([machine("home", raced(COSTS)), machine("away", raced(COSTS))]);
    assert.match(page, /^No row is faster on one machine and slower on another\.$/m);
  });

  it("compares what both raced alone: the same title, worker count, baseline and competitor", () => {
    const there = raced(TURNED);
    for (const other of [
      { ...there, title: "other work" },
      { ...there, scenario: "elsewhere" },
      raced(TURNED, 2),
      raced({ turning: 40, base: 20 }),
      raced({ base: 20, unknown: 40 }),
      broken(there, undefined),
    ]) {
      const page = machinesPage([machine("home", raced(COSTS)), machine("away", other)]);
      assert.doesNotMatch(page, /What turns over/);
    }
  });
});
