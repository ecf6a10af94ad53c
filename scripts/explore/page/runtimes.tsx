import { shortProvenance } from "../../../suites/lab/pages/pages.ts";
import { type MatrixRow, matrixLegend, matrixTables } from "../../../suites/lab/tables/matrix.ts";
import type { ContestProps } from "./contest.ts";
import { matrixOn, runtimesIn } from "./matrices.ts";
import { SourceLinks } from "./source-links.tsx";
import { Table } from "./table.tsx";

/** The same competitors on several runtimes: each beside itself. */
export function Runtimes({ data, contest, view, repository }: ContestProps) {
  const { scenario } = contest;
  const seen = matrixOn(data, contest, view.record);
  if (seen === undefined) {
    const raced = [...runtimesIn(data).keys()];
    return (
      <p>
        No competitor of {scenario} was raced on two runtimes:{" "}
        <code>
          npm run bench -- {data.primitive}/{scenario} --runtimes all
        </code>{" "}
        does that.
        {raced.length > 0 && ` Raced on several are ${raced.join(", ")}.`}
      </p>
    );
  }
  const { source, matrix } = seen;
  const tables = matrixTables(matrix);
  return (
    <>
      <p class="provenance">
        These races are others: {shortProvenance(source.record)}.{" "}
        <SourceLinks {...{ source, scenario, repository }} primitive={data.primitive} />
      </p>
      {tables.map(({ title, columns, rows }, panel) => (
        <Table
          key={title}
          label={`Ratios to ${matrix.runtimes[0].name} at ${title}`}
          name="matrix"
          caption={`${scenario} at ${title}: each competitor beside itself on ${matrix.runtimes[0].version}, the cheapest
            there first. Below 1 is faster than there.`}
          columns={columns}
          rows={rows.map(({ cells }, place) => ({
            cells,
            colours: coloursOf(matrix.panels[panel]!.rows[place]!),
          }))}
        />
      ))}
      <details>
        <summary>How to read this, and what has no figure</summary>
        <ul>
          {[...matrixLegend(matrix.runtimes), ...tables.flatMap(({ legend }) => legend)].map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </details>
    </>
  );
}

/** Of the cells behind the competitor's and the first runtime's. */
function coloursOf({ others }: MatrixRow): string[] {
  return ["", "", ...others.map((cell) => ("verdict" in cell ? cell.verdict : ""))];
}
