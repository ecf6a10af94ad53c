import type { TopLevelSpec } from "vega-lite";
import { median, quantile } from "../../engine/statistics.ts";
import { formatNumber } from "../../reporter/src/index.ts";
import type { HistoryLine } from "../series/history.ts";
import type { Change, Series } from "../series/nights.ts";
import { COLOUR } from "./dark.ts";
import {
  AXIS_PX,
  FONT_PX,
  LETTER_PX,
  LINE_PX,
  lineLayer,
  SHADE,
  sheetSpec,
  smallMultiples,
} from "./drawing.ts";

/**
 * Nights as a picture: how a cell's ratio to its baseline moved over time.
 *
 * A ratio may be 0.1 or 20 and a change of it 5 %. What is drawn is how far a ratio is from where its series began; what it
 * is says the label of a change.
 */
/** Least and most that the scale shows on either side, as shares: less would blow noise up, more lets nothing else show. */
const LEAST_REACH = 0.05;
const MOST_REACH = 1;
/** Labels of changes stand one below the other where there are several. */
const LABEL_ROWS = 3;
const DAY_MS = 86_400_000;
/** A date that is nearer to the end of its axis would cross the picture's edge, and is moved inwards. */
const HALF_DATE_PX = ("2026-11-20".length * LETTER_PX) / 2;

/** Where a series began: the median of its first level. What its points are drawn relative to. */
function originOf({ lines, changes }: Series): number {
  return changes[0]?.before ?? median(lines.map(({ ratio }) => ratio));
}

/** A picture as a vega-lite specification. */
export function trendSpec(series: Series): TopLevelSpec {
  const { cell, machine, lines } = series;
  const nights = new Set(lines.map(({ at, commit }) => `${at} ${commit}`)).size;
  const runtimes = [...new Set(lines.map(({ runtime }) => runtime))];
  const [first] = lines;
  const reach = reachOf(series);
  return sheetSpec(
    {
      alt: altOf(series),
      title: `${cell.split("/")[0]}: ratios to the baseline, night by night`,
      subtitle: [
        "How far a cell's ratio is from where it began: up is slower; cut off at the ends of the scale",
        "Bold rule: a change, with the first commit that has it and the ratio before and after; orange: slower, blue: faster; dashed: suspected, not confirmed",
        "Shaded: noise floor; dotted grey, beside changed cells: their baseline's own ns, which move with the machine",
      ],
      notes: [
        `Made from ${nights} night${nights === 1 ? "" : "s"}: ${machine}, ${runtimes.join(", ")}, profile ${first!.profile}, method ${first!.method}`,
      ],
      indentPx: AXIS_PX,
    },
    smallMultiples(
      [cell],
      axesOf(series, reach),
      (_, own) => panelLayers(series, own, reach),
      contentPx(series),
    ),
  );
}

/** Room for dates, and for the label of a change in the middle on either side of it. */
function contentPx(series: Series): number {
  const labels = series.changes.map((change) => labelOf(series, change).length * LETTER_PX);
  return Math.max(DATES * 3 * HALF_DATE_PX, ...labels.map((labelPx) => 2 * labelPx));
}

function altOf({ cell, machine, lines, changes }: Series): string {
  const texts = changes.map(
    (change) => `${percentText(change)} since ${lines[change.index]!.at.slice(0, 10)}, ${change.certainty}`,
  );
  return `${cell} on ${machine}: ratios to the baseline, night by night. ${texts.join("; ") || "No change"}`;
}

function percentText({ before, after }: Change): string {
  const share = after / before - 1;
  return `${share > 0 ? "+" : ""}${(100 * share).toFixed(Math.abs(share) < 0.0995 ? 1 : 0)} %`;
}

/** How far the scale goes on either side, a share: all levels, and all points but those furthest out. */
function reachOf(series: Series): number {
  const origin = originOf(series);
  const fromOrigin = (ratio: number) => Math.abs(ratio / origin - 1);
  const levels = series.changes.map(({ after }) => fromOrigin(after));
  const points = series.lines.map(({ ratio }) => fromOrigin(ratio)).sort((a, b) => a - b);
  const wanted = 1.25 * Math.max(quantile(points, 0.99), ...levels);
  return Math.min(MOST_REACH, Math.max(LEAST_REACH, wanted));
}

function axesOf({ lines }: Series, reach: number) {
  const times = lines.map(timeOf);
  // One by one: in a few years there are more of them than a call takes arguments.
  const first = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, time) => Math.max(most, time), Number.NEGATIVE_INFINITY);
  const domain = [first - DAY_MS, last + DAY_MS] as const;
  return {
    x: {
      type: "temporal" as const,
      scale: {
        type: "utc" as const,
        domain: [...domain],
        nice: false as const,
      },
      axis: {
        title: "night (UTC)",
        values: ticksOf(domain),
        format: "%Y-%m-%d",
        labelFlush: HALF_DATE_PX,
        grid: false,
      },
    },
    y: {
      type: "quantitative" as const,
      scale: { domain: [-reach, reach], nice: false },
      axis: { title: null, tickCount: 5, format: "+.0%" },
    },
  };
}

type Axes = ReturnType<typeof axesOf>;

const DATES = 3;

/** Days far enough from the ends that the dates of two panels do not touch. */
function ticksOf([from, to]: readonly [number, number]): number[] {
  const days = Array.from({ length: DATES }, (_, index) => {
    const part = (index + 0.5) / DATES;
    return Math.round((from + part * (to - from)) / DAY_MS) * DAY_MS;
  });
  return [...new Set(days)];
}

function timeOf({ at }: HistoryLine): number {
  return Date.parse(at);
}

function panelLayers(series: Series, { x, y }: Axes, reach: number) {
  const within = (share: number) => Math.max(-reach, Math.min(reach, share));
  const { lines, changes } = series;
  const floor = within(median(lines.map((line) => line.floor)));
  const isChanged = changes.length > 0;
  const origin = originOf(series);
  const points = lines.map((line, step) => ({
    step,
    time: timeOf(line),
    value: within(line.ratio / origin - 1),
  }));
  const baseline = isChanged
    ? baselineOf(series).map((point) => ({ ...point, value: within(point.value) }))
    : [];
  const marks = changes.map((change, index) => markOf(series, change, index, x.scale.domain));
  const along = { x: { ...x, field: "time" }, y };
  const stroke = isChanged
    ? { color: COLOUR.ink, strokeWidth: 1.25 }
    : { color: COLOUR.grey, strokeWidth: 0.75 };
  return [
    {
      data: { values: [{ low: -floor, high: floor }] },
      mark: { type: "rect" as const, ...SHADE, aria: false },
      encoding: { y: { ...y, field: "low" }, y2: { field: "high" } },
    },
    {
      data: { values: [{ value: 0 }] },
      mark: { type: "rule" as const, color: COLOUR.axis, aria: false },
      encoding: { y: { ...y, field: "value" } },
    },
    lineLayer(baseline, { color: COLOUR.grey, strokeWidth: 1, strokeDash: [1, 2] }, along),
    lineLayer(points, stroke, along),
    {
      // What is no line yet.
      data: { values: points.length === 1 ? points : [] },
      mark: { type: "circle" as const, size: 12, color: COLOUR.grey, opacity: 1, aria: false },
      encoding: { x: { ...x, field: "time" }, y: { ...y, field: "value" } },
    },
    ...marks.flatMap(({ time, colour, dash, text, ...place }) => [
      {
        data: { values: [{ time }] },
        mark: { type: "rule" as const, color: colour, strokeWidth: 2, ...dash, aria: false },
        encoding: { x: { ...x, field: "time" } },
      },
      // Once in the colour of the paper, wider, because lines run behind it.
      ...[{ stroke: COLOUR.paper, strokeWidth: 3 }, {}].map((halo) => ({
        data: { values: [{ time, text }] },
        mark: { type: "text" as const, ...place, fontSize: FONT_PX, ...halo, aria: false },
        encoding: { x: { ...x, field: "time" }, text: { field: "text" } },
      })),
    ]),
  ];
}

/** A change's rule and its label, which stands where there is more room: where the line came from. */
function markOf(series: Series, change: Change, index: number, [from, to]: number[]) {
  const first = series.lines[change.index]!;
  const time = timeOf(first);
  const isSlower = change.after > change.before;
  const isEarly = time < (from! + to!) / 2;
  const row = LINE_PX * (index % LABEL_ROWS);
  return {
    time,
    colour: isSlower ? COLOUR.slower : COLOUR.faster,
    dash: change.certainty === "suspected" ? { strokeDash: [4, 3] } : {},
    text: labelOf(series, change),
    align: isEarly ? ("left" as const) : ("right" as const),
    dx: isEarly ? 4 : -4,
    y: isSlower ? ("height" as const) : 0,
    dy: isSlower ? -LINE_PX / 2 - row : LINE_PX + row,
  };
}

function labelOf({ lines }: Series, change: Change): string {
  const [before, after] = [change.before, change.after].map((ratio) => formatNumber(ratio, 3));
  return `${lines[change.index]!.commit.slice(0, 7)} ${percentText(change)}: ${before} to ${after}`;
}

/** How the ns of a series' baseline moved, relative to their middle. */
function baselineOf({ baseline }: Series) {
  const measured = baseline.flatMap((line) => (line.medianNs === null ? [] : [{ line, ns: line.medianNs }]));
  const middle = median(measured.map(({ ns }) => ns));
  return measured.map(({ line, ns }, step) => ({ step, time: timeOf(line), value: ns / middle - 1 }));
}
