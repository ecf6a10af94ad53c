import { judgedRecord, runtimesOf } from "../../suites/engine/judge/judge.ts";
import type { BenchRecord } from "../../suites/engine/schema/record.ts";
import type {
  JudgedMeasured,
  JudgedMetrics,
  JudgedRecord,
  Spread,
} from "../../suites/engine/schema/verdict.ts";

/**
 * What records have to give to other engines: figures of competitors, and the competitors without one. The instrument's own cells
 * (A/A controls, controls, the empty operation) are no contestants and never leave it.
 */

/** A judged record to export, and how messages name it. */
export interface Source extends JudgedRecord {
  readonly name: string;
}

export function judgedSource(name: string, record: BenchRecord): Source {
  return { name, ...judgedRecord(record) };
}

/** What a format makes of records. */
export interface Exported {
  readonly text: string;
  /** How many values are in it. */
  readonly values: number;
  /** What is not in it because it has no number: cells, or `<cell>:<metric>`. */
  readonly leftOut: readonly string[];
  /** Notes for a reader who feeds it to an engine, one line each. */
  readonly remarks: readonly string[];
}

/** One judged row of a race, with a number. */
export interface Race {
  readonly source: Source;
  readonly cell: string;
  readonly operation: string;
  readonly oversubscribed: boolean;
  readonly row: JudgedMeasured;
}

/** One metric of a cell that was simulated or surveyed, with a number. */
export interface MetricFigure {
  readonly source: Source;
  readonly cell: string;
  readonly key: string;
  readonly unit: string;
  /** Its value is finite; its ends may not be. */
  readonly spread: Spread;
}

/** Figures of a kind, and what should have one and does not. */
export interface Figures<Figure> {
  readonly figures: readonly Figure[];
  readonly leftOut: readonly string[];
}

/** The competitors' rows of all races. */
export function racesOf(sources: readonly Source[]): Figures<Race> {
  const figures: Race[] = [];
  const leftOut: string[] = [];
  for (const source of sources) {
    for (const { operation, rows, conditions } of source.verdicts.races) {
      for (const row of rows) {
        if (row.kind !== "baseline" && row.kind !== "rival") continue;
        if (row.noNumber !== undefined) {
          leftOut.push(row.cell);
          continue;
        }
        const { oversubscribed } = conditions.find(({ workers }) => workers === row.workers)!;
        figures.push({ source, cell: row.cell, operation, oversubscribed, row });
      }
    }
  }
  return { figures, leftOut };
}

/**
 * The metrics of all simulations, the median over seeds; of all surveys, the median over processes; or of both in turn.
 */
export function metricFigures(
  sources: readonly Source[],
  ...kinds: readonly JudgedMetrics["kind"][]
): Figures<MetricFigure> {
  const figures: MetricFigure[] = [];
  const leftOut: string[] = [];
  const judged = kinds.flatMap((wanted) =>
    sources.flatMap((source) =>
      source.verdicts.metrics.filter(({ kind }) => kind === wanted).map((own) => ({ source, ...own })),
    ),
  );
  for (const { source, metrics, rows } of judged) {
    for (const { cell, spreads } of rows) {
      for (const [key, { unit }] of Object.entries(metrics)) {
        const spread = spreads[key];
        // What never happened in the time there was is later than any number.
        if (spread !== undefined && Number.isFinite(spread.value))
          figures.push({ source, cell, key, unit, spread });
        else leftOut.push(`${cell}:${key}`);
      }
    }
  }
  return { figures, leftOut };
}

/** What a record was measured on and with: where two differ in one of these, their times need not compare. */
export interface Origin {
  /** The commit's hash, with `-dirty` behind it where the tree differed from it; empty outside a work tree. */
  readonly commit: string;
  readonly machine: string;
  readonly runtime: string;
  readonly method: string;
}

/** Of a record of races on other runtimes they are its runtime: its own coordinated them, and ran no crew. */
export function originOf({
  commit,
  machine,
  runtime,
  methodVersion,
  groups,
  surveys = [],
}: BenchRecord): Origin {
  const raced = runtimesOf([...groups, ...surveys]).map(({ version }) => version);
  return {
    commit: commit === null ? "" : `${commit.hash}${commit.dirty ? "-dirty" : ""}`,
    machine: machine.slug,
    runtime:
      raced.length === 0
        ? [`${runtime.name} ${runtime.version}`, ...runtime.flags].join(" ")
        : raced.join(" + "),
    method: String(methodVersion),
  };
}

/** What `saying` says of the `keys` in which records differ, as `commit and machine`; none if they do not. */
export function remarkOnDifferences(
  sources: readonly Source[],
  keys: readonly (keyof Origin)[],
  saying: (differences: string) => string,
): string[] {
  const origins = sources.map(({ record }) => originOf(record));
  const different = keys.filter((key) => new Set(origins.map((origin) => origin[key])).size > 1);
  return different.length === 0 ? [] : [saying(different.join(" and "))];
}

/**
 * Throws an Error if two records have the same cell where there is room for one. `placeOf` names that room. It is the
 * same for all records of a format that holds one value for each cell. Where a format holds many runs, each run has its
 * own.
 */
export function refuseCollisions(
  figures: readonly { readonly source: Source; readonly cell: string }[],
  placeOf: (source: Source) => string,
  remedy: string,
): void {
  const taken = new Map<string, Source>();
  for (const { source, cell } of figures) {
    const key = JSON.stringify([placeOf(source), cell]);
    const first = taken.get(key) ?? source;
    if (first !== source) throw new Error(`${first.name} and ${source.name} both have ${cell}: ${remedy}`);
    taken.set(key, source);
  }
}

/** Which run a record is of. Publishing divides a run's record by primitive: such parts are of one run. */
export function runOf({ record }: Source): string {
  return JSON.stringify([record.startedAt, record.command, originOf(record)]);
}
