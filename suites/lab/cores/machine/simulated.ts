import type { Costs, Topology } from "./machine.ts";

/** One crew of a race on a simulated machine, complete: the same task gives the same figures to the last digit. */
export interface Task {
  /** Of the suite, and the scenario's name. Its race's `prepare`, `attach` and `law` are used as they are. */
  readonly primitive: string;
  readonly scenario: string;
  /** URL of the module that describes it. */
  readonly moduleUrl: string;
  /** Name of the competitor, and the URL of its module. */
  readonly competitor: string;
  readonly url: string;
  readonly size: "full" | "smoke";
  readonly workers: number;
  readonly topology: Topology;
  readonly costs: Costs;
  /** What an operation takes besides its shared accesses, in ns, 0 or more: see local-work.ts. */
  readonly localNs: number;
  /**
   * When that passes. `spread`: in equal parts before each atomic access and at the end of the operation. `after`: at its
   * end, of random length, evenly from 0 to twice as long, where a race's workers think between two operations.
   */
  readonly localWork: "spread" | "after";
  /** Atomic accesses of an operation of one worker alone, from such a run with localNs 0. Used where local work is spread. */
  readonly atomicsAlone: number;
  /** Operations of all workers together, before the window opens and within it. */
  readonly warmUp: number;
  readonly operations: number;
  /**
   * The window of a blocking structure does not close sooner, in virtual ns; absent for no such limit. For crews that take
   * turns on their cores: workers wait for one that has lost its core now and then.
   */
  readonly leastNs?: number;
  /** uint32 */
  readonly seed: number;
}

/** What a task gave. All times are virtual. */
export interface Simulated {
  /**
   * What one worker waits for one operation on average: time of the window, times workers, over operations. Where workers
   * have roles, this and what follows is of those with the first worker's role.
   */
  readonly nsPerOperation: number;
  /** Of single operations that ended within the window, each from its own beginning; its own local work included. */
  readonly p50Ns: number;
  readonly p99Ns: number;
  readonly p999Ns: number;
  readonly maxNs: number;
  /** Operations of each worker within the window. */
  readonly perWorker: readonly number[];
  /** Lines that came from another core or from none, per operation; copies and upgrades included. */
  readonly transfersPerOperation: number;
  readonly accessesPerOperation: number;
  readonly atomicsPerOperation: number;
  /** Compare-exchanges and exchanges that changed nothing, per operation: failed attempts. */
  readonly failuresPerOperation: number;
  readonly sleepsPerOperation: number;
  /** The broken law's sentence, beginning with its name, as the race's law says it; or that the workers sleep for ever. */
  readonly broken?: string;
}
