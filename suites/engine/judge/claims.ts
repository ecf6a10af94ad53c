import type { Bound, Comparison, Evidence, Extreme, Growth, SourceClaims, Statement } from "../claims.ts";
import type { BenchRecord } from "../record/record.ts";
import { type JudgedMeasured, type JudgedScenario, judgeRecord } from "./judge.ts";
import { type Ratio, verdictOn } from "./verdict.ts";

/** Looks whether what a source claims holds in a record. Pure. */
export type Finding = "holds" | "does not hold" | "cannot tell" | "not measured";

/** What one piece of evidence came to, and the cells that show it. */
export interface JudgedEvidence {
  readonly finding: Finding;
  /** What was compared and seen: `cas-ring to shuffled-round-robin 1.43 (1.40-1.47), pick/uniform-8, 1 worker`. */
  readonly seen: string;
}

export interface JudgedStatement {
  readonly statement: Statement;
  readonly finding: Finding;
  readonly evidence: readonly JudgedEvidence[];
}

export interface JudgedClaims {
  readonly claims: SourceClaims;
  readonly scenarios: readonly JudgedScenario[];
  readonly statements: readonly JudgedStatement[];
}

export function judgeClaims(claims: SourceClaims, record: BenchRecord): JudgedClaims {
  const scenarios = judgeRecord(record);
  return {
    claims,
    scenarios,
    statements: claims.statements.map((statement) => {
      const evidence = statement.evidence.map((piece) => judgeEvidence(piece, scenarios, record));
      return { statement, evidence, finding: worstOf(evidence.map(({ finding }) => finding)) };
    }),
  };
}

/** One piece that does not hold settles a statement; one that is open leaves it open. */
function worstOf(findings: readonly Finding[]): Finding {
  const byWeight: readonly Finding[] = ["does not hold", "not measured", "cannot tell"];
  return byWeight.find((finding) => findings.includes(finding)) ?? "holds";
}

function judgeEvidence(
  piece: Evidence,
  scenarios: readonly JudgedScenario[],
  record: BenchRecord,
): JudgedEvidence {
  switch (piece.kind) {
    case "faster":
      return judgeComparison(piece, scenarios);
    case "slowest":
      return judgeExtreme(piece, scenarios);
    case "growth":
      return judgeGrowth(piece, scenarios);
    case "metric":
      return judgeBound(piece, record);
  }
}

function judgeComparison(piece: Comparison, scenarios: readonly JudgedScenario[]): JudgedEvidence {
  const { competitor, than, workers } = piece;
  const what = `${competitor} to ${than}`;
  const where = placeOf(piece, workers);
  const ratio = ratioBetween(scenarios, piece.scenario, workers, competitor, than);
  if (ratio === undefined) return { finding: "not measured", seen: `${what}, ${where}` };
  const verdict = verdictOn(ratio, floorOf(scenarios, piece.scenario, workers));
  return { finding: asFinding(verdict, "faster"), seen: `${what} ${shown(ratio)}, ${where}` };
}

function judgeExtreme(piece: Extreme, scenarios: readonly JudgedScenario[]): JudgedEvidence {
  const { scenario, workers, competitor } = piece;
  const where = placeOf(piece, workers);
  const rivals = rowsOf(scenarios, scenario, workers).filter(
    (row) =>
      row.competitor !== competitor && row.kind !== "twin" && (piece.among?.includes(row.competitor) ?? true),
  );
  const ratios = rivals.flatMap((row) => {
    const ratio = ratioBetween(scenarios, scenario, workers, row.competitor, competitor);
    return ratio === undefined ? [] : [{ name: row.competitor, ratio }];
  });
  if (ratios.length === 0) return { finding: "not measured", seen: `${competitor}, ${where}` };
  const floor = floorOf(scenarios, scenario, workers);
  const slower = ratios.filter(({ ratio }) => verdictOn(ratio, floor) === "slower");
  const open = ratios.filter(({ ratio }) => verdictOn(ratio, floor) === "cannot tell");
  const named = (found: typeof ratios) =>
    found.map(({ name, ratio }) => `${name} ${shown(ratio)}`).join(", ");
  if (slower.length > 0) {
    return { finding: "does not hold", seen: `slower than ${competitor}: ${named(slower)}; ${where}` };
  }
  if (open.length > 0)
    return { finding: "cannot tell", seen: `open beside ${competitor}: ${named(open)}; ${where}` };
  return {
    finding: "holds",
    seen: `${competitor} to each of ${ratios.length} others: none slower; ${where}`,
  };
}

function judgeGrowth(piece: Growth, scenarios: readonly JudgedScenario[]): JudgedEvidence {
  const { scenario, competitor, from, to, is, factor } = piece;
  const [before, after] = [from, to].map((workers) =>
    rowsOf(scenarios, scenario, workers).find((row) => row.competitor === competitor),
  );
  const what = `${competitor} with ${to} workers to itself with ${from}:`;
  const where = placeOf(piece);
  if (before === undefined || after === undefined)
    return { finding: "not measured", seen: `${what}, ${where}` };
  // Worker counts are raced in different processes, so nothing is paired: the intervals are taken at their worst.
  const ratio = {
    value: after.median / before.median,
    low: after.interval.low / before.interval.high,
    high: after.interval.high / before.interval.low,
  };
  const within = ratio.high <= factor;
  const beyond = ratio.low > factor;
  const finding =
    !within && !beyond ? "cannot tell" : within === (is === "at most") ? "holds" : "does not hold";
  return { finding, seen: `${what} ${shown(ratio)}, claimed ${is} ${factor}; ${where}` };
}

function judgeBound(piece: Bound, record: BenchRecord): JudgedEvidence {
  const { scenario, competitor, metric, atMost } = piece;
  const simulated = record.simulations.find((simulation) => simulation.scenario === scenario);
  const value = simulated?.cells.find((cell) => cell.competitor === competitor)?.metrics[metric];
  const described = simulated?.metrics[metric];
  const what = `${competitor}, ${described?.title ?? metric}`;
  if (value === undefined || described === undefined)
    return { finding: "not measured", seen: `${what}, ${placeOf(piece)}` };
  const finding = value <= atMost ? "holds" : "does not hold";
  return {
    finding,
    seen: `${what}: ${value.toFixed(described.digits)} ${described.unit}, at most ${atMost} would do; ${placeOf(piece)}`,
  };
}

/**
 * The ratio of two rows of one table. Each has a paired ratio to the baseline, with an interval; the interval of their
 * quotient is taken at its worst, so that it is too wide rather than too narrow.
 */
export function ratioBetween(
  scenarios: readonly JudgedScenario[],
  scenario: string,
  workers: number,
  competitor: string,
  than: string,
): Ratio | undefined {
  const [one, other] = [competitor, than].map((name) => {
    const row = rowsOf(scenarios, scenario, workers).find((candidate) => candidate.competitor === name);
    return row?.kind === "baseline" ? { value: 1, low: 1, high: 1 } : row?.ratio;
  });
  if (one === undefined || other === undefined) return undefined;
  return { value: one.value / other.value, low: one.low / other.high, high: one.high / other.low };
}

function rowsOf(scenarios: readonly JudgedScenario[], scenario: string, workers: number): JudgedMeasured[] {
  const judged = scenarios.find((candidate) => candidate.scenario === scenario);
  return (judged?.rows ?? []).filter(
    (row): row is JudgedMeasured => row.noNumber === undefined && row.workers === workers,
  );
}

function floorOf(scenarios: readonly JudgedScenario[], scenario: string, workers: number): number {
  const conditions = scenarios
    .find((candidate) => candidate.scenario === scenario)
    ?.conditions.find((candidate) => candidate.workers === workers);
  return Math.max(0, ...(conditions?.floors ?? []));
}

function asFinding(verdict: ReturnType<typeof verdictOn>, claimed: "faster"): Finding {
  if (verdict === claimed) return "holds";
  return verdict === "cannot tell" ? "cannot tell" : "does not hold";
}

function placeOf({ scenario }: { scenario: string }, workers?: number): string {
  if (workers === undefined) return scenario;
  return `${scenario}, ${workers} worker${workers === 1 ? "" : "s"}`;
}

function shown({ value, low, high }: Ratio): string {
  const digits = value < 0.095 ? 3 : 2;
  return `${value.toFixed(digits)} (${low.toFixed(digits)}-${high.toFixed(digits)})`;
}
