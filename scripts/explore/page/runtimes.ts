import { shortProvenance } from "../../../suites/lab/pages/pages.ts";
import { matrixLegend, matrixTables } from "../../../suites/lab/tables/matrix.ts";
import type { ContestProps } from "./contest.ts";
import { folded, type Html, html, listed, tableHtml } from "./html.ts";
import { matrixOn, runtimesIn } from "./matrices.ts";
import { sourceLinks } from "./source-links.ts";

/** The same competitors on several runtimes: each beside itself. */
export function runtimes({ data, contest, view, repository }: ContestProps): Html {
  const { scenario } = contest;
  const seen = matrixOn(data, contest, view.chosen.record);
  if (seen === undefined) {
    const raced = [...runtimesIn(data).keys()];
    return html`<p>No competitor of ${scenario} was raced on two runtimes: <code>npm run bench -- ${data.primitive}/${scenario} --runtimes all</code> does that.${raced.length > 0 && ` Raced on several are ${raced.join(", ")}.`}</p>`;
  }
  const { source, matrix } = seen;
  const tables = matrixTables(matrix);
  const [first] = matrix.runtimes;
  return html`<p class="provenance">These races are others: ${shortProvenance(source.record)}. ${sourceLinks({ source, scenario }, data.primitive, repository)}</p>
${tables.map(({ title, ...table }) =>
  tableHtml({
    ...table,
    caption: `${scenario} at ${title}: ratios to ${first.version}, the cheapest there first. Below 1 is faster than there.`,
  }),
)}
${folded(
  "How to read this, and what has no figure",
  listed([...matrixLegend(matrix.runtimes), ...tables.flatMap(({ legend }) => legend)]),
)}`;
}
