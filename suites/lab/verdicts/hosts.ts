import { evidenceOf, intervalOf, isDecided, type Verdict } from "../../engine/judge/verdict.ts";
import type { JudgedMeasured, JudgedRow, JudgedScenario, Ratio } from "../../engine/schema/verdict.ts";
import type { Sample } from "../../engine/statistics.ts";
import { present } from "../../engine/words/present.ts";

/** What kinds of hosts say of the same rows, each by all of its runs: what holds on all of them, and what does not. Pure. */

/** A kind of host, and the races of each of its runs; a run need not have all races. */
export interface Host {
  readonly name: string;
  readonly runs: readonly (readonly JudgedScenario[])[];
}

/** `reversed`: faster in one run and slower in another. */
export type HostVerdict = Verdict | "reversed" | "no number";

/** What a host says of a row. */
export interface HostReading {
  readonly host: string;
  readonly verdict: HostVerdict;
  /** What each of its runs that has the row says; `no number` of one where a law failed. */
  readonly said: readonly string[];
  /** Of several runs the mean, with the 95 % interval for another run; of a single one its own. Absent where none is known. */
  readonly ratio?: Ratio;
  /** The row, where it has a number in one run alone. */
  readonly only?: JudgedMeasured;
}

/**
 * `depends on the machine`: faster in a run of one host and slower in a run of another. `depends within a host`: the processes or
 * the runs of one answer differently. `differs`: each host has a verdict, one of them `same`. `open`: one has none, or says
 * faster or slower while its interval includes 1.
 */
export type Standing = "holds" | "depends on the machine" | "depends within a host" | "differs" | "open";
export const STANDINGS: readonly Standing[] = [
  "holds",
  "depends on the machine",
  "depends within a host",
  "differs",
  "open",
];

export interface HostsRow {
  readonly cell: string;
  /** Competitor, and in brackets its role where there are several. */
  readonly name: string;
  readonly standing: Standing;
  /** In the order of hosts. */
  readonly readings: readonly HostReading[];
}

/** The rows of a race at one worker count that at least two hosts have. */
export interface HostsTable {
  readonly primitive: string;
  readonly scenario: string;
  readonly workers: number;
  readonly baseline: string;
  /** In the order of standings, and within one in that of the first host. */
  readonly rows: readonly HostsRow[];
}

/** A host's verdict: what more than half of its runs say, if no two of them contradict each other. */
export function verdictOfRuns(verdicts: readonly string[]): HostVerdict {
  const known = verdicts.filter((verdict) => verdict !== "no number") as readonly Verdict[];
  if (known.length === 0) return "no number";
  if (known.includes("faster") && known.includes("slower")) return "reversed";
  if (known.includes("depends")) return "depends";
  const said = known.find(
    (one) => isDecided(one) && 2 * known.filter((other) => other === one).length > known.length,
  );
  return said ?? "cannot tell";
}

/** What hosts say together, by what each run of each host says: a verdict that any two runs reverse is no verdict of a row. */
export function standingOf(hosts: readonly Said[]): Standing {
  const isReversed = hosts.some(({ said }, place) => {
    const others = hosts.toSpliced(place, 1).flatMap((other) => other.said);
    return said.includes("faster") && others.includes("slower");
  });
  if (isReversed) return "depends on the machine";
  const verdicts = new Set(hosts.map(({ said }) => verdictOfRuns(said)));
  if (verdicts.has("reversed") || verdicts.has("depends")) return "depends within a host";
  if (verdicts.has("no number") || verdicts.has("cannot tell") || !hosts.every(isBorneOut)) return "open";
  return verdicts.size === 1 ? "holds" : "differs";
}

type Said = Pick<HostReading, "said" | "ratio">;

/** Whether a side that most runs are on is that of the next run, too. */
function isBorneOut({ said, ratio }: Said): boolean {
  return ratio === undefined || verdictOfRuns(said) === "same" || ratio.low > 1 || ratio.high < 1;
}

const CONFIDENCE = 0.95;

/**
 * The mean ratio of some runs, at least two, and the interval in which that of another run lies with 95 % probability. `values`:
 * logarithms of the ratio of each run. The variance is moderated by that of `peers`, the other rows of the table.
 */
export function ratioForAnotherRun(values: Sample, peers: readonly Sample[]): Ratio {
  const { squaredError, ...evidence } = evidenceOf(values, peers, 2);
  // The other run scatters as one of these does, beside the error of their mean.
  const ofAnother = { ...evidence, squaredError: (values.length + 1) * squaredError };
  const { middle, low, high } = intervalOf(ofAnother, CONFIDENCE);
  return { value: Math.exp(middle), low: Math.exp(low), high: Math.exp(high) };
}

/** Races of the first host that another has, too. They are the same if their titles are, and the baselines of their ratios. */
export function hostsTables(hosts: readonly Host[]): HostsTable[] {
  const known = new Set<string>();
  return (hosts[0]?.runs ?? []).flat().flatMap((race) =>
    race.conditions.flatMap(({ workers, baseline }) => {
      const place = `${race.primitive}/${race.scenario} ${workers}`;
      if (baseline === undefined || known.has(place)) return [];
      known.add(place);
      const tables = hosts.flatMap(({ name, runs }) => {
        const own = runs.flatMap((races) => sameTables(races, race, workers, baseline));
        return own.length === 0 ? [] : [{ host: name, tables: own }];
      });
      const rows = rowsOf(tables);
      const { primitive, scenario } = race;
      return rows.length === 0 ? [] : [{ primitive, scenario, workers, baseline, rows }];
    }),
  );
}

interface HostTables {
  readonly host: string;
  /** The rivals of each run. */
  readonly tables: readonly (readonly JudgedRow[])[];
}

function sameTables(
  races: readonly JudgedScenario[],
  race: JudgedScenario,
  workers: number,
  baseline: string,
) {
  return races
    .filter(({ primitive, scenario, title, conditions }) => {
      const isSame = primitive === race.primitive && scenario === race.scenario && title === race.title;
      return isSame && conditions.some((at) => at.workers === workers && at.baseline === baseline);
    })
    .map(({ rows }) => rows.filter((row) => row.kind === "rival" && row.workers === workers));
}

function rowsOf(hosts: readonly HostTables[]): HostsRow[] {
  const cells = new Map(hosts.flatMap(({ tables }) => tables.flat().map((row) => [row.cell, row] as const)));
  const rows = [...cells].flatMap(([cell, { competitor, role }]) => {
    const readings = hosts.flatMap((host) => readingOf(cell, host) ?? []);
    if (readings.length < 2) return [];
    const name = role === undefined ? competitor : `${competitor} (${role})`;
    return [{ cell, name, readings, standing: standingOf(readings) }];
  });
  return STANDINGS.flatMap((standing) => rows.filter((row) => row.standing === standing));
}

/** Undefined where no run of the host has the row. */
function readingOf(cell: string, { host, tables }: HostTables): HostReading | undefined {
  const rows = tables.flatMap((table) => table.filter((row) => row.cell === cell));
  if (rows.length === 0) return undefined;
  const said = rows.map((row) => (row.noNumber === undefined ? row.verdict : "no number"));
  return { host, verdict: verdictOfRuns(said), said, ...ratioOf(cell, tables) };
}

function ratioOf(cell: string, tables: HostTables["tables"]): Pick<HostReading, "ratio" | "only"> {
  const byCell = Map.groupBy(tables.flat().filter(hasRatio), (row) => row.cell);
  const own = byCell.get(cell) ?? [];
  if (own.length < 2) return present({ ratio: own[0]?.ratio, only: own[0] });
  byCell.delete(cell);
  return {
    ratio: ratioForAnotherRun(
      own.map(logRatio),
      [...byCell.values()].map((rows) => rows.map(logRatio)),
    ),
  };
}

type WithRatio = JudgedMeasured & { readonly ratio: Ratio };

function hasRatio(row: JudgedRow): row is WithRatio {
  return row.noNumber === undefined && row.ratio !== undefined;
}

function logRatio({ ratio }: WithRatio): number {
  return Math.log(ratio.value);
}
