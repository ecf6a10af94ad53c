import { ROW_ERROR } from "../../../suites/engine/judge/verdict.ts";
import { lineName } from "../../../suites/lab/pictures/drawing.ts";
import { rankingOf, ratioSpec } from "../../../suites/lab/pictures/ratios.ts";
import { left } from "../../../suites/lab/tables/columns.ts";
import { raceTables, ranksOf } from "../../../suites/lab/tables/races.ts";
import { absenceLines } from "../../../suites/lab/tables/tables.ts";
import type { Table } from "../../../suites/reporter/src/index.ts";
import { type Contest, type ContestProps, labelsIn } from "./contest.ts";
import { folded, type Html, html, listed, picture, type ShownTable, tableHtml } from "./html.ts";

/** Who wins and how sure that is: the tables of the scenario's page, with any of its competitors for the baseline. */
export function ranking({ data, contest, repository }: ContestProps): Html {
  const { judged, source } = contest;
  const labels = labelsIn(data);
  const drawn = rankingOf(judged, labels, judged.conditions);
  const [{ rivals, apart, rest }] = raceTables(judged, labels) as [ReturnType<typeof raceTables>[number]];
  return html`<p class="leaders" role="status">${leadersText(contest)}</p>
${contest.rivals.length === 0 && html`<p>No competitor with a number is left: take away what is required.</p>`}
${tableHtml({ ...toBaseline(rivals, contest), caption: "Lowest ratio first. Shaded, with a +: the leading group" })}
${drawn !== undefined && picture(ratioSpec(drawn, source.record, source.file))}
${apart !== undefined && tableHtml({ ...toBaseline(apart, contest), caption: "Not competing" })}
${rest !== undefined && folded(rest.title, html`${tableHtml({ ...rest, caption: rest.title })}${listed(rest.legend)}`)}
${folded("How sure this is", listed([...rivals.legend, ...strictnessLines(contest), ...absenceLines(judged.absent)]))}
${folded("What they say of themselves", saidTable({ data, contest, repository }))}`;
}

function toBaseline(table: Table, { baseline }: Contest): Pick<ShownTable, "columns" | "rows"> {
  const columns = table.columns.map((column) =>
    column.key === "ratio" ? { ...column, title: `Ratio to ${baseline ?? "none"}` } : column,
  );
  return { columns, rows: table.rows };
}

/** In one sentence for each role who leads, of those with a rank. */
function leadersText({ rivals, unfit }: Contest): Html {
  const ranks = ranksOf(rivals);
  const byRole = [...Map.groupBy(rivals, ({ role }) => role).values()];
  const sentences = byRole.map((rows) => {
    const [first, ...others] = rows.filter(({ cell }) => ranks.get(cell)?.leads).map(lineName);
    if (first === undefined) return "Fewer than two rows are judged.";
    if (others.length === 0) return `${first} is shown to be the fastest of them.`;
    return `${first} has the lowest ratio; ${others.join(", ")} cannot be distinguished from it.`;
  });
  const left = unfit.length > 0 && `, ${unfit.length} are not what is required`;
  return html`<b>${rivals.length} compete${left}.</b> ${sentences.join(" ")}`;
}

function strictnessLines({ conditions, baseline, racedBaseline }: Contest): string[] {
  return [
    `Intervals hold for the whole table: at least ${100 * (1 - ROW_ERROR)} % each, widened for ${conditions.judged} rows and ${conditions.looks} looks while they raced.`,
    ...(baseline === racedBaseline
      ? []
      : [
          `Ratios to ${baseline} are of the processes that raced both; ${racedBaseline} was raced as the baseline.`,
        ]),
    "**faster**, **slower**: the whole interval lies beyond the noise floor. **same**: within 3 %. **cannot tell**: more processes might; a smaller difference than it sees would have gone unseen. **depends**: processes fall into two groups that answer differently. **no power**: open, beside a noise floor over 10 %.",
  ];
}

/** What each competitor is, a row each, with a link to its source. */
function saidTable({ data, contest, repository }: Omit<ContestProps, "view">): Html {
  const names = new Set(contest.rivals.map(({ competitor }) => competitor));
  return html`${tableHtml({
    caption: "By the competitors' own headers",
    columns: [
      left("name", "Competitor"),
      left("summary", "What it is"),
      left("memory", "Memory"),
      ...data.traits.map(({ key, title }) => left(`trait ${key}`, title)),
    ],
    rows: data.competitors
      .filter(({ name }) => names.has(name))
      .map(({ name, summary, memory, traits }) => ({
        cells: {
          name: html`<a href="${repository}structures/${data.primitive}/competitors/${name}.ts">${name}</a>`,
          summary,
          memory,
          ...Object.fromEntries(Object.entries(traits).map(([key, value]) => [`trait ${key}`, value])),
        },
      })),
  })}${listed(data.traits.flatMap(({ title, meaning }) => (meaning === "" ? [] : [`**${title}**: ${meaning}`])))}`;
}
