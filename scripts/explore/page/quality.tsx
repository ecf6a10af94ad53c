import type { TopLevelSpec } from "vega-lite";
import { COLOUR } from "../../../suites/lab/pictures/dark.ts";
import {
  AXIS_PX,
  costEstimate,
  domainOf,
  estimateLayers,
  FONT_PX,
  LINE_PX,
  sheetSpec,
  sourceText,
  standingStyle,
  valueScale,
  WIDTH_PX,
} from "../../../suites/lab/pictures/drawing.ts";
import { shareOf } from "../../../suites/lab/pictures/line-ends.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { spreadText } from "../../../suites/lab/verdicts/spread.ts";
import { formatNumber } from "../../../suites/reporter/src/index.ts";
import { type Contest, type ContestProps, type Figure, figuresOf, type Point, pointsOf } from "./contest.ts";
import { Choice } from "./fields.tsx";
import { Picture } from "./picture.tsx";
import { Table } from "./table.tsx";

/** Speed against quality: what an operation costs beside a figure of another kind, as a picture and as a table. */
export function Quality({ data, contest, view, go }: ContestProps) {
  const rows = contest.roles.flatMap(({ rivals }) => rivals.map(({ row }) => row));
  const figures = figuresOf(data)
    .map((figure) => ({ figure, points: pointsOf(rows, figure) }))
    .filter(({ points }) => points.length > 1);
  const most = Math.max(...figures.map(({ points }) => points.length));
  const chosen =
    figures.find(({ figure }) => figure.key === view.along) ??
    figures.find(({ points }) => points.length > most / 2);
  if (chosen === undefined) {
    return <p>No simulation or survey of {data.primitive} has a figure of two of those that are shown.</p>;
  }
  const { figure, points } = chosen;
  const lacking = rows
    .filter(({ competitor }) => !figure.of.has(competitor))
    .map(({ competitor }) => competitor);
  const { judged, baseline } = contest;
  return (
    <>
      <Choice
        title="Quality"
        value={figure.key}
        options={figures.map(({ figure: { key, title, unit }, points: { length } }) => [
          key,
          `${title} (${unit}), of ${length}`,
        ])}
        onChoice={(value) => go({ along: value })}
      />
      <Picture spec={scatterSpec(contest, figure, points)} />
      <Table
        label="Speed against quality, as a table"
        caption={`The fastest first. Shaded, with a +: none is better in one of the two and at least as good in the other, by
          the figures as they stand; the verdict is on the speed beside ${baseline ?? "a baseline"}.`}
        columns={[
          left("competitor", "Competitor"),
          left("verdict", "Verdict"),
          right("median", "Median", `ns/${judged.operation}`),
          right("figure", figure.title, figure.unit),
        ]}
        rows={points.map(({ row: { competitor, verdict, median }, isFront }) => ({
          name: isFront ? "leads" : "",
          cells: {
            competitor: isFront ? `${competitor} +` : competitor,
            verdict,
            median,
            figure: spreadText(figure.of.get(competitor)!, figure.digits),
          },
        }))}
      />
      {lacking.length > 0 && <p>Without that figure: {lacking.join(", ")}.</p>}
    </>
  );
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
      return { ...costEstimate(row, judged, where), at, isFront, competitor: row.competitor };
    });
  const costs = domainOf([{ points: drawn }]);
  const x = figureScale(
    drawn.map(({ at }) => at),
    `${figure.title} (${figure.unit})`,
  );
  const y = valueScale(costs);
  const [least, greatest] = x.scale.domain;
  const names = apart(drawn, costs).map(({ competitor, at, value }) => ({ competitor, at, value }));
  return sheetSpec(
    {
      alt: `${judged.primitive}/${judged.scenario}: ns/${judged.operation} against ${figure.title}; the table has the figures`,
      title: `${judged.primitive}/${judged.scenario}: ns/${judged.operation} against ${figure.title}`,
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
        ...estimateLayers(drawn, { x }, y, standingStyle([{ points: drawn }])),
        ...([true, false] as const).map((isLeft) => ({
          data: { values: names.filter(({ at }) => at < (least + greatest) / 2 === isLeft) },
          mark: {
            type: "text" as const,
            align: isLeft ? ("left" as const) : ("right" as const),
            dx: isLeft ? LINE_PX / 2 : -LINE_PX / 2,
            baseline: "middle" as const,
            fontSize: FONT_PX,
            color: COLOUR.ink,
          },
          encoding: { x, y: { ...y, field: "value" }, text: { field: "competitor" } },
        })),
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

/** Those of the front, as far as their names do not lie on one another; the fastest comes first. */
function apart<Drawn extends { readonly isFront: boolean; readonly value: number }>(
  drawn: readonly Drawn[],
  costs: readonly [number, number],
): Drawn[] {
  const named: Drawn[] = [];
  for (const point of drawn) {
    const before = named.at(-1);
    const gapPx =
      before === undefined
        ? Number.POSITIVE_INFINITY
        : HEIGHT_PX * (shareOf(costs, point.value) - shareOf(costs, before.value));
    if (point.isFront && gapPx >= LINE_PX) named.push(point);
  }
  return named;
}
