import type { TopLevelSpec } from "vega-lite";
import type { BenchRecord } from "../../schema/record.ts";
import type { JudgedScenario } from "../../schema/verdict.ts";
import { compare } from "../../statistics.ts";
import { formatNumber, isIntervalKnown } from "../benchmark-reporter-markdown/src/index.ts";
import { type Picture, pictureOfBothWidths } from "../tables/markdown.ts";
import { rangeText, workersText } from "../tables/phrases.ts";
import type { Standings } from "../tables/races.ts";
import { COLOUR } from "./dark.ts";
import {
  domainOf,
  drawable,
  type Estimate,
  estimateLayers,
  FONT_PX,
  headingLayer,
  LETTER_PX,
  SHADE,
  SMALL_FONT_PX,
  sheetSpec,
  sourceText,
  standingOf,
  standingStyle,
  type View,
  valueScale,
  WIDTH_PX,
} from "./drawing.ts";

/**
 * A race as one picture that says at a glance who is faster: a row for each competitor, the one with the lowest ratio to
 * the baseline first, and a panel for each worker count that had a core for each, or for each role of it. What is drawn
 * is what verdicts rest on, ratios within processes with their intervals, beside the noise floor. Variants and floors
 * are left out, and named. Names and alternative texts come without loading what draws.
 */

type JudgedRow = JudgedScenario["rows"][number];

/** One worker count, or one role of it. */
interface Panel {
  readonly title: string;
  readonly workers: number;
  /** The widest of its groups, as a share. */
  readonly floor: number;
  /** Of those that compete, by name. */
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
}

/** Fewer are seen as fast in a table. */
const FEWEST_WITH_RATIO = 3;
const FILE_END = "-ratios.svg";

const SMALL_LETTER_PX = (LETTER_PX * SMALL_FONT_PX) / FONT_PX;
const ROW_PX = 20;
const LOW_ROW_PX = 15;
/** Beyond this many, rows are low. */
const MOST_TALL_ROWS = 25;
const LEAST_PLOT_PX = 120;
const GAP_PX = 10;
/** More of a gap, from figures to the next panel, which they are not of. */
const FIGURES_GAP_PX = 12;
/** Between rows of panels: an axis with its title, and the titles of the next. */
const AXIS_AND_TITLE_PX = 70;
/** From a panel's lower edge down to the foot of what its sides mean, below the numbers of the axis. */
const SIDES_DROP_PX = 32;
/** Of what a side means from the line at 1. */
const SIDE_GAP_PX = 5;
const NAME_TITLE = "competitor";
const MEDIAN_TITLE = "ns";
const RATIO_TITLE = "ratio";

/** The picture of a race, undefined where `rankingOf` is. */
export function ratioPictureOf(
  judged: JudgedScenario,
  standings: Standings | undefined,
): Picture | undefined {
  const ranking = rankingOf(judged, standings);
  return ranking === undefined ? undefined : pictureOfRanking(ranking);
}

export function pictureOfRanking(ranking: Ranking): Picture {
  return pictureOfBothWidths({ file: `${ranking.judged.scenario}${FILE_END}`, alt: altOf(ranking) });
}

export function isRatioFile(file: string): boolean {
  return file.endsWith(FILE_END);
}

/**
 * The ranking of a race; undefined where fewer than three competitors have a ratio with a core for each worker. Without
 * `standings` nobody is known to be a variant or a floor.
 */
export function rankingOf(judged: JudgedScenario, standings: Standings | undefined): Ranking | undefined {
  const panels = panelsOf(judged, standings);
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
    leftOut: leftOutOf(judged, standings, new Set(names)),
  };
}

/** Each once, in the order of the alphabet. */
function namesOf(rows: readonly JudgedRow[]): string[] {
  return [...new Set(rows.map(({ competitor }) => competitor))].toSorted(compare);
}

/** The panels that have a ratio to show, the fewest workers first. */
function panelsOf(judged: JudgedScenario, standings: Standings | undefined): Panel[] {
  return judged.conditions
    .filter(({ oversubscribed }) => !oversubscribed)
    .toSorted((a, b) => a.workers - b.workers)
    .flatMap(({ workers, floors }) => {
      const competing = judged.rows.filter(
        (row) =>
          row.workers === workers && row.kind !== "aa-control" && classOf(row, standings) === undefined,
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
function classOf({ kind, competitor }: JudgedRow, standings: Standings | undefined): string | undefined {
  if (kind === "baseline" || standings === undefined) return undefined;
  if (standings.floors.has(competitor)) return "floors";
  return standings.variants.has(competitor) ? "variants" : undefined;
}

function leftOutOf(
  judged: JudgedScenario,
  standings: Standings | undefined,
  shown: ReadonlySet<string>,
): string[] {
  const hidden = judged.rows.filter(
    ({ kind, competitor }) => kind !== "aa-control" && !shown.has(competitor),
  );
  const byReason = Map.groupBy(hidden, (row) => classOf(row, standings) ?? "without a number here");
  const crowded = judged.conditions.filter(({ oversubscribed }) => oversubscribed);
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
  const ratio = row?.noNumber === undefined ? row?.ratio : undefined;
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
  return `${primitive}/${scenario}: who is faster, and by how much`;
}

/** A ranking as a vega-lite specification. */
export function ratioSpec(
  ranking: Ranking,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
  widthPx = WIDTH_PX,
): TopLevelSpec {
  const { judged, baseline, panels, reference, leftOut } = ranking;
  const floors = panels.map(({ floor, title }) => `${rangeText([floor])} at ${title}`);
  return sheetSpec(
    {
      alt: altOf(ranking),
      title: titleOf(judged),
      subtitle: [
        judged.title,
        `Ratio to ${baseline} beside it, log scale, the lowest at ${reference.title} first; boxes: the intervals that verdicts rest on; shaded: noise floor, the widest of the groups (${floors.join(", ")}), while each row is judged by that of its own; figures: the median in ns/${judged.operation}, and the ratio`,
      ],
      notes: [
        ...(leftOut.length === 0 ? [] : [`Left out: ${leftOut.join("; ")}`]),
        sourceText(source, record),
      ],
      indentPx: 0,
      widthPx,
    },
    bodySpec(ranking, widthPx),
  );
}

/** What one row of a panel says; without a ratio it has no mark. */
interface Row {
  readonly medianText: string;
  readonly ratioText: string;
  readonly mark: Mark | undefined;
}

interface Mark extends Estimate {
  readonly name: string;
}

function rowOf({ operation }: JudgedScenario, panel: Panel, name: string): Row {
  const row = panel.rows.get(name);
  if (row === undefined || row.noNumber !== undefined) {
    const ratioText = row === undefined ? "not raced" : "no number";
    return { medianText: "", ratioText, mark: undefined };
  }
  const medianText = formatNumber(row.median, 3);
  const ratio = ratioOf(row);
  if (ratio === undefined) return { medianText, ratioText: "none", mark: undefined };
  const ratioText = formatNumber(ratio.value, 3);
  const isKnown = row.ratio === undefined || isIntervalKnown(row.ratio);
  const range = isKnown ? `${formatNumber(ratio.low, 3)} to ${formatNumber(ratio.high, 3)}` : "unknown";
  const mark = {
    ...ratio,
    name,
    standing: standingOf(row),
    oversubscribed: false,
    text: `${name}, ${panel.title}: ratio ${ratioText} (${range}), ${medianText} ns/${operation}, ${row.verdict}`,
  };
  return { medianText, ratioText, mark };
}

/** Names at the left, beside them each panel with its figures; as many panels side by side as there is room for. */
function bodySpec({ judged, baseline, panels, names }: Ranking, sheetPx: number): View {
  const rows = panels.map((panel) => names.map((name) => rowOf(judged, panel, name)));
  const points = rows.flat().flatMap(({ mark }) => mark ?? []);
  const ratiosPx = widthPx([RATIO_TITLE, ...rows.flat().map(({ ratioText }) => ratioText)]);
  const figuresPx = ratiosPx + GAP_PX + widthPx([MEDIAN_TITLE, ...rows.flat().map((row) => row.medianText)]);
  const shownNames = names.map((name) => (name === baseline ? `${name} (baseline)` : name));
  const namesPx = widthPx([NAME_TITLE, ...shownNames]);
  const besidesPx = 2 * GAP_PX + figuresPx + FIGURES_GAP_PX;
  const leastPlotPx = Math.max(LEAST_PLOT_PX, widthPx(panels.map(({ title }) => title)) + GAP_PX);
  const most = Math.max(1, Math.floor((sheetPx - namesPx) / (leastPlotPx + besidesPx)));
  // As even as can be: four panels where three would fit are two and two.
  const perRow = Math.ceil(panels.length / Math.ceil(panels.length / most));
  const plotPx = Math.max(leastPlotPx, Math.floor((sheetPx - namesPx) / perRow - besidesPx));
  const height = names.length * (names.length > MOST_TALL_ROWS ? LOW_ROW_PX : ROW_PX);
  const axes: Axes = {
    x: valueScale(domainOf([{ points }]), ""),
    // All names and not those of a panel's own marks: rows without one have their place too.
    y: { field: "name", type: "nominal", scale: { type: "band", padding: 0, domain: [...names] } },
  };
  const style = standingStyle([{ points }]);
  const namesView = textView({ width: namesPx, height }, axes, names, [
    { title: NAME_TITLE, texts: shownNames, align: "left", xPx: 0 },
  ]);
  const views = panels.flatMap((panel, index): View[] => [
    ...(index % perRow === 0 ? [namesView] : []),
    plotView({ width: plotPx, height }, axes, panel, rows[index]!, style),
    textView({ width: figuresPx + FIGURES_GAP_PX, height }, axes, names, [
      {
        title: MEDIAN_TITLE,
        texts: rows[index]!.map(({ medianText }) => medianText),
        align: "right",
        xPx: figuresPx - ratiosPx - GAP_PX,
      },
      {
        title: RATIO_TITLE,
        texts: rows[index]!.map(({ ratioText }) => ratioText),
        align: "right",
        xPx: figuresPx,
      },
    ]),
  ]);
  return {
    columns: 1 + 2 * perRow,
    bounds: "flush",
    spacing: { row: AXIS_AND_TITLE_PX, column: GAP_PX },
    concat: views,
  };
}

function widthPx(texts: readonly string[]): number {
  return Math.ceil(Math.max(...texts.map((text) => text.length)) * SMALL_LETTER_PX);
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** What all panels share. */
interface Axes {
  readonly x: ReturnType<typeof valueScale>;
  readonly y: {
    readonly field: "name";
    readonly type: "nominal";
    readonly scale: { readonly type: "band"; readonly padding: number; readonly domain: string[] };
  };
}

/** One panel: the floor as a band, the line at 1, and the ratios before both. */
function plotView(
  size: Size,
  { x, y }: Axes,
  { title, floor }: Panel,
  rows: readonly Row[],
  style: ReturnType<typeof standingStyle>,
): View {
  const [least, most] = x.scale.domain;
  const band = { from: Math.max(least!, 1 / (1 + floor)), to: Math.min(most!, 1 + floor) };
  const marks = rows.flatMap(({ mark }) => mark ?? []);
  const alongRows = {
    ...y,
    axis: { title: null, labels: false, ticks: false, domain: false, grid: true, zindex: 0 },
  };
  return {
    ...size,
    layer: [
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
        { y: alongRows },
        x,
        style,
        marks.filter(({ standing }) => standing !== "baseline"),
      ),
      ...(["right", "left"] as const).map((align) => ({
        data: { values: [{ equal: 1, text: align === "right" ? "← faster" : "slower →" }] },
        mark: {
          type: "text" as const,
          align,
          fontSize: SMALL_FONT_PX,
          dx: align === "right" ? -SIDE_GAP_PX : SIDE_GAP_PX,
          y: size.height + SIDES_DROP_PX,
          aria: false,
        },
        encoding: { x: { ...x, field: "equal" }, text: { field: "text" } },
      })),
      headingLayer(title),
    ],
  };
}

/** A column of texts, one for each row. */
interface Column {
  readonly title: string;
  readonly texts: readonly string[];
  readonly align: "left" | "right";
  readonly xPx: number;
}

function textView(size: Size, { y }: Axes, names: readonly string[], columns: readonly Column[]): View {
  return {
    ...size,
    view: { stroke: null },
    layer: columns.flatMap(({ title, texts, align, xPx }) => [
      {
        data: { values: texts.map((text, index) => ({ name: names[index], text })) },
        mark: {
          type: "text" as const,
          align,
          baseline: "middle" as const,
          fontSize: SMALL_FONT_PX,
          x: xPx,
          aria: false,
        },
        encoding: { y: { ...y, axis: null }, text: { field: "text" } },
      },
      headingLayer(title, { align, xPx, fontWeight: "normal" }),
    ]),
  };
}
