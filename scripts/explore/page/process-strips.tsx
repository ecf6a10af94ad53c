import { scaleLog } from "d3-scale";
import { formatNumber } from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import type { State } from "../../../suites/engine/schema/verdict.ts";
import { logTicks, Wide } from "./charts.tsx";
import type { Contest, Role } from "./contest.ts";
import { type ProcessSeen, type Strip, stripsOf } from "./processes.ts";
import { ofText } from "./words.ts";

/** Every process as a point: what a verdict rests on, and what was left out. */
export function Processes({ contest }: { contest: Contest }) {
  const { source, judged, conditions, baseline, roles } = contest;
  if (baseline === undefined) return <p>No baseline was raced here, so that no process has a ratio.</p>;
  const groups = source.record.groups.filter(
    ({ scenario, workers }) => scenario === judged.scenario && workers === conditions.workers,
  );
  return (
    <>
      <p>
        Each point is a process: its ratio to {baseline}, with the middle half of its slices as a line.
        Filled: judged by quiet slices. Hollow: judged by other slices, as too few were quiet. Crossed: too
        far from the others to weigh in the ratio. Rounds are kept in the slices beside a local record, and in
        no record.
      </p>
      {roles.map((role) => (
        <RoleStrips
          key={role.role ?? ""}
          role={role}
          strips={stripsOf(groups, role.role ?? groups[0]!.roles[0]!, baseline)}
        />
      ))}
    </>
  );
}

function RoleStrips({ role: { role, rivals, apart }, strips }: { role: Role; strips: readonly Strip[] }) {
  const names = [...rivals, ...apart].map(({ row }) => row.competitor);
  const shown = names.flatMap((name) => strips.filter(({ competitor }) => competitor === name));
  const what = role === undefined ? "" : `, ${role}s`;
  return (
    <>
      <Wide label={`Processes${what}, as a picture`}>
        <Picture strips={shown} />
      </Wide>
      <Wide label={`Processes${what}, as a table`}>
        <table>
          <caption>What each row rests on{what}.</caption>
          <thead>
            <tr>
              <th scope="col">Competitor</th>
              <th scope="col" class="number">
                Processes that weigh
              </th>
              <th scope="col" class="number">
                Lowest and highest of them
              </th>
              <th scope="col" class="left-out">
                Other processes
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((strip) => (
              <SummaryRow key={strip.competitor} {...strip} />
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  );
}

function SummaryRow({ competitor, processes }: Strip) {
  const weighing = processes.filter(({ weighs }) => weighs);
  const others = processes.filter(({ weighs }) => !weighs);
  const ratios = weighing.map(({ ratio }) => ratio);
  return (
    <tr>
      <th scope="row">{competitor}</th>
      <td class="number">{ofText(weighing.length, processes.length)}</td>
      <td class="number">
        {ratios.length === 0
          ? ""
          : `${formatNumber(Math.min(...ratios))} to ${formatNumber(Math.max(...ratios))}`}
      </td>
      <td>{others.map(({ name, ratio }) => `process ${name} at ${formatNumber(ratio, 3)}`).join(", ")}</td>
    </tr>
  );
}

const SIZE = { width: 860, left: 270, right: 20, row: 30, top: 26 };

function Picture({ strips }: { strips: readonly Strip[] }) {
  const all = strips.flatMap(({ processes }) => processes.flatMap(({ low, high }) => [low, high]));
  const known = all.filter((ratio) => ratio > 0 && Number.isFinite(ratio));
  const x = scaleLog(
    [Math.min(0.95, ...known), Math.max(1.05, ...known)],
    [SIZE.left, SIZE.width - SIZE.right],
  );
  const height = SIZE.top + SIZE.row * strips.length + 8;
  return (
    <svg
      class="chart strips"
      viewBox={`0 0 ${SIZE.width} ${height}`}
      role="img"
      aria-label="The same as the table below"
    >
      <g class="axes">
        {logTicks(x).map((tick) => (
          <g key={tick}>
            <line x1={x(tick)} x2={x(tick)} y1={SIZE.top - 6} y2={height} />
            <text x={x(tick)} y={14} text-anchor="middle">
              {formatNumber(tick)}
            </text>
          </g>
        ))}
      </g>
      <line class="one" x1={x(1)} x2={x(1)} y1={SIZE.top - 6} y2={height} />
      {strips.map(({ competitor, processes }, place) => {
        const top = SIZE.top + SIZE.row * place;
        return (
          <g key={competitor}>
            <text class="label" x={SIZE.left - 10} y={top + SIZE.row / 2 + 4} text-anchor="end">
              {competitor}
            </text>
            {processes.map((seen, index) => (
              <Process
                key={`${seen.name} ${seen.state}`}
                seen={seen}
                x={x}
                y={top + 4 + ((SIZE.row - 8) * ((index * 7) % 11)) / 10}
              />
            ))}
          </g>
        );
      })}
    </svg>
  );
}

const SLICES_OF: Readonly<Record<State, string>> = {
  quiet: "quiet slices",
  far: "slices with the cores far apart",
  any: "slices of all states",
};

function Process({ seen, x, y }: { seen: ProcessSeen; x: (ratio: number) => number; y: number }) {
  const { name, state, ratio, low, high, slices, weighs } = seen;
  const kind = weighs ? (state === "quiet" ? "counts" : "other") : "far";
  const at = x(ratio);
  return (
    <g class={`process ${kind}`}>
      <title>{`process ${name}, ${slices} ${SLICES_OF[state]}: ${formatNumber(ratio)}`}</title>
      <line x1={x(low)} x2={x(high)} y1={y} y2={y} />
      {kind === "far" ? (
        <path d={`M${at - 4},${y - 4}L${at + 4},${y + 4}M${at - 4},${y + 4}L${at + 4},${y - 4}`} />
      ) : (
        <circle cx={at} cy={y} r="3" />
      )}
    </g>
  );
}
