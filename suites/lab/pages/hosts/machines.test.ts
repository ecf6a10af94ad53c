import { it } from "node:test";
import { golden } from "../../../engine/golden.trials.ts";
import { judgeScenario } from "../../../engine/judge/judge.ts";
import { raceOf } from "../../pictures/races.synthetic.ts";
import { machinesPage } from "./machines.ts";

it("the page of machines says how to add one, and who has", (t) => {
  const races = [judgeScenario([raceOf({ base: 20, other: 10 }, 1)])];
  const machine = (slug: string) => ({ slug, cpu: `CPU of ${slug}`, cores: 2, platform: "linux x64" });
  golden(
    t,
    "testdata/machines.md",
    machinesPage([
      { machine: machine("home"), races },
      { machine: machine("away"), races: [] },
    ]),
  );
});
