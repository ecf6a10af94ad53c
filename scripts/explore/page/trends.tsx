import { scaleLinear, scaleLog } from "d3-scale";
import { formatNumber } from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { Axes, Mark, VerdictMark, Wide } from "./charts.tsx";
import type { ContestProps } from "./contest.ts";
import { changesIn, isSlower } from "./nights.ts";
import type { TrendData } from "./site-data.ts";
import { percentText, type Standing } from "./words.ts";

/** How cells moved, night by night, with the changes that were reported. */
export function Trends({
  data: { primitive, trends },
  view,
  go,
}: Pick<ContestProps, "data" | "view" | "go">) {
  if (trends.length === 0) {
    return (
      <p>
        The page was made without nights of {primitive}: <code>npm run explore -- --history FILE</code> takes
        those of <code>npm run nightly</code>.
      </p>
    );
  }
  const changes = changesIn(trends);
  const slower = changes.filter(isSlower);
  const trend = trends.find((one) => keyOf(one) === view.series) ?? changes[0]?.trend ?? trends[0]!;
  return (
    <>
      <p role="status">
        <b>
          {slower.length === 0
            ? `No night has confirmed that anything of ${primitive} got slower.`
            : `Nights have confirmed ${slower.length} time${slower.length === 1 ? "" : "s"} that something got slower, the last time on ${slower[0]!.night.at.slice(0, 10)}.`}
        </b>
      </p>
      {changes.length > 0 && (
        <Wide label="Changes, as a table">
          <table>
            <caption>Change points, the newest first. A confirmed one was an alert.</caption>
            <thead>
              <tr>
                <th scope="col">Cell</th>
                <th scope="col">What</th>
                <th scope="col" class="number">
                  Ratio before and after
                </th>
                <th scope="col">Standing</th>
                <th scope="col">Since</th>
                <th scope="col">Commit</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ trend: { cell, baseline }, change: { before, after, standing }, night }) => (
                <tr key={`${cell} ${night.at}`}>
                  <th scope="row">{cell}</th>
                  <td class={`verdict ${directionOf(before, after)}`}>
                    <VerdictMark of={directionOf(before, after)} /> {directionOf(before, after)} by{" "}
                    {percentText(Math.abs(after / before - 1))}
                  </td>
                  <td class="number">
                    {formatNumber(before, 3)} to {formatNumber(after, 3)} of {baseline}
                  </td>
                  <td>{standing}</td>
                  <td>{night.at.slice(0, 10)}</td>
                  <td>{night.commit.slice(0, 7)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
      <label>
        Series{" "}
        <select value={keyOf(trend)} onChange={({ currentTarget: { value } }) => go({ series: value })}>
          {trends.map((one) => (
            <option key={keyOf(one)} value={keyOf(one)}>
              {keyOf(one)}
            </option>
          ))}
        </select>
      </label>
      <Picture trend={trend} />
    </>
  );
}

function directionOf(before: number, after: number): Standing {
  return after > before ? "slower" : "faster";
}

function keyOf({ cell, machine, method, profile }: TrendData): string {
  return `${cell} on ${machine}, ${profile}, method ${method}`;
}

const SIZE = { width: 860, height: 280, left: 64, right: 16, top: 28, bottom: 42 };
const DAY_MS = 86_400_000;

function Picture({ trend: { nights, changes, baseline } }: { trend: TrendData }) {
  const times = nights.map(({ at }) => Date.parse(at));
  const ratios = nights.map(({ ratio }) => ratio);
  const x = scaleLinear(
    [Math.min(...times) - DAY_MS, Math.max(...times) + DAY_MS],
    [SIZE.left, SIZE.width - SIZE.right],
  );
  const y = scaleLog(
    [0.97 * Math.min(...ratios), 1.03 * Math.max(...ratios)],
    [SIZE.height - SIZE.bottom, SIZE.top],
  );
  const levels = [0, ...changes.map(({ index }) => index)].map((from, place) => {
    const to = changes[place]?.index ?? nights.length;
    return {
      from: times[from]!,
      to: times[to - 1]!,
      level: changes[place]?.before ?? changes[place - 1]?.after,
    };
  });
  return (
    <Wide label="Nights, as a picture">
      <svg
        class="chart"
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        role="img"
        aria-label={`Ratio to ${baseline} in ${nights.length} nights, ${changes.length} changes`}
      >
        <Axes
          x={x}
          y={y}
          xTicks={x.ticks(4)}
          yTicks={y.ticks(5)}
          xText={(time) => new Date(time).toISOString().slice(0, 10)}
          yText={(ratio) => formatNumber(ratio, 3)}
          xTitle="night (UTC)"
          yTitle={`ratio to ${baseline}: up is slower`}
        />
        {levels.map(({ from, to, level }) =>
          level === undefined ? null : (
            <line key={from} class="one" x1={x(from)} x2={x(to)} y1={y(level)} y2={y(level)} />
          ),
        )}
        {nights.map(({ at, commit, ratio }, index) => (
          <g key={`${at} ${commit}`} class="process counts">
            <title>{`${at.slice(0, 10)}, ${commit.slice(0, 7)}: ${formatNumber(ratio)}`}</title>
            <circle cx={x(times[index]!)} cy={y(ratio)} r="3" />
          </g>
        ))}
        {changes.map(({ index, before, after, standing }) => (
          <g key={index}>
            <line
              class="change"
              x1={x(times[index]!)}
              x2={x(times[index]!)}
              y1={SIZE.top}
              y2={SIZE.height - SIZE.bottom}
              stroke-dasharray={standing === "confirmed" ? undefined : "4 3"}
            />
            <Mark x={x(times[index]!)} y={SIZE.top} of={directionOf(before, after)} />
          </g>
        ))}
      </svg>
    </Wide>
  );
}
