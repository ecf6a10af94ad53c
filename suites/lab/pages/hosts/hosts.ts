import { formatRatio } from "../../../reporter/src/index.ts";
import { emphasized } from "../../../reporter/src/lab.ts";
import { hostsPicture } from "../../pictures/hosts.ts";
import { left, plain, right, tableOf } from "../../tables/columns.ts";
import { image, list, ratioInTwo } from "../../tables/markdown.ts";
import { workersText } from "../../tables/phrases.ts";
import { type HostReading, type HostsRow, type HostsTable, STANDINGS } from "../../verdicts/hosts.ts";
import { groupRatios } from "../evidence.ts";
import { scenarioFile } from "../scenarios.ts";

/** The page of rows that several kinds of hosts raced, and what other pages say of them. Pure. */

export const HOSTS_FILE = "hosts.md";

const INTRODUCTION = `# On each host

A ratio is of the host that it was measured on. These rows were raced on several kinds of hosts; what one alone raced is left
out, and so are runs of another method than the first host's record.
In each table the rows that hold on all hosts come first.

${list([
  "*Holds*: each host says the same. *Depends on the machine*: faster in a run of one host, and slower in a run of another.",
  "*Depends within a host*: the processes of one fall into two groups, or one of its runs is faster and another slower.",
  "*Differs*: each host has a verdict, and one of them is *same*.",
  "*Open*: a host has no verdict, or its interval includes 1 beside *faster* or *slower*.",
  "The verdict of several runs is what more than half of them say, if none is faster and another slower.",
  "The ratio of several runs is their mean. The ratio of another run on such a host lies in its interval with 95 % probability.",
  "The interval of a single run is of that run, and does not cover how runs differ.",
])}`;

/** Where no row was raced on two hosts, the page says so. */
export function hostsPage(tables: readonly HostsTable[]): string {
  const picture = hostsPicture(tables);
  return [
    INTRODUCTION,
    ...(tables.length === 0 ? ["No row was raced on two kinds of hosts.\n"] : [overviewText(tables)]),
    ...(picture === undefined ? [] : [image(picture)]),
    ...tables.map(tableText),
    "Made by `npm run report` from the newest records and [whole runs that were repeated](repeats/). Do not edit.\n",
  ].join("\n");
}

/** What holds on all hosts, counted, and the names of what depends; empty where no row was raced on two. */
export function overviewText(tables: readonly HostsTable[]): string {
  const rows = tables.flatMap((table) => table.rows);
  if (rows.length === 0) return "";
  const counts = byStanding(rows, (own) => String(own.length)).join(", ");
  return [
    `Of the rows that were raced on ${hostsOf(rows).join(" and ")}: ${counts}.\n`,
    ...[list(tables.flatMap(dependingText))].filter((text) => text !== ""),
  ].join("\n");
}

function hostsOf(rows: readonly HostsRow[]): string[] {
  return [...new Set(rows.flatMap(({ readings }) => readings.map(({ host }) => host)))];
}

/** Each standing that a row has, and what is said of the rows that have it. */
function byStanding(rows: readonly HostsRow[], textOf: (own: readonly HostsRow[]) => string): string[] {
  return STANDINGS.flatMap((standing) => {
    const own = rows.filter((row) => row.standing === standing);
    return own.length === 0 ? [] : [`*${standing}* ${textOf(own)}`];
  });
}

function namesText(rows: readonly HostsRow[]): string {
  return rows.map(({ name }) => `\`${name}\``).join(", ");
}

function dependingText(table: HostsTable): string[] {
  const own = table.rows.filter(({ standing }) => standing === "depends on the machine");
  return own.length === 0 ? [] : [`Depends on the machine: ${namesText(own)} in ${placeOf(table)}.`];
}

function placeOf({ primitive, scenario, workers }: HostsTable): string {
  return `[${primitive}/${scenario}](${primitive}/${scenarioFile(scenario)}) at ${workersText(workers)}`;
}

function tableText({ primitive, scenario, workers, baseline, rows }: HostsTable): string {
  const readingOn = ({ readings }: HostsRow, name: string) => readings.find(({ host }) => host === name);
  const table = tableOf(scenario, rows, [
    [left("row", `To ${baseline}`), ({ name }) => name],
    ...hostsOf(rows).flatMap((host) => [
      [
        right(host, `${host}, ${runsText(rows, host)}`),
        (row: HostsRow) => ratioCell(readingOn(row, host)),
      ] as const,
      [left(`${host} verdict`, "Verdict"), (row: HostsRow) => verdictCell(readingOn(row, host))] as const,
    ]),
    [left("standing", "On all"), ({ standing }) => standing],
  ]);
  return `## ${primitive}/${scenario}, ${workersText(workers)}\n\n${plain(table)}`;
}

function runsText(rows: readonly HostsRow[], name: string): string {
  const own = rows.flatMap(({ readings }) => readings.filter(({ host }) => host === name));
  const runs = Math.max(...own.map(({ said }) => said.length));
  return runs === 1 ? "1 run" : `${runs} runs`;
}

function ratioCell(reading: HostReading | undefined): string | null {
  return (reading && figureOf(reading, ratioInTwo)) ?? null;
}

function figureOf({ ratio, only }: HostReading, shown = (figure: string) => figure): string | undefined {
  return (only && groupRatios(only)) ?? (ratio && shown(formatRatio(ratio)));
}

function verdictCell(reading: HostReading | undefined): string {
  return reading === undefined ? "not raced" : verdictText(reading, emphasized);
}

/** The verdict of several runs, and behind it how many say that and how many decide otherwise. */
export function verdictText(
  { verdict, said }: Pick<HostReading, "verdict" | "said">,
  shown = (word: string) => word,
  unit = "",
): string {
  if (said.length === 1) return shown(verdict);
  const countOf = (word: string) =>
    `in ${said.filter((one) => one === word).length} of ${said.length}${unit}`;
  const isSaid = verdict !== "cannot tell" && verdict !== "reversed";
  const others = DECIDED.filter((word) => word !== verdict && said.includes(word));
  return [
    isSaid ? `${shown(verdict)} ${countOf(verdict)}` : verdict,
    ...others.map((word) => `${word} ${countOf(word)}`),
  ].join(", ");
}

const DECIDED = ["faster", "slower", "same"];

/** What the hosts besides the first say of each row, by its cell: what follows the figures of the first. */
export function elsewhereTexts(tables: readonly HostsTable[]): ReadonlyMap<string, string> {
  return new Map(
    tables.flatMap(({ rows }) =>
      rows.map(({ cell, readings: [, ...others] }) => [cell, others.map(readingText).join("; ")] as const),
    ),
  );
}

function readingText(reading: HostReading): string {
  const figure = figureOf(reading);
  return `on ${reading.host} ${figure === undefined ? "" : `${figure}, `}${verdictText(reading, undefined, " runs")}`;
}

/** What stands on the page of a scenario: how its rows stand, for each number of workers. */
export function hostsOfScenario(tables: readonly HostsTable[], name: string): string[] {
  return tables
    .filter(({ scenario }) => scenario === name)
    .map(({ workers, rows }) => {
      const where = `${hostsOf(rows).join(" and ")} at ${workersText(workers)}`;
      return `On ${where} ([each figure](../${HOSTS_FILE})): ${byStanding(rows, namesText).join("; ")}.\n`;
    });
}
