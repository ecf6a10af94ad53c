import { trendSpec } from "../../../suites/lab/pictures/trends.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { formatNumber } from "../../../suites/reporter/src/index.ts";
import { percentText } from "../../../suites/reporter/src/lab.ts";
import type { View } from "./address.ts";
import { type Html, html, picture, select, tableHtml } from "./html.ts";
import { type ChangeSeen, changesIn, isSlower, seriesName } from "./nights.ts";
import type { PrimitiveData } from "./site-data.ts";

/** How cells moved, night by night, with the changes that were reported. */
export function trends({ primitive, trends: all }: PrimitiveData, { chosen }: View): Html {
  const changes = changesIn(all);
  const series = all.find((one) => seriesName(one) === chosen.series) ?? changes[0]?.series ?? all[0];
  if (series === undefined) {
    return html`<p>The page was made without nights of ${primitive}: <code>npm run explore -- --history FILE</code> takes those of <code>npm run nightly</code>.</p>`;
  }
  return html`<p role="status"><b>${confirmedText(primitive, changes.filter(isSlower))}</b></p>
${changes.length > 0 && changeTable(changes)}
${select(
  "Series",
  "series",
  seriesName(series),
  all.map((one) => [seriesName(one), seriesName(one)]),
)}
${picture(trendSpec(series))}`;
}

function confirmedText(primitive: string, slower: readonly ChangeSeen[]): string {
  const [last] = slower;
  if (last === undefined) return `No night has confirmed that anything of ${primitive} got slower.`;
  const times = `${slower.length} time${slower.length === 1 ? "" : "s"}`;
  return `Nights have confirmed ${times} that something got slower, the last time on ${last.night.at.slice(0, 10)}.`;
}

function changeTable(changes: readonly ChangeSeen[]): Html {
  return tableHtml({
    caption: "Change points, the newest first. A confirmed one was an alert.",
    columns: [
      left("cell", "Cell"),
      left("verdict", "What"),
      right("ratios", "Ratio before and after"),
      left("certainty", "Certainty"),
      left("since", "Since"),
      left("commit", "Commit"),
    ],
    rows: changes.map(({ series: { cell }, change: { before, after, certainty }, night }) => ({
      cells: {
        cell,
        verdict: `${after > before ? "slower" : "faster"} by ${percentText(Math.abs(after / before - 1))}`,
        ratios: `${formatNumber(before, 3)} to ${formatNumber(after, 3)} of ${night.baseline}`,
        certainty,
        since: night.at.slice(0, 10),
        commit: night.commit.slice(0, 7),
      },
    })),
  });
}
