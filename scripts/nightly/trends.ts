import { basename } from "node:path";
import { compare } from "../../suites/engine/statistics.ts";
import { drawSvg } from "../../suites/lab/pictures/drawing.ts";
import { MOST_PANELS, type TrendPanel, type Trends, trendSpec } from "../../suites/lab/pictures/trends.ts";
import type { Series } from "../../suites/lab/series/nights.ts";
import { sectionOf } from "./choice.ts";

/** What is drawn of these series, by primitive and machine. */
export function trendsOf(series: readonly Series[]): Trends[] {
  const byPicture = Map.groupBy(series, ({ cell, machine }) => `${primitiveOf(cell)} ${machine}`);
  return [...byPicture.values()].map((own) => {
    const changed = own
      .filter(({ changes }) => changes.length > 0)
      .toSorted((a, b) => compare(lastChangeAt(b), lastChangeAt(a)) || compare(a.cell, b.cell));
    const steady = Map.groupBy(
      own.filter(({ changes }) => changes.length === 0),
      sectionOf,
    );
    const panels: TrendPanel[] = [
      ...changed.map((one) => ({ title: withoutPrimitive(one.cell), series: [one] })),
      ...[...steady].map(([section, those]) => ({
        title: `${withoutPrimitive(section)}: ${those.length} steady`,
        series: those,
      })),
    ];
    const { cell, machine } = own[0]!;
    return {
      primitive: primitiveOf(cell),
      machine,
      panels: panels.slice(0, MOST_PANELS),
      omitted: panels.slice(MOST_PANELS).map(({ title }) => title),
    };
  });
}

/** Name of a picture's file. */
export function trendFile({ primitive, machine }: Pick<Trends, "primitive" | "machine">): string {
  return `${primitive}-${machine}.svg`;
}

/** Every picture as SVG, by file name. */
export async function drawTrends(series: readonly Series[]): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  for (const trends of trendsOf(series)) {
    const file = trendFile(trends);
    drawn.set(file, await drawSvg(trendSpec(trends), basename(file, ".svg")));
  }
  return drawn;
}

function primitiveOf(cell: string): string {
  return cell.split("/")[0]!;
}

function withoutPrimitive(name: string): string {
  return name.slice(name.indexOf("/") + 1);
}

function lastChangeAt({ lines, changes }: Series): string {
  return lines[changes.at(-1)!.index]!.at;
}
