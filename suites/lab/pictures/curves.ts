import type { TopLevelSpec } from "vega-lite";
import type { Verdict } from "../../engine/judge/verdict.ts";
import type { CurvePoint } from "../../engine/race.ts";
import type { JudgedMeasured, JudgedScenario } from "../../engine/schema/verdict.ts";
import { compare } from "../../engine/statistics.ts";
import { formatNumber } from "../../reporter/src/index.ts";
import type { BenchRecord } from "../schema/record.ts";
import type { Picture } from "../tables/markdown.ts";
import { rangeText, workersText } from "../tables/phrases.ts";
import { COLOUR } from "./dark.ts";
import {
  AXIS_PX,
  costEstimate,
  crowdedText,
  domainOf,
  drawable,
  type Estimate,
  emphasisStyle,
  estimateLayers,
  LINE_PX,
  lineLayer,
  lineName,
  pathAlong,
  SHADE,
  SHORT_NUMBERS,
  sheetSpec,
  sourceText,
  type View,
  valueScale,
  WIDTH_PX,
} from "./drawing.ts";
import { DASHES, endLayers, NUMBERED, NUMBERS_PX, numbered, shareOf } from "./line-ends.ts";

/**
 * Scenarios that ask one question at several sizes, as one picture: what an operation costs against the size, at the
 * fewest workers raced. A curve is there to show which competitor crosses which. So all share one frame, and each is
 * numbered where its line ends (see line-ends.ts).
 */
export interface CurvePicture extends Picture {
  readonly primitive: string;
  readonly curve: string;
  readonly title: string;
}

/** A scenario that is a point of a curve. */
type Pointed = JudgedScenario & { readonly point: CurvePoint };

/** What one competitor did at one size. */
interface CostAt extends Estimate {
  readonly at: number;
}

/** One competitor, or one role of it, at every size that gave it a number. */
export interface CurveLine {
  readonly name: string;
  readonly isBaseline: boolean;
  /** By `at`; one at least. */
  readonly points: readonly CostAt[];
}

export interface Curve {
  /** By `at`; each at one worker count. */
  readonly points: readonly Pointed[];
  /** The fewest of any point; of all points where they are not what grows. */
  readonly workers: number;
  /** From the cheapest to the dearest at their last points. Two points at least: less shows no growth. */
  readonly lines: readonly CurveLine[];
  /** Competitors with a number at one point only, which are not drawn. */
  readonly single: readonly string[];
  /** Competitors that are undecided beside a noise floor over 10 %, and not drawn there: each with its sizes. */
  readonly powerless: ReadonlyMap<string, readonly number[]>;
  /** The point that its reader looks at, which is marked. */
  readonly at?: number;
}

/** The verdict on rows that are open beside a noise floor over 10 %. */
const NO_POWER: Verdict = "no power";
const LEAST_HEIGHT_PX = 420;
/** Through two sizes a line shows no more than their tables. */
const FEWEST_SIZES = 3;
/** From the middle of a point to where its leader starts. */
const POINT_PX = 7;

export function curvePicturesOf(judged: readonly JudgedScenario[]): CurvePicture[] {
  return curvesOf(judged).map(pictureOfCurve);
}

export function pictureOfCurve(curve: Curve): CurvePicture {
  const { primitive, point } = curve.points[0]!;
  return {
    primitive,
    curve: point.curve,
    title: titleOf(curve),
    file: `curve-${point.curve}.svg`,
    alt: altOf(curve),
  };
}

export function isCurveFile(file: string): boolean {
  return file.startsWith("curve-") && file.endsWith(".svg");
}

/** The curves among judged scenarios, in the order of their first scenarios, each at the fewest workers of any point. */
export function curvesOf(judged: readonly JudgedScenario[]): Curve[] {
  const pointed = judged.filter((one): one is Pointed => one.point !== undefined);
  const byCurve = Map.groupBy(pointed, ({ primitive, point }) => `${primitive}/${point.curve}`);
  return [...byCurve.values()].flatMap((scenarios) => curveThrough(atFewestWorkers(scenarios)) ?? []);
}

function atFewestWorkers(scenarios: readonly Pointed[]): Pointed[] {
  const counts = scenarios.flatMap(({ conditions }) => conditions.map(({ workers }) => workers));
  const fewest = Math.min(...counts);
  return scenarios.flatMap((judged) => {
    const [conditions, rows] = [judged.conditions, judged.rows].map((all) =>
      all.filter(({ workers }) => workers === fewest),
    ) as [Pointed["conditions"], Pointed["rows"]];
    return conditions.length === 0 ? [] : [{ ...judged, conditions, rows }];
  });
}

/** The curve through races, each at one worker count; undefined where fewer than three of them have a number to draw. */
export function curveThrough(races: readonly Pointed[]): Curve | undefined {
  const curve = curveOf(races.toSorted((a, b) => a.point.at - b.point.at));
  return sizesOf(curve).length >= FEWEST_SIZES ? curve : undefined;
}

function curveOf(points: readonly Pointed[]): Curve {
  const places = points.flatMap((judged) =>
    drawable(judged).map((row) => ({ row, place: costAt(row, judged) })),
  );
  const isPowerless = ({ row }: (typeof places)[number]) => row.verdict === NO_POWER;
  // A baseline that nobody can be seen beside says nothing either.
  const hasPower = (each: (typeof places)[number]) => {
    const beside = places.filter(({ row, place }) => row !== each.row && place.at === each.place.at);
    return each.row.kind === "baseline"
      ? !beside.every(isPowerless) || beside.length === 0
      : !isPowerless(each);
  };
  const unseen = Map.groupBy(
    places.filter((each) => !hasPower(each)),
    ({ row }) => lineName(row),
  );
  const all = [...Map.groupBy(places.filter(hasPower), ({ row }) => lineName(row))].map(
    ([name, own]): CurveLine => ({
      name,
      isBaseline: own[0]!.row.kind === "baseline",
      points: own.map(({ place }) => place),
    }),
  );
  const lines = all.filter((line) => line.points.length > 1);
  return {
    points,
    workers: Math.min(...points.map(workersAt)),
    single: all.filter((line) => line.points.length === 1).map(({ name }) => name),
    powerless: new Map([...unseen].map(([name, own]) => [name, own.map(({ place }) => place.at)])),
    lines: lines.toSorted((a, b) => compare(lastOf(a).value, lastOf(b).value) || compare(a.name, b.name)),
  };
}

function workersAt({ conditions }: Pointed): number {
  return conditions[0]!.workers;
}

function costAt(row: JudgedMeasured, judged: Pointed): CostAt {
  const { at, along } = judged.point;
  return { at, ...costEstimate(row, judged, `${formatNumber(at)} ${along}`) };
}

function lastOf({ points }: CurveLine): CostAt {
  return points.at(-1)!;
}

/** The sizes at which any competitor has a number. */
export function sizesOf({ lines }: Curve): number[] {
  const sizes = new Set(lines.flatMap(({ points }) => points.map(({ at }) => at)));
  return [...sizes].toSorted((a, b) => a - b);
}

function titleOf({ points, workers }: Curve): string {
  const { primitive, point } = points[0]!;
  const at = points.every((each) => workersAt(each) === workers) ? `, ${workersText(workers)}` : "";
  return `${primitive}/${point.curve}: what one worker waits for one operation${at}`;
}

function altOf(curve: Curve): string {
  const { operation, point } = curve.points[0]!;
  const sizes = sizesOf(curve);
  const last = sizes.at(-1)!;
  const arrived = curve.lines.filter((line) => lastOf(line).at === last);
  const [cheapest, ...dearer] = arrived.map((line) => `${line.name} (${growthText(line)})`);
  const range = dearer.length === 0 ? cheapest : `cheapest ${cheapest}, dearest ${dearer.at(-1)}`;
  return `${titleOf(curve)}, in ns/${operation} against ${sizes.map((at) => formatNumber(at)).join(", ")} ${point.along}. At ${formatNumber(last)}: ${range}`;
}

/** The last value of a line, and how it compares with its first. */
function growthText(line: CurveLine): string {
  const [first] = line.points;
  const last = lastOf(line);
  const grown =
    first === last
      ? ""
      : `, ${formatNumber(last.value / first!.value, 3)} times what it is at ${formatNumber(first!.at)}`;
  return `${formatNumber(last.value)}${grown}`;
}

/** A curve as a vega-lite specification. */
export function curveSpec(
  curve: Curve,
  record: Pick<BenchRecord, "machine" | "runtime">,
  source: string,
): TopLevelSpec {
  const { points, lines } = curve;
  const { operation, point } = points[0]!;
  const last = sizesOf(curve).at(-1)!;
  return sheetSpec(
    {
      alt: altOf(curve),
      title: titleOf(curve),
      subtitle: [
        `At ${formatNumber(last)}: ${points.find((judged) => judged.point.at === last)!.title}`,
        `ns/${operation} against ${point.along}, both scales log; boxes: 99 % intervals over forks; thick line: baseline; dashes mean nothing`,
        "Colours are verdicts, which rest on ratios within processes and not on these intervals",
        `Noise floor (the baseline against its A/A control): ${points
          .map((judged) => {
            return `${rangeText(judged.conditions[0]!.floors)} at ${formatNumber(judged.point.at)}`;
          })
          .join(", ")}`,
        ...crowdedText(lines, record.machine),
        NUMBERED,
      ],
      notes: [...numbered(namesOf(curve)), ...missingText(curve), sourceText(source, record)],
      indentPx: AXIS_PX,
    },
    frameSpec(curve),
  );
}

/**
 * One line for each reason why a competitor that took part has no number somewhere, and for why others are not drawn.
 * Absent competitors are named under the tables.
 */
function missingText({ points, single, powerless }: Curve): string[] {
  const missing = points.flatMap(({ point, rows }) =>
    rows
      .filter((row) => row.kind !== "aa-control")
      .flatMap((row) =>
        row.noNumber === undefined ? [] : [{ name: lineName(row), at: point.at, reason: row.noNumber }],
      ),
  );
  const numberless = [...Map.groupBy(missing, ({ reason }) => reason)].map(([reason, those]) => {
    const names = [...Map.groupBy(those, ({ name }) => name)].map(([name, places]) => {
      const sizes = places.map(({ at }) => formatNumber(at)).join(", ");
      return `${name} (${places.length === points.length ? "everywhere" : sizes})`;
    });
    return `No number at this many ${points[0]!.point.along}: ${names.join("; ")}: ${reason}`;
  });
  const open = [...powerless].map(
    ([name, sizes]) => `${name} (${sizes.map((at) => formatNumber(at)).join(", ")})`,
  );
  return [
    ...numberless,
    ...(open.length === 0 ? [] : [`Not drawn, as open beside a noise floor over 10 %: ${open.join("; ")}`]),
    ...(single.length === 0 ? [] : [`Not drawn, for they have one point only: ${single.join(", ")}`]),
  ];
}

/** All lines in one frame, with a number for each to the right of it. */
function frameSpec(curve: Curve): View {
  const { points, lines } = curve;
  const { point } = points[0]!;
  const sizes = sizesOf(curve);
  const width = WIDTH_PX - AXIS_PX - NUMBERS_PX;
  const height = Math.max(LEAST_HEIGHT_PX, lines.length * LINE_PX);
  const values = domainOf(lines);
  const x = {
    field: "at",
    type: "quantitative" as const,
    scale: { type: "log" as const, domain: sizesDomain(sizes), nice: false },
    axis: { title: point.along, values: sizes, ...SHORT_NUMBERS, grid: false },
  };
  const y = valueScale(values);
  const style = emphasisStyle(lines);
  const ends = lines.map((line, index) => ({
    number: index + 1,
    fromPx: POINT_PX,
    xPx: width * shareOf(sizesDomain(sizes), lastOf(line).at),
    yPx: height * (1 - shareOf(values, lastOf(line).value)),
  }));
  const { leaders, labels } = endLayers(ends, width, height);
  return {
    width,
    height,
    view: lines.every((line) => line.points.every(({ oversubscribed }) => oversubscribed)) ? SHADE : {},
    layer: [
      ...(curve.at === undefined ? [] : [markLayer(curve.at, x)]),
      leaders,
      // The baseline in front.
      ...lines
        .map((line, index) => ({ line, dash: line.isBaseline ? [] : DASHES[index % DASHES.length]! }))
        .toSorted((a, b) => Number(a.line.isBaseline) - Number(b.line.isBaseline))
        .map(({ line, dash }) =>
          lineLayer(
            pathAlong("at", sizes, line.points),
            {
              color: line.isBaseline ? COLOUR.ink : COLOUR.grey,
              strokeWidth: line.isBaseline ? 2 : 1.25,
              ...(dash.length === 0 ? {} : { strokeDash: dash }),
            },
            { x, y },
          ),
        ),
      ...estimateLayers(
        lines.flatMap((line) => line.points),
        { x },
        y,
        style,
      ),
      labels,
    ],
  };
}

/** A rule across the frame. */
function markLayer(at: number, x: object) {
  return {
    data: { values: [{ at }] },
    mark: { type: "rule" as const, color: COLOUR.faster, strokeWidth: 2, aria: false },
    encoding: { x },
  };
}

/** Each line's name, with its last value. */
function namesOf(curve: Curve): string[] {
  const last = sizesOf(curve).at(-1);
  return curve.lines.map((line) => {
    const { at, value } = lastOf(line);
    const where = at === last ? "" : ` at ${formatNumber(at)}`;
    return `${line.isBaseline ? `${line.name} (baseline)` : line.name}: ${formatNumber(value, 3)}${where}`;
  });
}

function sizesDomain(sizes: readonly number[]): [number, number] {
  const [first, last] = [sizes[0]!, sizes.at(-1)!];
  const widen = (last / first) ** 0.05;
  return [first / widen, last * widen];
}
