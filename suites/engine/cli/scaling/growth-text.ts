import { aligned, type TextOptions } from "../../race-text.ts";
import { plainName } from "../../schema/lines.ts";
import { escaped, markdownRows, shownPath } from "../report-text.ts";
import { timeText } from "../times.ts";
import type { GrowthRow, ReportedGrowth } from "./growth-rows.ts";

/** How times grow, as a table and a picture for a terminal, and as a table in Markdown. */

const COLUMNS = ["range", "N", "exponent", "99 % interval", "growth"] as const;
/** Lines of a picture beyond these would hide one another. */
const MOST_LINES = 26;

export function growthsText(growths: readonly ReportedGrowth[], options: TextOptions): string {
  return growths
    .map((growth) =>
      [
        titleOf(growth),
        "",
        ...aligned(
          [[...COLUMNS], ...growth.rows.map((row, place) => cellsOf(row, letterOf(place)))],
          options,
        ),
        "",
        ...pictureOf(growth.rows.slice(0, MOST_LINES)),
        "",
        ABOUT,
      ].join("\n"),
    )
    .map((text) => `${text}\n\n`)
    .join("");
}

export function growthsMarkdown(growths: readonly ReportedGrowth[]): string[] {
  return growths.map((growth) =>
    [
      `### ${escaped(titleOf(growth))}`,
      "",
      ...markdownRows([[...COLUMNS], ...growth.rows.map((row) => cellsOf(row))]),
      "",
      `- ${escaped(ABOUT)}`,
    ].join("\n"),
  );
}

const ABOUT =
  "An exponent is the b of a + c N^b that fits the times best. A class is named where all others fit worse.";

function titleOf({ file, group, workers }: ReportedGrowth): string {
  const several = workers === 1 ? "" : `, ${workers} workers`;
  return plainName(`${shownPath(file)}${group === "" ? "" : `: ${group}`}${several}, growth with N`);
}

function cellsOf({ range, points, exponent, growth }: GrowthRow, letter = ""): string[] {
  const { value, low, high } = exponent;
  const whole = (n: number) => n.toLocaleString("en");
  return [
    plainName(letter === "" ? range : `${letter}  ${range}`),
    `${whole(points[0]!.n)} to ${whole(points.at(-1)!.n)}`,
    value.toFixed(2),
    value === 0 ? "" : `${low.toFixed(2)} to ${high.toFixed(2)}`,
    growth,
  ];
}

function letterOf(place: number): string {
  return place < MOST_LINES ? String.fromCharCode("a".charCodeAt(0) + place) : " ";
}

const WIDTH = 48;
const HEIGHT = 10;

/** Each range as a line of its letter, on logarithmic axes: a straight one is a power, and a steeper one a higher. */
function pictureOf(rows: readonly GrowthRow[]): string[] {
  const all = rows.flatMap(({ points }) => points);
  const across = axisOf(
    all.map(({ n }) => n),
    WIDTH,
  );
  const up = axisOf(
    all.map(({ ns }) => ns),
    HEIGHT,
  );
  const cells = Array.from({ length: HEIGHT }, () => Array<string>(WIDTH).fill(" "));
  for (const [place, { points }] of rows.entries())
    for (let column = 0; column < WIDTH; column++) {
      const line = lineAt(
        points.map(({ n, ns }) => [across.at(n), up.at(ns)]),
        column,
      );
      if (line !== undefined) cells[HEIGHT - 1 - Math.round(line)]![column] = letterOf(place);
    }
  const [most, least] = [up.most, up.least].map(timeText) as [string, string];
  const margin = Math.max(most.length, least.length);
  const labelled = cells.map((line, place) => {
    const label = place === 0 ? most : place === HEIGHT - 1 ? least : "";
    return `${label.padStart(margin)} |${line.join("")}`.trimEnd();
  });
  const ends = [across.least, across.most].map((n) => n.toLocaleString("en")) as [string, string];
  return [
    ...labelled,
    `${" ".repeat(margin)} +${"-".repeat(WIDTH)}`,
    `${" ".repeat(margin + 2)}${ends[0]}${ends[1].padStart(WIDTH - ends[0].length)}`,
  ];
}

/** Maps the logarithms of these values to 0 .. size - 1. */
function axisOf(values: readonly number[], size: number) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const span = Math.log(most / least) || 1;
  return { least, most, at: (value: number) => ((size - 1) * Math.log(value / least)) / span };
}

/** The height at a column of the line through these places; undefined beside it. */
function lineAt(places: readonly (readonly [number, number])[], column: number): number | undefined {
  const next = places.findIndex(([x]) => Math.round(x) >= column);
  if (next === -1) return undefined;
  const [x, y] = places[next]!;
  if (Math.round(x) === column) return y;
  if (next === 0) return undefined;
  const [fromX, fromY] = places[next - 1]!;
  return fromY + ((column - fromX) / (x - fromX)) * (y - fromY);
}
