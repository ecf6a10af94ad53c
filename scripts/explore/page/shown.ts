import { shortProvenance } from "../../../suites/lab/pages/provenance.ts";
import { raceTitle } from "../../../suites/lab/tables/races.ts";
import { hashOf, SHOWS, type Show, type View } from "./address.ts";
import { type Contest, type ContestProps, contestOf, racesIn } from "./contest.ts";
import { choices, Html, html, select } from "./html.ts";
import { ranking } from "./ranking.ts";
import { records } from "./records.ts";
import { requirements } from "./requirements.ts";
import type { PrimitiveData } from "./site-data.ts";
import { sourceLinks } from "./source-links.ts";

/** What there is to see of a race, and how it is shown. */
const VIEWS: Readonly<Record<Show, readonly [title: string, view: (shown: ContestProps) => Html]>> = {
  ranking: ["Who wins", ranking],
  records: ["Over time", records],
};

/** A view of a primitive's data, whole. */
export function shown(data: PrimitiveData, view: View, repository: string): Html {
  const contest = contestOf(data, view);
  if (contest === undefined) {
    return html`<p role="alert">No record has races of ${view.scenario ?? data.primitive}.</p>`;
  }
  const props = { data, contest, view, repository };
  const [title, viewHtml] = VIEWS[view.show];
  return html`<h2>${raceTitle(contest.judged)}</h2>
${measured(props)}
<nav class="shows" aria-label="Views">${SHOWS.map((show) => link(hashOf({ ...view, show }), VIEWS[show][0], show === view.show))}</nav>
<section aria-label="${title}">${viewHtml(props)}</section>`;
}

/** A link of a navigation. */
export function link(href: string, text: string, isCurrent: boolean): Html {
  return html`<a href="${href}"${isCurrent && new Html(' aria-current="page"')}>${text}</a>`;
}

/** Where the figures are from, and what is chosen among them. */
function measured(props: ContestProps): Html {
  const { data, contest, repository } = props;
  return html`<p class="provenance">${shortProvenance(contest.source.record)}. ${sourceLinks(contest, data.primitive, repository)}</p>
${fields(data, contest)}
${requirements(props)}`;
}

/** Which races, and against what. */
function fields(data: PrimitiveData, contest: Contest): Html {
  const { scenario, workers, conditions, baseline, baselines, racedBaseline, source, sources } = contest;
  const counts = workers.map((count) => [`${count}`, `${count}`] as const);
  return html`<div class="fields">
${select(
  "Scenario",
  "scenario",
  scenario,
  racesIn(data).map((name) => [name, name]),
)}
${choices("radio", "Workers", "workers", [`${conditions.workers}`], counts)}
${conditions.oversubscribed && html`<small>more than cores</small>`}
${select("Baseline", "base", baseline ?? "", [
  ...(baseline === undefined ? [["", "none was raced"] as const] : []),
  ...baselines.map((name) => [name, name === racedBaseline ? `${name} (raced as such)` : name] as const),
])}
${
  sources.length > 1 &&
  select(
    "Record",
    "record",
    source.file,
    sources.map(({ file, isOwn, record: { methodVersion } }) => [
      file,
      isOwn ? `${file} (yours)` : `${file.slice(0, 18)}, method ${methodVersion}`,
    ]),
  )
}
</div>`;
}
