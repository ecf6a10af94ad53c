import { it } from "node:test";
import { goldenCases } from "../../engine/golden.trials.ts";
import { inRoles } from "../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../engine/judge/judge.ts";
import type { GroupRecord } from "../../engine/schema/record.ts";
import { broken, CALM, raceOf, slowAtFirst } from "../pictures/races.synthetic.ts";
import { type MachineResults, machinesPage } from "./machines.ts";

const COSTS = { base: 20, turning: 10, steady: 10 };
const TURNED = { base: 20, turning: 40, steady: 12 };

function machine(slug: string, ...groups: readonly GroupRecord[]): MachineResults {
  const races = groups.length === 0 ? [] : [judgeScenario(groups)];
  return { machine: { slug, cpu: `CPU of ${slug}`, cores: 2, platform: "linux x64" }, races };
}

function raced(costs: Readonly<Record<string, number>>, workers = 1): GroupRecord {
  return raceOf(costs, workers, CALM);
}

const HOME = raced(COSTS);
const AWAY = raced(TURNED);

/** What another machine has published of the same primitive. */
const OTHERS: Readonly<Record<string, readonly GroupRecord[]>> = {
  "a row turns over": [AWAY],
  "a row depends": [slowAtFirst(HOME, "turning")],
  "nothing turns over": [HOME],
  "other work": [{ ...AWAY, title: "other work" }],
  "another scenario": [{ ...AWAY, scenario: "elsewhere" }],
  "another worker count": [raced(TURNED, 2)],
  "another baseline": [raced({ turning: 40, base: 20 })],
  "another competitor": [raced({ base: 20, unknown: 40 })],
  "no number": [broken(AWAY, undefined)],
  nothing: [],
};

it("the page of machines compares what both raced alone, row by row", (t) => {
  const [home, roles] = [machine("home", HOME), inRoles(raced(COSTS, 2), "reader", "writer")];
  const behindSheet = (page: string) => page.slice(page.indexOf("## Who has published"));
  const beside = Object.entries(OTHERS).map(([name, groups]) => {
    return [name, behindSheet(machinesPage([home, machine("away", ...groups)]))];
  });
  goldenCases(t, "testdata/machines.md", {
    "one machine": machinesPage([home]),
    ...Object.fromEntries(beside),
    "two roles": behindSheet(machinesPage([machine("home", roles), machine("away", roles)])),
  });
});
