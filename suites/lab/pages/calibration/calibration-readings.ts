import { median } from "../../../engine/statistics.ts";
import type { Table } from "../../../reporter/src/index.ts";
import {
  AGREEMENT,
  type Agreement,
  agreementOf,
  fullSpeedOf,
  isApart,
  type Pair,
  pairsOf,
  percent,
  type ReasonKind,
} from "../../proof/agreement.ts";
import {
  type CheckedGroupRecord,
  READINGS,
  type Reading,
  type ReadingsRecord,
} from "../../schema/calibration.ts";
import { left, type Of, right, tableOf } from "../../tables/columns.ts";
import { foldedText } from "../../tables/folded.ts";
import { foldedAway, list } from "../../tables/markdown.ts";
import { madeFrom, provenanceText } from "../provenance.ts";

const READING_TITLES: Readonly<Record<Reading, string>> = {
  alone: "lab alone",
  raced: "lab raced",
  mitata: "mitata",
  tinybench: "tinybench",
};

/** The page: a summary, the difference of each two judges over all cells, and every cell, scenario by scenario. */
export function readingsPage(record: ReadingsRecord, fileName: string): string {
  const fullSpeedNs = fullSpeedOf(record.groups);
  const groups = record.groups.map((group) => ({ group, agreements: agreementsOf(group, fullSpeedNs) }));
  const all = groups.flatMap(({ agreements }) => agreements);
  // A scenario with many competitors is raced in several groups.
  const byScenario = Map.groupBy(groups, ({ group }) => `${group.primitive}/${group.scenario}`);
  const scenarios = [...byScenario.values()];
  const { mitata, tinybench } = record.libraries;
  return [
    "# Calibration of the readings: the lab beside mitata and tinybench\n",
    `${summaryLine(all)}.\n`,
    provenanceText(record, [
      ["Libraries", `mitata ${mitata}, tinybench ${tinybench}`],
      ["Measured", `${record.turns} turns of a process each; ${record.cpuMs} ms in a library's`],
    ]),
    foldedText(pairTable(all), 2),
    ...scenarios.map((parts) => {
      const agreements = parts.flatMap((part) => part.agreements).toSorted(fastestFirst);
      const table = foldedText(groupTable(parts[0]!.group, agreements), 2);
      const lines = agreements.flatMap(disagreementLine);
      return lines.length === 0 ? table : `${table}\n${foldedAway("By how much, and why", list(lines))}`;
    }),
    howToRead(record.turns),
    madeFrom(fileName),
  ].join("\n");
}

/** The table of the newest group, and below it the reasons why its readings differ. */
export function readingsGroupTable(groups: readonly CheckedGroupRecord[]): Table {
  const group = groups.at(-1)!;
  const agreements = agreementsOf(group, fullSpeedOf(groups));
  return { ...groupTable(group, agreements), legend: agreements.flatMap(disagreementLine) };
}

/** `66 one-worker cells: 50 agree ...`, for the terminal and the page. */
export function readingsSummary({ groups }: ReadingsRecord): string {
  const fullSpeedNs = fullSpeedOf(groups);
  return summaryLine(groups.flatMap((group) => agreementsOf(group, fullSpeedNs)));
}

function agreementsOf(group: CheckedGroupRecord, fullSpeedNs: number | undefined): Agreement[] {
  return group.cells.map((cell) => agreementOf(cell, group, fullSpeedNs));
}

function summaryLine(agreements: readonly Agreement[]): string {
  const whole = agreements.filter(({ failures }) => failures.size === 0);
  const apart = whole.filter(({ pairs }) => pairs.some(isApart));
  const unexplained = apart.filter(({ pairs }) => pairs.some(isUnexplained));
  const lacking = agreements.length - whole.length;
  const quiet = agreements.filter(({ state }) => state === "quiet").length;
  return [
    `${agreements.length} one-worker cells, ${quiet} of them in the quiet state: ${whole.length - apart.length} agree within ${percent(AGREEMENT)} in every pair`,
    `${apart.length - unexplained.length} are further apart for a reason that the readings bear out`,
    `${unexplained.length} unexplained`,
    ...(lacking === 0 ? [] : [`${lacking} lack a number`]),
  ].join(", ");
}

function isUnexplained(pair: Pair): boolean {
  return isApart(pair) && pair.reason === undefined;
}

function pairTable(agreements: readonly Agreement[]): Table {
  const compared = pairsOf(READINGS).map(([a, b]) => ({
    title: `${READING_TITLES[b]} to ${READING_TITLES[a]}`,
    cells: agreements.flatMap(({ pairs, summaries }) => {
      const pair = pairs.find((each) => each.a === a && each.b === b);
      return pair === undefined ? [] : [{ pair, ratio: summaries.get(b)!.median / summaries.get(a)!.median }];
    }),
  }));
  type Compared = (typeof compared)[number];
  const counted = (key: string, title: string, holds: (pair: Pair) => boolean): Of<Compared> => [
    right(key, title),
    ({ cells }) => cells.filter(({ pair }) => holds(pair)).length,
  ];
  const because = (kind: string) => (pair: Pair) => pair.reason?.kind === kind;
  return tableOf<Compared>(
    "How far each two are apart",
    compared.filter(({ cells }) => cells.length > 0),
    [
      [left("pair", "Pair"), ({ title }) => title],
      counted("cells", "Cells", () => true),
      [right("ratio", "Ratio, median of cells"), ({ cells }) => median(cells.map(({ ratio }) => ratio))],
      [
        right("apart", "Apart, median of cells"),
        ({ cells }) => percent(median(cells.map(({ pair }) => pair.apart))),
      ],
      counted("agree", `Within ${percent(AGREEMENT)}`, (pair) => !isApart(pair)),
      counted("moves", "Moves", because("moves")),
      counted("skewed", "Mean", because("skewed")),
      counted("raced", "Cold", because("raced")),
      counted("unexplained", "Unexplained", isUnexplained),
    ],
  );
}

function groupTable(
  { primitive, scenario, title, operation }: CheckedGroupRecord,
  agreements: readonly Agreement[],
): Table {
  return {
    title: `${primitive}/${scenario}: ${title}`,
    provenance: [],
    columns: [
      left("competitor", "Competitor"),
      ...READINGS.map((reading) => ({
        ...right(reading, READING_TITLES[reading], `ns/${operation}`),
        foremost: true,
      })),
      left("state", "State"),
      { ...right("apart", "Apart"), foremost: true },
      { ...left("why", "Because"), foremost: true },
      right("heap", "Heap", `B/${operation}`),
      right("gc", "gc", `ns/${operation}`),
    ],
    rows: agreements.map((agreement) => ({
      cells: {
        competitor: agreement.competitor,
        ...Object.fromEntries(
          READINGS.map((reading) => [reading, agreement.summaries.get(reading)?.median ?? null]),
        ),
        state: agreement.state,
        apart:
          agreement.pairs.length === 0
            ? null
            : percent(Math.max(...agreement.pairs.map(({ apart }) => apart))),
        heap: agreement.heapBytesPerOperation ?? null,
        gc: agreement.gcNsPerOperation ?? null,
        why: becauseText(agreement),
      },
    })),
    legend: [],
  };
}

/** By the time that the lab alone measured; cells without it come last. */
function fastestFirst(one: Agreement, other: Agreement): number {
  const ns = ({ summaries }: Agreement) => summaries.get("alone")?.median ?? Number.MAX_VALUE;
  return ns(one) - ns(other);
}

const BECAUSE: Readonly<Record<ReasonKind, string>> = {
  moves: "moves",
  skewed: "mean",
  raced: "cold",
};

/** The kinds of reasons why readings are apart, a word each, the most frequent first; `agree` where none are. */
function becauseText({ pairs, failures }: Agreement): string {
  const apart = pairs.filter(isApart);
  const byWord = Map.groupBy(apart, ({ reason }) =>
    reason === undefined ? "unexplained" : BECAUSE[reason.kind],
  );
  const words = [...byWord].toSorted(([, a], [, b]) => b.length - a.length).map(([word]) => word);
  const missing = failures.size === 0 ? [] : ["no number"];
  return [...(words.length === 0 && pairs.length > 0 ? ["agree"] : words), ...missing].join(", ");
}

/** Each reason with its pairs, and each missing number; empty if there are none. */
function disagreementLine({ competitor, pairs, failures, flags }: Agreement): string[] {
  const byReason = Map.groupBy(pairs.filter(isApart), ({ reason }) => reason?.text ?? "unexplained");
  const differences = [...byReason].map(
    ([reason, of]) => `${of.map(({ a, b, apart: by }) => `${a}/${b} ${percent(by)}`).join(", ")}: ${reason}`,
  );
  const missing = [...failures].map(
    ([reading, reason]) => `${READING_TITLES[reading]} has no number: ${reason}`,
  );
  const all = [...differences, ...missing, ...flags];
  return all.length === 0 ? [] : [`${competitor}: ${all.join("; ")}`];
}

function howToRead(turns: number): string {
  return `## How to read this

- The lab compares medians: the median of each process, and then that of ${turns} processes. A sample of the lab is a slice, the
  mean over 0.4 ms or more. A sample of a library is a batch of about 25 us. Batches are prepared outside the measured time, as
  in the race.
- State: quiet, if every judge has enough samples during which the core ran at full speed, and then only those count.
  Otherwise any: all samples count. The process takes the same tags around the batches of a library as around the slices of
  the lab. All judges measure a cell on the same core within a turn.
- "lab alone": the competitor with the engine's private add and empty operation in its process. "lab raced": in the group that
  \`npm run bench\` makes, its slices by turns with those of the others. The libraries measure on the main thread of an
  otherwise empty process. They pair nothing and give no verdict.
- Two judges agree if the larger reading is at most ${percent(AGREEMENT)} above the smaller. Apart: the difference of the
  furthest two. Because: the reason why two that do not agree are apart, given only where the readings support it.
- moves: the ranges of the two over the turns meet. mean: the library's mean agrees with the lab's slices where its median
  does not, or at least the ranges of these two meet. cold: the lab races with cold caches; it takes longer raced, and alone
  agrees with a library. The last two reasons must leave no more than half of the difference. unexplained: none of these.
- Heap and gc are mitata's, from the first turn and for one operation. Heap: the growth of the heap during a batch. gc: how
  much longer a full collection took after a batch than after an empty function. It is 0 unless every collection after a
  batch took longer than any after the empty function.
`;
}
