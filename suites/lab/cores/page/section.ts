import { mean } from "../../../engine/statistics.ts";
import type { Table } from "../../../reporter/src/index.ts";
import { namesIn } from "../../pages/evidence.ts";
import type { SimulatedFigures } from "../../pages/glance.ts";
import { type Drawn, draw } from "../../pictures/drawing.ts";
import { left, type Of, plain, right, tableOf } from "../../tables/columns.ts";
import { foldedAway, foldedUnderHeading, image, list, unbroken } from "../../tables/markdown.ts";
import type { Labels } from "../../tables/races.ts";
import type { CoresRecord } from "../record.ts";
import { DECIDING_WORKERS } from "./check.ts";
import { pictureOfScaling, scalingSpec } from "./pictures.ts";
import {
  leadersAt,
  type Point,
  percentileIn,
  pointAt,
  type Scaled,
  type Scaling,
  scalingsOf,
  shownOf,
  turnoversOf,
} from "./scaling.ts";
import { short } from "./tables.ts";

/**
 * What was simulated of a primitive, as markdown: a section of its page, and a line below its choices. Every figure is
 * called simulated, and none is judged. Pure, as the machines' own page is (see pages.ts).
 */

/** A published record. */
export interface Cores {
  /** Name of its file. */
  readonly file: string;
  readonly record: CoresRecord;
}

export const HEADING = "With more cores (simulated)";
/** What a code host makes of it. */
export const ANCHOR = "with-more-cores-simulated";
/** In `results`. */
export const FOLDER = "cores";

/** Worker counts of the small tables, where there are such crews. Larger ones are in the picture. */
const TABLE_COUNTS = [8, 32, 64];
const FEW = DECIDING_WORKERS;
const MOST_IN_TABLES = 64;
const MOST_SHOWN = 8;
/** Of these, curves that are shown because the page speaks of them. */
const MOST_NAMED = 6;
const MOST_NAMES = 8;

/** What is known of a primitive besides what was simulated. */
export interface Known {
  /** What people wrote of it. */
  readonly answer?: string | undefined;
  /** Competitors that do not compete, and variants: they are in the tables, and lead nowhere. */
  readonly labels?: Labels | undefined;
}

/** The section on the page of a primitive; none where nothing of it was simulated. */
export function coresSection({ record }: Cores, primitive: string, known: Known = {}): string[] {
  const scalings = ownScalings(record, primitive, known);
  if (scalings.length === 0) return [];
  return [
    [
      `## ${HEADING}\n`,
      `Simulated, not measured: the structures' own code on models of larger machines. A band is what the ranges of the
machine's costs leave open. [How it is simulated, and how far it was checked](../${FOLDER}/README.md).\n`,
      ...scalings.map((scaling, index) => {
        const text = scalingText(scaling, known);
        return index === 0
          ? text
          : foldedUnderHeading("The simulated curves, who leads, and what turns over", text);
      }),
      `${withoutText(scalings)}\n`,
    ].join("\n"),
  ];
}

/** The pictures of that section. */
export function drawCoresSection(
  { file, record }: Cores,
  primitive: string,
  known: Known = {},
): Promise<Drawn[]> {
  return Promise.all(
    ownScalings(record, primitive, known).map((scaling) => {
      const shown = shownIn(scaling, known);
      return draw(pictureOfScaling(scaling, shown), scalingSpec(scaling, shown, file));
    }),
  );
}

function titleOf({ scenario, machine }: Scaling): string {
  return `${scenario} on ${shortTitle(machine)} (simulated)`;
}

/** A machine without what its title has in parentheses and behind commas. */
function shortTitle({ title }: Scaling["machine"]): string {
  return title.split(/,| \(/)[0]!;
}

function itemsOf(scaling: Scaling, known: Known): string[] {
  return [
    ...leaderTexts(competing(scaling, known)),
    ...turnoverTexts({ structures: shownIn(scaling, known) }),
  ];
}

/** Worker counts of a scaling's tables: the last is what the page calls many. */
function tableCountsOf({ structures }: Pick<Scaling, "structures">): number[] {
  const counts = structures.flatMap(({ points }) => points.map(({ workers }) => workers));
  const most = Math.max(...counts.filter((count) => count <= MOST_IN_TABLES));
  return [...new Set([...TABLE_COUNTS.filter((count) => counts.includes(count)), most])];
}

/** A scaling without what leads nowhere. */
function competing(scaling: Scaling, { labels }: Known): Scaling {
  const isApart = ({ competitor }: Scaled) =>
    labels !== undefined &&
    (labels.lowerBounds.has(competitor) || labels.variants.has(competitor) || labels.oracle === competitor);
  return { ...scaling, structures: scaling.structures.filter((one) => !isApart(one)) };
}

/** Those that have a curve to show. */
function ownScalings(record: CoresRecord, primitive: string, known: Known): Scaling[] {
  return scalingsOf(record, new Set([primitive])).filter(
    (scaling) => competing(scaling, known).structures.length > 0,
  );
}

/** The curves that there is room for: who leads, what the answer names, and then what differs most. */
export function shownIn(scaling: Scaling, known: Known): Scaled[] {
  const { structures } = competing(scaling, known);
  const leaders = [FEW, tableCountsOf(scaling).at(-1)!].flatMap((workers) =>
    leadersAt({ structures }, workers).slice(0, 1),
  );
  const answered = namesIn(known.answer ?? "");
  const names = new Set(structures.map(({ competitor }) => competitor));
  const named = [...new Set([...leaders, ...answered])].filter((name) => names.has(name));
  return shownOf({ structures }, named.slice(0, MOST_NAMED), MOST_SHOWN);
}

function scalingText(scaling: Scaling, known: Known): string {
  return [
    `### ${titleOf(scaling)}\n`,
    image(pictureOfScaling(scaling, shownIn(scaling, known))),
    list(itemsOf(scaling, known)),
    foldedAway(
      `Simulated operations per us with ${tableCountsOf(scaling).join(", ")} workers`,
      plain(scalingTable(scaling)),
    ),
    foldedAway(
      `Simulated times and fairness with ${tableCountsOf(scaling).at(-1)!} workers`,
      plain(figuresTable(scaling)),
    ),
  ].join("\n");
}

/** One line for the worker counts that have the same leaders. */
function leaderTexts(scaling: Scaling): string[] {
  const places = [FEW, ...tableCountsOf(scaling)].flatMap((workers) => {
    const [first, ...others] = leadersAt(scaling, workers);
    if (first === undefined) return [];
    const beside = others.length === 0 ? "" : `; its band overlaps with that of ${namesText(others)}`;
    return [{ workers, text: `\`${first}\` leads${beside}.` }];
  });
  return [...Map.groupBy(places, ({ text }) => text)].map(([text, those]) => {
    return `With ${allOf(those.map(({ workers }) => `${workers}`))} workers (simulated) ${text}`;
  });
}

/** Among the structures of the picture: of all there would be hundreds. */
function turnoverTexts(shown: Pick<Scaling, "structures">): string[] {
  const many = tableCountsOf(shown).at(-1)!;
  const where = `Between ${FEW} and ${many} workers (simulated), of the structures in the picture,`;
  const turnovers = turnoversOf(shown, FEW, many);
  if (turnovers.length === 0) return [`${where} none passes another by more than the bands.`];
  return [...Map.groupBy(turnovers, ({ passes }) => namesText(passes))].map(([passed, those]) => {
    const names = those.map(({ competitor }) => competitor);
    return `${where} ${namesText(names)} ${names.length === 1 ? "passes" : "pass"} ${passed}.`;
  });
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => `\`${name}\``);
  const more = names.length - shown.length;
  const all = more === 0 ? shown : [...shown, `${more} more`];
  return allOf(all);
}

function allOf(words: readonly string[]): string {
  return new Intl.ListFormat("en-GB", { type: "conjunction" }).format(words);
}

function scalingTable(scaling: Scaling): Table {
  return tableOf<Scaled>(HEADING, scaling.structures, [
    [left("structure", "Structure"), ({ competitor }) => competitor],
    ...tableCountsOf(scaling).map(
      (workers): Of<Scaled> => [
        right(`${workers}`, `${workers} workers, simulated`, "operations/us"),
        (one) => bandText(one, workers),
      ],
    ),
  ]);
}

/** What else is known of each structure with many workers. */
function figuresTable(scaling: Scaling): Table {
  const many = tableCountsOf(scaling).at(-1)!;
  type Shown = Pick<Scaled, "competitor"> & { readonly figures: Point["simulated"] };
  const shown = scaling.structures.flatMap((one): Shown[] => {
    const figures = pointAt(one, many)?.simulated;
    return figures === undefined ? [] : [{ competitor: one.competitor, figures }];
  });
  const simulated = (
    key: string,
    title: string,
    unit: string,
    textOf: (figures: Shown["figures"]) => string | null,
  ): Of<Shown> => [right(key, `${title}, simulated`, unit), ({ figures }) => textOf(figures)];
  const ofMean = (perWorker: readonly number[]) => (Math.min(...perWorker) / mean(perWorker)).toFixed(2);
  return tableOf<Shown>(HEADING, shown, [
    [left("structure", "Structure"), ({ competitor }) => competitor],
    simulated("time", "Time", "ns/operation", ({ nsPerOperation }) => short(nsPerOperation)),
    simulated("p99", "p99", "ns", (figures) => short(percentileIn(figures, 0.01, figures.p99Ns))),
    simulated("p999", "p99.9", "ns", (figures) => short(percentileIn(figures, 0.001, figures.p999Ns))),
    simulated("least", "Worker with the fewest operations", "share of the mean", ({ perWorker }) =>
      ofMean(perWorker),
    ),
  ]);
}

function bandText(one: Scaled, workers: number): string | null {
  const point = pointAt(one, workers);
  if (point === undefined) return null;
  const [value, low, high] = [point.throughput, point.low, point.high].map(short);
  return unbroken(`${value} (${point.hasBand ? `${low}-${high}` : "no band"})`);
}

/** In one paragraph for all machines, which seldom differ in this. */
function withoutText(scalings: readonly Scaling[]): string {
  const byWhy = new Map<string, Set<string>>();
  for (const { without } of scalings) {
    for (const [why, names] of without) byWhy.set(why, new Set([...(byWhy.get(why) ?? []), ...names]));
  }
  if (byWhy.size === 0) return "Every structure has a simulated figure.";
  const parts = [...byWhy].map(
    ([why, names]) => `${[...names].map((name) => `\`${name}\``).join(", ")} (${why})`,
  );
  return `No simulated figure: ${parts.join("; ")}.`;
}

/**
 * What a table of choices adds: who leads with many workers, where none of these is among those that lead with few. One line
 * in markdown, with a link from the page of all results; none where nothing changes.
 */
export function coresChoice({ record }: Cores, primitive: string, known: Known = {}): string | undefined {
  const scalings = ownScalings(record, primitive, known);
  const changes = scalings.flatMap((scaling) => {
    const most = tableCountsOf(scaling).at(-1)!;
    const [few, many] = [FEW, most].map((workers) => leadersAt(competing(scaling, known), workers)) as [
      string[],
      string[],
    ];
    if (few.length === 0 || many.length === 0 || many.some((name) => few.includes(name))) return [];
    const lead = few.length === 1 ? "leads" : "lead";
    const text = `${namesText(many)} in ${scaling.scenario} with ${most} workers, where ${namesText(few)} ${lead} with ${FEW}`;
    return [{ text, machine: shortTitle(scaling.machine) }];
  });
  if (changes.length === 0) return undefined;
  const texts = [...Map.groupBy(changes, ({ text }) => text)].map(
    ([text, on]) => `${text} (on ${allOf(on.map(({ machine }) => machine))})`,
  );
  return `With more cores (simulated), these lead: ${texts.join("; ")}. [The simulated curves](${primitive}/README.md#${ANCHOR}).`;
}

/**
 * What the page of all results has of a primitive with many workers: the figures of the first curves of its own page. None
 * where nothing of it was simulated.
 */
export function coresFigures(
  { record }: Cores,
  primitive: string,
  known: Known = {},
): SimulatedFigures | undefined {
  const [scaling] = ownScalings(record, primitive, known);
  if (scaling === undefined) return undefined;
  const most = tableCountsOf(scaling).at(-1)!;
  const figures = scaling.structures.flatMap((one): [string, string][] => {
    const text = bandText(one, most);
    return text === null ? [] : [[one.competitor, text]];
  });
  return {
    title: `${titleOf(scaling)} with ${most} workers, operations per us of all together`,
    byCompetitor: new Map(figures),
  };
}
