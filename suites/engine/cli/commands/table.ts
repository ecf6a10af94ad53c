import type { Figure } from "../../judge/allocates.ts";
import { aligned, OF_THIS_RUN, type TextOptions } from "../../race-text.ts";
import { plainName } from "../../schema/lines.ts";
import type { JudgedScenario } from "../../schema/verdict.ts";
import { reportedRow } from "../report.ts";
import { escaped, markdownRows, ratioText } from "../report-text.ts";
import { scaled, timeText, unitOf } from "../times.ts";
import { counted } from "../usage.ts";
import type { Block } from "./blocks.ts";

/** What came of a race of commands: `commands` of `--json`. */
export interface ReportedCommands {
  /** The command that ratios are to: the first. */
  readonly baseline: string;
  /** See `ReportedRace`. */
  readonly floor: number | null;
  readonly blocks: number;
  /** Of each command in each block. */
  readonly executions: number;
  readonly rows: readonly ReportedCommand[];
}

export interface ReportedCommand {
  readonly command: string;
  readonly ns: Figure | null;
  /** Medians; null where the system does not say. */
  readonly cpuNs: number | null;
  readonly peakBytes: number | null;
  readonly ratio: Figure | null;
  /** As of tasks. */
  readonly verdict: string;
  /** What each block saw, in ns. */
  readonly blockNs: readonly number[];
  readonly remarks: readonly string[];
}

export function reportedCommands(
  commands: readonly string[],
  { rows, conditions }: JudgedScenario,
  blocks: readonly Block[],
): ReportedCommands {
  const floors = conditions.flatMap((own) => own.floors);
  return {
    baseline: commands[0]!,
    floor: floors.length === 0 || commands.length === 1 ? null : Math.max(...floors),
    blocks: blocks.length,
    executions: blocks[0]![0]!.length,
    rows: rows
      .filter(({ kind }) => kind !== "aa-control")
      .map((row) => {
        const place = Number(row.competitor.slice(1));
        const command = commands[place]!;
        const { ns, ratio, verdict, processNs, remarks } = reportedRow(row, command);
        const extra = row.noNumber === undefined ? row.extra : {};
        return {
          command,
          ns,
          cpuNs: extra.cpuNs ?? null,
          peakBytes: extra.peakBytes ?? null,
          ratio,
          verdict: commands.length === 1 ? "alone" : verdict,
          blockNs: processNs,
          remarks: [
            ...failuresText(blocks, place === 0 ? [0, 1] : [place + 1]),
            ...remarks.map(inWordsOfCommands),
          ],
        };
      }),
  };
}

/** How often a command failed, where that was to be ignored; its place is that of its turns. */
function failuresText(blocks: readonly Block[], places: readonly number[]): string[] {
  const own = places.flatMap((place) => blocks.flatMap((block) => block[place]!));
  const failed = own.flatMap(({ failure }) => failure ?? []);
  return failed.length === 0
    ? []
    : [`${failed.length} of ${counted(own.length, "execution")} failed: ${failed[0]}`];
}

/** The judge repeats processes, which race in slices. */
function inWordsOfCommands(remark: string): string {
  return remark.replaceAll("processes", "blocks").replaceAll("slices", "executions");
}

const COLUMNS = ["command", "time", "99 % interval", "CPU", "peak memory", "ratio", "verdict"] as const;

function cellsOf({ command, ns, cpuNs, peakBytes, ratio, verdict }: ReportedCommand): string[] {
  const unit = unitOf(ns!.value);
  return [
    plainName(command),
    timeText(ns!.value),
    ns!.low === null ? "" : `${scaled(ns!.low, unit)} to ${scaled(ns!.high!, unit)}`,
    cpuNs === null ? "unknown" : timeText(cpuNs),
    peakBytes === null ? "unknown" : `${(peakBytes / 1e6).toPrecision(3)} MB`,
    ratio === null ? "" : ratioText(ratio),
    verdict,
  ];
}

function linesOf({ rows, baseline, floor, blocks, executions }: ReportedCommands): string[] {
  const compared =
    floor === null
      ? ""
      : ` Ratios are times relative to ${baseline}; the noise floor is ${Number((100 * floor).toPrecision(2))} %.`;
  return [
    `${counted(blocks, "block")} of ${counted(executions, "execution")} each.${compared}`,
    ...(floor === null ? [] : [OF_THIS_RUN]),
    ...rows.flatMap(({ command, remarks }) => remarks.map((remark) => `${command}: ${remark}.`)),
    ...(rows.some(({ cpuNs }) => cpuNs === null)
      ? ["CPU time and peak memory are asked for by Perl, on Linux and macOS alone: it is not here."]
      : []),
  ].map(plainName);
}

/** For a terminal, with a line break at its end. */
export function commandsText(raced: ReportedCommands, options: TextOptions): string {
  return `${[...aligned([[...COLUMNS], ...raced.rows.map(cellsOf)], options), "", ...linesOf(raced)].join("\n")}\n`;
}

export function commandsMarkdown(raced: ReportedCommands): string {
  return `${[
    ...markdownRows([[...COLUMNS], ...raced.rows.map(cellsOf)]),
    "",
    ...linesOf(raced).map((line) => `- ${escaped(line)}`),
  ].join("\n")}\n`;
}
