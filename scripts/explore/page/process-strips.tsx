import type { TopLevelSpec } from "vega-lite";
import type { State } from "../../../suites/engine/schema/verdict.ts";
import { COLOUR } from "../../../suites/lab/pictures/dark.ts";
import { LETTER_PX, logTicks, sheetSpec, WIDTH_PX } from "../../../suites/lab/pictures/drawing.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { formatNumber } from "../../../suites/reporter/src/index.ts";
import type { Contest, Role } from "./contest.ts";
import { Picture } from "./picture.tsx";
import { type ProcessSeen, type Strip, stripsOf } from "./processes.ts";
import { Table } from "./table.tsx";

/** Every process as a point: what a verdict rests on, and what was left out. */
export function Processes({ contest }: { contest: Contest }) {
  const { source, judged, conditions, baseline, roles } = contest;
  if (baseline === undefined) return <p>No baseline was raced here, so that no process has a ratio.</p>;
  const groups = source.record.groups.filter(
    ({ scenario, workers }) => scenario === judged.scenario && workers === conditions.workers,
  );
  return roles.map((role) => (
    <RoleStrips
      key={role.role ?? ""}
      role={role}
      baseline={baseline}
      strips={stripsOf(groups, role.role ?? groups[0]!.roles[0]!, baseline)}
    />
  ));
}

function RoleStrips({
  role: { role, rivals, apart },
  baseline,
  strips,
}: {
  role: Role;
  baseline: string;
  strips: readonly Strip[];
}) {
  const names = [...rivals, ...apart].map(({ row }) => row.competitor);
  const shown = names.flatMap((name) => strips.filter(({ competitor }) => competitor === name));
  const what = role === undefined ? "" : `, ${role}s`;
  return (
    <>
      <Picture spec={stripSpec(shown, `Processes${what}`, baseline)} />
      <Table
        label={`Processes${what}, as a table`}
        caption={`What each row rests on${what}.`}
        columns={[
          left("competitor", "Competitor"),
          right("weighing", "Processes that weigh"),
          right("range", "Lowest and highest of them"),
          left("others", "Other processes"),
        ]}
        rows={shown.map(({ competitor, processes }) => {
          const weighing = processes.filter(({ weighs }) => weighs);
          const ratios = weighing.map(({ ratio }) => ratio);
          return {
            cells: {
              competitor,
              weighing: `${weighing.length} of ${processes.length}`,
              range:
                ratios.length === 0
                  ? ""
                  : `${formatNumber(Math.min(...ratios))} to ${formatNumber(Math.max(...ratios))}`,
              others: processes
                .filter(({ weighs }) => !weighs)
                .map(({ name, ratio }) => `process ${name} at ${formatNumber(ratio, 3)}`)
                .join(", "),
            },
          };
        })}
      />
    </>
  );
}

const ROW_PX = 30;
/** Heights in a row that processes stand at in turn, so that equal ratios do not lie on one another. */
const LANES = 11;

const SLICES_OF: Readonly<Record<State, string>> = {
  quiet: "quiet slices",
  far: "slices with the cores far apart",
  any: "slices of all states",
};

/** What a process counts for, in the order of the legend. */
const KINDS = [
  { says: "judged by quiet slices", shape: "circle", fill: COLOUR.faster, stroke: COLOUR.faster },
  { says: "by others, as too few were quiet", shape: "circle", fill: COLOUR.paper, stroke: COLOUR.grey },
  { says: "too far from the others to weigh", shape: "cross", fill: COLOUR.slower, stroke: COLOUR.slower },
] as const;

function kindOf({ weighs, state }: ProcessSeen): string {
  return KINDS[weighs ? (state === "quiet" ? 0 : 1) : 2].says;
}

/** A row for each competitor, with a point for each process on a scale of ratios. */
function stripSpec(strips: readonly Strip[], title: string, baseline: string): TopLevelSpec {
  const names = strips.map(({ competitor }) => competitor);
  const namesPx = LETTER_PX * Math.max(...names.map(({ length }) => length));
  const points = strips.flatMap(({ competitor, processes }) =>
    processes.map((seen, index) => ({
      ...seen,
      competitor,
      lane: (7 * index) % LANES,
      kind: kindOf(seen),
      text: `${competitor}, process ${seen.name}, ${seen.slices} ${SLICES_OF[seen.state]}: ${formatNumber(seen.ratio)}`,
    })),
  );
  const ends = points
    .flatMap(({ low, high }) => [low, high])
    .filter((ratio) => ratio > 0 && Number.isFinite(ratio));
  const domain: [number, number] = [Math.min(0.95, ...ends), Math.max(1.05, ...ends)];
  const along = (field: string) => ({
    field,
    type: "quantitative" as const,
    scale: { type: "log" as const, domain, nice: false },
    axis: { title: `ratio to ${baseline}`, values: logTicks(domain) },
  });
  const rows = {
    y: {
      field: "competitor",
      type: "nominal" as const,
      scale: { domain: names },
      axis: { title: null, grid: true, ticks: false, labelLimit: 0 },
    },
    yOffset: { field: "lane", type: "ordinal" as const, scale: { domain: [...new Array(LANES).keys()] } },
  };
  const byKind = (of: "shape" | "fill" | "stroke") => ({
    field: "kind",
    type: "nominal" as const,
    scale: { domain: KINDS.map(({ says }) => says), range: KINDS.map((kind) => kind[of]) },
    legend: { columns: 1 },
  });
  return sheetSpec(
    {
      alt: `${title} as points, each at its ratio to ${baseline}: the table has their ranges`,
      title: `${title}: ratios to ${baseline}`,
      subtitle: ["A point for each process, with the middle half of its slices as a line"],
      notes: ["Rounds are kept in the slices beside a local record, and in no record"],
      indentPx: namesPx,
    },
    {
      width: WIDTH_PX - namesPx,
      height: ROW_PX * strips.length,
      data: { values: points },
      layer: [
        {
          data: { values: [{ equal: 1 }] },
          mark: { type: "rule", color: COLOUR.ink },
          encoding: { x: along("equal") },
        },
        {
          mark: { type: "rule", color: COLOUR.grey, opacity: 0.5 },
          encoding: { ...rows, x: along("low"), x2: { field: "high" } },
        },
        {
          mark: { type: "point", size: 20, opacity: 1 },
          encoding: {
            ...rows,
            x: along("ratio"),
            shape: byKind("shape"),
            fill: byKind("fill"),
            stroke: byKind("stroke"),
            description: { field: "text" },
          },
        },
      ],
    },
  );
}
