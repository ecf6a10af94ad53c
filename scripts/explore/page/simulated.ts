import type { ContestProps } from "./contest.ts";
import { type Html, html, inline, listed, picture, tableHtml } from "./html.ts";

/** What was simulated of the primitive with more cores: apart from all that was measured, and judged nowhere. */
export function simulated({ data, repository }: ContestProps): Html {
  if (data.simulated.length === 0)
    return html`<p>Nothing of ${data.primitive} was simulated with more cores.</p>`;
  return html`<div class="simulated">
<p><strong>Simulated, not measured:</strong> the structures' own code on models of larger machines. <a href="${repository}results/cores/README.md">How it is simulated, and how far it was checked</a>.</p>
${data.simulated.map(
  ({ title, spec, table, items, without }) => html`<h3>${title}</h3>${picture(spec)}${listed(items)}
${tableHtml({ ...table, caption: `${title}: operations per us of all workers, with the band in parentheses` })}
<p>${inline(without)}</p>`,
)}</div>`;
}
