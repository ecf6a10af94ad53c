import published from "./published.json" with { type: "json" };

/**
 * What others measured on many cores, and which of its shapes a simulated machine has to show: an entry of
 * published.json. All values are copied from tables that the authors published; none is read off a picture.
 */
export interface PublishedRun {
  /** In file names and records. */
  readonly name: string;
  readonly title: string;
  /** Who published it, and where. */
  readonly citation: string;
  /** The table itself: repository, commit and file, and what was taken from it. */
  readonly table: string;
  readonly machine: string;
  /** With more threads than that some had to wait for a core. */
  readonly cores: number;
  /** What a thread did over and over. */
  readonly workload: string;
  /** Of the curves' values. The first is what one thread waits, so it grows with the threads even at equal throughput. */
  readonly unit: "ns per operation of a thread" | "operations per second of all threads";
  readonly curves: readonly PublishedCurve[];
  /** What is simulated beside it, and on which of the machines of machines.ts. */
  readonly ours: { readonly primitive: string; readonly scenario: string; readonly machine: string };
  /** In what ours is not theirs. */
  readonly differences: string;
  readonly claims: readonly Claim[];
}

export interface PublishedCurve {
  /** As the authors call it. */
  readonly series: string;
  /** Our competitor that does the same. */
  readonly competitor: string;
  /** Threads, from few to many, and the value. */
  readonly points: readonly (readonly [threads: number, value: number])[];
}

/**
 * A shape: throughput at one place of the curves over that at another, within bounds. The bounds are wider than what was
 * published, as it was another machine.
 */
export interface Claim {
  readonly of: PublishedPlace;
  readonly over: PublishedPlace;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface PublishedPlace {
  readonly competitor: string;
  readonly threads: number;
  /** Workers of the simulation, where they are not as many: there too some have to wait for a core, or none. */
  readonly workers?: number;
}

/** Operations per second of all threads, as published. Throws an Error if that was not. */
export function publishedThroughput(
  { name, curves, unit }: PublishedRun,
  { competitor, threads }: PublishedPlace,
): number {
  const curve = curves.find((curve) => curve.competitor === competitor);
  const point = curve?.points.find(([at]) => at === threads);
  if (point === undefined) throw new Error(`${name} has no ${competitor} at ${threads} threads`);
  return unit === "ns per operation of a thread" ? (threads * 1e9) / point[1] : point[1];
}

/** `throughput` in any unit. Undefined where it has none for one of the two places. */
export function claimedRatio(
  { of, over }: Claim,
  throughput: (place: PublishedPlace) => number | undefined,
): number | undefined {
  const [one, other] = [throughput(of), throughput(over)];
  return one === undefined || other === undefined ? undefined : one / other;
}

export function holds({ atLeast = 0, atMost = Number.POSITIVE_INFINITY }: Claim, ratio: number): boolean {
  return atLeast <= ratio && ratio <= atMost;
}

/** One sentence, without its full stop: "at 64 threads `a` has at least 2 times the throughput of `b`". */
export function said({ of, over, atLeast, atMost }: Claim): string {
  const bounds = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
  ].join(" and ");
  if (of.threads === over.threads)
    return `at ${of.threads} threads \`${of.competitor}\` has ${bounds} times the throughput of \`${over.competitor}\``;
  return `\`${of.competitor}\` has with ${of.threads} threads ${bounds} times its throughput with ${over.threads}`;
}

export const PUBLISHED = published as unknown as readonly PublishedRun[];
