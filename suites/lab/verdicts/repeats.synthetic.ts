import { gaussian } from "../../engine/judge/judge.synthetic.ts";
import { inAnyRegime } from "../../engine/judge/verdict.ts";
import { METHOD_VERSION } from "../../engine/schema/envelope.ts";
import type { JudgedScenario } from "../../engine/schema/verdict.ts";
import { mean, standardDeviation } from "../../engine/statistics.ts";
import { Random } from "../../engine/words/random.ts";
import type { Repeat } from "./between-runs.ts";

/** Judged runs whose truth is known: ratios whose logarithm is 0, of processes and runs that scatter by so much. */
export interface SyntheticRuns {
  /** How many there are on each host. */
  readonly runs: Readonly<Record<string, number>>;
  readonly tables: readonly {
    readonly scenario: string;
    readonly workers: number;
    readonly rows: number;
    readonly oversubscribed?: boolean;
  }[];
  readonly forks: number;
  /** Standard deviations of the logarithm of a ratio. */
  readonly betweenProcesses: number;
  readonly betweenRuns: number;
  readonly seed: number;
}

export function syntheticRuns(truth: SyntheticRuns): Repeat[] {
  const random = new Random(truth.seed);
  return Object.entries(truth.runs).flatMap(([host, count]) =>
    Array.from({ length: count }, () => ({
      host,
      method: METHOD_VERSION,
      races: truth.tables.map((table) => raceOf(table, truth, random)),
    })),
  );
}

function raceOf(
  { scenario, workers, rows, oversubscribed = false }: SyntheticRuns["tables"][number],
  { forks, betweenProcesses, betweenRuns }: SyntheticRuns,
  random: Random,
): JudgedScenario {
  const judged = Array.from({ length: rows }, (_, index) => {
    const run = betweenRuns * gaussian(random);
    const values = Array.from({ length: forks }, () => run + betweenProcesses * gaussian(random));
    const middle = mean(values);
    const squaredError = standardDeviation(values) ** 2 / forks;
    const seen = { middle, squaredError, freedom: forks - 1, forks, floor: 0.003, raced: forks };
    return {
      cell: `synthetic/${scenario}/row-${index}/${workers}w`,
      kind: "rival",
      competitor: `row-${index}`,
      workers,
      ratio: { value: Math.exp(middle), low: Math.exp(middle - 0.01), high: Math.exp(middle + 0.01) },
      verdict: middle > 0.01 ? "slower" : middle < -0.01 ? "faster" : "same",
      toBaseline: oversubscribed ? inAnyRegime(seen) : seen,
    };
  });
  const conditions = [{ workers, oversubscribed, baseline: "base" }];
  return { primitive: "synthetic", scenario, rows: judged, conditions } as unknown as JudgedScenario;
}
