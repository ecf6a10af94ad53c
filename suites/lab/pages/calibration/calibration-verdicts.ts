import { METHOD_VERSION } from "../../../engine/schema/envelope.ts";
import type { Table } from "../../../reporter/src/index.ts";
import { type RacedApart, racedApart } from "../../proof/raced-apart.ts";
import {
  COMPILED_ALIKE,
  cellOf,
  equalsIn,
  type Goal,
  goalsOf,
  raceKindOf,
  type Score,
  scoresOf,
} from "../../proof/scores.ts";
import { type CalibrationRecord, failuresOf } from "../../schema/calibration.ts";
import { asWritten } from "../../tables/as-written.ts";
import { left, type Of, right, tableOf } from "../../tables/columns.ts";
import { foldedText } from "../../tables/folded.ts";
import { provenanceOf } from "../provenance.ts";

/**
 * How often the lab and two libraries are right about pairs whose truth is known. Pure: the text depends on the records and
 * the file's name alone.
 */
export function verdictsPage(
  written: CalibrationRecord,
  source: string,
  others: readonly CalibrationRecord[] = [],
): string {
  const record = asWritten(written);
  return [
    record.isDisturbed === true
      ? "# Calibration of the verdicts beside a disturbance\n"
      : "# Calibration of the verdicts: how often they are right\n",
    ...(record.methodVersion < METHOD_VERSION && record.isDisturbed !== true
      ? [`${ofOlderMethod(record)}\n`]
      : []),
    ...verdictsBlocks(record, source, others).map((block) =>
      typeof block === "string" ? `${block}\n` : foldedText(block, 2),
    ),
  ].join("\n");
}

/** Where today's method was calibrated until a record of it takes this one's place. */
function ofOlderMethod({ methodVersion }: CalibrationRecord): string {
  const review = "[Review 0021](../../reviews/0021-calibration-of-method-5.md)";
  return `These figures are of method ${methodVersion}. ${review} has a turn of method ${METHOD_VERSION} on another host, cell by cell.`;
}

/** The paragraphs and tables of that page. `others`: published runs of the same method, whose equals count as well. */
export function verdictsBlocks(
  record: CalibrationRecord,
  source: string,
  others: readonly CalibrationRecord[] = [],
): (string | Table)[] {
  const scores = scoresOf(record);
  const failures = failuresOf(record);
  const runs = [record, ...others];
  const apart = racedApart(runs);
  const equals = [equalsIn(runs), ...apart.map(({ where, ...own }) => ({ what: `equals ${where}`, ...own }))];
  return [
    "How often a verdict of this lab is wrong, and how small a difference it sees. The truth of every comparison here is known:\n" +
      "the crews are equal, or one of them does 1 to 20 % more work than it counts.",
    goals(goalsOf(scores, equals, record.isDisturbed), record, source, runs.length),
    falseAlarms(scores),
    ...(apart.length === 0 ? [] : [racedApartTable(apart)]),
    detections(scores),
    ...(failures.length === 0
      ? []
      : [`${failures.length} groups or readings have no numbers: ${failures[0]}`]),
  ];
}

function goals(reached: readonly Goal[], record: CalibrationRecord, source: string, runs: number): Table {
  return {
    title: "What the lab is to reach",
    provenance: [...provenanceOf(record), ["Cells", cellsOf(record)], ["Record", `[${source}](${source})`]],
    columns: [
      { ...left("goal", "Goal"), foremost: true },
      right("trials", "Comparisons"),
      right("seen", "Seen"),
      { ...right("share", "Share"), foremost: true },
      right("interval", "95 %"),
      { ...left("met", "Met"), foremost: true },
    ],
    rows: reached.map(({ goal, trials, seen, share, interval, met }) => ({
      cells: {
        goal,
        trials,
        seen,
        share: percent(share),
        interval: `${percent(interval.low)} to ${percent(interval.high)}`,
        met: MET[met],
      },
    })),
    legend: [
      `Equals: of this run${runs === 1 ? "" : `, and other published ones of its method (${runs - 1})`}. Their goals are met where the interval lies within them. Not shown: only the share does.`,
      ...(record.isDisturbed === true
        ? [
            "Beside a process that took 0.3 of a core, in bursts of 5 to 50 ms. The goals are twice the usual differences.",
          ]
        : []),
      "95 %: interval of the share (Wilson 1927), as if all comparisons were independent; in fact those of one group have crews in common.",
    ],
  };
}

const MET = { yes: "yes", no: "**not met**", "not shown": "not shown" } as const;

function racedApartTable(apart: readonly RacedApart[]): Table {
  const columns: readonly Of<RacedApart>[] = [
    [left("where", "Equal, and raced"), ({ where }) => where],
    [right("trials", "Comparisons"), ({ trials }) => trials],
    [right("sources", "Pairs of groups"), ({ sources }) => sources],
    [right("wrong", "Called faster or slower"), ({ wrong }) => wrong],
    [right("unlikely", "p < 5 %"), ({ unlikely, trials }) => percent(unlikely / trials)],
  ];
  const legend = [
    "Each is compared by its ratio to the baseline of its own group, as npm run explore does it with two records, with the intervals of the runs themselves: those for another run are wider. In other company: with the slowed crews, and without them. Groups of one run are minutes apart.",
  ];
  return tableOf("Equals that did not race together", apart, columns, undefined, { legend });
}

function falseAlarms(scores: readonly Score[]): Table {
  const equals = scores.filter(({ truth }) => truth === 0);
  const columns: readonly Of<Score>[] = [
    [left("judge", "Judge"), ({ judge }) => judge],
    [left("kind", "Race"), kindText],
    [left("workers", "Workers"), workersOf],
    [right("trials", "Comparisons"), ({ trials }) => trials],
    [left("sources", "From"), sourcesOf],
    [
      right("wrong", "Called faster or slower"),
      (score) => {
        const wrong = wrongOf(score);
        return wrong === 0 ? "0" : `${wrong} (in ${score.decidedSources})`;
      },
    ],
    [
      right("perThousand", "So called in 1,000"),
      (score) => ((1000 * wrongOf(score)) / score.trials).toFixed(1),
    ],
    [right("same", "Same"), ({ verdicts, trials }) => share(verdicts.same, trials)],
    [right("depends", "Depends"), ({ verdicts, trials }) => share(verdicts.depends, trials)],
    [right("unclear", "Cannot tell"), ({ verdicts, trials }) => share(verdicts["cannot tell"], trials)],
    [right("powerless", "No power"), ({ verdicts, trials }) => share(verdicts["no power"], trials)],
    [right("floor", "Floor"), ({ floor }) => percent(floor)],
    [right("reach", "Interval"), ({ reach }) => percent(reach)],
    [right("forks", "Forks"), ({ forks }) => (Number.isNaN(forks) ? null : forks)],
  ];
  const legend = [
    "Comparisons of one group have crews in common, and comparisons of one turn have readings in common. In brackets: the number of groups or turns with wrong ones.",
    "Lab: the verdict of its tables, after as many forks as racing would have given the group. One of the equal crews measures the noise floor, and intervals are widened for rows and looks. Floor, interval and forks are medians. Interval: half its width.",
    "mitata: its summary's ratio of two averages, to two digits; any but 1.00 counts as faster or slower. tinybench: its mean and margin of error at 95 %; two intervals that do not meet count. Each reading has a process of its own, so that none inherits the compiled code of another. The readings compared are of one turn, of the same workload, and taken one after the other. Neither library gives verdicts of its own or runs more than one worker.",
  ];
  return tableOf("Equals: false alarms", [...equals, ...totalOfLab(equals)], columns, undefined, { legend });
}

function wrongOf({ verdicts: { faster, slower } }: Score): number {
  return faster + slower;
}

function detections(scores: readonly Score[]): Table {
  const slowed = scores.filter(({ truth }) => truth > 0);
  const truths = [...new Set(slowed.map(({ truth }) => truth))].sort((a, b) => a - b);
  const byJudge = [
    ...Map.groupBy(slowed, (score) => `${score.judge} ${score.workers} ${kindText(score)}`).values(),
  ];
  return {
    title: "Slower ones: how many are called slower",
    provenance: [],
    columns: [
      left("judge", "Judge"),
      left("kind", "Race"),
      left("workers", "Workers"),
      left("trials", "Comparisons"),
      ...truths.map((truth) => right(String(truth), `+${100 * truth} %`)),
      right("reversed", "Called faster"),
    ],
    rows: byJudge.map((own) => {
      const reversed = own.reduce((sum, { verdicts }) => sum + verdicts.faster, 0);
      const seen = own.map(
        ({ truth, trials, verdicts }) => [String(truth), share(verdicts.slower, trials)] as const,
      );
      return {
        cells: {
          judge: own[0]!.judge,
          kind: kindText(own[0]!),
          workers: workersOf(own[0]!),
          trials: eachOf(own),
          ...Object.fromEntries(seen),
          reversed: String(reversed),
        },
      };
    }),
    legend: [
      "A judge that calls everything different also sees the slower ones, so read this table beside the one above.",
    ],
  };
}

/** All races of the lab together, where it has several kinds. */
function totalOfLab(equals: readonly Score[]): Score[] {
  const own = equals.filter(({ judge }) => judge === "lab");
  if (own.length < 2) return [];
  const sum = (figure: (score: Score) => number) => own.reduce((total, score) => total + figure(score), 0);
  const verdict = (name: keyof Score["verdicts"]) => sum(({ verdicts }) => verdicts[name]);
  return [
    {
      ...own[0]!,
      judge: "lab, all together",
      workers: 0,
      oversubscribed: false,
      trials: sum(({ trials }) => trials),
      sources: sum(({ sources }) => sources),
      decidedSources: sum(({ decidedSources }) => decidedSources),
      verdicts: {
        faster: verdict("faster"),
        slower: verdict("slower"),
        same: verdict("same"),
        depends: verdict("depends"),
        "cannot tell": verdict("cannot tell"),
        "no power": verdict("no power"),
      },
      floor: Number.NaN,
      reach: Number.NaN,
      forks: Number.NaN,
    },
  ];
}

/** The number of trials of each truth: fewer where some have no numbers. */
function eachOf(scores: readonly Score[]): string {
  const trials = scores.map((score) => score.trials);
  const [least, most] = [Math.min(...trials), Math.max(...trials)];
  return least === most ? `${most} each` : `${least} to ${most} each`;
}

function workersOf({ workers }: Score): string {
  return workers === 0 ? "all" : String(workers);
}

function kindText(score: Score): string {
  const how = score.isCompiledAlike ? COMPILED_ALIKE : "";
  return score.workers === 0 ? "all" : raceKindOf(score) + how;
}

function sourcesOf({ judge, sources }: Score): string {
  return `${sources} ${judge.startsWith("lab") ? "groups" : "turns"}`;
}

function cellsOf({ groups }: CalibrationRecord): string {
  return [...new Set(groups.map(cellOf))].join(", ");
}

function share(count: number, of: number): string {
  return `${((100 * count) / of).toFixed(0)} %`;
}

function percent(value: number): string | null {
  return Number.isNaN(value) ? null : `${(100 * value).toFixed(1)} %`;
}
