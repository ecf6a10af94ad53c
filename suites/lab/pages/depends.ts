import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatRatio, type Row, type Table, toMarkdown } from "../../reporter/src/index.ts";
import { left, right } from "../tables/columns.ts";
import type { Raced } from "../tables/decided.ts";
import { withoutHeading } from "../tables/markdown.ts";
import { scenarioFile } from "./scenarios.ts";

/** The page of rows that depend: the ratios of both groups of each, side by side. Pure. */

export const DEPENDS_FILE = "depends.md";

const INTRODUCTION = `# Rows that depend

The processes of these rows fall into two groups that answer differently. A single verdict would be wrong for one of the
groups, and a reader's machine may be in either state. Ratios are to the baseline of the table. The last column names the
measurement that distinguishes the groups, if one does.
`;

/** Where no row depends, the page says so. */
export function dependsPage(raced: readonly Raced[]): string {
  const rows = raced.flatMap(({ primitive, races }) =>
    races.flatMap((race) => race.rows.flatMap((row) => rowOf(primitive, race, row))),
  );
  const made = "Made by `npm run report` from the newest records. Do not edit.\n";
  if (rows.length === 0) return [INTRODUCTION, "No row depends.\n", made].join("\n");
  return [INTRODUCTION, withoutHeading(toMarkdown(tableOf(rows))), made].join("\n");
}

function tableOf(rows: readonly Row[]): Table {
  return {
    title: "Rows that depend",
    provenance: [],
    columns: [
      left("row", "Row"),
      right("lower", "Ratio"),
      right("lowerForks", "Processes"),
      right("upper", "Or"),
      right("upperForks", "Processes"),
      left("apart", "Distinguished by"),
    ],
    rows,
    legend: [],
  };
}

function rowOf(
  primitive: string,
  { scenario, conditions }: JudgedScenario,
  row: JudgedScenario["rows"][number],
): Row[] {
  if (row.noNumber !== undefined || row.kind !== "rival" || row.verdict !== "depends") return [];
  const [lower, upper] = row.groups!;
  const baseline = conditions.find(({ workers }) => workers === row.workers)?.baseline ?? "the baseline";
  const page = `${primitive}/${scenarioFile(scenario)}`;
  return [
    {
      cells: {
        row: `[${primitive}/${scenario}](${page}), ${row.workers}w: ${nameOf(row)} to ${baseline}`,
        lower: formatRatio(lower!.ratio),
        lowerForks: lower!.forks,
        upper: formatRatio(upper!.ratio),
        upperForks: upper!.forks,
        apart: apartText(row),
      },
    },
  ];
}

function nameOf({ competitor, role }: JudgedMeasured): string {
  return role === undefined ? competitor : `${competitor} (${role})`;
}

function apartText({ apartBy }: JudgedMeasured): string {
  return apartBy ?? "nothing that was measured";
}
