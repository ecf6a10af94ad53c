import type { TopLevelSpec } from "vega-lite";
import { COLOUR } from "../../../suites/lab/pictures/dark.ts";
import {
  AXIS_PX,
  costEstimate,
  domainOf,
  emphasisStyle,
  estimateLayers,
  FONT_PX,
  LINE_PX,
  lineName,
  sheetSpec,
  sourceText,
  valueScale,
  WIDTH_PX,
} from "../../../suites/lab/pictures/drawing.ts";
import { shareOf } from "../../../suites/lab/pictures/line-ends.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { spreadText } from "../../../suites/lab/verdicts/spread.ts";
import { formatNumber } from "../../../suites/reporter/src/index.ts";
import { type Contest, type ContestProps, type Figure, figuresOf, type Point, pointsOf } from "./contest.ts";
import { type Html, html, picture, select, tableHtml } from "./html.ts";

/** Speed against quality: what an operation costs beside a figure of another kind, as a picture and as a table. */
export function quality({ data, contest, view }: ContestProps): Html {
  const figures = figuresOf(data)
    .map((figure) => ({ figure, points: pointsOf(contest.rivals, figure) }))
    .filter(({ points }) => points.length > 1);
  const most = Math.max(...figures.map(({ points }) => points.length));
  const chosen =
    figures.find(({ figure }) => figure.key === view.chosen.along) ??
    figures.find(({ points }) => points.length > most / 2);
  if (chosen === undefined) {
    return html`<p>No simulation or survey of ${data.primitive} has a figure of two of those that are shown.</p>`;
  }
  const { figure, points } = chosen;
  const options = figures.map(
    ({ figure: { key, title, unit }, points: { length } }) =>
      [key, `${title} (${unit}), of ${length}`] as const,
  );
  const lacking = contest.rivals.filter(({ competitor }) => !figure.of.has(competitor)).map(lineName);
  return html`${select("Quality", "along", figure.key, options)}
${picture(scatterSpec(contest, figure, points))}
${pointTable(contest, figure, points)}
${lacking.length > 0 && html`<p>Without that figure: ${lacking.join(", ")}.</p>`}`;
}

function pointTable({ judged, baseline }: Contest, figure: Figure, points: readonly Point[]): Html {
  return tableHtml({
    caption: `The fastest first. With a +: none is better in one of the two and at least as good in the other, by the figures as they stand; the verdict is on the speed beside ${baseline ?? "a baseline"}.`,
    columns: [
      left("competitor", "Competitor"),
      left("verdict", "Verdict"),
      right("median", "Median", `ns/${judged.operation}`),
      right("figure", figure.title, figure.unit),
    ],
    rows: points.map(({ row, isFront }) => ({
      cells: {
        competitor: isFront ? `**${lineName(row)}** +` : lineName(row),
        verdict: row.verdict,
        median: row.median,
        figure: spreadText(figure.of.get(row.competitor)!, figure.digits),
      },
    })),
  });
}

const HEIGHT_PX = 380;
/** A figure whose greatest value is at least this multiple of its least has a logarithmic axis. */
const WIDE_RANGE = 20;

/** A point for each competitor; those that are best in some mixture of both have their names beside them. */
function scatterSpec({ judged, source }: Contest, figure: Figure, points: readonly Point[]): TopLevelSpec {
  const drawn = points
    .filter(({ value }) => Number.isFinite(value))
    .map(({ row, value: at, isFront }) => {
      const where = `${formatNumber(at)} ${figure.unit}`;
      return { ...costEstimate(row, judged, where), at, isFront, name: lineName(row) };
    });
  const x = figureScale(
    drawn.map(({ at }) => at),
    `${figure.title} (${figure.unit})`,
  );
  const costs = domainOf([{ points: drawn }]);
  const y = valueScale(costs);
  const [least, greatest] = x.scale.domain;
  const isLeft = `datum.at < ${(least + greatest) / 2}`;
  const title = `${judged.primitive}/${judged.scenario}: ns/${judged.operation} against ${figure.title}`;
  return sheetSpec(
    {
      alt: `${title}; the table has the figures`,
      title,
      subtitle: [
        "Less is better in both; boxes: 99 % intervals over forks. Named: none is better in one and at least as good in the other",
      ],
      notes: [sourceText(source.file, source.record)],
      indentPx: AXIS_PX,
    },
    {
      width: WIDTH_PX - AXIS_PX,
      height: HEIGHT_PX,
      layer: [
        ...estimateLayers(drawn, { x }, y, emphasisStyle([{ points: drawn }])),
        {
          data: { values: apart(drawn, costs) },
          mark: {
            type: "text",
            align: { expr: `${isLeft} ? "left" : "right"` },
            dx: { expr: `${isLeft} ? ${LINE_PX / 2} : ${-LINE_PX / 2}` },
            fontSize: FONT_PX,
            color: COLOUR.ink,
            aria: false,
          },
          encoding: { x, y: { ...y, field: "value" }, text: { field: "name" } },
        },
      ],
    },
  );
}

function figureScale(values: readonly number[], title: string) {
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const isLog = least > 0 && greatest > WIDE_RANGE * least;
  const room = 0.08 * (greatest - least) || 1;
  const domain: [number, number] = isLog ? [0.9 * least, 1.1 * greatest] : [least - room, greatest + room];
  return {
    field: "at",
    type: "quantitative" as const,
    scale: { type: isLog ? ("log" as const) : ("linear" as const), domain, nice: false, zero: false },
    axis: { title, tickCount: 6, format: ",~f" },
  };
}

/** Those of the front, the fastest first, as far as their names do not lie on one another. */
function apart<Drawn extends { readonly isFront: boolean; readonly value: number }>(
  drawn: readonly Drawn[],
  costs: readonly [number, number],
): Drawn[] {
  const named: Drawn[] = [];
  for (const point of drawn) {
    const [at, before] = [point, named.at(-1)].map((each) => each && HEIGHT_PX * shareOf(costs, each.value));
    if (point.isFront && (before === undefined || at! - before >= LINE_PX)) named.push(point);
  }
  return named;
}
