import { mean } from "../../../engine/statistics.ts";
import { toMarkdown } from "../../../reporter/src/index.ts";
import { emphasized } from "../../../reporter/src/lab.ts";
import type { BenchRecord } from "../../schema/record.ts";
import { left, type Of, plain, right, tableOf } from "../../tables/columns.ts";
import { factorText } from "../../tables/factors.ts";
import { foldedAway, list } from "../../tables/markdown.ts";
import { commitText, workersText } from "../../tables/phrases.ts";
import { IN_THIS_RUN } from "../../verdicts/another-run.ts";
import {
  type BetweenRuns,
  type Repeat,
  repeatedRows,
  type TableBetweenRuns,
} from "../../verdicts/between-runs.ts";
import { type JoinedRow, type JoinedTable, joinedTables } from "../../verdicts/joined-runs.ts";
import { leftOutRuns, type RunPair, runPairs } from "../../verdicts/run-pairs.ts";
import { verdictText } from "../hosts/hosts.ts";

/** The page of whole runs that were repeated: how far they differ, and whether intervals for another run hold. Pure. */

interface RepeatOfPage extends Repeat {
  readonly file: string;
  readonly record: Pick<BenchRecord, "startedAt" | "commit" | "machine">;
}

const INTRODUCTION = `# Another run

The processes of a run show how processes differ, and not how runs do. Whole runs of the headline scenarios were therefore
repeated, and runs of some of them with more workers than cores. From them [between-runs.json](between-runs.json) says how far
a ratio moves from run to run, and tables print the interval in which the ratio of another run on such a machine lies with 95 %
probability.
`;

const HOW = `## How it is computed

${list([
  "Of a row: the variance of the logarithm of its ratio over the runs of a host, less the mean squared error of these ratios. What is learnt is how many *times* the variance between processes that is.",
  "The times of a table are those of its rows together, whose freedom counts a quarter, because they share runs and a baseline. The times of a number of workers are the mean of its tables.",
  "A row has few runs, so the times of its table count as four more degrees of freedom, and those of its number of workers as four more of the table's. What was not repeated borrows from above.",
  "The variance between runs of a row is its times the variance between processes in the run at hand, half of the row and half of its table. It has one degree of freedom less than the runs of each host, because a run is disturbed as a whole.",
  "With more workers than cores a run sees one regime of the scheduler. How far regimes move a ratio, 10 %, counts as two more degrees of freedom of the variance between runs: it is of races minutes apart.",
  "The interval reaches t * sqrt(2 * (squared error + variance between runs)) to either side of the logarithm of the ratio: both runs have both. The freedom of t is that of Welch and Satterthwaite.",
])}`;

/** `others`: published records, from which nothing was learnt. */
export function repeatsPage(
  repeats: readonly RepeatOfPage[],
  known: BetweenRuns,
  others: readonly Repeat[] = [],
): string {
  return [
    INTRODUCTION,
    "## The runs\n",
    plain(tableOf("The runs", repeats, RUNS)),
    HOW,
    "## How far runs differ\n",
    plain(tableOf("How far runs differ", known.tables, TABLES)),
    "Deviation: the standard deviation of the logarithm of a ratio between runs of a host. Times: the variance between runs over that between processes, moderated; of the rows, the least and the greatest.\n",
    plain(tableOf("What other tables borrow", known.workers, WORKERS)),
    ...joinedText(joinedTables(repeatedRows(repeats), known)),
    ...proofText(leftOutRuns(repeats)),
    ...othersText(runPairs(others, known)),
    "Made by `npm run report` from the records in this folder. Do not edit.\n",
  ].join("\n");
}

const RUNS: readonly Of<RepeatOfPage>[] = [
  [left("file", "Run"), ({ file }) => `[${file.replace(/\.json\.gz$/, "")}](${file})`],
  [left("begun", "Begun (UTC)"), ({ record }) => record.startedAt.slice(0, 16).replace("T", " ")],
  [left("host", "Host"), ({ record: { machine } }) => `${machine.cpu}, ${machine.cores} cores`],
  [left("commit", "Commit"), ({ record }) => commitText(record.commit)],
  [left("races", "Races"), racesText],
];

/** What a run is of: how many races there are at each number of workers. */
function racesText({ races }: RepeatOfPage): string {
  const places = races.flatMap(({ conditions }) => conditions.map(placeText));
  return [...Map.groupBy(places, (place) => place)]
    .map(([place, own]) => `${own.length} at ${place}`)
    .join(", ");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

const TABLES: readonly Of<TableBetweenRuns>[] = [
  [left("scenario", "Scenario"), ({ scenario }) => scenario],
  [left("workers", "At"), placeText],
  [right("deviation", "Deviation"), ({ deviation }) => percent(deviation)],
  [right("freedom", "Freedom"), ({ freedom }) => freedom],
  [right("times", "Times"), ({ times }) => times.toFixed(2)],
  [right("rows", "Rows"), ({ rows }) => rowsText(Object.values(rows))],
  [right("runs", "Runs"), ({ runs }) => runs],
  [right("hosts", "Hosts"), ({ hosts }) => hosts],
];

const WORKERS: readonly Of<BetweenRuns["workers"][number]>[] = [
  [left("workers", "Other tables at"), placeText],
  [right("times", "Times"), ({ times }) => times.toFixed(2)],
  [right("freedom", "Freedom"), ({ freedom }) => freedom],
  [right("tables", "From tables"), ({ tables }) => tables],
];

function placeText({ workers, oversubscribed }: { workers: number; oversubscribed: boolean }): string {
  return oversubscribed ? `${workersText(workers)}, oversubscribed` : workersText(workers);
}

function rowsText(times: readonly number[]): string {
  return `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`;
}

/** Nothing where no run was repeated with more workers than cores. */
function joinedText(tables: readonly JoinedTable[]): string[] {
  if (tables.length === 0) return [];
  return [
    `## More workers than cores

These rows are of several runs. The ratio is their mean, as a factor, and that of another run on such a host lies in its interval
with 95 % probability. The verdict is what more than half of the runs say.
`,
    ...tables.map((table) => {
      const { scenario, workers, host, baseline, runs, rows } = table;
      const text = plain(
        tableOf(scenario, rows, [[left("row", `To ${baseline}`), ({ name }) => name], ...JOINED]),
      );
      return `### ${scenario}, ${workersText(workers)}: ${runs} runs of ${host}\n\n${text}`;
    }),
  ];
}

const JOINED: readonly Of<JoinedRow>[] = [
  [right("ratio", "Ratio"), ({ ratio }) => factorText(ratio)],
  [left("verdict", "Verdict"), (row) => verdictText(row, emphasized)],
];

/** Nothing where no host has three runs: two that remain are needed to say how far runs differ. */
function proofText(pairs: readonly RunPair[]): string[] {
  if (pairs.length === 0) return [];
  const byTable = [...Map.groupBy(pairs, (one) => `${one.scenario}, ${placeText(one)}`)];
  const tables = byTable.map(([of, own]) => ({ of, own }));
  return [
    `## Whether it holds

Each run is left out in turn, and how far runs differ is estimated from the others alone. Each of the others on its host is then
compared with it, row by row. Of honest intervals 5 % are off at p < .05, and the root mean square of z is 1.
`,
    plain(tableOf("Whether it holds", byWorkers(pairs), PROOF)),
    list([
      "Alone: with the errors of both runs and nothing else. With runs: with the deviation between runs, too.",
      "Outside: the ratio of one run lies outside the interval that the other prints, which knows nothing of the error of the first.",
      `Reversed: faster in one run and slower in the other. Unsaid: of these, the ones where no verdict is followed by *${IN_THIS_RUN}*.`,
    ]),
    foldedAway("By scenario", toMarkdown(tableOf("By scenario", tables, PROOF), { headingLevel: 3 })),
  ];
}

function othersText(pairs: readonly RunPair[]): string[] {
  if (pairs.length === 0) return [];
  return [
    `## Where nothing was learnt

The same of rows that several published records of one host have. The runs above are not among them.
`,
    plain(tableOf("Where nothing was learnt", byWorkers(pairs), PROOF)),
  ];
}

function byWorkers(pairs: readonly RunPair[]): Proved[] {
  const groups = [...Map.groupBy(pairs, placeText)].map(([of, own]) => ({ of, own }));
  return [...groups, { of: "all", own: pairs }];
}

interface Proved {
  readonly of: string;
  readonly own: readonly RunPair[];
}

const PROOF: readonly Of<Proved>[] = [
  [left("of", "Rows"), ({ of }) => of],
  [right("pairs", "Pairs"), ({ own }) => own.length],
  [right("plain", "p < .05 alone"), ({ own }) => shareOf(own, ({ plain: { p } }) => p < OFF)],
  [right("plainRms", "z alone"), ({ own }) => rootMeanSquare(own.map(({ plain: { z } }) => z))],
  [right("levelled", "p < .05 with runs"), ({ own }) => shareOf(own, ({ levelled: { p } }) => p < OFF)],
  [right("levelledRms", "z with runs"), ({ own }) => rootMeanSquare(own.map(({ levelled: { z } }) => z))],
  [right("outside", "Outside"), ({ own }) => shareOf(own, ({ isOutside }) => isOutside)],
  [right("reversed", "Reversed"), ({ own }) => own.filter(({ isReversed }) => isReversed).length],
  [right("unsaid", "Unsaid"), ({ own }) => own.filter((one) => one.isReversed && !one.isSaid).length],
];

const OFF = 0.05;

function shareOf(own: readonly RunPair[], is: (one: RunPair) => boolean): string {
  return percent(own.filter(is).length / own.length);
}

function rootMeanSquare(values: readonly number[]): string {
  return Math.sqrt(mean(values.map((value) => value * value))).toFixed(2);
}
