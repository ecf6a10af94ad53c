import { runtimesOf } from "../../suites/engine/judge/judge.ts";
import type { JudgedMeasured } from "../../suites/engine/schema/verdict.ts";
import type { BenchRecord } from "../../suites/lab/schema/record.ts";
import type { JudgedMetrics, JudgedRecord, Spread } from "../../suites/lab/schema/verdict.ts";
import { judgedRecord } from "../../suites/lab/verdicts/judge-record.ts";

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

/** What a format makes of figures. */
export interface Written {
  readonly text: string;
  /** How many values are in it. */
  readonly values: number;
}

/** A format that another engine reads. */
export interface Format {
  /** What the command says of it. */
  readonly help: string;
  /** Whether each run of several has a place of its own in it; otherwise it has one value for each cell. */
  readonly holdsRuns: boolean;
  /** What of a record it takes beside races. */
  readonly metrics: readonly JudgedMetrics["kind"][];
  /** What it has no place for where records differ in it, and what comes of that. */
  readonly differences: readonly (keyof Origin)[];
  readonly consequence: (differences: string) => string;
  /** Throws an Error where a name has no room in it. */
  readonly write: (figures: Figures, sources: readonly Source[]) => Written;
}

/** What records have to give. */
export interface Figures {
  readonly races: readonly Race[];
  readonly metrics: readonly MetricFigure[];
  /** What has no number: cells, or `<cell>:<metric>`. */
  readonly leftOut: readonly string[];
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

/**
 * The competitors' rows of all races, and metrics of these kinds, kind by kind: of simulations the median over seeds, of
 * surveys the median over processes.
 */
export function figuresOf(sources: readonly Source[], kinds: readonly JudgedMetrics["kind"][]): Figures {
  const races: Race[] = [];
  const metrics: MetricFigure[] = [];
  const leftOut: string[] = [];
  for (const source of sources) {
    for (const { operation, rows, conditions } of source.verdicts.races) {
      for (const row of rows.filter(({ kind }) => kind === "baseline" || kind === "rival")) {
        const { cell } = row;
        const { oversubscribed } = conditions.find(({ workers }) => workers === row.workers)!;
        if (row.noNumber === undefined) races.push({ source, cell, operation, oversubscribed, row });
        else leftOut.push(cell);
      }
    }
  }
  const judged = kinds.flatMap((wanted) =>
    sources.flatMap((source) =>
      source.verdicts.metrics.filter(({ kind }) => kind === wanted).map((own) => ({ source, ...own })),
    ),
  );
  for (const { source, metrics: known, rows } of judged) {
    for (const { cell, spreads } of rows) {
      for (const [key, { unit }] of Object.entries(known)) {
        const spread = spreads[key];
        // What never happened in the time there was is later than any number.
        if (spread !== undefined && Number.isFinite(spread.value))
          metrics.push({ source, cell, key, unit, spread });
        else leftOut.push(`${cell}:${key}`);
      }
    }
  }
  return { races, metrics, leftOut };
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

/** The `keys` in which records differ, as `commit and machine`; empty if they do not. */
export function differencesOf(sources: readonly Source[], keys: readonly (keyof Origin)[]): string {
  const origins = sources.map(({ record }) => originOf(record));
  return keys.filter((key) => new Set(origins.map((origin) => origin[key])).size > 1).join(" and ");
}

/** Which run a record is of. Publishing divides a run's record by primitive: such parts are of one run. */
export function runOf({ record }: Source): string {
  return JSON.stringify([record.startedAt, record.command, originOf(record)]);
}
