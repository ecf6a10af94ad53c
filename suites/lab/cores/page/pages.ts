import { formatNumber, type Table } from "../../../reporter/src/index.ts";
import { madeFrom } from "../../pages/provenance.ts";
import { left, type Of, plain, right, tableOf } from "../../tables/columns.ts";
import { foldedAway, list, unbroken } from "../../tables/markdown.ts";
import { COSTS, type CostName, coresOf } from "../machine/machine.ts";
import { type CoresRecord, raceOf, structureOf } from "../record.ts";
import {
  type Compared,
  comparedAt,
  DECIDING_WORKERS,
  MOST_MISSED,
  missOf,
  rankCorrelations,
  summaryOf,
} from "./check.ts";
import misses from "./misses.json" with { type: "json" };
import { scalingsOf } from "./scaling.ts";
import { ANCHOR, type Cores, FOLDER, HEADING } from "./section.ts";
import { short } from "./tables.ts";

/**
 * A record of simulated machines as the page of them: what it is, how near it comes to what was measured, the misses, and
 * what each machine's accesses cost. Pure: the text depends on the arguments alone.
 */

/** A line for the page of all results, which links to the page of the simulated machines. */
export const CORES_ITEM = `[With more cores (simulated)](${FOLDER}/README.md): the structures' own code on models of larger machines, and how
  near the simulated times come to what was measured. \`npm run cores\` simulates it.`;

const INTRODUCTION = `# ${HEADING}

The lab measures on two cores. This page is about larger machines that are simulated: every figure below is simulated unless
it is called measured.

- **What it is.** Each worker runs the structure's own code, in JavaScript or WebAssembly. A model answers each access to
  shared words: it owns the words, knows which cores have which cache line, and keeps each worker's virtual time. The other
  work of an operation takes as long as with one worker, by the published records.
- **What it is not.** It is no measurement. It does not model prefetching, store buffers, hyperthreads or clock rates under
  load. The order of two structures whose bands overlap is open.
- **Band.** It reaches from the lowest to the highest figure of several simulations, each with costs drawn from their ranges.
- **No figure.** A structure that breaks a law when it is simulated has none. With more than two workers a structure has
  none if it was not measured at two, or if its simulated time there is off by more than a factor of ${MOST_MISSED}.
- **Beyond two cores** [review 0014](../reviews/0014-what-more-cores-change.md#published-by-others-beside-the-simulated) has a
  record beside curves that others published.

The same seed gives the same figures to the last digit:

    npm run cores                                  # everything that is simulated
    npm run cores -- --check                       # two cores, beside what was measured there
    npm run cores -- --candidate ../my-lock.ts     # a structure of your own
`;

/** The page of the simulated machines. */
export function coresPage({ file, record }: Cores): string {
  const compared = comparedAt(record, DECIDING_WORKERS);
  return [
    INTRODUCTION,
    checkText(record, compared),
    ...missesText(compared),
    machinesText(record),
    `## Curves (simulated)\n\n${list(primitivesIn(record).map((name) => `[${name}](../${name}/README.md#${ANCHOR})`))}`,
    provenanceText(record),
    madeFrom(file),
  ].join("\n");
}

function primitivesIn(record: CoresRecord): string[] {
  return [...new Set(scalingsOf(record).map(({ primitive }) => primitive))];
}

/** How many percent of error, and which share and rank correlation, the model was meant to reach. */
const GOALS = { errorPercent: 15, shareWithin: 0.9, correlation: 0.9 };
/** The primitives whose ranks have to agree. */
const RANKED = ["pick", "locks"];

function checkText(record: CoresRecord, compared: readonly Compared[]): string {
  if (compared.length === 0) {
    return "## How near it comes to what was measured\n\nNothing was measured at two workers that was simulated.\n";
  }
  const crowded = [4, 8].flatMap((workers) => comparedAt(record, workers));
  return [
    "## How near it comes to what was measured\n",
    `At ${DECIDING_WORKERS} workers on the machine that measured, simulated times beside published medians. How lines travel, and how
long it takes to fall asleep, cannot be measured one by one. suites/lab/cores/fit.ts, which git has at e081345f, fitted them to
${record.fitted.map((name) => `\`${name}\``).join(", ")}. Four of these were chosen before anything was compared. The last two
were added after a first look. None of them is counted.

How the model hands lines on was chosen with the published times of 17 pickers in view, as an earlier model had missed some of
them. So its numbers were not fitted to these pickers, but its kind was. No other primitive was in view.\n`,
    plain(goalsTable(compared)),
    plain(checkTable(compared)),
    ...(crowded.length === 0
      ? []
      : [
          foldedAway(
            "With four and eight workers on two cores, simulated and measured",
            `Workers take turns on the two cores there. Only of structures that block is the simulated window longer than a turn. Of
the others it shows the workers whose turn it is.\n\n${plain(checkTable(crowded))}`,
          ),
        ]),
    foldedAway(
      "Every structure at two workers, simulated and measured",
      plain(comparedTable(compared, false)),
    ),
  ].join("\n");
}

function goalsTable(compared: readonly Compared[]): Table {
  const { medianErrorPercent, shareWithin } = summaryOf(compared);
  const ranked = [...rankCorrelations(compared)].filter(([name]) => RANKED.includes(name.split("/")[0]!));
  const goals: readonly (readonly [goal: string, figure: string | null, isMet: boolean])[] = [
    [
      `median absolute error: at most ${GOALS.errorPercent} %`,
      percentText(medianErrorPercent),
      medianErrorPercent <= GOALS.errorPercent,
    ],
    [
      `within a factor of ${MOST_MISSED}: at least ${percentText(100 * GOALS.shareWithin)}`,
      percentText(100 * shareWithin),
      shareWithin >= GOALS.shareWithin,
    ],
    ...ranked.map(
      ([name, correlation]) =>
        [
          `rank correlation of ${name}: at least ${GOALS.correlation}`,
          figureText(correlation),
          correlation >= GOALS.correlation,
        ] as const,
    ),
  ];
  return tableOf("Goals", goals, [
    [left("goal", "Goal"), ([goal]) => goal],
    [right("figure", "Simulated beside measured"), ([, figure]) => figure],
    [left("met", "Met"), ([, , isMet]) => (isMet ? "yes" : "**not met**")],
  ]);
}

/** A row for each scenario and worker count, and one for all. */
export function checkTable(compared: readonly Compared[]): Table {
  const byScenario = Map.groupBy(
    compared,
    ({ primitive, scenario, workers }) => `${primitive}/${scenario}, ${workers} workers`,
  );
  const rows = [...byScenario].map(([scenario, own]) => {
    const [correlation = Number.NaN] = rankCorrelations(own).values();
    return { scenario, own, correlation, ...summaryOf(own) };
  });
  const all = { scenario: "all", own: compared, correlation: Number.NaN, ...summaryOf(compared) };
  return tableOf(
    "How near they come",
    [...rows, ...(rows.length < 2 ? [] : [all])],
    [
      [left("scenario", "Scenario"), ({ scenario }) => scenario],
      [right("counted", "Counted"), ({ counted }) => counted],
      [right("fitted", "Fitted, not counted"), ({ own, counted }) => own.length - counted],
      [
        right("error", "Simulated: median absolute error"),
        ({ medianErrorPercent }) => percentText(medianErrorPercent),
      ],
      [
        right("within", `Simulated: within ${MOST_MISSED}`),
        ({ shareWithin }) => percentText(100 * shareWithin),
      ],
      [right("correlation", "Simulated: rank correlation"), ({ correlation }) => figureText(correlation)],
    ],
  );
}

function percentText(percent: number): string | null {
  return Number.isFinite(percent) ? `${percent.toFixed(1)} %` : null;
}

function figureText(figure: number): string | null {
  return Number.isFinite(figure) ? figure.toFixed(3) : null;
}

/** misses.json has why a time misses what was measured, by structure, as people write it. */
export function comparedTable(compared: readonly Compared[], isExplained: boolean): Table {
  const explanations: Readonly<Record<string, string>> = misses;
  const explained: Of<Compared> = [
    left("explanation", "Why"),
    (one) => explanations[structureOf(one)] ?? "not explained",
  ];
  return tableOf("Compared", compared, [
    [left("structure", "Structure"), (one) => `${structureOf(one)}${one.isFitted ? " (fitted)" : ""}`],
    [right("simulated", "Simulated", "ns"), ({ simulatedNs }) => short(simulatedNs)],
    [right("measured", "Measured", "ns"), ({ measuredNs }) => short(measuredNs)],
    [right("ratio", "Simulated over measured"), ({ ratio }) => short(ratio)],
    ...(isExplained ? [explained] : []),
  ]);
}

function missesText(compared: readonly Compared[]): string[] {
  const missed = compared.filter(({ ratio }) => missOf(ratio) > MOST_MISSED);
  if (missed.length === 0) return [];
  return [
    `## Misses\n\nOff by more than a factor of ${MOST_MISSED} at two workers. They have no simulated figure with more.\n`,
    plain(
      comparedTable(
        missed.toSorted((a, b) => missOf(b.ratio) - missOf(a.ratio)),
        true,
      ),
    ),
  ];
}

function machinesText({ machines }: CoresRecord): string {
  return [
    "## The simulated machines\n",
    "What an access costs there. Each cost has a range, because none is known exactly; bands come from these ranges.\n",
    ...machines.map((machine) =>
      foldedAway(
        `${machine.title}: ${coresOf(machine)} cores${coresOf(machine) > DECIDING_WORKERS ? "" : ", the machine that measured"}`,
        plain(costsTable(machine)),
      ),
    ),
  ].join("\n");
}

function costsTable({ costs }: CoresRecord["machines"][number]): Table {
  return tableOf("Costs", Object.keys(COSTS) as CostName[], [
    [left("cost", "Cost"), (name) => `\`${name}\``],
    [left("meaning", "Of"), (name) => COSTS[name]],
    [right("value", "Simulated with"), (name) => formatNumber(costs[name].value)],
    [
      right("range", "Range"),
      (name) => unbroken(`${formatNumber(costs[name].low)}-${formatNumber(costs[name].high)}`),
    ],
    [left("unit", "Unit"), (name) => (COSTS[name].includes("0 .. 1") ? "share" : "ns")],
    [left("source", "Source"), (name) => costs[name].source],
  ]);
}

function provenanceText({ startedAt, commit, argv, seed, draws, cells }: CoresRecord): string {
  const command = ["npm run cores", ...(argv.length === 0 ? [] : ["--", ...argv])].join(" ");
  const earlier = cells.filter((cell) => (cell.commit ?? commit) !== commit);
  const earlierRuns = [...Map.groupBy(earlier, (cell) => cell.commit)].map(
    ([own, of]) => `Of an earlier run, at commit ${own}: ${[...new Set(of.map(raceOf))].join(", ")}`,
  );
  return [
    "## Where the figures come from\n",
    list([
      `Commit: ${commit}`,
      `Date: ${startedAt}`,
      `Command: \`${command}\``,
      ...earlierRuns,
      `Seed: ${seed}`,
      `Simulations with drawn costs, for each band: ${draws}`,
    ]),
  ].join("\n");
}
