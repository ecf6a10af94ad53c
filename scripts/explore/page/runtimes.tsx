import {
  formatNumber,
  formatRatio,
} from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { shortProvenance } from "../../../suites/engine/render/pages/pages.ts";
import {
  type Matrix,
  type MatrixCell,
  type MatrixPanel,
  matrixLegend,
  missingLines,
} from "../../../suites/engine/render/tables/matrix.ts";
import type { Go } from "./address.ts";
import { MarkMeanings, VerdictMark, Wide } from "./charts.tsx";
import type { ContestProps } from "./contest.ts";
import { matrixOn } from "./matrices.ts";
import { SourceLinks } from "./source-links.tsx";
import { standingOf } from "./words.ts";

/** The same competitors on several runtimes: each beside itself. */
export function Runtimes({ data, contest, view, repository, go }: ContestProps) {
  const { scenario } = contest;
  const seen = matrixOn(data, contest, view.record);
  if (seen === undefined) {
    const raced = Object.keys(data.runtimes);
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
  const [ratios] = matrixLegend(matrix.runtimes);
  return (
    <>
      <p class="provenance">
        These races are others: {shortProvenance(source.record)}.{" "}
        <SourceLinks {...{ source, scenario, repository }} primitive={data.primitive} />
      </p>
      {matrix.panels.map((panel) => (
        <Panel key={panel.title} {...{ matrix, panel, go }} />
      ))}
      <details>
        <summary>How sure this is</summary>
        <ul>
          <li>{ratios}</li>
          <li>
            A/A control: {matrix.runtimes[0].version} once more, in a process of its own: how far apart equals
            are measured.
          </li>
          <MarkMeanings />
        </ul>
      </details>
    </>
  );
}

function Panel({
  matrix: { scenario, operation, runtimes },
  panel: { title, rows },
  go,
}: {
  matrix: Matrix;
  panel: MatrixPanel;
  go: Go;
}) {
  const missing = missingLines(runtimes, rows);
  const [first, ...others] = runtimes;
  return (
    <>
      <Wide label={`Ratios to ${first.name} at ${title}`}>
        <table class="matrix">
          <caption>
            {scenario} at {title}: each competitor beside itself on {first.version}, the cheapest there first.
            Below 1 is faster than there.
          </caption>
          <thead>
            <tr>
              <th scope="col">Competitor</th>
              <th scope="col" class="number">
                {first.version} <small>ns/{operation}</small> <RankOn name={first.name} go={go} />
              </th>
              {others.map(({ name, version }) => (
                <th scope="col" class="number" key={name}>
                  {version} <RankOn name={name} go={go} />
                </th>
              ))}
              <th scope="col" class="number">
                A/A control
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ competitor, first: cost, control, others: cells }) => (
              <tr key={competitor}>
                <th scope="row">{competitor}</th>
                <td class="number">{"ns" in cost ? formatNumber(cost.ns) : "–"}</td>
                {cells.map((cell, index) => (
                  <Cell key={others[index]!.name} cell={cell} />
                ))}
                <td class="number">{control.reason === undefined ? formatRatio(control.ratio) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {missing.length > 0 && (
        <details>
          <summary>What has no figure at {title}, and why</summary>
          <ul>
            {missing.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function RankOn({ name, go }: { name: string; go: Go }) {
  return (
    <button type="button" class="take" onClick={() => go({ runtime: name, show: "ranking" })}>
      who wins<span class="unseen"> on {name}</span>
    </button>
  );
}

function Cell({ cell }: { cell: MatrixCell }) {
  if (cell.reason !== undefined) return <td class="number">–</td>;
  const standing = standingOf(cell);
  return (
    <td class={`number verdict ${standing}`}>
      {formatRatio(cell.ratio)} <VerdictMark of={standing} />
      <span class="unseen">{cell.verdict}</span>
    </td>
  );
}
