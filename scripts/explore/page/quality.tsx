import { scaleLinear, scaleLog } from "d3-scale";
import { useState } from "preact/hooks";
import { spreadText } from "../../../suites/engine/judge/spread.ts";
import { formatNumber } from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { Axes, logTicks, Mark, VerdictMark, Wide } from "./charts.tsx";
import { type Contest, type ContestProps, type Figure, figuresOf } from "./contest.ts";
import { type Point, pointsOf } from "./front.ts";
import { standingOf } from "./words.ts";

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
  return (
    <>
      <label>
        Quality{" "}
        <select value={figure.key} onChange={({ currentTarget: { value } }) => go({ along: value })}>
          {figures.map(({ figure: { key, title, unit }, points: { length } }) => (
            <option key={key} value={key}>
              {title} ({unit}), of {length}
            </option>
          ))}
        </select>
      </label>
      <Scatter {...{ contest, figure, points }} />
      <PointTable {...{ contest, figure, points }} />
      {lacking.length > 0 && <p>Without that figure: {lacking.join(", ")}.</p>}
    </>
  );
}

const SIZE = { width: 720, height: 420, left: 70, right: 20, top: 30, bottom: 46 };
/** A figure whose greatest value is at least this multiple of its least has a logarithmic axis. */
const WIDE_RANGE = 20;

function Scatter({
  contest: { judged },
  figure,
  points,
}: {
  contest: Contest;
  figure: Figure;
  points: readonly Point[];
}) {
  const [near, setNear] = useState<string>();
  const drawn = points.filter(({ value }) => Number.isFinite(value));
  const values = drawn.map(({ value }) => value);
  const costs = drawn.map(({ row }) => row.median);
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const isLog = least > 0 && greatest > WIDE_RANGE * least;
  const room = 0.08 * (greatest - least) || 1;
  const across = [SIZE.left, SIZE.width - SIZE.right] as const;
  const up = [SIZE.height - SIZE.bottom, SIZE.top] as const;
  const x = isLog
    ? scaleLog([0.9 * least, 1.1 * greatest], across)
    : scaleLinear([least - room, greatest + room], across);
  const y = scaleLog([0.8 * Math.min(...costs), 1.25 * Math.max(...costs)], up);
  const named = labelsOf(drawn, x, y);
  return (
    <Wide label="Speed against quality, as a picture">
      <svg
        class="chart"
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        role="img"
        aria-label="The same as the table below"
      >
        <Axes
          x={x}
          y={y}
          xTicks={isLog ? logTicks(x as Parameters<typeof logTicks>[0]) : x.ticks(6)}
          yTicks={logTicks(y)}
          xText={(value) => formatNumber(value)}
          yText={(value) => formatNumber(value)}
          xTitle={`${figure.title} (${figure.unit})`}
          yTitle={`ns/${judged.operation}: less is better`}
        />
        {drawn.map(({ row, value, isFront }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: a pointer sees the name earlier; the table has it for all.
          <g
            key={row.cell}
            class={isFront ? "front" : "behind"}
            onMouseEnter={() => setNear(row.cell)}
            onMouseLeave={() => setNear(undefined)}
          >
            <title>{`${row.competitor}: ${formatNumber(row.median)} ns, ${formatNumber(value)} ${figure.unit}`}</title>
            <Mark x={x(value)} y={y(row.median)} of={standingOf(row)} size={isFront ? 7 : 5} />
          </g>
        ))}
        {named.map(({ point: { row }, at }) => (
          <text key={row.cell} class="label" x={at.x} y={at.y} text-anchor={at.anchor}>
            {row.competitor}
          </text>
        ))}
        {drawn
          .filter(({ row }) => row.cell === near)
          .map(({ row, value }) => (
            <text
              key="near"
              class="label near"
              x={x(value)}
              y={y(row.median) - 12}
              text-anchor={x(value) > SIZE.width / 2 ? "end" : "start"}
            >
              {row.competitor}
            </text>
          ))}
      </svg>
    </Wide>
  );
}

const LABEL = { letterPx: 6.4, linePx: 13 };

/** Those of the front have their names beside them, as far as names do not lie on one another. */
function labelsOf(points: readonly Point[], x: (value: number) => number, y: (value: number) => number) {
  const taken: { left: number; right: number; y: number }[] = [];
  return points
    .filter(({ isFront }) => isFront)
    .flatMap((point) => {
      const at = { x: x(point.value), y: y(point.row.median) };
      const width = LABEL.letterPx * point.row.competitor.length;
      const isLeft = at.x + 10 + width > SIZE.width;
      const left = isLeft ? at.x - 10 - width : at.x + 10;
      const place = { left, right: left + width, y: at.y + 4 };
      const isFree = taken.every(
        (other) =>
          other.right < place.left || other.left > place.right || Math.abs(other.y - place.y) > LABEL.linePx,
      );
      if (!isFree) return [];
      taken.push(place);
      return [{ point, at: { x: isLeft ? at.x - 10 : left, y: place.y, anchor: isLeft ? "end" : "start" } }];
    });
}

function PointTable({
  contest: { judged, baseline },
  figure,
  points,
}: {
  contest: Contest;
  figure: Figure;
  points: readonly Point[];
}) {
  return (
    <Wide label="Speed against quality, as a table">
      <table>
        <caption>
          The fastest first. Shaded: none is better in one of the two and at least as good in the other, by
          the figures as they stand; the verdict says whether a difference of speed to{" "}
          {baseline ?? "a baseline"} was told.
        </caption>
        <thead>
          <tr>
            <th scope="col">Competitor</th>
            <th scope="col">Verdict</th>
            <th scope="col" class="number">
              ns/{judged.operation}
            </th>
            <th scope="col" class="number">
              {figure.title} ({figure.unit})
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ row, isFront }) => (
            <tr key={row.cell} class={isFront ? "leads" : ""}>
              <th scope="row">
                {row.competitor}
                {isFront && <span title="of no other are both less"> +</span>}
              </th>
              <td class={`verdict ${standingOf(row)}`}>
                <VerdictMark of={standingOf(row)} /> {row.verdict}
              </td>
              <td class="number">{formatNumber(row.median)}</td>
              <td class="number">{spreadText(figure.of.get(row.competitor)!, figure.digits)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}
