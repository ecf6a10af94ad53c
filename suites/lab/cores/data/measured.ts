import type { JudgedRow } from "../../../engine/schema/verdict.ts";
import { newestOf, type RecordFile, type Source } from "../../pages/newest.ts";
import type { BenchRecord } from "../../schema/record.ts";
import { recordFiles } from "../../store/generated.ts";
import { loadFormerNames } from "../../store/labels.ts";

/** Figures of published races, beside which simulated ones stand. Nothing is timed here. */

/** What one worker waited for one operation, and the record that has it. */
export interface Median {
  readonly ns: number;
  /** The record's name in its folder, and its commit. */
  readonly file: string;
  readonly commit: string;
}

/** Of one scenario. */
export interface Medians {
  /** Undefined where nothing is published. */
  at(competitor: string, workers: number): Median | undefined;
}

/**
 * Medians of a scenario as its page has them: each table from the newest record that has the worker count. Where workers
 * have roles they are of the named one.
 */
export async function publishedMedians(primitive: string, scenario: string, role?: string): Promise<Medians> {
  return mediansIn(recordFiles(primitive, false, await loadFormerNames()), scenario, role);
}

/** As `publishedMedians`, of `records`, newest last. Pure. */
export function mediansIn(records: readonly RecordFile[], scenario: string, role?: string): Medians {
  const own = records.map(({ file, record }) => ({ file, record: withOnly(scenario, record) }));
  const newest = newestOf(own, [scenario]);
  const medians = new Map<string, Median>();
  const add = (rows: readonly JudgedRow[], { file, record }: Pick<Source, "file" | "record">) => {
    for (const row of rows) {
      const isOfStructure = row.kind === "baseline" || row.kind === "rival";
      const key = keyOf(row.competitor, row.workers);
      // One worker alone has no role beside others.
      const isOfRole = row.role === undefined || row.role === role;
      if (!isOfStructure || row.noNumber !== undefined || !isOfRole || medians.has(key)) continue;
      medians.set(key, { ns: row.median, file, commit: record.commit?.hash ?? "none" });
    }
  };
  for (const source of newest?.sources ?? []) {
    const counts = source.scenarios.get(scenario);
    const rows = source.verdicts.races.flatMap((judged) => judged.rows);
    add(
      rows.filter(({ workers }) => counts?.has(workers)),
      source,
    );
  }
  for (const { judged, source } of newest?.others ?? []) add(judged.rows, source);
  return { at: (competitor, workers) => medians.get(keyOf(competitor, workers)) };
}

/** A record of one scenario's races alone: judging the others would take seconds. */
function withOnly(name: string, record: BenchRecord): BenchRecord {
  const { surveys: _, overviews: __, ...rest } = record;
  return { ...rest, groups: record.groups.filter(({ scenario }) => scenario === name), simulations: [] };
}

function keyOf(competitor: string, workers: number): string {
  return `${competitor}/${workers}w`;
}
