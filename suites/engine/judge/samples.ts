import type { CellRecord, ForkRecord, GroupRecord } from "../record/record.ts";
import { median } from "./statistics.ts";

/**
 * From raw slices to the figures that are judged: which slices count, and what each says.
 */

/** A slice whose workers were not together for this share of their time does not show contention between them. */
const LEAST_OVERLAP = 0.95;

/** A round whose control costs this many times its usual one-worker cost was disturbed from outside. */
const DISTURBED = 1.1;

/** One slice of one cell, in numbers. Per-role figures are keyed by role. */
export interface SliceFigures {
  readonly round: number;
  /** What one worker of a role waits per operation: its workers divided by the sum of their rates. */
  readonly nsPerOperation: ReadonlyMap<string, number>;
  /** Rate of the slowest worker of a role over that of its fastest. */
  readonly fairness: ReadonlyMap<string, number>;
  /** Time that all workers measured at once over the time in which any did. Negative if they never met. */
  readonly overlap: number;
}

export interface ForkFigures {
  readonly fork: number;
  readonly slices: readonly SliceFigures[];
}

/** The figures of a cell that count, and how many did not. */
export interface KeptFigures {
  readonly forks: readonly ForkFigures[];
  readonly slices: number;
  readonly droppedForOverlap: number;
}

/**
 * All that can be said of a slice before knowing whether it counts.
 *
 * With a core for every worker, a worker's time runs from when it saw the window open. With more workers than cores it
 * runs from the opening itself: a worker that had to wait for a core was kept from its operations by the others, and
 * timed only while it ran it would look as if it had run alone.
 */
export function figuresOf(
  fork: ForkRecord,
  roles: readonly string[],
  oversubscribed: boolean,
): SliceFigures[] {
  return fork.rounds.map((round, index) => {
    const endNs = fork.endNs[index]!;
    const startNs = oversubscribed ? endNs.map(() => 0) : fork.startNs[index]!;
    const preparingNs = fork.preparingNs?.[index];
    const rates = fork.operations[index]!.map(
      (operations, seat) => operations / (endNs[seat]! - startNs[seat]! - (preparingNs?.[seat] ?? 0)),
    );
    const ratesByRole = Map.groupBy(rates.keys(), (seat) => roles[seat] ?? "worker");
    const perRole = (figure: (rates: readonly number[]) => number) =>
      new Map([...ratesByRole].map(([role, seats]) => [role, figure(seats.map((seat) => rates[seat]!))]));
    const together = Math.min(...endNs) - Math.max(...startNs);
    const any = Math.max(...endNs) - Math.min(...startNs);
    return {
      round,
      nsPerOperation: perRole((each) => each.length / each.reduce((sum, rate) => sum + rate, 0)),
      fairness: perRole((each) => Math.min(...each) / Math.max(...each)),
      overlap: together / any,
    };
  });
}

/** What the control says of one fork. */
export interface ForkWeather {
  readonly disturbed: ReadonlySet<number>;
  /** True if the control cost more with company than alone throughout: the cores share something, or slow down. */
  readonly crowded: boolean;
}

/**
 * The rounds of each fork in which the control betrays a disturbance: it cannot contend, so while there are cores
 * enough it must cost what one worker's costs, the median of the fork's one-worker control.
 *
 * Where it costs more in most rounds of a fork, that is no disturbance but what this machine's cores do when both are
 * busy (two threads of one core, or a clock that drops under load). Then the rounds are held to the control's own
 * median, and the fork is reported as crowded instead of being dropped whole.
 */
export function weatherOf({ cells, oversubscribed }: GroupRecord): Map<number, ForkWeather> {
  const control = cells.find(({ kind }) => kind === "control");
  const alone = cells.find(({ kind }) => kind === "control-alone") ?? control;
  const weather = new Map<number, ForkWeather>();
  if (control === undefined || alone === undefined || oversubscribed) return weather;
  for (const fork of control.forks) {
    const slices = figuresOf(fork, [], false);
    const reference = alone.forks.find((other) => other.fork === fork.fork);
    const above = (usualNs: number) => slices.filter((slice) => soleFigure(slice) > DISTURBED * usualNs);
    const aloneNs = median((reference === undefined ? [] : figuresOf(reference, [], false)).map(soleFigure));
    const crowded = above(aloneNs).length > slices.length / 2;
    const outliers = above(crowded ? median(slices.map(soleFigure)) : aloneNs);
    weather.set(fork.fork, { disturbed: new Set(outliers.map(({ round }) => round)), crowded });
  }
  return weather;
}

/** The slices of a cell that count: in an undisturbed round, and, with cores enough, overlapping. */
export function keptFigures(
  cell: CellRecord,
  { roles, oversubscribed }: Pick<GroupRecord, "roles" | "oversubscribed">,
  weather: ReadonlyMap<number, ForkWeather>,
): KeptFigures {
  let slices = 0;
  let droppedForOverlap = 0;
  const forks = cell.forks.map((fork): ForkFigures => {
    const all = figuresOf(fork, isContestant(cell) ? roles : [], oversubscribed);
    slices += all.length;
    const overlapping = oversubscribed ? all : all.filter(({ overlap }) => overlap >= LEAST_OVERLAP);
    droppedForOverlap += all.length - overlapping.length;
    const kept = overlapping.filter(({ round }) => !weather.get(fork.fork)?.disturbed.has(round));
    return { fork: fork.fork, slices: kept };
  });
  return { forks: forks.filter((fork) => fork.slices.length > 0), slices, droppedForOverlap };
}

/** Whether a cell is a row of the table; the engine's own crews (controls, the empty operation) know no roles. */
export function isContestant({ kind }: CellRecord): boolean {
  return kind === "baseline" || kind === "twin" || kind === "rival";
}

/** Logarithm of candidate over baseline for every round that counts for both, fork by fork. */
export function logRatios(candidate: KeptFigures, baseline: KeptFigures, role: string): number[][] {
  return candidate.forks.flatMap(({ fork, slices }) => {
    const other = baseline.forks.find((candidateFork) => candidateFork.fork === fork);
    const byRound = new Map(other?.slices.map((slice) => [slice.round, slice.nsPerOperation.get(role)!]));
    const ratios = slices
      .filter(({ round }) => byRound.has(round))
      .map(({ round, nsPerOperation }) => Math.log(nsPerOperation.get(role)! / byRound.get(round)!));
    return ratios.length > 0 ? [ratios] : [];
  });
}

/** Logarithm of what one operation of a role cost, in ns, for every slice that counts, fork by fork. */
export function logCosts({ forks }: KeptFigures, role: string): number[][] {
  return forks.map(({ slices }) => slices.map(({ nsPerOperation }) => Math.log(nsPerOperation.get(role)!)));
}

/**
 * Growth of a counter per operation, summed over the workers at `seats`, over each fork from its first measured slice
 * to its last (before the first lies the warm-up, which does not count).
 */
export function counterPerOperation(cell: CellRecord, counter: string, seats: readonly number[]): number[] {
  const at = (perWorker: readonly number[]) => seats.reduce((total, seat) => total + perWorker[seat]!, 0);
  return cell.forks.flatMap(({ counters, operationsWithRamps }) => {
    const totals = counters[counter]?.map(at);
    if (totals === undefined || totals.length < 2) return [];
    const operations = operationsWithRamps.slice(1).reduce((total, perWorker) => total + at(perWorker), 0);
    return [(totals.at(-1)! - totals[0]!) / operations];
  });
}

/** A counter at the end of each fork, the largest among the workers at `seats`. */
export function counterLevel(cell: CellRecord, counter: string, seats: readonly number[]): number[] {
  return cell.forks.flatMap(({ counters }) => {
    const last = counters[counter]?.at(-1);
    return last === undefined ? [] : [Math.max(...seats.map((seat) => last[seat]!))];
  });
}

/** Time per operation that was spent on preparing, in each fork, in ns; nothing where nothing was prepared. */
export function preparingPerOperation(cell: CellRecord, _key: string, seats: readonly number[]): number[] {
  const total = (slices: readonly (readonly number[])[]) =>
    slices.reduce((sum, perWorker) => sum + seats.reduce((all, seat) => all + perWorker[seat]!, 0), 0);
  return cell.forks.flatMap(({ preparingNs, operations }) =>
    preparingNs === undefined ? [] : [total(preparingNs) / total(operations)],
  );
}

/** The figure of a crew whose workers all do the same. */
export function soleFigure({ nsPerOperation }: SliceFigures): number {
  return [...nsPerOperation.values()][0]!;
}
