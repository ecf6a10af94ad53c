import type { TopLevelSpec } from "vega-lite";
import { ratioInTwo } from "../../../suites/lab/tables/markdown.ts";
import { type Cell, type Column, formatNumber, type Table } from "../../../suites/reporter/src/index.ts";
import { NO_VALUE } from "../../../suites/reporter/src/table.ts";

/** Markup. Whatever is filled into it is text, unless it is markup itself. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Filling = Html | string | number | false | undefined | readonly Filling[];

export function html(parts: TemplateStringsArray, ...fillings: readonly Filling[]): Html {
  return new Html(String.raw({ raw: parts }, ...fillings.map(markupOf)));
}

function markupOf(filling: Filling): string {
  if (filling === false || filling === undefined) return "";
  if (filling instanceof Html) return filling.text;
  if (typeof filling === "object") return filling.map(markupOf).join("");
  return String(filling).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** The little markdown that tables, answers and comments have: bold, and code, also within bold. */
export function inline(text: string): Html {
  const parts = text.split(/(\*\*.+?\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return html`<b>${inline(part.slice(2, -2))}</b>`;
    return part.startsWith("`") ? html`<code>${part.slice(1, -1)}</code>` : part;
  });
  return html`${parts}`;
}

export function listed(lines: readonly string[]): Html {
  return lines.length === 0 ? html`` : html`<ul>${lines.map((line) => html`<li>${inline(line)}</li>`)}</ul>`;
}

export function folded(summary: string, body: Html): Html {
  return html`<details id="${summary}"><summary>${summary}</summary>${body}</details>`;
}

/** Only what differs from the lab's own tables: markup may stand in a cell, and `caption` replaces title and legend. */
export interface ShownTable extends Pick<Table, "columns"> {
  readonly caption: string;
  readonly rows: readonly { readonly cells: Readonly<Record<string, Cell | Html | undefined>> }[];
}

/** A table as the lab has it. Its reader can move it to and fro where it is wide, by keys too. */
export function tableHtml({ caption, columns, rows }: ShownTable): Html {
  return html`
<section class="wide" aria-label="${caption}" tabindex="0"><table><caption>${inline(caption)}</caption>
<thead><tr>${columns.map(({ title, unit, align }) => html`<th scope="col" class="${align}">${title}${unit && ` (${unit})`}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ cells }) => html`
<tr${rowClass(cells)}>${columns.map((column, place) => cellHtml(column, cells[column.key], place === 0))}</tr>`,
  )}
</tbody></table></section>`;
}

/** A row of the leading group has a plus behind its rank. */
function rowClass({ rank }: ShownTable["rows"][number]["cells"]): Html {
  return new Html(typeof rank === "string" && rank.endsWith("+") ? ' class="leads"' : "");
}

function cellHtml({ key, align }: Column, cell: Cell | Html | undefined, isName: boolean): Html {
  if (isName) return html`<th scope="row">${cellText(align, cell)}</th>`;
  const verdict = key === "verdict" && typeof cell === "string" ? verdictClass(cell) : "";
  return html`<td class="${`${align} ${verdict}`.trim()}">${cellText(align, cell)}</td>`;
}

function cellText(align: Column["align"], cell: Cell | Html | undefined): Html | string {
  if (cell instanceof Html) return cell;
  if (typeof cell === "number") return formatNumber(cell);
  return cell == null || cell === "" ? NO_VALUE : inline(align === "right" ? ratioInTwo(cell) : cell);
}

/** A verdict's sign and colour are the style's. */
function verdictClass(text: string): string {
  const [verdict] =
    /^(baseline|faster|slower|same|cannot tell|depends|no power)/.exec(text.replace("**", "")) ?? [];
  return verdict === undefined ? "" : `verdict ${verdict.replace(" ", "-")}`;
}

/** A picture as the pages have it, which main.ts draws. A table beside each says the same. */
export function picture(spec: TopLevelSpec): Html {
  return html`<div class="picture" data-spec="${JSON.stringify(spec)}"></div>`;
}

/** What a reader chooses one of; `name` is its field in the address. */
export function select(
  title: string | Html,
  name: string,
  value: string,
  options: readonly (readonly [value: string, text: string])[],
): Html {
  return html`<label>${title} <select id="${name}" name="${name}">${options.map(
    ([option, text]) =>
      html`<option value="${option}"${option === value && new Html(" selected")}>${text}</option>`,
  )}</select></label>`;
}

/** Values of which one (`radio`) or any (`checkbox`) is chosen, all of them in sight. */
export function choices(
  type: "radio" | "checkbox",
  title: string,
  name: string,
  values: readonly string[],
  options: readonly (readonly [value: string, text: string | Html])[],
): Html {
  return html`<fieldset><legend>${title}</legend>${options.map(
    ([option, text]) =>
      html`<label><input type="${type}" id="${name}=${option}" name="${name}" value="${option}"${
        values.includes(option) && new Html(" checked")
      }> ${text}</label>`,
  )}</fieldset>`;
}
