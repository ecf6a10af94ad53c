import { join } from "node:path";
import { competitorsOf, contractOf } from "../../structures/catalog.ts";
import { judgeScenario } from "../engine/judge/judge.ts";
import type { Candidate } from "./candidates.ts";
import { UsageError } from "./command/usage.ts";
import { readRecord } from "./schema/record-file.ts";
import { loadLabels } from "./store/labels.ts";
import { publishingMachines, RESULTS, recordsIn } from "./store/results.ts";
import { loadSuites } from "./suites.ts";

/** The leaders of the published table: enough to see where a newcomer stands, in a minute or two. */
const RIVALS = 3;

/**
 * Filters for candidates that were given alone: of the first headline scenario that is open to each, the candidate and
 * the leaders there. Throws a UsageError for one to which none is open.
 */
export async function filtersFor(candidates: readonly Candidate[]): Promise<string[]> {
  const suites = await loadSuites();
  const filters = candidates.map(async ({ entry, primitive, described }) => {
    const { scenarios } = suites.find(({ suite }) => suite.primitive === primitive)!.suite;
    const open = scenarios.find(
      ({ headline, scenario }) => headline && described.scenarios[scenario]?.absent === undefined,
    );
    if (open === undefined) {
      throw new UsageError(
        `--candidate ${entry.name} is absent from every headline scenario of ${primitive}: name a scenario, or give --all`,
      );
    }
    const place = `${primitive}/${open.scenario}`;
    if (open.kind !== "race") return [place];
    return [entry.name, ...(await leadersOf(primitive, open.scenario))].map((name) => `${place}/${name}`);
  });
  return [...new Set((await Promise.all(filters)).flat())];
}

/**
 * The competitors with the least ratios in the newest published record of a scenario, at the most workers that have a
 * core each; of those that have retired since, none. The oracle where there is no record.
 */
async function leadersOf(primitive: string, scenario: string): Promise<string[]> {
  const [machine] = publishingMachines();
  const newest = recordsIn(join(RESULTS, primitive), readRecord)
    .filter(({ record }) => record.machine.slug === machine)
    .map(({ record }) =>
      record.groups.filter((group) => group.scenario === scenario && !group.oversubscribed),
    )
    .findLast((groups) => groups.length > 0);
  if (newest === undefined) return [(await contractOf(primitive)).oracle];
  const { lowerBounds } = (await loadLabels([primitive])).get(primitive)!;
  const racing = new Set(
    competitorsOf(primitive).flatMap(({ name }) => (lowerBounds.has(name) ? [] : [name])),
  );
  const most = Math.max(...newest.map(({ workers }) => workers));
  const { rows } = judgeScenario(newest);
  const ratios = rows.flatMap((row) =>
    row.workers !== most ||
    row.noNumber !== undefined ||
    row.ratio === undefined ||
    !racing.has(row.competitor)
      ? []
      : [{ competitor: row.competitor, ratio: row.ratio.value }],
  );
  const names = ratios.toSorted((a, b) => a.ratio - b.ratio).map(({ competitor }) => competitor);
  return [...new Set(names)].slice(0, RIVALS);
}
