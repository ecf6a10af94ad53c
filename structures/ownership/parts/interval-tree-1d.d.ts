/** The part of the package interval-tree-1d 1.0.4 that the lab uses; it comes without types. */
declare module "interval-tree-1d" {
  interface IntervalTree1d<Interval extends readonly [low: number, high: number, ...unknown[]]> {
    readonly count: number;
    /** All intervals, in an array of its own. */
    readonly intervals: Interval[];
    insert(interval: Interval): void;
    /** A result that is truthy ends the query and is its result. */
    queryInterval(low: number, high: number, visit: (interval: Interval) => unknown): unknown;
  }
  export default function createIntervalTree<
    Interval extends readonly [low: number, high: number, ...unknown[]],
  >(intervals?: readonly Interval[]): IntervalTree1d<Interval>;
}
