import { type Column, formatNumber, type Row, type Table, toMarkdown } from "../../../reporter/src/index.ts";
import { madeFrom } from "../../pages/pages.ts";
import { type Drawn, draw } from "../../pictures/drawing.ts";
import { left, right } from "../../tables/columns.ts";
import {
  foldedAway,
  foldedUnderHeading,
  image,
  list,
  unbroken,
  withoutHeading,
} from "../../tables/markdown.ts";
import { COSTS, type CostName, coresOf } from "../machine/machine.ts";
import type { CoresRecord, PlantedFault } from "../record.ts";
import {
  type Compared,
  comparedAt,
  DECIDING_WORKERS,
  MOST_MISSED,
  missOf,
  rankCorrelations,
  summaryOf,
} from "./check.ts";
import { checkSpec, pictureOfCheck } from "./check-picture.ts";
import { EXPLANATIONS } from "./misses.ts";
import { scalingsOf } from "./scaling.ts";
import { ANCHOR, type Cores, FOLDER, HEADING } from "./section.ts";
import { pictureOfShape, shapeSpec } from "./shape-picture.ts";
import { claimsTable, shapeCurvesTable, shapesOf } from "./shapes.ts";

/**
 * A record of simulated machines as the page of them: what it is, how near it comes to what was measured, the misses, what
 * each machine's accesses cost, and published curves. Pure: the text depends on the arguments alone.
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
    ...shapesText(record),
    ...faultsText(record),
    `## Curves (simulated)\n\n${list(primitivesIn(record).map((name) => `[${name}](../${name}/README.md#${ANCHOR})`))}`,
    provenanceText(record),
    madeFrom(file),
  ].join("\n");
}

/** The pictures of that page. */
export function drawCoresPage({ file, record }: Cores): Promise<Drawn[]> {
  const compared = comparedAt(record, DECIDING_WORKERS);
  return Promise.all([
    ...(compared.length === 0 ? [] : [draw(pictureOfCheck(compared), checkSpec(compared, file))]),
    ...shapesOf(record).map((shapes) => draw(pictureOfShape(shapes), shapeSpec(record, shapes, file))),
  ]);
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
long it takes to fall asleep, cannot be measured one by one. suites/lab/cores/fit.ts fitted them to
${record.fitted.map((name) => `\`${name}\``).join(", ")}. Four of these were chosen before anything was compared. The last two
were added after a first look. None of them is counted.

How the model hands lines on was chosen with the published times of 17 pickers in view, as an earlier model had missed some of
them. So its numbers were not fitted to these pickers, but its kind was. Locks, slots, timers and ownership were not in view.\n`,
    withoutHeading(toMarkdown(goalsTable(compared))),
    withoutHeading(toMarkdown(checkTable(compared))),
    image(pictureOfCheck(compared)),
    ...(crowded.length === 0
      ? []
      : [
          foldedAway(
            "With four and eight workers on two cores, simulated and measured",
            `Workers take turns on the two cores there. Only of structures that block is the simulated window longer than a turn. Of
the others it shows the workers whose turn it is.\n\n${withoutHeading(toMarkdown(checkTable(crowded)))}`,
          ),
        ]),
    foldedAway(
      "Every structure at two workers, simulated and measured",
      withoutHeading(toMarkdown(comparedTable(compared, false))),
    ),
  ].join("\n");
}

function goalsTable(compared: readonly Compared[]): Table {
  const { medianErrorPercent, shareWithin } = summaryOf(compared);
  const goal = (text: string, figure: string | null, isMet: boolean): Row => ({
    cells: { goal: text, figure, met: isMet ? "yes" : "**not met**" },
  });
  const ranked = [...rankCorrelations(compared)].filter(([name]) => RANKED.includes(name.split("/")[0]!));
  return {
    title: "Goals",
    provenance: [],
    columns: [left("goal", "Goal"), right("figure", "Simulated beside measured"), left("met", "Met")],
    rows: [
      goal(
        `median absolute error: at most ${GOALS.errorPercent} %`,
        percentText(medianErrorPercent),
        medianErrorPercent <= GOALS.errorPercent,
      ),
      goal(
        `within a factor of ${MOST_MISSED}: at least ${percentText(100 * GOALS.shareWithin)}`,
        percentText(100 * shareWithin),
        shareWithin >= GOALS.shareWithin,
      ),
      ...ranked.map(([name, correlation]) =>
        goal(
          `rank correlation of ${name}: at least ${GOALS.correlation}`,
          figureText(correlation),
          correlation >= GOALS.correlation,
        ),
      ),
    ],
    legend: [],
  };
}

/** A row for each scenario and worker count, and one for all. */
function checkTable(compared: readonly Compared[]): Table {
  const byScenario = Map.groupBy(
    compared,
    ({ primitive, scenario, workers }) => `${primitive}/${scenario}, ${workers} workers`,
  );
  const row = (name: string, own: readonly Compared[], correlation: number): Row => {
    const { counted, medianErrorPercent, shareWithin } = summaryOf(own);
    return {
      cells: {
        scenario: name,
        counted,
        fitted: own.length - counted,
        error: percentText(medianErrorPercent),
        within: percentText(100 * shareWithin),
        correlation: figureText(correlation),
      },
    };
  };
  return {
    title: "Check",
    provenance: [],
    columns: [
      left("scenario", "Scenario"),
      right("counted", "Counted"),
      right("fitted", "Fitted, not counted"),
      right("error", "Simulated: median absolute error"),
      right("within", `Simulated: within ${MOST_MISSED}`),
      right("correlation", "Simulated: rank correlation"),
    ],
    rows: [
      ...[...byScenario].map(([name, own]) =>
        row(name, own, [...rankCorrelations(own).values()][0] ?? Number.NaN),
      ),
      ...(byScenario.size < 2 ? [] : [row("all", compared, Number.NaN)]),
    ],
    legend: [],
  };
}

function percentText(percent: number): string | null {
  return Number.isFinite(percent) ? `${percent.toFixed(1)} %` : null;
}

function figureText(figure: number): string | null {
  return Number.isFinite(figure) ? figure.toFixed(3) : null;
}

function comparedTable(compared: readonly Compared[], isExplained: boolean): Table {
  const explanation: Column[] = isExplained ? [left("explanation", "Why")] : [];
  return {
    title: "Compared",
    provenance: [],
    columns: [
      left("structure", "Structure"),
      right("simulated", "Simulated", "ns"),
      right("measured", "Measured", "ns"),
      right("ratio", "Simulated over measured"),
      ...explanation,
    ],
    rows: compared.map(({ primitive, scenario, competitor, simulatedNs, measuredNs, ratio, isFitted }) => {
      const name = `${primitive}/${scenario}/${competitor}`;
      return {
        cells: {
          structure: isFitted ? `${name} (fitted)` : name,
          simulated: formatNumber(simulatedNs, 3),
          measured: formatNumber(measuredNs, 3),
          ratio: formatNumber(ratio, 3),
          ...(isExplained ? { explanation: EXPLANATIONS[name] ?? "not explained" } : {}),
        },
      };
    }),
    legend: [],
  };
}

function missesText(compared: readonly Compared[]): string[] {
  const misses = compared.filter(({ ratio }) => missOf(ratio) > MOST_MISSED);
  if (misses.length === 0) return [];
  const table = comparedTable(
    misses.toSorted((a, b) => missOf(b.ratio) - missOf(a.ratio)),
    true,
  );
  return [
    `## Misses\n\nOff by more than a factor of ${MOST_MISSED} at two workers. They have no simulated figure with more.\n`,
    withoutHeading(toMarkdown(table)),
  ];
}

function machinesText({ machines }: CoresRecord): string {
  return [
    "## The simulated machines\n",
    "What an access costs there. Each cost has a range, because none is known exactly; bands come from these ranges.\n",
    ...machines.map((machine) =>
      foldedAway(
        `${machine.title}: ${coresOf(machine)} cores${coresOf(machine) > DECIDING_WORKERS ? "" : ", the machine that measured"}`,
        withoutHeading(toMarkdown(costsTable(machine))),
      ),
    ),
  ].join("\n");
}

function costsTable({ costs }: CoresRecord["machines"][number]): Table {
  const names = Object.keys(COSTS) as CostName[];
  return {
    title: "Costs",
    provenance: [],
    columns: [
      left("cost", "Cost"),
      left("meaning", "Of"),
      right("value", "Simulated with"),
      right("range", "Range"),
      left("unit", "Unit"),
      left("source", "Source"),
    ],
    rows: names.map((name) => {
      const { value, low, high, source } = costs[name];
      return {
        cells: {
          cost: `\`${name}\``,
          meaning: COSTS[name],
          value: formatNumber(value),
          range: unbroken(`${formatNumber(low)}-${formatNumber(high)}`),
          unit: COSTS[name].includes("0 .. 1") ? "share" : "ns",
          source,
        },
      };
    }),
    legend: [],
  };
}

/** A model that is right in shape bends where published curves bend, whatever the height of each. */
function shapesText(record: CoresRecord): string[] {
  const shapes = shapesOf(record);
  if (shapes.length === 0) return [];
  const claims = shapes.flatMap((each) => each.claims).filter(({ isShown }) => isShown !== undefined);
  const shown = claims.filter(({ isShown }) => isShown);
  return [
    `## Published by others, beside the simulated\n
Ratios of throughput that others measured on machines with many cores, and the same ratios here. Their machines and their work
are others, so only shapes are compared, within bounds that are wider than what was published. Of ${claims.length} simulated ratios
${shown.length} keep within them.\n`,
    ...shapes.flatMap((each) => [
      foldedUnderHeading(
        "The shapes, published and simulated",
        toMarkdown(claimsTable(record, each), { headingLevel: 3 }),
      ),
      image(pictureOfShape(each)),
      foldedAway(
        "The curves, published and simulated",
        withoutHeading(toMarkdown(shapeCurvesTable(record, each))),
      ),
    ]),
  ];
}

function faultsText({ planted = [], machines }: CoresRecord): string[] {
  if (planted.length === 0) return [];
  const titles = machines.filter(({ name }) => planted.some(({ machine }) => machine === name));
  return [
    `## Planted faults (simulated)\n
Each fault was planted on purpose, in one of two structures that are otherwise alike: see suites/lab/cores/planted. With many
workers it shows as what it is; two cores hardly show it. Simulated on ${titles.map(({ title }) => title).join("; ")}.\n`,
    withoutHeading(toMarkdown(plantedTable(planted))),
  ];
}

function plantedTable(planted: readonly PlantedFault[]): Table {
  const timeOf = ({ broken, nsPerOperation }: PlantedFault["honest"]) =>
    broken ?? (nsPerOperation === undefined ? null : formatNumber(nsPerOperation));
  return {
    title: "Planted faults",
    provenance: [],
    columns: [
      left("fault", "Fault"),
      right("workers", "Workers"),
      right("honest", "Simulated without it (ns/op)"),
      right("faulty", "Simulated with it (ns/op)"),
      right("honestTransfers", "Simulated line transfers per op without it"),
      right("faultyTransfers", "With it"),
    ],
    rows: planted.map(({ fault, workers, honest, faulty }) => ({
      cells: {
        fault,
        workers,
        honest: timeOf(honest),
        faulty: timeOf(faulty),
        honestTransfers: formatNumber(honest.transfersPerOperation),
        faultyTransfers: formatNumber(faulty.transfersPerOperation),
      },
    })),
    legend: [],
  };
}

function provenanceText({ startedAt, commit, argv, seed, draws }: CoresRecord): string {
  const command = ["npm run cores", ...(argv.length === 0 ? [] : ["--", ...argv])].join(" ");
  return [
    "## Where the figures come from\n",
    list([
      `Commit: ${commit}`,
      `Date: ${startedAt}`,
      `Command: \`${command}\``,
      `Seed: ${seed}`,
      `Simulations with drawn costs, for each band: ${draws}`,
    ]),
  ].join("\n");
}
