import { HOME, hashOf } from "./address.ts";
import { type Html, html, inline } from "./html.ts";
import { link } from "./shown.ts";
import type { IndexEntry, SiteIndex } from "./site-data.ts";

/** The questions, and what is answered. */
export function home({ primitives, repository }: SiteIndex): Html {
  return html`<p>Choose a question: its page shows who wins, how sure that is, and how it moved.</p>
<p role="status">${slowerText(primitives)}</p>
<dl class="questions">${primitives.map(
    ({ primitive, question, answer, newest, scenarios }) => html`<div>
<dt><a href="${hashOf({ ...HOME, primitive })}">${primitive}</a>: ${question}</dt>
<dd>${answer !== undefined && inline(answer)} <small>${scenarios} scenarios, newest record of ${newest.slice(0, 10)}, <a href="${repository}results/${primitive}/README.md">all tables of ${primitive}</a></small></dd>
</div>`,
  )}</dl>`;
}

/** Whether anything got slower, of all primitives that nights are known of. */
function slowerText(primitives: readonly IndexEntry[]): Html {
  const known = primitives.flatMap(({ primitive, nights }) =>
    nights === undefined ? [] : [{ primitive, ...nights }],
  );
  const last = known
    .map((nights) => nights.last)
    .toSorted()
    .at(-1);
  if (last === undefined) {
    return html`Whether anything got slower lately is not known: this page was made without a history of nights.`;
  }
  const slower = known.filter(({ slowerSince }) => slowerSince !== undefined);
  return html`Nights until ${last}: ${slower.length === 0 && "nothing is confirmed to have got slower."}${slower.map(
    ({ primitive, slowerSince }) =>
      html`<a href="${hashOf({ ...HOME, primitive, show: "records" })}">${primitive}</a> is confirmed to have got slower in part since ${slowerSince}. `,
  )}`;
}

export function header({ primitives }: SiteIndex, shown: string | undefined): Html {
  return html`<button type="button" class="skip">To the content</button><h1><a href="#">hotpath-lab</a></h1>
<nav aria-label="Primitives">${primitives.map(({ primitive }) =>
    link(hashOf({ ...HOME, primitive }), primitive, primitive === shown),
  )}</nav>`;
}
