import { scenarioOf } from "../../../suites/engine/measure/plan/plan.ts";
import { curveSpec, curveThrough } from "../../../suites/lab/pictures/curves.ts";
import { drawable, lineName } from "../../../suites/lab/pictures/drawing.ts";
import { left, right } from "../../../suites/lab/tables/columns.ts";
import { formatNumber, formatRatio } from "../../../suites/reporter/src/index.ts";
import type { ContestProps } from "./contest.ts";
import { growthOf, type Step } from "./curve.ts";
import { Picture } from "./picture.tsx";
import { Table } from "./table.tsx";

/** One curve, with a slider along it. */
export function Growth({ contest, go }: ContestProps) {
  const curve = growthOf(contest);
  const { judged, conditions, baseline, source } = contest;
  if (curve === undefined) {
    return (
      <p>
        {judged.scenario} is no point of a curve and was raced at one worker count: there is nothing that
        costs could grow with.
      </p>
    );
  }
  const { steps, along } = curve;
  const place = steps.findIndex(
    ({ scenario, workers }) => scenario === judged.scenario && workers === conditions.workers,
  );
  const step = steps[place]!;
  const rows = drawable(step.judged).toSorted((a, b) => a.median - b.median);
  const drawn = curveThrough(steps.map((one) => one.judged));
  return (
    <>
      <label class="slider">
        {along}: <output>{atText(step)}</output>
        <input
          type="range"
          min="0"
          max={steps.length - 1}
          value={place}
          aria-valuetext={atText(step)}
          onInput={({ currentTarget: { value } }) => {
            const { scenario, workers } = steps[Number(value)]!;
            go({ scenario: scenarioOf(scenario), workers });
          }}
        />
      </label>
      {drawn !== undefined && (
        <Picture spec={curveSpec({ ...drawn, at: step.at }, source.record, source.file)} />
      )}
      <Table
        label="Costs at the slider, as a table"
        caption={`${step.scenario} at ${atText(step)} ${along}, the fastest first`}
        columns={[
          left("competitor", "Competitor"),
          right("ratio", `Ratio to ${baseline ?? "none"}`),
          left("verdict", "Verdict"),
          right("median", "Median", `ns/${judged.operation}`),
        ]}
        rows={rows.map(({ ratio, verdict, median, ...row }) => ({
          cells: {
            competitor: lineName(row),
            ratio: ratio && formatRatio(ratio),
            verdict,
            median,
          },
        }))}
      />
    </>
  );
}

function atText({ at, isOversubscribed }: Step): string {
  return `${formatNumber(at)}${isOversubscribed ? ", more than cores" : ""}`;
}
