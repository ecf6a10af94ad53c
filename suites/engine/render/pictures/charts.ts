import type { TopLevelSpec } from "vega-lite";
import type { BenchRecord } from "../../schema/record.ts";
import type { JudgedRecord, JudgedScenario } from "../../schema/verdict.ts";
import { compare } from "../../statistics.ts";
import { formatNumber } from "../benchmark-reporter-markdown/src/index.ts";
import { type Picture, pictureOfBothWidths } from "../tables/markdown.ts";
import { countsText, rangeText, workersText } from "../tables/phrases.ts";
import { referenceConditions, type Standings } from "../tables/races.ts";
import { type Curve, curveSpec, curvesOf, isCurveFile, pictureOfCurve } from "./curves.ts";
import {
  AXIS_PX,
  costEstimate,
  crowdedText,
  type Drawn,
  domainOf,
  drawable,
  drawBoth,
  type Estimate,
  estimateLayers,
  headingLayer,
  lineName,
  SCREEN_PX,
  SHADE,
  sheetSpec,
  sourceText,
  standingStyle,
  VEGA_SMALL_LETTER_PX,
  type View,
  valueScale,
  WIDTH_PX,
  wideFile,
} from "./drawing.ts";
import { isRatioFile, rankingOf, ratioPictureOf, ratioSpec } from "./ratios.ts";
import { graphOf, isSeriesFile, pictureOfGraph, seriesSpec } from "./series.ts";
import { isTailFile, pictureOfTail, tailGraphsOf, tailSpec } from "./tails.ts";

export { type CurvePicture, curvePicturesOf } from "./curves.ts";

/**
 * Records as pictures: for each raced scenario ns per operation at each worker count, for those that say most ratios (see
 * ratios.ts), for scenarios that are points of a curve that curve (see curves.ts), and for simulations what they do
 * over time (see series.ts), and for tails percentiles (see tails.ts). Pure, as the pages are: the bytes depend on what
 * is given alone.
 *
 * A scenario may have forty competitors, and nobody can distinguish forty colours or forty small panels, so every competitor
 * has a row, in the order of cost, and every worker count a panel, all against one scale. Colour is left free to say the
 * verdict.
 *
 * Names and alternative texts, which pages need, come without loading what draws.
 */

const COST_FILE = "-ns-per-op.svg";

/** What one competitor did at one worker count. */
interface Point extends Estimate {
  readonly workers: number;
}

/** One competitor, or one role of it, at every worker count that gave it a number. */
export interface Line {
  readonly name: string;
  readonly role: string | undefined;
  readonly isBaseline: boolean;
  /** By workers. */
  readonly points: readonly Point[];
}

const ROW_PX = 20;
const LEAST_PANEL_PX = 120;
const MOST_PANEL_PX = 620;
const STACKED_ROW_PX = 32;
/** About what a stacked panel has besides its rows: its title, its axis, and the gap to the next. */
const STACKED_PANEL_PX = 100;
/** Of an axis along rows: within its panel, each name from the left and above the middle of its row. */
const NAMES_ABOVE_MARKS = { labelAlign: "left" as const, labelPadding: -4, labelOffset: -10 };
/** Between panels: half of the last number of one axis and of the first of the next. */
const GAP_PX = 24;

/**
 * The picture of a scenario's costs: none where no competitor has a number, and none of what a curve shows already, the
 * costs of one of its points at one worker count.
 */
export function costPictures(judged: JudgedScenario): Picture[] {
  const lines = linesOf(judged);
  return lines.length === 0 || (judged.point !== undefined && workerCounts(lines).length === 1)
    ? []
    : [pictureOfBothWidths({ file: `${judged.scenario}${COST_FILE}`, alt: altOf(judged, lines) })];
}

/** Whether the picture of a scenario's costs is higher than what a page shows at once. */
export function isCostHigherThanAScreen(judged: JudgedScenario): boolean {
  const lines = linesOf(judged);
  const { isStacked } = panelsOf(lines, WIDTH_PX);
  const panelPx = lines.length * STACKED_ROW_PX + STACKED_PANEL_PX;
  return isStacked && workerCounts(lines).length * panelPx > SCREEN_PX;
}

/** Whether a file's name is one that a picture may have. Other drawings may stand beside records too. */
export function isPictureFile(file: string): boolean {
  const wide = wideFile(file);
  return (
    isCurveFile(wide) ||
    isSeriesFile(wide) ||
    isTailFile(wide) ||
    isRatioFile(wide) ||
    wide.endsWith(COST_FILE)
  );
}

/** What pictures of races at a glance need besides a record. */
export interface AtAGlance {
  /** The scenarios that say most, by name: each race among them has such a picture. */
  readonly headline: ReadonlySet<string>;
  readonly standings: Standings | undefined;
}

/** The picture of a race's ratios, where it is one that has such a picture. */
export function ratioPictures(judged: JudgedScenario, { headline, standings }: AtAGlance): Picture[] {
  if (!headline.has(judged.scenario)) return [];
  const picture = ratioPictureOf(judged, standings);
  return picture === undefined ? [] : [picture];
}

const NOTHING_AT_A_GLANCE: AtAGlance = { headline: new Set(), standings: undefined };

/**
 * Every picture of a record as SVG, by file name. `source` is how a picture names the record it was made from. Without
 * `atAGlance` there are none of ratios (see ratios.ts).
 */
export async function drawPictures(
  judged: JudgedRecord,
  source: string,
  atAGlance: AtAGlance = NOTHING_AT_A_GLANCE,
): Promise<Map<string, string>> {
  const drawn = await drawScenarios(judged, source, atAGlance);
  for (const curve of curvesOf(judged.verdicts.races)) {
    for (const [file, svg] of await drawCurve(curve, judged.record, source)) drawn.set(file, svg);
  }
  return drawn;
}

/** The same without curves: pictures that are each of one scenario, or of one family of tails. */
export async function drawScenarios(
  { record, verdicts }: JudgedRecord,
  source: string,
  { headline, standings }: AtAGlance,
): Promise<Map<string, string>> {
  const drawn = new Map<string, string>();
  const draw = async (...[picture, specAt]: Parameters<typeof drawBoth>) => {
    for (const [file, svg] of await drawBoth(picture, specAt)) drawn.set(file, svg);
  };
  for (const judged of verdicts.races) {
    for (const picture of costPictures(judged)) {
      await draw(picture, (widthPx) => costSpec(judged, record, source, widthPx));
    }
  }
  for (const judged of verdicts.races) {
    for (const picture of ratioPictures(judged, { headline, standings })) {
      const ranking = rankingOf(judged, standings)!;
      await draw(picture, (widthPx) => ratioSpec(ranking, record, source, widthPx));
    }
  }
  for (const graph of [...record.simulations, ...(record.surveys ?? [])].flatMap(
    (part) => graphOf(part) ?? [],
  )) {
    await draw(pictureOfGraph(graph), (widthPx) => seriesSpec(graph, record, source, widthPx));
  }
  for (const graph of tailGraphsOf(record.surveys ?? [])) {
    await draw(pictureOfTail(graph), (widthPx) => tailSpec(graph, record, source, widthPx));
  }
  return drawn;
}

/** The pictures of a curve as SVG, with their file names. */
export function drawCurve(curve: Curve, record: BenchRecord, source: string): Promise<Drawn[]> {
  return drawBoth(pictureOfCurve(curve), (widthPx) => curveSpec(curve, record, source, widthPx));
}

/**
 * The lines of a picture, in the order in which they are shown: by role, then the cheapest first, at the most workers
 * that had a core each, of all or, if the role was not raced with as many, of the role.
 */
export function linesOf(judged: JudgedScenario): Line[] {
  const reference = referenceConditions(judged).workers;
  const measured = drawable(judged);
  const referenceOf = (role: string | undefined) =>
    Math.max(
      ...measured
        .filter((row) => row.role === role && row.workers <= reference)
        .map(({ workers }) => workers),
    );
  return [...Map.groupBy(measured, lineName)]
    .map(([name, rows]) => {
      const costNs =
        rows.find(({ role, workers }) => workers === referenceOf(role))?.median ?? Number.POSITIVE_INFINITY;
      const line: Line = {
        name,
        role: rows[0]!.role,
        isBaseline: rows[0]!.kind === "baseline",
        points: rows
          .map((row) => ({ workers: row.workers, ...costEstimate(row, judged, workersText(row.workers)) }))
          .toSorted((a, b) => a.workers - b.workers),
      };
      return { line, costNs };
    })
    .toSorted(
      (a, b) =>
        compare(a.line.role ?? "", b.line.role ?? "") ||
        compare(a.costNs, b.costNs) ||
        compare(a.line.name, b.line.name),
    )
    .map(({ line }) => line);
}

const QUANTITY = "what one worker waits for one operation";

function altOf(judged: JudgedScenario, lines: readonly Line[]): string {
  const reference = referenceConditions(judged).workers;
  const counts = workerCounts(lines);
  const ranges = [...Map.groupBy(lines, ({ role }) => role).values()].flatMap((sameRole) => {
    const shown = sameRole.flatMap(({ name, points }) =>
      points
        .filter(({ workers }) => workers === reference)
        .map(({ value }) => `${name} (${formatNumber(value)})`),
    );
    return shown.length === 0 ? [] : [[shown[0], ...shown.slice(1).slice(-1)].join(" to ")];
  });
  const range = ranges.length === 0 ? "" : `. At ${workersText(reference)}: ${ranges.join("; ")}`;
  return `${judged.primitive}/${judged.scenario}: ${QUANTITY} in ns/${judged.operation} at ${countsText(counts)}${range}`;
}

function workerCounts(lines: readonly Line[]): number[] {
  const counts = new Set(lines.flatMap(({ points }) => points.map(({ workers }) => workers)));
  return [...counts].toSorted((a, b) => a - b);
}

/** The costs of a scenario as a vega-lite specification; the scenario must have a picture. */
export function costSpec(
  judged: JudgedScenario,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
  widthPx = WIDTH_PX,
): TopLevelSpec {
  const lines = linesOf(judged);
  const counts = workerCounts(lines);
  const panels = panelsOf(lines, widthPx);
  const unit = `ns/${judged.operation}`;
  const many = lines.some(({ role }) => role !== undefined) ? "competitor and role" : "competitor";
  return sheetSpec(
    {
      alt: altOf(judged, lines),
      title: `${judged.primitive}/${judged.scenario}: ${QUANTITY}`,
      subtitle: [
        judged.title,
        `${unit}, log scale; boxes: 99 % intervals over forks; one row per ${many}, from cheap to dear at ${workersText(referenceConditions(judged).workers)}`,
        ...floorText(judged, counts),
        ...crowdedText(lines, record.machine),
      ],
      notes: [...missingText(judged), sourceText(source, record)],
      indentPx: panels.indentPx,
      widthPx,
    },
    rowsSpec(lines, unit, panels),
  );
}

/** How far a value may be from another by noise alone, at each worker count; each row is judged by its own group's. */
function floorText({ conditions }: JudgedScenario, counts: readonly number[]): string[] {
  const floors = conditions
    .filter(({ workers }) => counts.includes(workers))
    .map(({ workers, floors: shares }) => {
      return `${rangeText(shares)} at ${workersText(workers)}`;
    });
  if (floors.length === 0) return [];
  return [
    "Colours are verdicts, which rest on ratios within processes and not on these intervals",
    `Noise floor by group (the baseline against its A/A control): ${floors.join(", ")}`,
  ];
}

/** One line for each reason why a competitor has no number. */
function missingText({ rows }: JudgedScenario): string[] {
  const missing = rows
    .filter(({ kind }) => kind !== "aa-control")
    .flatMap((row) => (row.noNumber === undefined ? [] : [{ row, reason: row.noNumber }]));
  return [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, those]) => {
    const competitors = Map.groupBy(those, ({ row }) => lineName(row));
    const names = [...competitors].map(
      ([name, parts]) => `${name} (${parts.map(({ row }) => row.workers).join(", ")})`,
    );
    return `No number at this many workers: ${names.join("; ")}: ${reason}`;
  });
}

/** The axis of costs, which all competitors share. */
function costScale(lines: readonly Line[], unit: string) {
  return valueScale(domainOf(lines), unit, ",");
}

function rowName({ name, isBaseline }: Line): string {
  return isBaseline ? `${name} (baseline)` : name;
}

/** How much room vega leaves for the names of rows. */
function labelsPx(names: readonly string[]): number {
  return Math.max(...names.map((name) => name.length)) * VEGA_SMALL_LETTER_PX;
}

/** Where the panels of a picture and the names of their rows stand. */
interface Panels {
  readonly widthPx: number;
  readonly indentPx: number;
  /** Names stand above their marks and panels below one another: beside names there is no room for panels. */
  readonly isStacked: boolean;
}

function panelsOf(lines: readonly Line[], sheetPx: number): Panels {
  const indentPx = labelsPx(lines.map(rowName));
  const besidePx = Math.floor((sheetPx - AXIS_PX - indentPx) / workerCounts(lines).length - GAP_PX);
  return besidePx < LEAST_PANEL_PX
    ? { widthPx: sheetPx - GAP_PX, indentPx: 0, isStacked: true }
    : { widthPx: Math.min(MOST_PANEL_PX, besidePx), indentPx, isStacked: false };
}

/** A row for each line and a panel for each worker count: all share the scale. */
function rowsSpec(lines: readonly Line[], unit: string, { widthPx, isStacked }: Panels): View {
  const counts = workerCounts(lines);
  const names = lines.map(rowName);
  const value = costScale(lines, unit);
  const style = standingStyle(lines);
  const size = { width: widthPx, height: names.length * (isStacked ? STACKED_ROW_PX : ROW_PX) };
  const panels = counts.map((count, index): View => {
    const points = lines.flatMap((line, row) =>
      line.points.flatMap((point) => (point.workers === count ? [{ name: names[row], ...point }] : [])),
    );
    const y = {
      field: "name",
      type: "nominal" as const,
      scale: { domain: names },
      axis: {
        title: null,
        labels: isStacked || index === 0,
        ...(isStacked ? NAMES_ABOVE_MARKS : {}),
        grid: true,
        ticks: false,
        domain: false,
        zindex: 0,
      },
    };
    const isCrowded = points.some(({ oversubscribed }) => oversubscribed);
    return {
      ...size,
      layer: [
        {
          data: { values: isCrowded ? names.map((name) => ({ name })) : [] },
          mark: { type: "rect" as const, ...SHADE, aria: false },
          encoding: { y },
        },
        ...estimateLayers(points, { y }, value, style),
        headingLayer(workersText(count)),
      ],
    };
  });
  return isStacked
    ? { columns: 1, spacing: GAP_PX, concat: panels }
    : { columns: counts.length, bounds: "flush", spacing: GAP_PX, concat: panels };
}
