import { ascending } from "../../../engine/statistics.ts";
import type { Table } from "../../../reporter/src/index.ts";
import { left, right, tableOf } from "../../tables/columns.ts";
import {
  type Claim,
  claimedRatio,
  holds,
  PUBLISHED,
  type PublishedPlace,
  type PublishedRun,
  publishedThroughput,
  said,
} from "../data/published.ts";
import { type CoresRecord, structureOf } from "../record.ts";
import { MOST_MISSED, missAtTwo } from "./check.ts";
import { type Throughput, throughputOf } from "./scaling.ts";
import { short } from "./tables.ts";

/** Shapes that others published, beside what a record has of the same: as tables. Pure. */

/** On what is of a structure that misses at two workers: it tests the model, and is no figure of the structure. */
export const MISSED_MARK = "†";
export const MISSED_TEXT = `${MISSED_MARK} tests the model alone: the structure has no simulated figure elsewhere, as its time at two workers is missed or was not measured`;

export interface Shapes {
  readonly published: PublishedRun;
  readonly claims: readonly ShownClaim[];
}

export interface ShownClaim {
  readonly claim: Claim;
  readonly publishedRatio: number;
  /** Undefined where one of its places was not simulated, or broke a law. */
  readonly simulatedRatio: number | undefined;
  /** Undefined as that. */
  readonly isShown: boolean | undefined;
  /** Whether one of its structures misses at two workers, or was not measured there. */
  readonly isMissed: boolean;
}

/** Those of which anything was simulated. */
export function shapesOf(record: CoresRecord, all: readonly PublishedRun[] = PUBLISHED): Shapes[] {
  return all
    .map((published) => ({
      published,
      claims: published.claims.map((claim) => shownClaim(record, published, claim)),
    }))
    .filter(({ claims }) => claims.some(({ isShown }) => isShown !== undefined));
}

function shownClaim(record: CoresRecord, published: PublishedRun, claim: Claim): ShownClaim {
  const publishedRatio = claimedRatio(claim, (place) => publishedThroughput(published, place))!;
  const simulatedRatio = claimedRatio(claim, (place) => simulatedThroughput(record, published, place));
  return {
    claim,
    publishedRatio,
    simulatedRatio,
    isShown: simulatedRatio === undefined ? undefined : holds(claim, simulatedRatio),
    isMissed: [claim.of, claim.over].some((place) => isMissed(record, published, place)),
  };
}

/** Whether a structure misses at two workers, or was not measured there. */
function isMissed(
  record: CoresRecord,
  { ours }: PublishedRun,
  { competitor }: Pick<PublishedPlace, "competitor">,
): boolean {
  const miss = missAtTwo(record, structureOf({ ...ours, competitor }));
  return miss === undefined || miss > MOST_MISSED;
}

/** Operations per us. Undefined where it was not simulated, or a law was broken. */
function simulatedThroughput(
  { cells }: CoresRecord,
  { ours: { primitive, scenario, machine } }: PublishedRun,
  { competitor, threads, workers = threads }: PublishedPlace,
): number | undefined {
  const cell = cells.find(
    (own) =>
      own.primitive === primitive &&
      own.scenario === scenario &&
      own.machine === machine &&
      own.competitor === competitor &&
      own.workers === workers,
  );
  const nominal = cell?.nominal;
  if (nominal === undefined || nominal.broken !== undefined) return undefined;
  return throughputOf(nominal.perWorker.length, nominal.nsPerOperation);
}

/** Each shape as a sentence, with the published and the simulated ratio. */
export function claimsTable({ machines }: CoresRecord, { published, claims }: Shapes): Table {
  const { ours } = published;
  const machine = machines.find(({ name }) => name === ours.machine);
  const isMarked = ({ isMissed, isShown }: ShownClaim) => isMissed && isShown !== undefined;
  return tableOf(
    published.title,
    claims,
    [
      [left("shape", "Shape"), ({ claim }) => said(claim)],
      [right("published", "Published ratio"), ({ publishedRatio }) => short(publishedRatio)],
      [right("simulated", "Simulated ratio"), ({ simulatedRatio }) => short(simulatedRatio)],
      [left("shown", "Shape simulated"), ({ isShown }) => shownText(isShown)],
    ],
    (shown) => (isMarked(shown) ? MISSED_MARK : undefined),
    {
      provenance: [
        ["Published", published.citation],
        ["Table", published.table],
        ["Their machine", published.machine],
        ["They measured", published.workload],
        ["Simulated here", `${ours.primitive}/${ours.scenario} on ${machine?.title ?? ours.machine}`],
        ["What differs", published.differences],
      ],
      legend: claims.some(isMarked) ? [MISSED_TEXT] : [],
    },
  );
}

function shownText(isShown: boolean | undefined): string | null {
  if (isShown === undefined) return null;
  return isShown ? "yes" : "**no**";
}

/** One that others published, and what was simulated of the same, in operations per us of all threads or workers. */
export interface ShapeCurve {
  readonly series: string;
  readonly competitor: string;
  readonly published: readonly Throughput[];
  /** At all worker counts that the published curves span; none where nothing was simulated. */
  readonly simulated: readonly Throughput[];
  /** Whether something was simulated, and misses at two workers or was not measured there. */
  readonly isMissed: boolean;
}

export function shapeCurves(record: CoresRecord, { published }: Shapes): ShapeCurve[] {
  const most = Math.max(...published.curves.flatMap(({ points }) => points.map(([threads]) => threads)));
  const counts = [...new Set(record.cells.map(({ workers }) => workers))]
    .filter((workers) => workers <= most)
    .toSorted(ascending);
  return published.curves.map(({ series, competitor, points }) => {
    const simulated = counts
      .filter((threads) => threads >= points[0]![0])
      .flatMap((threads) => {
        const throughput = simulatedThroughput(record, published, { competitor, threads });
        return throughput === undefined ? [] : [{ workers: threads, throughput }];
      });
    return {
      series,
      competitor,
      published: points.map(([threads]) => ({
        workers: threads,
        throughput: publishedThroughput(published, { competitor, threads }) / 1e6,
      })),
      simulated,
      isMissed: simulated.length > 0 && isMissed(record, published, { competitor }),
    };
  });
}

/** Those curves as a table: a row for each number of threads. */
export function shapeCurvesTable(record: CoresRecord, shapes: Shapes): Table {
  const rows = shapeCurves(record, shapes).flatMap((curve) => {
    const counts = new Set([...curve.published, ...curve.simulated].map(({ workers }) => workers));
    return [...counts].toSorted(ascending).map((threads) => ({ ...curve, threads }));
  });
  const figureIn = (curve: readonly Throughput[], threads: number) =>
    short(curve.find(({ workers }) => workers === threads)?.throughput);
  return tableOf(
    shapes.published.title,
    rows,
    [
      [left("series", "As they call it"), ({ series }) => series],
      [left("competitor", "Here"), ({ competitor }) => competitor],
      [right("threads", "Threads or workers"), ({ threads }) => threads],
      [
        right("published", "Published", "operations/us"),
        ({ published, threads }) => figureIn(published, threads),
      ],
      [
        right("simulated", "Simulated", "operations/us"),
        ({ simulated, threads }) => figureIn(simulated, threads),
      ],
    ],
    ({ isMissed }) => (isMissed ? MISSED_MARK : undefined),
    { legend: rows.some(({ isMissed }) => isMissed) ? [MISSED_TEXT] : [] },
  );
}
