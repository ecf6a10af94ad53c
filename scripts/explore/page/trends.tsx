import { trendSpec } from "../../../suites/lab/pictures/trends.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { formatNumber } from "../../../suites/reporter/src/index.ts";
import { percentText } from "../../../suites/reporter/src/lab.ts";
import type { ContestProps } from "./contest.ts";
import { Choice } from "./fields.tsx";
import { changesIn, isSlower, seriesName } from "./nights.ts";
import { Picture } from "./picture.tsx";
import { Table } from "./table.tsx";

/** How cells moved, night by night, with the changes that were reported. */
export function Trends({
  data: { primitive, trends },
  view,
  go,
}: Pick<ContestProps, "data" | "view" | "go">) {
  const [any] = trends;
  if (any === undefined) {
    return (
      <p>
        The page was made without nights of {primitive}: <code>npm run explore -- --history FILE</code> takes
        those of <code>npm run nightly</code>.
      </p>
    );
  }
  const changes = changesIn(trends);
  const slower = changes.filter(isSlower);
  const series = trends.find((one) => seriesName(one) === view.series) ?? changes[0]?.series ?? any;
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
        <Table
          label="Changes, as a table"
          caption="Change points, the newest first. A confirmed one was an alert."
          columns={[
            left("cell", "Cell"),
            left("verdict", "What"),
            right("ratios", "Ratio before and after"),
            left("standing", "Standing"),
            left("since", "Since"),
            left("commit", "Commit"),
          ]}
          rows={changes.map(({ series: { cell }, change: { before, after, standing }, night }) => ({
            cells: {
              cell,
              verdict: `${after > before ? "slower" : "faster"} by ${percentText(Math.abs(after / before - 1))}`,
              ratios: `${formatNumber(before, 3)} to ${formatNumber(after, 3)} of ${night.baseline}`,
              standing,
              since: night.at.slice(0, 10),
              commit: night.commit.slice(0, 7),
            },
          }))}
        />
      )}
      <Choice
        title="Series"
        value={seriesName(series)}
        options={trends.map((one) => [seriesName(one), seriesName(one)])}
        onChoice={(value) => go({ series: value })}
      />
      <Picture
        spec={trendSpec({
          primitive,
          machine: series.machine,
          panels: [{ title: series.cell, series: [series] }],
          omitted: [],
        })}
      />
    </>
  );
}
