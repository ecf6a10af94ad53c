import type { TopLevelSpec } from "vega-lite";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { compare } from "../../engine/statistics.ts";
import { formatNumber, isIntervalKnown } from "../../reporter/src/index.ts";
import type { BenchRecord } from "../schema/record.ts";
import type { Picture } from "../tables/markdown.ts";
import { rangeText, workersText } from "../tables/phrases.ts";
import type { Labels } from "../tables/races.ts";
import { shownRatio, shownVerdict } from "../verdicts/another-run.ts";
import { COLOUR } from "./dark.ts";
import {
  domainOf,
  drawable,
  type Estimate,
  emphasisOf,
  emphasisStyle,
  estimateLayers,
  FONT_PX,
  headingLayer,
  type Layer,
  SHADE,
  sheetSpec,
  sourceText,
  type View,
  valueScale,
  WIDTH_PX,
} from "./drawing.ts";
import { GAP_PX, NameColumn, type RowText, textLayer } from "./name-column.ts";

/**
 * A race as one picture that says at a glance which is faster: a row for each competitor, the one with the lowest ratio to
 * the baseline first, and a panel for each worker count that had a core for each, or for each role of it. What is drawn
 * is what verdicts rest on, ratios within processes with their intervals, beside the noise floor. Variants and floors
 * are left out, and named. Names and alternative texts come without loading what draws.
 */

type JudgedRow = JudgedScenario["rows"][number];

/** One worker count, or one role of it. */
interface Panel {
  readonly title: string;
  readonly workers: number;
  /** As a share. */
  readonly floor: number;
  /** The competing rows, by name. */
  readonly rows: ReadonlyMap<string, JudgedRow>;
}

/** The rows that compete in a race, from the lowest ratio to the highest. */
export interface Ranking {
  readonly judged: JudgedScenario;
  readonly baseline: string;
  /** The fewest workers first; one at least. */
  readonly panels: readonly Panel[];
  /** The one that rows are in order of: of the most workers. */
  readonly reference: Panel;
  /** The rows that compete, in order. */
  readonly names: readonly string[];
  /** The rows that do not, and why. */
  readonly leftOut: readonly string[];
  /** Of a brief picture: how many rows the whole one has. */
  readonly of?: number;
  /** Whether the panels stand side by side. */
  readonly isWide?: boolean;
}

/** Fewer are seen as fast in a table. */
const FEWEST_WITH_RATIO = 3;
const FILE_END = "-ratios.svg";
/** With all its words, such a picture is about 400 pixels high. */
const ROWS_IN_BRIEF = 8;
const MOST_IN_BRIEF = 2;

/** Between panels: an axis, what its sides mean, and the title of the next. */
const AXIS_AND_TITLE_PX = 94;
/** From a panel's lower edge down to the foot of what its sides mean, below the numbers of the axis. */
const SIDES_DROP_PX = 44;
const MOST_TICKS = 4;

/** The picture of a race, undefined where `rankingOf` is. */
export function ratioPictureOf(judged: JudgedScenario, labels: Labels | undefined): Picture | undefined {
  const ranking = rankingOf(judged, labels);
  return ranking === undefined ? undefined : pictureOfRanking(ranking);
}

export function pictureOfRanking(ranking: Ranking): Picture {
  const { judged, of, panels, isWide = false } = ranking;
  const fileOf = (kind: string) => `${judged.scenario}${kind}${FILE_END}`;
  const file = fileOf(of === undefined ? "" : isWide ? "-brief-wide" : "-brief");
  const hasWide = of !== undefined && panels.length > 1;
  return { file, alt: altOf(ranking), ...(hasWide ? { wideFile: fileOf("-brief-wide") } : {}) };
}

/**
 * The same in eight rows, those of the most workers: the lowest, the highest, the baseline, those that are `named`, and
 * evenly between.
 */
export function briefRanking(ranking: Ranking, named: readonly string[]): Ranking {
  const { names, baseline, panels } = ranking;
  const last = names.length - 1;
  const step = Math.max(1, last / (ROWS_IN_BRIEF - 1));
  const rows = Math.min(names.length, ROWS_IN_BRIEF);
  const shown = new Set(Array.from({ length: rows }, (_, row) => Math.round(row * step)));
  const kept = new Set([0, last, ...[baseline, ...named].map((name) => names.indexOf(name))]);
  for (const place of kept) {
    const free = [...shown].filter((one) => !kept.has(one));
    if (place === -1 || shown.has(place) || free.length === 0) continue;
    shown.delete(free.toSorted((a, b) => Math.abs(a - place) - Math.abs(b - place))[0]!);
    shown.add(place);
  }
  const inOrder = [...shown].toSorted((a, b) => a - b).map((place) => names[place]!);
  return { ...ranking, panels: panels.slice(-MOST_IN_BRIEF), names: inOrder, of: names.length };
}

export function isRatioFile(file: string): boolean {
  return file.endsWith(FILE_END);
}

/**
 * The ranking of a race at the worker counts that are shown, those with a core for each if none are given; undefined where
 * fewer than three competitors have a ratio there. Without `labels` nobody is known to be a variant or a floor.
 */
export function rankingOf(
  judged: JudgedScenario,
  labels: Labels | undefined,
  shown = judged.conditions.filter(({ oversubscribed }) => !oversubscribed),
): Ranking | undefined {
  const panels = panelsOf(judged, labels, shown);
  const measured = drawable({ ...judged, rows: panels.flatMap(({ rows }) => [...rows.values()]) });
  const baseline = measured.find(({ kind }) => kind === "baseline");
  const withRatio = namesOf(measured.filter(({ ratio }) => ratio !== undefined));
  if (baseline === undefined || withRatio.length < FEWEST_WITH_RATIO) return undefined;
  const most = Math.max(...panels.map(({ workers }) => workers));
  const reference = panels.find(({ workers }) => workers === most)!;
  const names = namesOf(measured);
  const place = (name: string) => ratioOf(reference.rows.get(name))?.value ?? Number.POSITIVE_INFINITY;
  return {
    judged,
    baseline: baseline.competitor,
    panels,
    reference,
    // By name where ratios are equal or there is none.
    names: names.toSorted((a, b) => compare(place(a), place(b))),
    leftOut: leftOutOf(judged, labels, new Set(names), shown),
  };
}

/** Each once, in the order of the alphabet. */
function namesOf(rows: readonly JudgedRow[]): string[] {
  return [...new Set(rows.map(({ competitor }) => competitor))].toSorted(compare);
}

/** The panels that have a ratio to show, the fewest workers first. */
function panelsOf(
  judged: JudgedScenario,
  labels: Labels | undefined,
  conditions: JudgedScenario["conditions"],
): Panel[] {
  return conditions
    .toSorted((a, b) => a.workers - b.workers)
    .flatMap(({ workers, floors }) => {
      const competing = judged.rows.filter(
        (row) => row.workers === workers && row.kind !== "aa-control" && classOf(row, labels) === undefined,
      );
      const byRole = Map.groupBy(competing, ({ role }) => role);
      return [...byRole].map(([role, rows]) => ({
        title: role === undefined ? workersText(workers) : `${workersText(workers)}, ${role}`,
        workers,
        floor: Math.max(...floors),
        rows: new Map(rows.map((row) => [row.competitor, row])),
      }));
    })
    .filter(({ rows }) =>
      [...rows.values()].some((row) => row.noNumber === undefined && row.ratio !== undefined),
    );
}

/** As what a competitor is left out; undefined if it is not. The baseline never is: all others are held to it. */
function classOf({ kind, competitor }: JudgedRow, labels: Labels | undefined): string | undefined {
  if (kind === "baseline" || labels === undefined) return undefined;
  if (labels.lowerBounds.has(competitor)) return "floors";
  return labels.variants.has(competitor) ? "variants" : undefined;
}

function leftOutOf(
  judged: JudgedScenario,
  labels: Labels | undefined,
  shown: ReadonlySet<string>,
  conditions: JudgedScenario["conditions"],
): string[] {
  const hidden = judged.rows.filter(
    ({ kind, competitor }) => kind !== "aa-control" && !shown.has(competitor),
  );
  const byReason = Map.groupBy(hidden, (row) => classOf(row, labels) ?? "without a number here");
  const crowded = judged.conditions.filter((own) => !conditions.includes(own));
  return [
    ...[...byReason]
      .toSorted(([a], [b]) => compare(a, b))
      .map(([reason, those]) => `${reason} (${namesOf(those).join(", ")})`),
    ...(crowded.length === 0
      ? []
      : [`more workers than cores (${crowded.map(({ workers }) => workers).join(", ")})`]),
  ];
}

/** The baseline's to itself is 1, which has no interval, and neither has one whose interval says nothing. */
function ratioOf(row: JudgedRow | undefined) {
  if (row?.kind === "baseline") return { value: 1, low: 1, high: 1 };
  const ratio = row === undefined || row.noNumber !== undefined ? undefined : shownRatio(row);
  if (ratio === undefined || isIntervalKnown(ratio)) return ratio;
  return { value: ratio.value, low: ratio.value, high: ratio.value };
}

function altOf({ judged, baseline, reference, names }: Ranking): string {
  const placed = names.flatMap((name) => {
    const ratio = ratioOf(reference.rows.get(name));
    return ratio === undefined ? [] : [`${name} (${formatNumber(ratio.value, 3)})`];
  });
  return [
    `${titleOf(judged)}: ratio to ${baseline} beside it, ${placed.length} competitors`,
    `At ${reference.title} the lowest: ${placed.slice(0, 3).join(", ")}; the highest: ${placed.at(-1)}`,
    `Noise floor ${rangeText([reference.floor])}`,
  ].join(". ");
}

function titleOf({ primitive, scenario }: JudgedScenario): string {
  return `${primitive}/${scenario}: which is faster, and by how much`;
}

/** A ranking as a vega-lite specification. */
export function ratioSpec(
  ranking: Ranking,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const { judged, baseline, panels, reference, leftOut, names, of } = ranking;
  if (of !== undefined) {
    const { cpu, cores } = record.machine;
    const sheet = {
      alt: altOf(ranking),
      title: `${judged.primitive}/${judged.scenario}: which is faster`,
      subtitle: [`Ratio to ${baseline}, log scale; boxes: intervals`],
      notes: [`${names.length} of ${of}, on ${cpu} with ${cores} cores`],
      indentPx: 0,
    };
    return sheetSpec(sheet, bodySpec(ranking));
  }
  const floors = panels.map(({ floor, title }) => `${rangeText([floor])} at ${title}`);
  return sheetSpec(
    {
      alt: altOf(ranking),
      title: titleOf(judged),
      subtitle: [
        judged.title,
        `Ratio to ${baseline} beside it, log scale, the lowest at ${reference.title} first; boxes: intervals; shaded: the noise floor (${floors.join(", ")})`,
      ],
      notes: [
        ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join("; ")}`]),
        sourceText(source, record),
      ],
      indentPx: 0,
    },
    bodySpec(ranking),
  );
}

/** What one row of a panel shows: its ratio, or why there is none. */
type Row = { readonly mark: Mark } | { readonly mark?: undefined; readonly missing: string };

interface Mark extends Estimate {
  readonly name: string;
}

function rowOf({ operation }: JudgedScenario, panel: Panel, name: string): Row {
  const row = panel.rows.get(name);
  if (row === undefined) return { missing: "not raced" };
  if (row.noNumber !== undefined) return { missing: "no number" };
  const ratio = ratioOf(row);
  if (ratio === undefined) return { missing: "no ratio" };
  const isKnown = row.ratio === undefined || isIntervalKnown(shownRatio(row)!);
  const range = isKnown ? `${formatNumber(ratio.low, 3)} to ${formatNumber(ratio.high, 3)}` : "unknown";
  return {
    mark: {
      ...ratio,
      name,
      emphasis: emphasisOf(row),
      oversubscribed: false,
      text: `${name}, ${panel.title}: ratio ${formatNumber(ratio.value, 3)} (${range}), ${formatNumber(row.median, 3)} ns/${operation}, ${shownVerdict(row)}`,
    },
  };
}

const WIDE_PLOT_PX = 240;
const WIDE_GAP_PX = 24;

/** The panels below one another, each with the names to its left; or side by side behind one column of names. */
function bodySpec({ judged, panels, names, isWide = false }: Ranking): View {
  const rows = panels.map((panel) => names.map((name) => rowOf(judged, panel, name)));
  const points = rows.flat().flatMap(({ mark }) => mark ?? []);
  const x = valueScale(domainOf([{ points }]), MOST_TICKS);
  const style = emphasisStyle([{ points }]);
  const column = new NameColumn(names);
  const { view, heightPx: height, y } = column.of(names);
  const plot = { width: isWide ? WIDE_PLOT_PX : WIDTH_PX - column.widthPx, height };
  return {
    columns: isWide ? 1 + panels.length : 2,
    bounds: "flush",
    spacing: { row: AXIS_AND_TITLE_PX, column: isWide ? WIDE_GAP_PX : 0 },
    concat: panels.flatMap(({ title, floor }, index): View[] => [
      ...(isWide && index > 0 ? [] : [view]),
      {
        ...plot,
        layer: [...plotLayers(plot, { x, y }, floor, rows[index]!, names, style), headingLayer(title)],
      },
    ]),
  };
}

function missingTexts(rows: readonly Row[], names: readonly string[]): RowText[] {
  return rows.flatMap((row, index) =>
    row.mark === undefined ? [{ name: names[index]!, text: row.missing }] : [],
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What all panels share. */
interface Axes {
  readonly x: ReturnType<typeof valueScale>;
  readonly y: object;
}

/** One panel: the floor as a band, the line at 1, and the ratios before both. */
function plotLayers(
  { width, height }: Size,
  { x, y }: Axes,
  floor: number,
  rows: readonly Row[],
  names: readonly string[],
  style: ReturnType<typeof emphasisStyle>,
): Layer[] {
  const [least, most] = x.scale.domain;
  const band = { from: Math.max(least!, 1 / (1 + floor)), to: Math.min(most!, 1 + floor) };
  const marks = rows.flatMap(({ mark }) => mark ?? []);
  return [
    {
      data: { values: [band] },
      mark: { type: "rect", ...SHADE, aria: false },
      encoding: { x: { ...x, field: "from" }, x2: { field: "to" } },
    },
    {
      data: { values: [{ equal: 1 }] },
      mark: { type: "rule", color: COLOUR.grey, aria: false },
      encoding: { x: { ...x, field: "equal" } },
    },
    // The baseline has no interval: it is what the others' are about.
    ...estimateLayers(
      marks,
      { y },
      x,
      style,
      marks.filter(({ emphasis }) => emphasis !== "baseline"),
    ),
    textLayer(y, missingTexts(rows, names), GAP_PX, COLOUR.mutedInk),
    ...[
      { text: "← faster", align: "left" as const, xPx: 0 },
      { text: "slower →", align: "right" as const, xPx: width },
    ].map(({ text, align, xPx }) => ({
      data: { values: [{ text }] },
      mark: {
        type: "text" as const,
        align,
        fontSize: FONT_PX,
        x: xPx,
        y: height + SIDES_DROP_PX,
        aria: false,
      },
      encoding: { text: { field: "text" } },
    })),
  ];
}
