import { provenanceOf, racedOn } from "../../../suites/lab/pages/pages.ts";
import { lineName } from "../../../suites/lab/pictures/drawing.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { workersText } from "../../../suites/lab/tables/phrases.ts";
import { formatRatio } from "../../../suites/reporter/src/index.ts";
import { percentText } from "../../../suites/reporter/src/lab.ts";
import { type ComparedRow, type Comparison, compared } from "./comparison.ts";
import { type ContestProps, judgedAt } from "./contest.ts";
import { Choice } from "./fields.tsx";
import type { RecordFile } from "./site-data.ts";
import { folderOf } from "./source-links.tsx";
import { Table } from "./table.tsx";
import { Trends } from "./trends.tsx";

/** How it moved: night by night, and between two records. */
export function Records({ data, contest, view, repository, go }: ContestProps) {
  const { source, sources, conditions, judged } = contest;
  const others = sources.filter(({ file }) => file !== source.file);
  const other = others.find(({ file }) => file === view.other) ?? others[0];
  const judgedOf = ({ record }: RecordFile) => {
    const groups = record.groups.filter(({ scenario }) => scenario === judged.scenario);
    return groups.some(({ workers }) => workers === conditions.workers)
      ? judgedAt(record, groups, conditions.workers)
      : undefined;
  };
  const [before, after] = [other === undefined ? undefined : judgedOf(other), judgedOf(source)];
  const comparison =
    other === undefined || before === undefined || after === undefined
      ? undefined
      : compared({ source: other, judged: before }, { source, judged: after });
  const kept = new Set(contest.roles.flatMap(({ rivals }) => rivals.map(({ row }) => row.cell)));
  return (
    <>
      {data.trends.length > 0 && <Nights {...{ data, view, go }} />}
      <h3>Two records side by side</h3>
      {others.length > 1 && (
        <Choice
          title="Beside"
          value={other!.file}
          options={others.map(({ file }) => [file, file])}
          onChoice={(value) => go({ other: value })}
        />
      )}
      {other === undefined && (
        <p>No other record has {judged.scenario}: there is nothing to compare it with yet.</p>
      )}
      {other !== undefined && before === undefined && (
        <p>
          {other.file} has {judged.scenario} not at {workersText(conditions.workers)}.
        </p>
      )}
      {comparison !== undefined && <Outcome {...comparison} kept={kept} />}
      {other !== undefined && (
        <Facts first={other} second={source} {...{ repository }} primitive={judged.primitive} />
      )}
      {comparison !== undefined && (
        <Changes {...comparison} kept={kept} baseline={after?.conditions[0]?.baseline} />
      )}
      {data.trends.length === 0 && <Nights {...{ data, view, go }} />}
    </>
  );
}

function Nights(shown: Pick<ContestProps, "data" | "view" | "go">) {
  return (
    <>
      <h3>Night by night</h3>
      <Trends {...shown} />
    </>
  );
}

/** A row for each thing that the pages say of where a record is from. */
function Facts({
  first,
  second,
  repository,
  primitive,
}: Record<"first" | "second", RecordFile> & Record<"repository" | "primitive", string>) {
  const [one, other] = [factsOf(first), factsOf(second)];
  const fileOf = ({ file, record, isOwn }: RecordFile) =>
    isOwn ? (
      `${file} (yours)`
    ) : (
      <a href={`${repository}${folderOf({ record }, primitive)}/${file}`}>{file}</a>
    );
  return (
    <Table
      label="Where both are from"
      caption="Where both are from. ≠: they differ."
      columns={[left("what", "What"), left("first", "First"), left("second", "Second")]}
      rows={[
        { cells: { what: "File", first: fileOf(first), second: fileOf(second) } },
        ...[...new Set([...one.keys(), ...other.keys()])].map((title) => {
          const isSame = one.get(title) === other.get(title);
          return {
            name: isSame ? "" : "differs",
            cells: { what: isSame ? title : `${title} ≠`, first: one.get(title), second: other.get(title) },
          };
        }),
      ]}
    />
  );
}

function factsOf({ record }: RecordFile): ReadonlyMap<string, string> {
  const facts = Map.groupBy([...provenanceOf(record), ...racedOn(record)], ([title]) => title);
  return new Map([...facts].map(([title, same]) => [title, same.map(([, text]) => text).join("; ")]));
}

/** Of those that are shown, or that the newer record has lost. */
function shownOf(rows: readonly ComparedRow[], kept: ReadonlySet<string>): ComparedRow[] {
  return rows.filter(({ cell, other }) => kept.has(cell) || other === undefined);
}

/** What a reader came for, in a sentence. */
function Outcome({ obstacles, rows, kept }: Comparison & { kept: ReadonlySet<string> }) {
  if (obstacles.length > 0) {
    return (
      <p role="status">
        <b>These two cannot show whether anything got slower:</b> they were {obstacles.join("; ")}. The ratios
        stand side by side all the same.
      </p>
    );
  }
  const moved = shownOf(rows, kept).flatMap(({ cell, change }) =>
    change?.verdict === "slower" || change?.verdict === "faster"
      ? [`${cell.split("/")[2]} got ${change.verdict}`]
      : [],
  );
  return (
    <p role="status">
      <b>{moved.length === 0 ? "Nothing is shown to have got faster or slower." : `${moved.join(", ")}.`}</b>
    </p>
  );
}

function Changes({
  rows,
  baseline,
  kept,
}: Comparison & { baseline: string | undefined; kept: ReadonlySet<string> }) {
  return (
    <Table
      label="Two records side by side"
      caption={`Ratios to ${baseline ?? "the baseline"} of both, with their intervals; the change is the second over the
        first.`}
      columns={[
        left("competitor", "Competitor"),
        right("change", "Change"),
        left("verdict", "Verdict"),
        right("one", "First ratio"),
        right("other", "Second ratio"),
        right("sees", "Sees"),
        right("oneNs", "First ns"),
        right("otherNs", "Second ns"),
      ]}
      rows={shownOf(rows, kept).map(({ cell, one, other, change }) => ({
        cells: {
          competitor: lineName(partsOfCell(cell)),
          change: change && formatRatio(change.ratio),
          verdict: change?.verdict,
          one: sideText(one),
          other: sideText(other),
          sees: change && Number.isFinite(change.sees) && percentText(change.sees),
          oneNs: one?.median,
          otherNs: other?.median,
        },
      }))}
    />
  );
}

function partsOfCell(cell: string) {
  const [, , competitor, , role] = cell.split("/");
  return { competitor: competitor!, role };
}

function sideText(side: ComparedRow["one"]): string {
  if (side === undefined) return "not raced";
  return side.ratio === undefined ? side.verdict : formatRatio(side.ratio);
}
