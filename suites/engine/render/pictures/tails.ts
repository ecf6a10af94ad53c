import type { TopLevelSpec } from "vega-lite";
import type { BenchRecord, SurveyRecord } from "../../schema/record.ts";
import { compare, median } from "../../statistics.ts";
import { formatNumber } from "../benchmark-reporter-markdown/src/index.ts";
import type { Picture } from "../tables/markdown.ts";
import { workersText } from "../tables/phrases.ts";
import { COLOUR } from "./dark.ts";
import {
  AXIS_PX,
  headingLayer,
  LINE_PX,
  lineLayer,
  SHADE,
  sheetSpec,
  sourceText,
  type View,
  valueScale,
  WIDTH_PX,
} from "./drawing.ts";
import { DASHES, endLayers, NUMBERED, NUMBERS_PX, numbered, shareOf } from "./line-ends.ts";

/**
 * The tails of a family as one picture: response times against the share of operations that took longer, a panel for each
 * worker count. Both axes are logarithmic, so that p99, p99.9 and p99.99 are as far from one another as p90 and p99. Each
 * competitor has one number in all panels, which stands where its line ends. The empty operation is a line of its own, below
 * which nobody can be.
 */
export interface TailPicture extends Picture {
  readonly title: string;
  /** The scenarios that it shows. */
  readonly scenarios: readonly string[];
}

interface TailLine {
  readonly name: string;
  readonly kind: "baseline" | "rival" | "empty";
  /** By rising odds. */
  readonly points: readonly TailPoint[];
}

interface TailPoint {
  /** One operation in this number took longer. */
  readonly odds: number;
  readonly us: number;
}

interface TailPanel {
  readonly scenario: string;
  readonly workers: number;
  readonly oversubscribed: boolean;
  /** From the fastest to the slowest at their ends; one at least. */
  readonly lines: readonly TailLine[];
  /** Why competitors have none. */
  readonly missing: readonly string[];
}

export interface TailGraph {
  readonly primitive: string;
  readonly family: string;
  /** Title of its first scenario, up to the worker count. */
  readonly title: string;
  /** By workers; one at least. */
  readonly panels: readonly TailPanel[];
}

type Tailed = SurveyRecord & { readonly tail: NonNullable<SurveyRecord["tail"]> };

const SUFFIX = "-times.svg";
const LEAST_HEIGHT_PX = 200;
const EMPTY = "empty operation";
/** Between panels: an axis with its title, and the title of the next. */
const PANEL_GAP_PX = 50;
/** Odds that are named on the axis. */
const NAMED_ODDS = [2, 10, 100, 1_000, 10_000, 100_000];

export function isTailFile(file: string): boolean {
  return file.endsWith(SUFFIX);
}

/** The families of tails among surveys that have a line to draw. */
export function tailGraphsOf(surveys: readonly SurveyRecord[]): TailGraph[] {
  const tailed = surveys.filter((survey): survey is Tailed => survey.tail !== undefined);
  const families = Map.groupBy(tailed, ({ primitive, tail }) => `${primitive}/${tail.family}`);
  return [...families.values()].flatMap((family) => {
    const panels = family
      .map(panelOf)
      .filter(({ lines }) => lines.some(({ kind }) => kind !== "empty"))
      .toSorted((a, b) => a.workers - b.workers);
    if (panels.length === 0) return [];
    const [{ primitive, title, tail }] = family as [Tailed];
    return [{ primitive, family: tail.family, title: title.replace(/, \d+ workers?$/, ""), panels }];
  });
}

/** Named after its first scenario: the others may be published in another record. */
export function pictureOfTail(graph: TailGraph): TailPicture {
  const scenarios = graph.panels.map(({ scenario }) => scenario);
  return { file: `${scenarios[0]}${SUFFIX}`, alt: altOf(graph), title: titleOf(graph), scenarios };
}

function panelOf({ scenario, tail, cells }: Tailed): TailPanel {
  const { workers, oversubscribed, sharesBeyond } = tail;
  const drawn = cells.filter(({ failure, curves }) => failure === undefined && curves !== undefined);
  const lineOf = (name: string, kind: TailLine["kind"], curves: readonly (readonly number[])[]) => ({
    name,
    kind,
    points: middlesOf(curves, sharesBeyond),
  });
  const lines: TailLine[] = [
    ...drawn.map(({ competitor, baseline, curves }) =>
      lineOf(
        competitor,
        baseline ? "baseline" : "rival",
        curves!.map(({ response }) => response),
      ),
    ),
    lineOf(
      EMPTY,
      "empty",
      drawn.flatMap(({ curves }) => curves!.map(({ empty }) => empty)),
    ),
  ];
  return {
    scenario,
    workers,
    oversubscribed,
    lines: lines
      .filter(({ points }) => points.length > 0)
      .toSorted((a, b) => compare(endOf(a).us, endOf(b).us) || compare(a.name, b.name)),
    missing: cells.flatMap(({ competitor, failure }) =>
      failure === undefined ? [] : [`No number at ${workersText(workers)}: ${competitor}: ${failure.reason}`],
    ),
  };
}

/** The middle of several processes at each share that any of them has a time for. */
function middlesOf(curves: readonly (readonly number[])[], sharesBeyond: readonly number[]): TailPoint[] {
  return sharesBeyond.flatMap((share, index) => {
    const seen = curves.flatMap((curve) => curve[index] ?? []);
    return seen.length === 0 ? [] : [{ odds: 1 / share, us: median(seen) / 1000 }];
  });
}

function endOf({ points }: TailLine): TailPoint {
  return points.at(-1)!;
}

function titleOf({ primitive, family }: TailGraph): string {
  return `${primitive}/${family}: response times of single operations`;
}

function percentileText(odds: number): string {
  return `p${Number((100 - 100 / odds).toPrecision(6))}`;
}

function altOf(graph: TailGraph): string {
  const ends = graph.panels.map(({ workers, lines }) => {
    const raced = lines.filter(({ kind }) => kind !== "empty");
    const texts = raced.map((line) => {
      const { odds, us } = endOf(line);
      return `${line.name} (${percentileText(odds)} ${formatNumber(us, 3)} us)`;
    });
    const range = texts.length === 1 ? texts[0] : `from ${texts[0]} to ${texts.at(-1)}`;
    return `at ${workersText(workers)} ${range}`;
  });
  return `${titleOf(graph)} against the share that took longer: ${ends.join("; ")}`;
}

/** A family as a vega-lite specification. */
export function tailSpec(
  graph: TailGraph,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const { panels, title } = graph;
  const names = namesOf(graph);
  const crowded = panels.some(({ oversubscribed }) => oversubscribed);
  return sheetSpec(
    {
      alt: altOf(graph),
      title: titleOf(graph),
      subtitle: [
        title,
        "us, from when each operation was due, against percentiles, both scales log; the middle of the processes; thick line: baseline, dotted: the empty operation, what the clock and the machine add; dashes mean nothing",
        ...(crowded
          ? [`Shaded: oversubscribed, more workers than cores (${record.machine.cores}), all spinning`]
          : []),
        NUMBERED,
      ],
      notes: [...numbered(names), ...panels.flatMap(({ missing }) => missing), sourceText(source, record)],
      indentPx: AXIS_PX,
    },
    { vconcat: panels.map((panel) => panelSpec(panel, graph, names)), spacing: PANEL_GAP_PX },
  );
}

/** The name of each line that any panel has, in the order of the first panel that does. */
function namesOf({ panels }: TailGraph): string[] {
  return [...new Set(panels.flatMap(({ lines }) => lines.map(nameOf)))];
}

function nameOf({ name, kind }: TailLine): string {
  return kind === "baseline" ? `${name} (baseline)` : name;
}

/** All panels have the same axes, so that worker counts compare. */
function panelSpec(panel: TailPanel, { panels }: TailGraph, names: readonly string[]): View {
  const points = panels.flatMap((each) => each.lines.flatMap((line) => line.points));
  const oddsDomain = extentOf(points.map(({ odds }) => odds));
  const [least, most] = extentOf(points.map(({ us }) => us));
  const usDomain: [number, number] = [least / 1.3, most * 1.3];
  const { lines } = panel;
  const width = WIDTH_PX - AXIS_PX - NUMBERS_PX;
  const height = Math.max(LEAST_HEIGHT_PX, lines.length * LINE_PX);
  const x = {
    field: "odds",
    type: "quantitative" as const,
    scale: { type: "log" as const, domain: oddsDomain, nice: false },
    axis: {
      title: "percentile of the operations",
      values: NAMED_ODDS.filter((odds) => odds <= oddsDomain[1]),
      labelExpr: "'p' + format(100 - 100 / datum.value, '~g')",
      grid: true,
    },
  };
  const y = valueScale(usDomain);
  const ends = lines.map((line) => ({
    number: names.indexOf(nameOf(line)) + 1,
    fromPx: 0,
    xPx: width * shareOf(oddsDomain, endOf(line).odds),
    yPx: height * (1 - shareOf(usDomain, endOf(line).us)),
  }));
  const { leaders, labels } = endLayers(ends, width, height);
  return {
    width,
    height,
    view: panel.oversubscribed ? SHADE : {},
    layer: [
      leaders,
      ...lines.map((line, index) =>
        lineLayer(
          line.points.map(({ odds, us }, step) => ({ step, odds, value: us })),
          strokeOf(line, index),
          { x, y },
        ),
      ),
      labels,
      headingLayer(workersText(panel.workers)),
    ],
  };
}

function strokeOf({ kind }: TailLine, index: number) {
  if (kind === "baseline") return { color: COLOUR.ink, strokeWidth: 2 };
  if (kind === "empty") return { color: COLOUR.ink, strokeWidth: 1.25, strokeDash: [1, 3] };
  const strokeDash = DASHES[index % DASHES.length]!;
  return { color: COLOUR.grey, strokeWidth: 1.25, ...(strokeDash.length === 0 ? {} : { strokeDash }) };
}

function extentOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
