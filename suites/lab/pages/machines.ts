import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatRatio, toMarkdown } from "../../reporter/src/index.ts";
import { verdictCell } from "../../reporter/src/lab.ts";
import type { BenchRecord } from "../schema/record.ts";
import { left, plain, right, tableOf } from "../tables/columns.ts";
import { foldedAway, ratioInTwo } from "../tables/markdown.ts";
import { workersText } from "../tables/phrases.ts";
import { groupRatios } from "./evidence.ts";

/** What one machine has published. */
export interface MachineResults {
  readonly machine: Pick<BenchRecord["machine"], "slug" | "cpu" | "cores" | "platform">;
  readonly races: readonly JudgedScenario[];
}

const TITLE = "Machines";

const RUN_SHEET = `# ${TITLE}

All other pages show the machine with the most records. This page compares it with others, and says how to add yours.

## Run sheet

1. Clone the repository, and run \`npm ci\`. Close what uses the processor, and plug a laptop in.
2. Race a scenario. It takes minutes, and says beforehand how many:

       npm run bench -- locks/short-section --publish

   The other headline scenarios are \`pick/uniform-8\`, \`timers/refresh-100k\`, \`slots/connect-600\` and \`ownership/flow\`.
   \`npm run bench -- --publish\` races all of them, in about ten minutes.
3. Look at what it wrote: the record in \`results/locks/\`, your machine in \`results/machines/\`, and this page. The pages of
   locks keep showing the machine that they showed before.
4. Commit these files without changes to code, and open a pull request. The record names the commit, the seed and the command,
   so that anybody can run it again. The file of your machine has its processor, cores, memory and kernel, and no name of it.

A record is welcome whatever it says. It has to come from a commit of this repository, from a machine that did nothing else,
and with all contenders of a scenario.
`;

/**
 * The page of machines: how to add one, and what each says of the races that another has published too. The first of
 * `machines` is the one of all other pages. Pure.
 */
export function machinesPage(machines: readonly [MachineResults, ...MachineResults[]]): string {
  const [home, ...others] = machines;
  const shared = others.flatMap((other) => sharedRaces(home, other));
  return [
    RUN_SHEET,
    machinesTable(machines),
    ...(shared.length === 0
      ? ["Only one machine has published results that can be compared.\n"]
      : [turnedText(shared), ...shared.map(sharedText)]),
    "Made by `npm run report` from the newest records of each machine. Do not edit.\n",
  ].join("\n");
}

function machinesTable(machines: readonly MachineResults[]): string {
  const table = tableOf("Who has published", machines, [
    [left("slug", "Machine"), ({ machine }) => machine.slug],
    [left("cpu", "Processor"), ({ machine }) => machine.cpu],
    [right("cores", "Cores"), ({ machine }) => machine.cores],
    [left("platform", "System"), ({ machine }) => machine.platform],
    [right("races", "Races"), ({ races }) => races.length],
  ]);
  return toMarkdown(table, { headingLevel: 2 });
}

/** A race at one worker count that two machines have published, and the rows that both have. */
interface SharedRace {
  readonly primitive: string;
  readonly scenario: string;
  readonly workers: number;
  readonly slugs: readonly [string, string];
  readonly rows: readonly SharedRow[];
}

interface SharedRow {
  readonly competitor: string;
  readonly here: JudgedMeasured;
  readonly there: JudgedMeasured;
}

/** Scenarios are the same if their titles are, which say what is done; and their baselines, which ratios are to. */
function sharedRaces(home: MachineResults, other: MachineResults): SharedRace[] {
  return home.races.flatMap((here) => {
    const there = other.races.find(
      (race) =>
        race.primitive === here.primitive && race.scenario === here.scenario && race.title === here.title,
    );
    if (there === undefined) return [];
    return here.conditions.flatMap(({ workers, baseline }) => {
      const isSame = there.conditions.some((at) => at.workers === workers && at.baseline === baseline);
      const rows = isSame ? sharedRows(here, there, workers) : [];
      if (rows.length === 0) return [];
      const slugs = [home.machine.slug, other.machine.slug] as const;
      return { primitive: here.primitive, scenario: here.scenario, workers, slugs, rows };
    });
  });
}

function sharedRows(here: JudgedScenario, there: JudgedScenario, workers: number): SharedRow[] {
  return rivalsAt(here, workers).flatMap((row) => {
    const other = rivalsAt(there, workers).find(
      ({ competitor, role }) => competitor === row.competitor && role === row.role,
    );
    const competitor = row.role === undefined ? row.competitor : `${row.competitor} (${row.role})`;
    return other === undefined ? [] : [{ competitor, here: row, there: other }];
  });
}

function rivalsAt({ rows }: JudgedScenario, workers: number): JudgedMeasured[] {
  return rows.flatMap((row) =>
    row.noNumber === undefined && row.kind === "rival" && row.workers === workers ? [row] : [],
  );
}

const OPPOSITE: Readonly<Record<string, string>> = { faster: "slower", slower: "faster" };

function turnsOver({ here, there }: SharedRow): boolean {
  return OPPOSITE[here.verdict] === there.verdict;
}

/** The rows whose verdicts are opposite. */
function turnedText(shared: readonly SharedRace[]): string {
  const turned = shared.flatMap(({ rows, ...race }) =>
    rows.filter(turnsOver).map(({ competitor, here, there }) => {
      const where = `${race.primitive}/${race.scenario} ${race.workers}w`;
      return `- \`${competitor}\` in ${where}: ${here.verdict} on ${race.slugs[0]}, ${there.verdict} on ${race.slugs[1]}.`;
    }),
  );
  const text =
    turned.length === 0 ? "No row is faster on one machine and slower on another." : turned.join("\n");
  return `## What turns over\n\n${text}\n`;
}

function sharedText({ primitive, scenario, workers, slugs, rows }: SharedRace): string {
  const [here, there] = slugs;
  const table = tableOf(TITLE, rows, [
    [left("competitor", "Competitor"), ({ competitor }) => competitor],
    [right("here", `Ratio, ${here}`), ({ here }) => ratioCell(here)],
    [left("hereVerdict", "Verdict"), ({ here }) => verdictCell(here)],
    [right("there", `Ratio, ${there}`), ({ there }) => ratioCell(there)],
    [left("thereVerdict", "Verdict"), ({ there }) => verdictCell(there)],
  ]);
  const title = `${primitive}/${scenario}, ${workersText(workers)}: ${here} and ${there}`;
  return foldedAway(title, plain(table));
}

function ratioCell(row: JudgedMeasured): string | null {
  return groupRatios(row) ?? (row.ratio === undefined ? null : ratioInTwo(formatRatio(row.ratio)));
}
