import { hashOf, limitsOf, needsOf } from "./address.ts";
import { type ContestProps, type Figure, figuresOf } from "./contest.ts";
import { choices, Html, html, select } from "./html.ts";
import type { TraitData } from "./site-data.ts";

/** What is required of a competitor: others are left out of every picture and table. */
export function requirements({ data, contest, view }: ContestProps): Html {
  const raced = new Set([...contest.rivals.map(({ competitor }) => competitor), ...contest.unfit]);
  const competitors = data.competitors.filter(({ name }) => raced.has(name));
  const valuesOf = ({ key }: TraitData) =>
    Map.groupBy(competitors.flatMap(({ traits }) => traits[key] ?? []).toSorted(), (value) => value);
  const asked = data.traits.filter((trait) => valuesOf(trait).size > 1);
  const figures = figuresOf(data).filter(({ of }) => [...raced].some((name) => of.has(name)));
  const needs = new Map(needsOf(view));
  const isAsked = needs.size + limitsOf(view).length > 0;
  if (asked.length + figures.length === 0) return html``;
  return html`<details id="requirements"${isAsked && new Html(" open")}>
<summary>What is required${isAsked && ` (${contest.unfit.length} left out)`}</summary>
<div class="fields">${asked.map((trait) =>
    choices(
      "checkbox",
      trait.title,
      `need.${trait.key}`,
      needs.get(trait.key) ?? [],
      [...valuesOf(trait)].map(([value, { length }]) => [value, html`${value} <small>${length}</small>`]),
    ),
  )}
${figures.length > 0 && limits(figures, new Map(limitsOf(view)))}</div>
${isAsked && html`<a href="${hashOf({ ...view, chosen: withoutRequirements(view.chosen) })}">Require nothing</a>`}
</details>`;
}

function withoutRequirements(chosen: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(chosen).filter(([field]) => !/^(need|most)\./.test(field)));
}

/** What a figure of a simulation or a survey may be at most. */
function limits(figures: readonly Figure[], asked: ReadonlyMap<string, number>): Html {
  const free = figures.filter(({ key }) => !asked.has(key));
  return html`<fieldset><legend>figures, at most</legend>
${[...asked].map(([key, limit]) => {
  const { title = key, unit = "" } = figures.find((figure) => figure.key === key) ?? {};
  return html`<label>${title} <input type="number" step="any" id="most.${key}" name="most.${key}" value="${limit}"> ${unit}</label>`;
})}
${select(html`<span class="unseen">a figure that is to be limited</span>`, "limit", "", [
  ["", `add one of ${free.length} figures`],
  ...free.map(
    (figure) => [`most.${figure.key}=${worstOf(figure)}`, `${figure.title} (${figure.unit})`] as const,
  ),
])}</fieldset>`;
}

/** The limit that leaves out nobody who has the figure. */
function worstOf({ of, digits }: Figure): number {
  const values = [...of.values()].map(({ value }) => value).filter(Number.isFinite);
  const step = 10 ** -digits;
  return Number((Math.ceil(Math.max(...values) / step) * step).toFixed(digits));
}
