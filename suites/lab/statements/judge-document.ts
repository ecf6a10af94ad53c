import { type Judgement, judgeContrast, UNBOUNDED, type Verdict } from "../../engine/judge/verdict.ts";
import { METHOD_VERSION } from "../../engine/schema/envelope.ts";
import type { Conditions, JudgedMeasured, JudgedScenario, Ratio } from "../../engine/schema/verdict.ts";
import type { JudgedMetricRow, Spread, Verdicts } from "../schema/verdict.ts";
import { havingText, spreadText, timeText } from "../verdicts/spread.ts";
import type {
  Bound,
  Bounds,
  Comparison,
  Cost,
  Counted,
  Evidence,
  Extreme,
  Growth,
  SourceDocument,
  Statement,
  Surveyed,
  TableKey,
} from "./vocabulary.ts";

/** Percent of the seeds that lie within bounds that hold at least; and below which the bounds do not hold. */
const HOLDS_PERCENT = 90;
const FAILS_PERCENT = 50;
/** Percent of the seeds that have to come as far as the figure of one run. */
const LIKE_PERCENT = 5;
/** Of a figure: what differs from it by less lies near it. Otherwise a figure between two crowds of seeds would be taken for theirs. */
const NEAR = 0.1;
/** A figure gets no more digits after the point than this, however near it lies to a bound. */
const MOST_DIGITS = 15;

/** Looks whether what a source says holds in a record. Pure. */
export type Finding = "holds" | "does not hold" | "cannot tell" | "not measured" | "condition not met";

/** What one piece of evidence came to, and the cells that show it. */
export interface JudgedEvidence {
  readonly finding: Finding;
  /** What was compared and seen: `cas-ring to shuffled-round-robin 1.43 (1.40-1.47); uniform-8, 1 worker`. */
  readonly seen: string;
  /** The same in parts, of what a simulation's metric was held to. */
  readonly bound?: JudgedBound;
}

export interface JudgedBound {
  readonly scenario: string;
  readonly competitor: string;
  /** Key of the metric. */
  readonly metric: string;
  /** Both as they are printed: `cas-ring, Load`. */
  readonly what: string;
  readonly unit: string;
  /** As the source prints it, if it does. */
  readonly says: string | undefined;
  /** Undefined where it was not measured. */
  readonly ours: string | undefined;
  /** `at most 1.1`. */
  readonly heldTo: string;
  /** `97 of 100 seeds`; undefined where it was not measured, or from one seed alone. */
  readonly within: string | undefined;
}

export interface JudgedStatement {
  readonly statement: Statement;
  readonly finding: Finding;
  readonly condition: JudgedEvidence | undefined;
  readonly evidence: readonly JudgedEvidence[];
  /** Under another rule than the source's. */
  readonly otherwise:
    | { readonly rule: string; readonly finding: Finding; readonly evidence: readonly JudgedEvidence[] }
    | undefined;
  readonly beyond: readonly JudgedEvidence[];
}

export interface JudgedDocument {
  readonly document: SourceDocument;
  readonly scenarios: readonly JudgedScenario[];
  readonly statements: readonly JudgedStatement[];
  readonly remarks: readonly JudgedRemark[];
}

export interface JudgedRemark {
  readonly text: string;
  readonly seen: readonly JudgedEvidence[];
}

/**
 * Holds its statements against what was seen. `methodOf` says by which version of the method a scenario was measured, where
 * that may differ: times of different methods do not compare.
 */
export function judgeDocument(
  document: SourceDocument,
  verdicts: Verdicts,
  methodOf: MethodOf = () => METHOD_VERSION,
): JudgedDocument {
  const judge = (piece: Evidence) => judgeEvidence(piece, verdicts, methodOf);
  return {
    document,
    scenarios: verdicts.races,
    remarks: (document.remarks ?? []).map(({ text, seen }) => ({ text, seen: seen.map(judge) })),
    statements: document.statements.map((statement) => judgeStatement(statement, judge)),
  };
}

function judgeStatement(statement: Statement, judge: (piece: Evidence) => JudgedEvidence): JudgedStatement {
  const condition = statement.condition === undefined ? undefined : judge(statement.condition);
  const evidence = statement.evidence.map(judge);
  const beyond = (statement.beyond ?? []).map(judge);
  const parts = { statement, condition, evidence, otherwise: judgeOtherwise(statement, judge), beyond };
  if (condition?.finding === "does not hold") return { ...parts, finding: "condition not met" };
  if (evidence.length === 0) return { ...parts, finding: "not measured" };
  const findings = [...(condition === undefined ? [] : [condition]), ...evidence].map(
    ({ finding }) => finding,
  );
  const finding = worstOf(findings);
  return { ...parts, finding: statement.isGuessed && finding !== "not measured" ? "cannot tell" : finding };
}

function judgeOtherwise(
  { otherwise }: Statement,
  judge: (piece: Evidence) => JudgedEvidence,
): JudgedStatement["otherwise"] {
  if (otherwise === undefined) return undefined;
  const evidence = otherwise.evidence.map(judge);
  return { rule: otherwise.rule, evidence, finding: worstOf(evidence.map(({ finding }) => finding)) };
}

/** One piece that does not hold settles a statement; one that is open leaves it open. */
export function worstOf(findings: readonly Finding[]): Finding {
  const byWeight: readonly Finding[] = ["does not hold", "not measured", "cannot tell", "condition not met"];
  return byWeight.find((worst) => findings.includes(worst)) ?? "holds";
}

type MethodOf = (scenario: string) => number;

function judgeEvidence(piece: Evidence, verdicts: Verdicts, methodOf: MethodOf): JudgedEvidence {
  const { races: scenarios } = verdicts;
  switch (piece.kind) {
    case "faster":
      return judgeComparison(piece, scenarios);
    case "slowest":
      return judgeExtreme(piece, scenarios);
    case "growth":
      return judgeGrowth(piece, scenarios, methodOf);
    case "costs":
      return judgeCost(piece, scenarios);
    case "counted":
      return judgeCounted(piece, scenarios);
    case "metric":
      return judgeBound(piece, verdicts);
    case "surveyed":
      return judgeSurveyed(piece, verdicts);
  }
}

function judgeComparison(piece: Comparison, scenarios: readonly JudgedScenario[]): JudgedEvidence {
  const { competitor, than, atMost } = piece;
  const what = `${competitor} to ${than}`;
  const judged = compare(piece, competitor, than, scenarios);
  if (judged === undefined) return { finding: "not measured", seen: `${what}; ${tableText(piece)}` };
  const { ratio, verdict, forks } = judged;
  const remark = judged.byWayOfBaseline ? ", by way of the baseline" : "";
  const floor = Math.max(0, ...(conditionsOf(scenarios, piece)?.floors ?? []));
  const beyondNoise = { low: ratio.low / (1 + floor), high: ratio.high * (1 + floor) };
  const meant = atMost === undefined ? "" : `, at most ${atMost} is meant`;
  return {
    finding:
      atMost === undefined
        ? findingOf(verdict)
        : forks < 2 || verdict === "no power" || verdict === "depends"
          ? "cannot tell"
          : findingWithin(beyondNoise, { atMost }),
    seen: `${what} ${ratioText(ratio)}${meant}; ${tableText(piece)}${remark}`,
  };
}

/** Whether "faster" holds. */
function findingOf(verdict: Verdict): Finding {
  if (verdict === "faster") return "holds";
  return verdict === "slower" || verdict === "same" ? "does not hold" : "cannot tell";
}

function judgeExtreme(piece: Extreme, scenarios: readonly JudgedScenario[]): JudgedEvidence {
  const { competitor, among } = piece;
  const where = tableText(piece);
  const judged = scenarios.find(({ scenario }) => scenario === piece.scenario);
  const named =
    among ??
    (judged?.rows ?? [])
      .filter(({ kind, workers }) => kind !== "aa-control" && workers === piece.workers)
      .map((row) => row.competitor);
  const rivals = named
    .filter((name) => name !== competitor)
    .map((name) => ({ name, judged: compare(piece, name, competitor, scenarios) }));
  const missing = rivals.filter((rival) => rival.judged === undefined).map(({ name }) => name);
  const list = (verdict: Verdict) =>
    rivals
      .flatMap(({ name, judged: rival }) =>
        rival?.verdict === verdict ? [`${name} ${ratioText(rival.ratio)}`] : [],
      )
      .join(", ");
  if (list("slower") !== "") {
    return { finding: "does not hold", seen: `slower than ${competitor}: ${list("slower")}; ${where}` };
  }
  if (rivals.length === 0 || missing.length > 0) {
    return { finding: "not measured", seen: `${competitor} to ${missing.join(", ") || "others"}; ${where}` };
  }
  const open = [list("cannot tell"), list("no power"), list("depends")]
    .filter((names) => names !== "")
    .join(", ");
  if (open !== "") return { finding: "cannot tell", seen: `open beside ${competitor}: ${open}; ${where}` };
  return { finding: "holds", seen: `none of ${rivals.length} others is slower than ${competitor}; ${where}` };
}

function judgeGrowth(
  piece: Growth,
  scenarios: readonly JudgedScenario[],
  methodOf: MethodOf,
): JudgedEvidence {
  const { competitor, from, to, is, factor } = piece;
  const what = `${competitor} at ${tableText(to)} to itself at ${tableText(from)}:`;
  const [before, after] = [from, to].map((table) => ({
    row: rowOf(scenarios, table, competitor),
    conditions: conditionsOf(scenarios, table),
  }));
  if (!before?.row || !after?.row || !before.conditions || !after.conditions) {
    return { finding: "not measured", seen: what };
  }
  const [earlier, later] = [methodOf(from.scenario), methodOf(to.scenario)];
  if (earlier !== later) {
    const seen = `${what} measured by methods ${earlier} and ${later}, which do not compare`;
    return { finding: "not measured", seen };
  }
  // The two were raced in different processes at different times, so nothing is paired. Each is taken in units of its
  // own one-worker control, which shows how fast the machine was. All intervals, also the control's, are taken at their
  // worst.
  const ofControl = ({
    row: { median, interval },
    conditions: { controlAlone },
  }: {
    row: JudgedMeasured;
    conditions: Pick<Conditions, "controlAlone">;
  }) => quotient({ value: median, ...(interval ?? UNBOUNDED) }, controlAlone);
  const one = ofControl({ row: after.row, conditions: after.conditions });
  const other = ofControl({ row: before.row, conditions: before.conditions });
  const ratio = quotient(one, other);
  const seen = `${what} ${ratioText(ratio)}, ${is} ${factor} is meant`;
  const isWithin = ratio.high <= factor;
  const isBeyond = ratio.low > factor;
  const { crowdedForks, forks } = after.conditions;
  if (!(isWithin || isBeyond)) {
    return { finding: "cannot tell", seen };
  }
  if (crowdedForks > forks / 2) {
    return {
      finding: "cannot tell",
      seen: `${seen}; but even the private add cost more beside other workers`,
    };
  }
  return { finding: isWithin === (is === "at most") ? "holds" : "does not hold", seen };
}

function judgeCost(piece: Cost, scenarios: readonly JudgedScenario[]): JudgedEvidence {
  const { competitor, atMostNs } = piece;
  const row = rowOf(scenarios, piece, competitor);
  if (row === undefined) return { finding: "not measured", seen: `${competitor}; ${tableText(piece)}` };
  const { median, interval } = row;
  const meant = Number.isFinite(atMostNs) ? `; at most ${atMostNs.toLocaleString("en")} ns is meant` : "";
  return {
    finding: interval === undefined ? "cannot tell" : findingWithin(interval, { atMost: atMostNs }),
    seen: `${competitor} ${timeText(row)}, ${(1000 / median).toPrecision(3)} M/s for each worker${meant}; ${tableText(piece)}`,
  };
}

function judgeCounted(piece: Counted, scenarios: readonly JudgedScenario[]): JudgedEvidence {
  const { competitor, column, atLeast } = piece;
  const judged = scenarios.find(({ scenario }) => scenario === piece.scenario);
  const described = judged?.columns.find(({ key }) => key === column);
  const count = rowOf(scenarios, piece, competitor)?.extra[column];
  const what = `${competitor}, ${described?.title ?? column}`;
  if (count === undefined) return { finding: "not measured", seen: `${what}; ${tableText(piece)}` };
  return {
    finding: count >= atLeast ? "holds" : "does not hold",
    seen: `${what}: ${count.toPrecision(3)} ${described?.unit ?? ""}, ${atLeast} or more is meant; ${tableText(piece)}`,
  };
}

function judgeBound(piece: Bound, { metrics }: Verdicts): JudgedEvidence {
  const { scenario, competitor, metric, says } = piece;
  const simulated = metrics.find((each) => each.scenario === scenario);
  const row = rowIn(simulated?.rows, competitor);
  const described = simulated?.metrics[metric];
  const what = `${competitor}, ${described?.title ?? metric}`;
  const unit = described?.unit ?? "";
  const heldTo = piece.isOneRun ? `${figureText(piece)} in one run` : boundsText(piece);
  const parts = { scenario, competitor, metric, what, unit, says, heldTo };
  const figures = row?.figures[metric] ?? [];
  if (row === undefined || described === undefined || figures.length === 0) {
    const bound = { ...parts, ours: undefined, within: undefined };
    return { finding: "not measured", seen: `${what}; ${scenario}`, bound };
  }
  const { isOneRun = false } = piece;
  const count = isOneRun
    ? reaching(piece, figures)
    : figures.filter((one) => one !== null && isWithinBounds(one, piece)).length;
  const within =
    figures.length === 1 ? undefined : `${count} of ${figures.length} seeds${isOneRun ? " as far" : ""}`;
  const spread = row.spreads[metric];
  const figure =
    spread === undefined ? "none" : spreadText(spread, digitsBeside(spread, described.digits, piece));
  const having = spread === undefined ? "" : havingText(spread);
  const hasUnit = unit !== "" && spread !== undefined && Number.isFinite(spread.low);
  const inUnit = hasUnit ? `${figure} ${unit}` : figure;
  const said = says === undefined ? "" : `, the source says ${says}`;
  return {
    finding: isOneRun ? findingOnOneRun(count, figures.length) : findingOnSeeds(count, figures.length),
    seen: isHeldToNothing(piece)
      ? `${what}: ${inUnit}${having}; ${scenario}`
      : `${what}: ${inUnit}${having}${said}, ${heldTo} is meant${within === undefined ? "" : isOneRun ? `, ${within}` : `, ${within} within`}; ${scenario}`,
    bound: { ...parts, ours: `${figure}${having}`, within },
  };
}

/** Whether bounds hold, given the number of seeds within them. */
function findingOnSeeds(within: number, of: number): Finding {
  if (100 * within >= HOLDS_PERCENT * of) return "holds";
  return 100 * within < FAILS_PERCENT * of ? "does not hold" : "cannot tell";
}

/** Whether a run is like the seeds, given how many of them come as far as its figure. */
function findingOnOneRun(reaching: number, of: number): Finding {
  if (reaching === 0) return "does not hold";
  return 100 * reaching >= LIKE_PERCENT * of ? "holds" : "cannot tell";
}

/** Seeds that come as far up as a figure, as far down, or near it: the fewest of these. */
function reaching(bounds: Bounds, figures: readonly (number | null)[]): number {
  const { atLeast, atMost } = endsOf(bounds);
  const near = { atLeast: (1 - NEAR) * atLeast, atMost: (1 + NEAR) * atMost };
  const known = figures.filter((one) => one !== null);
  return Math.min(
    known.filter((one) => one >= atLeast).length,
    known.filter((one) => one <= atMost).length,
    known.filter((one) => isWithinBounds(one, near)).length,
  );
}

function isWithinBounds(figure: number, bounds: Bounds): boolean {
  const { atLeast, atMost } = endsOf(bounds);
  return figure >= atLeast && figure <= atMost;
}

function endsOf({ atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }: Bounds) {
  return { atLeast, atMost };
}

/** A figure as rounded as the source's: `18`, `695-705`. */
function figureText({ atLeast, atMost }: Bounds): string {
  return atLeast === atMost ? `${atMost}` : `${atLeast}-${atMost}`;
}

/** The least digits, or as many more as it takes to read each figure of a spread on its own side of the bounds. */
function digitsBeside({ value, low, high }: Spread, digits: number, bounds: Bounds): number {
  const { atLeast, atMost } = endsOf(bounds);
  const figures = [value, low, high].filter(Number.isFinite);
  const isTrue = (enough: number) =>
    figures.every((figure) => {
      const read = Number(figure.toFixed(enough));
      return read >= atLeast === figure >= atLeast && read <= atMost === figure <= atMost;
    });
  let enough = digits;
  while (enough < MOST_DIGITS && !isTrue(enough)) enough++;
  return enough;
}

/** What a remark shows is only to be seen. */
function isHeldToNothing({ atMost, atLeast }: Bounds): boolean {
  return atMost === Number.POSITIVE_INFINITY && atLeast === undefined;
}

function boundsText({ atLeast, atMost }: Bounds): string {
  if (atLeast === undefined) return `at most ${atMost}`;
  if (atLeast === atMost) return `exactly ${atMost}`;
  return atMost === undefined ? `at least ${atLeast}` : `from ${atLeast} to ${atMost}`;
}

/** Surveys pair nothing: a figure lies somewhere in its range over the processes, a ratio between the worst. */
function judgeSurveyed(piece: Surveyed, { metrics }: Verdicts): JudgedEvidence {
  const { scenario, competitor, than, metric, thanMetric } = piece;
  const surveyed = metrics.find((each) => each.scenario === scenario);
  const described = surveyed?.metrics[metric];
  const rangeOf = (name: string, key: string) => rowIn(surveyed?.rows, name)?.spreads[key];
  const what = `${competitor}${than === undefined ? "" : ` to ${than}`}, ${described?.title ?? metric}${thanMetric === undefined ? "" : ` to ${surveyed?.metrics[thanMetric]?.title ?? thanMetric}`}`;
  const isRatio = than !== undefined || thanMetric !== undefined;
  const one = rangeOf(competitor, metric);
  const other = isRatio ? rangeOf(than ?? competitor, thanMetric ?? metric) : undefined;
  if (described === undefined || one === undefined || (isRatio && other === undefined)) {
    return { finding: "not measured", seen: `${what}; ${scenario}` };
  }
  const meant = isHeldToNothing(piece) ? "" : `, ${boundsText(piece)} is meant`;
  // A single process has no range to lie in.
  const isRange = one.having > 1 && (other === undefined || other.having > 1);
  const judged = other === undefined ? one : quotient(one, other);
  const finding = isRange ? findingWithin(judged, piece) : "cannot tell";
  if (other === undefined) {
    return {
      finding,
      seen: `${what}: ${spreadText(one, digitsBeside(one, described.digits, piece))} ${described.unit}${meant}; ${scenario}`,
    };
  }
  const figure = (value: number) => value.toFixed(described.digits);
  return {
    finding,
    seen: `${what}: ${ratioText(judged)}${meant} (${figure(one.value)} and ${figure(other.value)} ${described.unit}); ${scenario}`,
  };
}

/** Whether bounds hold of something that lies between two values. */
function findingWithin({ low, high }: Pick<Ratio, "low" | "high">, bounds: Bounds): Finding {
  const { atLeast, atMost } = endsOf(bounds);
  if (low > atMost || high < atLeast) return "does not hold";
  return low >= atLeast && high <= atMost ? "holds" : "cannot tell";
}

function rowIn(rows: readonly JudgedMetricRow[] | undefined, competitor: string) {
  return rows?.find((row) => row.competitor === competitor);
}

/** Two rows of one table, as strictly as the table is judged; undefined where one of them has no number. */
function compare(
  table: TableKey,
  competitor: string,
  than: string,
  scenarios: readonly JudgedScenario[],
): (Judgement & { readonly forks: number; readonly byWayOfBaseline: boolean }) | undefined {
  const [one, other] = [competitor, than].map((name) => rowOf(scenarios, table, name));
  const contrast = one?.against.find(({ cell }) => cell === other?.cell);
  const conditions = conditionsOf(scenarios, table);
  if (contrast === undefined || conditions === undefined) return undefined;
  const { judged: rows, looks } = conditions;
  const { forks, byWayOfBaseline } = contrast;
  return { ...judgeContrast(contrast, { rows, looks }), forks, byWayOfBaseline };
}

/** Of two figures that were not paired: its interval at its worst. */
function quotient(one: Ratio, other: Ratio): Ratio {
  return { value: one.value / other.value, low: one.low / other.high, high: one.high / other.low };
}

function rowOf(
  scenarios: readonly JudgedScenario[],
  table: TableKey,
  competitor: string,
): JudgedMeasured | undefined {
  const judged = scenarios.find(({ scenario }) => scenario === table.scenario);
  return judged?.rows.find(
    (row): row is JudgedMeasured =>
      row.noNumber === undefined && row.workers === table.workers && row.competitor === competitor,
  );
}

function conditionsOf(scenarios: readonly JudgedScenario[], table: TableKey) {
  return scenarios
    .find(({ scenario }) => scenario === table.scenario)
    ?.conditions.find(({ workers }) => workers === table.workers);
}

function tableText({ scenario, workers }: TableKey): string {
  return `${scenario}, ${workers} worker${workers === 1 ? "" : "s"}`;
}

function ratioText({ value, low, high }: Ratio): string {
  const digits = value < 0.095 ? 3 : 2;
  return `${value.toFixed(digits)} (${low.toFixed(digits)}-${high.toFixed(digits)})`;
}
