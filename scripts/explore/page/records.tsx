import { runtimesOf } from "../../../suites/engine/judge/judge.ts";
import {
  formatNumber,
  formatRatio,
} from "../../../suites/engine/render/benchmark-reporter-markdown/src/index.ts";
import { workersText } from "../../../suites/engine/render/tables/phrases.ts";
import type { RacedRuntime } from "../../../suites/engine/schema/verdict.ts";
import { RatioText, VerdictMark, Wide } from "./charts.tsx";
import { type ComparedRow, type Comparison, compared, type SideOfRow } from "./comparison.ts";
import { type ContestProps, judgedAt } from "./contest.ts";
import type { RecordFile } from "./site-data.ts";
import { folderOf } from "./source-links.tsx";
import { Trends } from "./trends.tsx";
import { percentText, standingOf } from "./words.ts";

/** How it moved: night by night, and between two records. */
export function Records({ data, contest, view, repository, go }: ContestProps) {
  const { source, sources, conditions, judged } = contest;
  const others = sources.filter(({ file }) => file !== source.file);
  const other = others.find(({ file }) => file === view.other) ?? others[0];
  const facts = other === undefined ? [source] : [other, source];
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
        <label>
          Beside{" "}
          <select value={other!.file} onChange={({ currentTarget: { value } }) => go({ other: value })}>
            {others.map(({ file }) => (
              <option key={file}>{file}</option>
            ))}
          </select>
        </label>
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
      <Wide label="Where both are from">
        <Facts {...{ facts, repository, primitive: judged.primitive }} raced={judged.runtimes ?? []} />
      </Wide>
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

function Facts({
  facts,
  raced,
  repository,
  primitive,
}: {
  facts: readonly RecordFile[];
  /** Those that the scenario was raced on, where that is not the records' own. */
  raced: readonly RacedRuntime[];
  repository: string;
  primitive: string;
}) {
  const lines: readonly (readonly [string, (of: RecordFile["record"]) => string])[] = [
    ["Day", ({ startedAt }) => startedAt.slice(0, 10)],
    [
      "Commit",
      ({ commit }) =>
        commit === null ? "none" : `${commit.hash.slice(0, 12)}${commit.dirty ? ", changed" : ""}`,
    ],
    ["Machine", ({ machine: { cpu, cores, platform } }) => `${cpu}, ${cores} cores, ${platform}`],
    ["Kernel", ({ machine: { kernel } }) => kernel],
    ["Runtime", (record) => runtimeText(record, raced)],
    ["Profile", ({ profile }) => profile],
    ["Method", ({ methodVersion }) => String(methodVersion)],
  ];
  return (
    <table class="facts">
      <thead>
        <tr>
          <td />
          {facts.map(({ file, record, isOwn }) => (
            <th scope="col" key={file}>
              {isOwn ? (
                `${file} (yours)`
              ) : (
                <a href={`${repository}${folderOf({ record }, primitive)}/${file}`}>{file}</a>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(([title, of]) => {
          const texts = facts.map(({ record }) => of(record));
          return (
            <tr key={title} class={new Set(texts).size > 1 ? "differs" : ""}>
              <th scope="row">
                {title}
                {new Set(texts).size > 1 && <span title="differs"> ≠</span>}
              </th>
              {texts.map((text, index) => (
                <td key={facts[index]!.file}>{text}</td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function runtimeText({ runtime, groups }: RecordFile["record"], raced: readonly RacedRuntime[]): string {
  if (raced.length === 0) return `${runtime.name} ${runtime.version}, ${runtime.engine}`;
  const isRaced = ({ name }: RacedRuntime) => raced.some((other) => other.name === name);
  const own = runtimesOf(groups).filter(isRaced);
  return own.map(({ version, engine }) => `${version}, ${engine}`).join("; ");
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
    <Wide label="Two records side by side">
      <table>
        <caption>
          Ratios to {baseline ?? "the baseline"} of both, with their intervals; the change is the second over
          the first.
        </caption>
        <thead>
          <tr>
            <th scope="col">Competitor</th>
            <th scope="col" class="number">
              Change
            </th>
            <th scope="col">Verdict</th>
            <th scope="col" class="number">
              First ratio
            </th>
            <th scope="col" class="number">
              Second ratio
            </th>
            <th scope="col" class="number">
              Sees
            </th>
            <th scope="col" class="number">
              First ns
            </th>
            <th scope="col" class="number">
              Second ns
            </th>
          </tr>
        </thead>
        <tbody>
          {shownOf(rows, kept).map((row) => (
            <ChangeRow key={row.cell} {...row} />
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

function ChangeRow({ cell, one, other, change }: ComparedRow) {
  const [, , competitor, , role] = cell.split("/");
  const text = (side: SideOfRow | undefined) => {
    if (side === undefined) return "not raced";
    return side.ratio === undefined ? side.verdict : formatRatio(side.ratio);
  };
  return (
    <tr>
      <th scope="row">{role === undefined ? competitor : `${competitor} (${role})`}</th>
      <td class="number">{change !== undefined && <RatioText text={formatRatio(change.ratio)} />}</td>
      <td class={`verdict ${change === undefined ? "not-judged" : standingOf(change)}`}>
        {change !== undefined && (
          <>
            <VerdictMark of={standingOf(change)} /> {change.verdict}
          </>
        )}
      </td>
      <td class="number">{text(one)}</td>
      <td class="number">{text(other)}</td>
      <td class="number">
        {change === undefined || !Number.isFinite(change.sees) ? "" : percentText(change.sees)}
      </td>
      <td class="number">{one === undefined ? "" : formatNumber(one.median)}</td>
      <td class="number">{other === undefined ? "" : formatNumber(other.median)}</td>
    </tr>
  );
}
