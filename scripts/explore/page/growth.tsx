import { scaleLog } from "d3-scale";
import { scenarioOf } from "../../../suites/engine/measure/plan/plan.ts";
import {
  formatNumber,
  formatRatio,
} from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { Axes, logTicks, RatioText, VerdictMark, Wide } from "./charts.tsx";
import type { ContestProps } from "./contest.ts";
import { type Growth as Curve, growthOf, nameOf, rowsAt, type Step } from "./curve.ts";
import { standingOf } from "./words.ts";

/** One curve, with a slider along it. */
export function Growth({ contest, go }: ContestProps) {
  const curve = growthOf(contest);
  if (curve === undefined) {
    return (
      <p>
        {contest.judged.scenario} is no point of a curve and was raced at one worker count: there is nothing
        that costs could grow with.
      </p>
    );
  }
  const { steps, along } = curve;
  const place = steps.findIndex(
    ({ scenario, workers }) => scenario === contest.judged.scenario && workers === contest.conditions.workers,
  );
  const step = steps[place]!;
  const competitors = new Set(contest.roles.flatMap(({ rivals }) => rivals.map(({ row }) => row.competitor)));
  const rows = rowsAt(step, competitors).toSorted((a, b) => a.median - b.median);
  return (
    <>
      <label class="slider">
        {along}: <output>{atText(step)}</output>
        <input
          type="range"
          min="0"
          max={steps.length - 1}
          value={place}
          aria-valuetext={atText(step)}
          onInput={({ currentTarget: { value } }) => {
            const { scenario, workers } = steps[Number(value)]!;
            go({ scenario: scenarioOf(scenario), workers });
          }}
        />
      </label>
      <Picture {...{ curve, competitors, step, operation: contest.judged.operation }} />
      {competitors.size > MOST_LINES && (
        <p>
          <small>
            In front: the {MOST_LINES} fastest at the slider. The others are grey; the table has all.
          </small>
        </p>
      )}
      <Wide label="Costs at the slider, as a table">
        <table>
          <caption>
            {step.scenario} at {atText(step)} {along}, the fastest first
          </caption>
          <thead>
            <tr>
              <th scope="col">Competitor</th>
              <th scope="col" class="number">
                Ratio to {contest.baseline ?? "nothing"}
              </th>
              <th scope="col">Verdict</th>
              <th scope="col" class="number">
                ns/{contest.judged.operation}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.cell}>
                <th scope="row">{nameOf(row)}</th>
                <td class="number">
                  {row.ratio !== undefined && <RatioText text={formatRatio(row.ratio)} />}
                </td>
                <td class={`verdict ${standingOf(row)}`}>
                  <VerdictMark of={standingOf(row)} /> {row.verdict}
                </td>
                <td class="number">{formatNumber(row.median)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  );
}

function atText({ at, isOversubscribed }: Step): string {
  return `${formatNumber(at)}${isOversubscribed ? ", more than cores" : ""}`;
}

const SIZE = { width: 820, height: 420, left: 64, right: 250, top: 30, bottom: 46 };
/** The most lines that a reader can tell apart. If there are more, the fastest at the slider and the baseline are in front. */
const MOST_LINES = 12;
const DASHES = ["", "6 3", "2 3", "8 3 2 3"];

function Picture({
  curve: { steps, along },
  competitors,
  step,
  operation,
}: {
  curve: Curve;
  competitors: ReadonlySet<string>;
  step: Step;
  operation: string;
}) {
  const all = steps.flatMap((one) => rowsAt(one, competitors).map((row) => ({ at: one.at, row })));
  if (all.length === 0) return null;
  const costs = all.map(({ row }) => row.median);
  const sizes = steps.map(({ at }) => at);
  const across = [SIZE.left, SIZE.width - SIZE.right] as const;
  const x = scaleLog([sizes[0]!, sizes.at(-1)!], across);
  const y = scaleLog(
    [0.8 * Math.min(...costs), 1.25 * Math.max(...costs)],
    [SIZE.height - SIZE.bottom, SIZE.top],
  );
  const foremost = foremostAt(step, competitors);
  const lines = [...Map.groupBy(all, ({ row }) => nameOf(row))].map(([name, points]) => ({ name, points }));
  const front = lines.filter(({ name }) => foremost.has(name));
  const ends = spread(front.map(({ name, points }) => ({ name, y: y(points.at(-1)!.row.median) })));
  return (
    <Wide label="Growth, as a picture">
      <svg
        class="chart"
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        role="img"
        aria-label="The tables of all places of the slider"
      >
        <Axes
          x={x}
          y={y}
          xTicks={sizes}
          yTicks={logTicks(y)}
          xText={(value) => formatNumber(value)}
          yText={(value) => formatNumber(value)}
          xTitle={along}
          yTitle={`ns/${operation}`}
        />
        <line class="one" x1={x(step.at)} x2={x(step.at)} y1={SIZE.top} y2={SIZE.height - SIZE.bottom} />
        {lines
          .filter(({ name }) => !foremost.has(name))
          .map(({ name, points }) => (
            <g key={name} class="line behind">
              <title>{name}</title>
              <polyline points={points.map(({ at, row }) => `${x(at)},${y(row.median)}`).join(" ")} />
            </g>
          ))}
        {front.map(({ name, points }, index) => (
          <g key={name} class={`line hue${index % 6}`}>
            <title>{name}</title>
            <polyline
              points={points.map(({ at, row }) => `${x(at)},${y(row.median)}`).join(" ")}
              stroke-dasharray={DASHES[index % DASHES.length]}
            />
            {points.map(({ at, row }) => (
              <circle key={at} cx={x(at)} cy={y(row.median)} r="3" />
            ))}
          </g>
        ))}
        {ends.map(({ name, y: at, from }) => (
          <g key={name}>
            <line
              class="leader"
              x1={SIZE.width - SIZE.right + 3}
              y1={from}
              x2={SIZE.width - SIZE.right + 16}
              y2={at}
            />
            <text class="label" x={SIZE.width - SIZE.right + 19} y={at + 4}>
              {name}
            </text>
          </g>
        ))}
      </svg>
    </Wide>
  );
}

function foremostAt(step: Step, competitors: ReadonlySet<string>): ReadonlySet<string> {
  const rows = rowsAt(step, competitors).toSorted((a, b) => a.median - b.median);
  const baselines = rows.filter(({ verdict }) => verdict === "baseline");
  return new Set([...baselines, ...rows].slice(0, MOST_LINES).map(nameOf));
}

const LINE_PX = 13;

/** Names at the ends of lines, moved apart so that none lies on another. */
function spread(ends: readonly { readonly name: string; readonly y: number }[]) {
  const sorted = ends.toSorted((a, b) => a.y - b.y);
  const placed = sorted.map(({ name, y }) => ({ name, from: y, y }));
  for (const [index, end] of placed.entries()) {
    if (index > 0) end.y = Math.max(end.y, placed[index - 1]!.y + LINE_PX);
  }
  let floor = SIZE.height - LINE_PX;
  for (const end of placed.toReversed()) {
    end.y = Math.min(end.y, floor);
    floor = end.y - LINE_PX;
  }
  return placed;
}
