import { provenanceOf, racedOn } from "../../../suites/lab/pages/provenance.ts";
import { lineName } from "../../../suites/lab/pictures/drawing.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { workersText } from "../../../suites/lab/tables/phrases.ts";
import { formatRatio } from "../../../suites/reporter/src/index.ts";
import { percentText } from "../../../suites/reporter/src/lab.ts";
import { type ComparedRow, type Comparison, compared } from "./comparison.ts";
import { type Contest, type ContestProps, judgedAt } from "./contest.ts";
import { type Html, html, select, tableHtml } from "./html.ts";
import type { RecordFile } from "./site-data.ts";
import { folderOf } from "./source-links.ts";
import { trends } from "./trends.ts";

/** How it moved: night by night, and between two records. */
export function records(props: ContestProps): Html {
  const { data, contest, view } = props;
  const others = contest.sources.filter(({ file }) => file !== contest.source.file);
  const other = others.find(({ file }) => file === view.chosen.other) ?? others[0];
  const parts = [
    html`<h3>Two records side by side</h3>
${other === undefined && html`<p>No other record has ${contest.judged.scenario}: there is nothing to compare it with yet.</p>`}
${
  others.length > 1 &&
  select(
    "Beside",
    "other",
    other!.file,
    others.map(({ file }) => [file, file]),
  )
}
${other !== undefined && sideBySide(props, other)}`,
    html`<h3>Night by night</h3>${trends(data, view)}`,
  ];
  return html`${data.trends.length > 0 ? parts.toReversed() : parts}`;
}

function sideBySide({ contest, repository }: ContestProps, other: RecordFile): Html {
  const { source, conditions, judged, betweenRuns } = contest;
  const facts = factsTable([other, source], judged.primitive, repository);
  const groups = other.record.groups.filter(({ scenario }) => scenario === judged.scenario);
  if (!groups.some(({ workers }) => workers === conditions.workers)) {
    return html`<p>${other.file} has ${judged.scenario} not at ${workersText(conditions.workers)}.</p>${facts}`;
  }
  const before = judgedAt(other.record, groups, conditions.workers, betweenRuns);
  const own = source.record.groups.filter(({ scenario }) => scenario === judged.scenario);
  const after = judgedAt(source.record, own, conditions.workers, betweenRuns);
  const comparison = shownOf(compared({ source: other, judged: before }, { source, judged: after }), contest);
  return html`<p role="status">${outcomeText(comparison)}</p>${facts}
${changesTable(comparison, after.conditions[0]?.baseline)}`;
}

/** Of those that are shown, or that the newer record has lost. */
function shownOf({ obstacles, rows }: Comparison, { rivals }: Contest): Comparison {
  const kept = new Set(rivals.map(({ cell }) => cell));
  return { obstacles, rows: rows.filter(({ cell, other }) => kept.has(cell) || other === undefined) };
}

/** What a reader came for, in a sentence. */
function outcomeText({ obstacles, rows }: Comparison): Html {
  if (obstacles.length > 0) {
    return html`<b>These two cannot show whether anything got slower:</b> they were ${obstacles.join("; ")}. The ratios stand side by side all the same.`;
  }
  const moved = rows.flatMap(({ cell, change }) =>
    change?.verdict === "slower" || change?.verdict === "faster"
      ? [`${cell.split("/")[2]} got ${change.verdict}`]
      : [],
  );
  return html`<b>${moved.length === 0 ? "Nothing is shown to have got faster or slower" : moved.join(", ")}.</b>`;
}

/** A row for each thing that the pages say of where a record is from. */
function factsTable(files: readonly [RecordFile, RecordFile], primitive: string, repository: string): Html {
  const [first, second] = files.map(factsOf) as [Map<string, string>, Map<string, string>];
  const [firstFile, secondFile] = files.map(({ file, isOwn }) =>
    isOwn ? `${file} (yours)` : html`<a href="${repository}${folderOf(primitive)}/${file}">${file}</a>`,
  );
  const titles = [...new Set([...first.keys(), ...second.keys()])];
  return tableHtml({
    caption: "Where both are from. ≠: they differ.",
    columns: [left("what", "What"), left("first", "First"), left("second", "Second")],
    rows: [
      { cells: { what: "File", first: firstFile, second: secondFile } },
      ...titles.map((title) => {
        const [one, other] = [first.get(title), second.get(title)];
        return { cells: { what: one === other ? title : `**${title} ≠**`, first: one, second: other } };
      }),
    ],
  });
}

function factsOf({ record }: RecordFile): Map<string, string> {
  const facts = Map.groupBy([...provenanceOf(record), ...racedOn(record)], ([title]) => title);
  return new Map([...facts].map(([title, same]) => [title, same.map(([, text]) => text).join("; ")]));
}

function changesTable({ rows }: Comparison, baseline = "the baseline"): Html {
  return tableHtml({
    caption: `Ratios to ${baseline} of both, with their intervals; the change is the second over the first.`,
    columns: [
      left("competitor", "Competitor"),
      right("change", "Change"),
      left("verdict", "Verdict"),
      right("one", "First ratio"),
      right("other", "Second ratio"),
      right("sees", "Sees"),
      right("oneNs", "First ns"),
      right("otherNs", "Second ns"),
    ],
    rows: rows.map(({ cell, one, other, change }) => {
      const [, , competitor = "", , role] = cell.split("/");
      return {
        cells: {
          competitor: lineName({ competitor, role }),
          change: change && formatRatio(change.ratio),
          verdict: change?.verdict,
          one: sideText(one),
          other: sideText(other),
          sees: change !== undefined && Number.isFinite(change.sees) ? percentText(change.sees) : null,
          oneNs: one?.median,
          otherNs: other?.median,
        },
      };
    }),
  });
}

function sideText(side: ComparedRow["one"]): string {
  if (side === undefined) return "not raced";
  return side.ratio === undefined ? side.verdict : formatRatio(side.ratio);
}
