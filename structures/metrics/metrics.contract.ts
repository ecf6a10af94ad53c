import type { Contract } from "../shared/contract.ts";
import type { Region } from "../shared/layout.ts";
import type { Traits } from "../shared/traits.ts";
import type { WorkerIdentity } from "../shared/worker-identity.ts";
import type { HistogramRange } from "./parts/buckets.ts";

/**
 * A counter and a histogram that all workers write and any thread reads: the smallest part of a set of metrics that
 * workers can contend for.
 *
 * Life: one thread formats `words` words once, before any other thread touches them. Then each worker attaches and
 * writes through a handle of its own. Any thread may read at any time, by a reader of its own.
 *
 * What a reader sees. Each worker's part is what that worker had counted at some moment of the read. The moments of two
 * workers may differ. Two reads by one reader never fall. Of the histogram, a reader sees a sum that includes at least
 * the values it sees counted. A call that has returned is seen by every read that begins afterwards.
 *
 * A worker that is terminated loses nothing that it had counted. The call in progress is counted in full, or not at
 * all; a `record` may leave its value in the sum alone. The next worker in the seat (shared/instance.ts) adds to what is
 * there. Where `reading` is "asked", all of this is lost with the worker.
 */
export interface MetricsCompetitor extends Traits {
  /** Largest count that is exact. Beyond it a count is rounded, or starts again at 0 where this is less than 2^53. */
  readonly exactTo: number;
  /** `anyone`: any thread reads the shared words. `asked`: each worker reports its own part, once it has time to. */
  readonly reading: "anyone" | "asked";
  /** `asked`: buckets as fine as the range asks. `octaves`: one bucket for each doubling. */
  readonly buckets: "asked" | "octaves";
  /** Size in int32 words; 0 where nothing is shared. */
  words(setup: MetricsSetup): number;
  format(memory: Region, setup: MetricsSetup): void;
  attach(memory: Region, setup: MetricsSetup, worker: WorkerIdentity): Recorder;
  /** A reader for this thread. Present where `reading` is "anyone". */
  reader?(memory: Region, setup: MetricsSetup): () => Totals;
}

export interface MetricsSetup {
  /** 1 .. MOST_WORKERS. */
  readonly workers: number;
  readonly range: HistogramRange;
}

/** One worker's handle. Not to be passed to another thread. */
export interface Recorder {
  /** Adds `n`, an integer in 0 .. 2^53 - 1. Throws for a negative number and for one that is not finite. */
  add(n: number): void;
  /** Records a value of 0 or more. Throws for one that is not finite. */
  record(value: number): void;
  /** What this worker has counted itself. Present where `reading` is "asked". */
  own?(): Totals;
}

/** What was counted. */
export interface Totals {
  /** Sum of what was added. */
  readonly count: number;
  /** Sum of the recorded values. */
  readonly sum: number;
  /** Recorded values by bucket: parts/buckets.ts says which is which. */
  readonly buckets: readonly number[];
}

export const contract = {
  question:
    "Where do workers count requests and latencies, so that each count is cheap and anyone can read it?",
  oracle: "locked",
  fields: {
    exactTo: "number",
    reading: { anyone: true, asked: true },
    buckets: { asked: true, octaves: true },
    words: "function",
    format: "function",
    attach: "function",
  },
  optional: { reader: "function" },
  contradiction({ reading, reader }) {
    return (reading === "anyone") === (reader !== undefined)
      ? undefined
      : 'reading "anyone" and reader go together: give both or neither';
  },
  footprint(competitor) {
    const range = { from: 0.0001, to: 100, error: 1 / 32 };
    const bytes = competitor.words({ workers: 8, range }) * Int32Array.BYTES_PER_ELEMENT;
    return bytes === 0 ? "private memory" : `${bytes} B for 8 workers, 322 buckets`;
  },
} satisfies Contract<MetricsCompetitor>;
