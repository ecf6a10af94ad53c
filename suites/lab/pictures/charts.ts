import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import type { BenchRecord } from "../schema/record.ts";
import type { JudgedRecord } from "../schema/verdict.ts";
import type { Picture } from "../tables/markdown.ts";
import type { Labels } from "../tables/races.ts";
import { type Curve, curveSpec, isCurveFile, pictureOfCurve } from "./curves.ts";
import { type Drawn, draw } from "./drawing.ts";
import {
  isRatioFile,
  pictureOfRanking,
  type Ranking,
  rankingOf,
  ratioPictureOf,
  ratioSpec,
} from "./ratios.ts";
import { graphOf, isSeriesFile, pictureOfGraph, seriesSpec } from "./series.ts";

export { type CurvePicture, curvePicturesOf } from "./curves.ts";

/**
 * Records as pictures. The races that say most show their ratios (see ratios.ts), points of a curve that curve (see
 * curves.ts). Simulations show what they do over time (see series.ts). Pure, as the pages are: the bytes depend on what is
 * given alone.
 *
 * Names and alternative texts, which pages need, come without loading what draws.
 */

/** Whether a file's name is one that a picture may have. Other drawings may stand beside records too. */
export function isPictureFile(file: string): boolean {
  return isCurveFile(file) || isSeriesFile(file) || isRatioFile(file);
}

/** What pictures of races at a glance need besides a record. */
export interface AtAGlance {
  /** The scenarios that say most, by name: each race among them has such a picture. */
  readonly headline: ReadonlySet<string>;
  readonly labels: Labels | undefined;
}

/** The picture of a race's ratios, where it is one that has such a picture. */
export function ratioPictures(judged: JudgedScenario, { headline, labels }: AtAGlance): Picture[] {
  if (!headline.has(judged.scenario)) return [];
  const picture = ratioPictureOf(judged, labels);
  return picture === undefined ? [] : [picture];
}

/**
 * The pictures of a record that are each of one scenario, as SVG with their file names. `source` is how a picture names the
 * record it was made from.
 */
export function drawScenarios(
  { record, verdicts }: JudgedRecord,
  source: string,
  { headline, labels }: AtAGlance,
): Promise<Drawn[]> {
  const rankings = verdicts.races
    .filter(({ scenario }) => headline.has(scenario))
    .flatMap((judged) => rankingOf(judged, labels) ?? []);
  return Promise.all([
    ...rankings.map((ranking) => drawRanking(ranking, record, source)),
    ...record.simulations
      .flatMap((part) => graphOf(part) ?? [])
      .map((graph) => draw(pictureOfGraph(graph), seriesSpec(graph, record, source), 0)),
  ]);
}

/** The brief pictures of a ranking: one for narrow screens and, of several panels, one for wide ones. */
export function drawBrief(brief: Ranking, record: BenchRecord, source: string): Promise<Drawn[]> {
  const drawn = brief.panels.length > 1 ? [brief, { ...brief, isWide: true }] : [brief];
  return Promise.all(drawn.map((one) => drawRanking(one, record, source)));
}

/** The picture of a ranking as SVG, with its file name. */
export function drawRanking(ranking: Ranking, record: BenchRecord, source: string): Promise<Drawn> {
  return draw(pictureOfRanking(ranking), ratioSpec(ranking, record, source));
}

/** The picture of a curve as SVG, with its file name. */
export function drawCurve(curve: Curve, record: BenchRecord, source: string): Promise<Drawn> {
  return draw(pictureOfCurve(curve), curveSpec(curve, record, source));
}
