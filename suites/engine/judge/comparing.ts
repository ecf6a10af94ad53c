import { isContestant } from "../measure/plan/plan.ts";
import type { CellRecord, GroupRecord, QuartilesRecord, Statistic } from "../schema/record.ts";
import type { JudgedMeasured, JudgedRow, JudgedScenario } from "../schema/verdict.ts";
import { judgeScenario } from "./judge.ts";
import { logRatiosOf, ofForks } from "./samples.ts";
import { undecided } from "./undecided.ts";
import { evidenceOf, intervalOf, ROW_ERROR } from "./verdict.ts";

/**
 * What rows of a table of tasks are compared with. An empty task that raced beside them shows what the loop takes of each
 * time. A row too near it has no ratio, and is no baseline: another is taken. Where promises are awaited, the loop takes most
 * of a short time. Ratios are of what is left there without the empty task, process by process. Pure.
 */
export interface Comparing {
  /** Competitors that may be the baseline, the raced one first; the first that can is. */
  readonly baselines: readonly string[];
  /** The competitor that does nothing, if one raced. */
  readonly empty?: { readonly competitor: string; readonly isAwaited: boolean };
}

/** Below this multiple of an empty task a row has no ratio. */
const LEAST_TIMES = { called: 3, awaited: 1.5 };

/**
 * An awaited task may take this share of an empty task more or less than the empty one and its own work: the processor works
 * on both at once, or has forgotten what it knew of the work. Loops of 10, 30 and 100 steps, called and awaited side by side,
 * came to between -8 and +25 %.
 */
const UNKNOWN_SHARE = 1 / 4;

/** Which rows are too near the empty task, and which of them may turn out not to be. */
export interface Nearness {
  readonly near: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

export function nearnessOf(groups: readonly GroupRecord[], { empty }: Comparing): Nearness {
  const isAwaited = empty?.isAwaited === true;
  const times = new Map<string, number[]>();
  for (const group of groups) {
    const none = emptyIn(group, empty?.competitor);
    if (none === undefined) continue;
    for (const cell of group.cells.filter(isTask)) {
      const ratios = cell === none ? [] : logRatiosOf(cell, none, roleOf(group), group).values;
      if (ratios.length > 0) times.set(cell.competitor, [...(times.get(cell.competitor) ?? []), ...ratios]);
    }
  }
  const least = Math.log(isAwaited ? LEAST_TIMES.awaited : LEAST_TIMES.called);
  const seen = [...times].map(([competitor, values]) => {
    const peers = [...times.values()].filter((others) => others !== values);
    const { middle, low, high } = intervalOf(evidenceOf(values, peers), 1 - ROW_ERROR);
    const isWhole = values.every((value) => value > Math.log1p(UNKNOWN_SHARE));
    const lowest = Number.isFinite(low) ? low : middle;
    const isNear = isAwaited ? lowest < least || !isWhole : middle < least;
    return { competitor, isNear, isOpen: isNear && isAwaited && isWhole && high >= least };
  });
  const named = (is: (one: (typeof seen)[number]) => boolean) =>
    new Set(seen.filter(is).map(({ competitor }) => competitor));
  return { near: named(({ isNear }) => isNear), open: named(({ isOpen }) => isOpen) };
}

/** The competitor that others can be compared with: of those that `isSound`, the first that raced in most processes. */
export function baselineOf(
  groups: readonly GroupRecord[],
  { baselines }: Comparing,
  isSound: (competitor: string) => boolean,
): string | undefined {
  const forksOf = (competitor: string) =>
    groups
      .flatMap(({ cells }) => cells.filter((cell) => cell.competitor === competitor && isTask(cell)))
      .reduce((sum, { failure, forks }) => sum + (failure === undefined ? forks : 0), 0);
  const sound = baselines.filter((one) => isSound(one) && forksOf(one) > 0);
  const most = Math.max(...sound.map(forksOf));
  return sound.find((one) => forksOf(one) === most);
}

/** As `undecided`, of tasks: never the empty one. */
export function undecidedTasks(
  groups: readonly GroupRecord[],
  rows: number,
  precision: number,
  comparing: Comparing,
): ReadonlySet<string> {
  const { near, open } = nearnessOf(groups, comparing);
  const baseline = baselineOf(groups, comparing, (one) => !near.has(one));
  const compared =
    baseline === undefined ? groups : groups.map((group) => comparable(group, comparing, baseline, near));
  const needed = [...open, ...undecided(compared, rows, precision)];
  return new Set(needed.filter((competitor) => competitor !== comparing.empty?.competitor));
}

/**
 * The rows of all tasks with verdicts and ratios to that baseline; the empty task has no row. Of awaited tasks a verdict holds,
 * and an interval reaches, whatever the empty task's unknown share is. A row near the empty task has the ratio of whole times,
 * which is nearer to 1 than that of the work: it shows what is faster, and by how much at least.
 */
export function judgeTasks(
  groups: readonly GroupRecord[],
  comparing: Comparing,
  baseline: string,
  near: ReadonlySet<string>,
): JudgedScenario {
  const shares = comparing.empty?.isAwaited === true ? [1, 1 - UNKNOWN_SHARE, 1 + UNKNOWN_SHARE] : [1];
  const judged = (without: ReadonlySet<string>, share: number) =>
    judgeScenario(groups.map((group) => comparable(group, comparing, baseline, without, share)));
  const whole = judged(new Set(), 0);
  const tables = shares.map((share) => judged(near, share));
  const rows = whole.rows.map((row) => {
    const seen = tables.map(({ rows: own }) => own.find(({ cell }) => cell === row.cell));
    return row.noNumber === undefined && seen.every(isMeasured) ? withVerdict(row, seen) : row;
  });
  const floors = tables.flatMap(({ conditions }) => conditions.flatMap((own) => own.floors));
  return { ...whole, rows, conditions: whole.conditions.map((own) => ({ ...own, baseline, floors })) };
}

function isMeasured(row: JudgedRow | undefined): row is JudgedMeasured {
  return row !== undefined && row.noNumber === undefined;
}

/** The time of a row as it was measured, with the verdict of these, the likeliest first. */
function withVerdict(row: JudgedMeasured, seen: readonly JudgedMeasured[]): JudgedMeasured {
  const { ratio: _, ...time } = row;
  const [{ kind, verdict, ratio, flags }] = seen as [JudgedMeasured];
  const ratios = seen.flatMap((one) => one.ratio ?? []);
  return {
    ...time,
    kind,
    flags,
    verdict: seen.every((one) => one.verdict === verdict) ? verdict : "cannot tell",
    ...(ratio === undefined
      ? {}
      : {
          ratio: {
            value: ratio.value,
            low: Math.min(...ratios.map(({ low }) => low)),
            high: Math.max(...ratios.map(({ high }) => high)),
          },
        }),
  };
}

/** A group without what is near its empty task, with another baseline, and of awaited tasks with what is left of their times. */
function comparable(
  group: GroupRecord,
  { empty }: Comparing,
  baseline: string,
  near: ReadonlySet<string>,
  share = 1,
): GroupRecord {
  const none = emptyIn(group, empty?.competitor);
  const cells = withBaseline(group, baseline).filter(
    (cell) => !isTask(cell) || (cell.competitor !== empty?.competitor && !near.has(cell.competitor)),
  );
  if (empty?.isAwaited !== true || none === undefined) return { ...group, cells };
  const less = (ns: number, emptyNs: number) => ns - share * emptyNs;
  return { ...group, cells: cells.map((cell) => (isContestant(cell) ? combined(cell, [none], less) : cell)) };
}

function isTask({ kind }: Pick<CellRecord, "kind">): boolean {
  return kind === "baseline" || kind === "rival";
}

function emptyIn({ cells }: GroupRecord, empty: string | undefined): CellRecord | undefined {
  return cells.find(({ competitor, failure }) => competitor === empty && failure === undefined);
}

/** Tasks of several workers do all the same. */
function roleOf({ roles }: GroupRecord): string {
  return roles[0]!;
}

/**
 * The cells as if this competitor had raced as the baseline: its A/A control strays from it as the raced one did from the
 * raced baseline in the same process. Without a baseline where it was not raced.
 */
function withBaseline({ cells }: GroupRecord, baseline: string): readonly CellRecord[] {
  const raced = cells.find(({ kind }) => kind === "baseline");
  if (raced === undefined || raced.competitor === baseline) return cells;
  const taken = cells.find((cell) => cell.competitor === baseline && isTask(cell));
  return cells.map((cell) => {
    if (cell === raced) return { ...cell, kind: "rival" };
    if (cell === taken) return { ...cell, kind: "baseline" };
    if (taken === undefined || cell.kind !== "aa-control") return cell;
    return combined(cell, [raced, taken], (control, own, other) => (control! * other!) / own!);
  });
}

const STATES = ["any", "quiet", "far"] as const;

/** A cell with its times combined with those of others, in the same processes and states; without the ones that not all have. */
function combined(
  cell: CellRecord,
  others: readonly CellRecord[],
  combine: (...ns: readonly number[]) => number,
): CellRecord {
  const roles = Object.entries(cell.roles).map(([role, own]) => {
    const { quiet: _, far: __, ...rest } = own;
    const none = { costNs: ofForks(own.any.costNs, () => false) };
    const states = STATES.flatMap((state) => {
      const beside = others.flatMap((other) => other.roles[role]?.[state]?.costNs ?? []);
      const isWhole = own[state] !== undefined && beside.length === others.length;
      return isWhole
        ? [[state, { costNs: combinedTimes(own[state]!.costNs, beside, combine) }] as const]
        : [];
    });
    return [role, { ...rest, any: none, ...Object.fromEntries(states) }] as const;
  });
  return { ...cell, roles: Object.fromEntries(roles) };
}

function combinedTimes(
  own: QuartilesRecord,
  others: readonly QuartilesRecord[],
  combine: (...ns: readonly number[]) => number,
): QuartilesRecord {
  const { forks, counts, ...times } = ofForks(own, (fork) =>
    others.every((other) => other.forks.includes(fork)),
  );
  const all = Object.entries(times).map(([statistic, column]) => [
    statistic,
    column.map((ns, place) =>
      combine(
        ns,
        ...others.map((other) => other[statistic as Statistic]![other.forks.indexOf(forks[place]!)]!),
      ),
    ),
  ]);
  const whole: QuartilesRecord = { forks, counts, ...Object.fromEntries(all) };
  return ofForks(whole, (fork) => whole.p25[forks.indexOf(fork)]! > 0);
}
