import { curveSpec, curveThrough } from "../../../suites/lab/pictures/curves.ts";
import { drawable, lineName } from "../../../suites/lab/pictures/drawing.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { ratioIn } from "../../../suites/lab/tables/factors.ts";
import { shownRatio } from "../../../suites/lab/verdicts/another-run.ts";
import { formatNumber } from "../../../suites/reporter/src/index.ts";
import type { ContestProps } from "./contest.ts";
import { growthOf } from "./curve.ts";
import { type Html, html, picture, tableHtml } from "./html.ts";

/** How costs grow, as one curve for each competitor, and as a table with a column for each step. */
export function growth({ contest }: ContestProps): Html {
  const { judged, conditions, baseline, source } = contest;
  const curve = growthOf(contest);
  if (curve === undefined) {
    return html`<p>${judged.scenario} is no point of a curve and was raced at one worker count: there is nothing that costs could grow with.</p>`;
  }
  const { steps, along } = curve;
  const drawn = curveThrough(steps.map((step) => step.judged));
  const at = steps.find(
    ({ scenario, workers }) => scenario === judged.scenario && workers === conditions.workers,
  )!.at;
  const cells = Map.groupBy(
    steps.flatMap((step) => drawable(step.judged).map((row) => ({ row, step }))),
    ({ row }) => lineName(row),
  );
  return html`${drawn !== undefined && picture(curveSpec({ ...drawn, at }, source.record, source.file))}
${tableHtml({
  caption: `ns/${judged.operation}, and the ratio to ${baseline ?? "no baseline"}, by ${along}`,
  columns: [
    left("competitor", "Competitor"),
    ...steps.map((step) =>
      right(`${step.at}`, `${formatNumber(step.at)}${step.isOversubscribed ? ", more than cores" : ""}`),
    ),
  ],
  rows: [...cells].map(([competitor, own]) => ({
    cells: {
      competitor,
      ...Object.fromEntries(
        own.map(({ row, step: { at: place, isOversubscribed: oversubscribed } }) => [
          place,
          [
            formatNumber(row.median),
            ...(row.ratio === undefined ? [] : [ratioIn({ oversubscribed }, shownRatio(row)!)]),
          ].join(" · "),
        ]),
      ),
    },
  })),
})}`;
}
