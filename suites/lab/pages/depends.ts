import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { formatRatio } from "../../reporter/src/index.ts";
import { left, type Of, plain, right, tableOf } from "../tables/columns.ts";
import type { Raced } from "../tables/decided.ts";
import { shownRatio } from "../verdicts/another-run.ts";
import { scenarioFile } from "./scenarios.ts";

/** The page of rows that depend: the ratios of both groups of each, side by side. Pure. */

export const DEPENDS_FILE = "depends.md";

const INTRODUCTION = `# Rows that depend

The processes of these rows fall into two groups that answer differently. A single verdict would be wrong for one of the
groups, and a reader's machine may be in either state. Ratios are to the baseline of the table. The last column names the
measurement that distinguishes the groups. A row of two groups that nothing measured tells apart is judged over all processes.
`;

interface Depending {
  readonly primitive: string;
  readonly race: JudgedScenario;
  readonly row: JudgedMeasured;
}

/** Where no row depends, the page says so. */
export function dependsPage(raced: readonly Raced[]): string {
  const rows = raced.flatMap(({ primitive, races }) =>
    races.flatMap((race) =>
      race.rows.flatMap((row) =>
        row.noNumber === undefined && row.kind === "rival" && row.verdict === "depends"
          ? [{ primitive, race, row }]
          : [],
      ),
    ),
  );
  const table = rows.length === 0 ? "No row depends.\n" : plain(tableOf("Rows that depend", rows, COLUMNS));
  return [INTRODUCTION, table, "Made by `npm run report` from the newest records. Do not edit.\n"].join("\n");
}

const COLUMNS: readonly Of<Depending>[] = [
  [left("row", "Row"), nameOf],
  [right("lower", "Ratio"), ({ row }) => formatRatio(shownRatio(row.groups![0]!))],
  [right("lowerForks", "Processes"), ({ row }) => row.groups![0]!.forks],
  [right("upper", "Or"), ({ row }) => formatRatio(shownRatio(row.groups![1]!))],
  [right("upperForks", "Processes"), ({ row }) => row.groups![1]!.forks],
  [left("apart", "Distinguished by"), ({ row }) => row.apartBy!],
];

function nameOf({ primitive, race: { scenario, conditions }, row }: Depending): string {
  const { competitor, role, workers } = row;
  const baseline = conditions.find((at) => at.workers === workers)?.baseline ?? "the baseline";
  const name = role === undefined ? competitor : `${competitor} (${role})`;
  return `[${primitive}/${scenario}](${primitive}/${scenarioFile(scenario)}), ${workers}w: ${name} to ${baseline}`;
}
