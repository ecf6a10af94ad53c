import { it } from "node:test";
import { goldenCases } from "../../../engine/golden.trials.ts";
import { inRoles } from "../../../engine/judge/judge.synthetic.ts";
import { judgeScenario } from "../../../engine/judge/judge.ts";
import type { GroupRecord } from "../../../engine/schema/record.ts";
import { broken, CALM, raceOf, slowAtFirst } from "../../pictures/races.synthetic.ts";
import { hostsTables } from "../../verdicts/hosts.ts";
import { elsewhereTexts, hostsOfScenario, hostsPage } from "./hosts.ts";

const COSTS = { base: 20, turning: 10, steady: 10, equal: 20 };
const TURNED = { base: 20, turning: 40, steady: 12, equal: 20 };

function raced(costs: Readonly<Record<string, number>>, workers = 1, seed = 5): GroupRecord {
  return raceOf(costs, workers, { ...CALM, seed });
}

const HOME = raced(COSTS);
const AWAY = raced(TURNED);

/** What is said of a row at home and on another host, with a run for each group. */
function pageOf(...away: readonly GroupRecord[]): string {
  return textsOf([HOME], away);
}

function textsOf(home: readonly GroupRecord[], away: readonly GroupRecord[]): string {
  const hosts = Object.entries({ Home: home, Away: away }).map(([name, groups]) => {
    return { name, runs: groups.map((group) => [judgeScenario([group])]) };
  });
  const tables = hostsTables(hosts);
  const page = hostsPage(tables);
  const elsewhere = [...elsewhereTexts(tables)].map(([cell, text]) => `${cell}: ${text}\n`);
  return [
    page.slice(page.indexOf("- The interval of a single")),
    ...hostsOfScenario(tables, "test"),
    ...elsewhere,
  ].join("\n");
}

it("the page of hosts has what holds on all of them first, then what depends, differs or is open", (t) => {
  goldenCases(t, "testdata/hosts.md", {
    "no other host": hostsPage([]),
    "a verdict is reversed": pageOf(AWAY),
    "several runs": pageOf(AWAY, raced(TURNED, 1, 6), raced(TURNED, 1, 7)),
    "reversed between the runs of one host": textsOf([raced({ base: 20, turning: 20 })], [HOME, AWAY]),
    "reversed in the lesser part of the runs": pageOf(
      AWAY,
      raced({ ...TURNED, turning: 20 }),
      raced({ ...TURNED, turning: 20 }),
    ),
    "the processes of a host fall into two groups": pageOf(slowAtFirst(HOME, "turning")),
    "one host alone has a row": pageOf(raced({ base: 20, turning: 40, unknown: 30 })),
    "no number on one host": pageOf(broken(AWAY, "steady")),
    "two roles": textsOf(
      ...([COSTS, TURNED].map((costs) => [inRoles(raced(costs, 2), "reader", "writer")]) as [
        GroupRecord[],
        GroupRecord[],
      ]),
    ),
    "other work": pageOf({ ...AWAY, title: "other work" }),
    "another baseline": pageOf(raced({ turning: 40, base: 20 })),
    "another worker count": pageOf(raced(TURNED, 2)),
  });
});
