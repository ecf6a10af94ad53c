import { getHeapStatistics } from "node:v8";
import { do_not_optimize, measure } from "mitata";
import type { Opinion } from "../schema/opinion.ts";
import type { OpinionCell } from "./cell.ts";

/**
 * How mitata is used: `measure` with a computed parameter prepares the batch. mitata makes the parameter before each
 * sample and leaves it out of its time. `do_not_optimize` takes the result. Its own batching is switched off. It would
 * make the parameters of 4,096 calls before the first of these, and a batch of the lab's is long enough for its clock.
 *
 * Time and memory are measured apart, because a collection around each sample would empty the caches for it.
 */

/** No call is so short that mitata would batch it: not even one that its clock sees no time pass in. */
const NO_BATCHING = { batch_threshold: -1 } as const;

/** For time: mitata's own least number of samples, which it also needs to leave the outermost two on each side out. */
const TIMING = { ...NO_BATCHING, min_samples: 12 } as const;

/** For memory, with a full collection before and after each sample: few, since with a large heap each takes 0.1 s. */
const MEMORY = {
  ...NO_BATCHING,
  inner_gc: true,
  heap: heapBytes,
  min_samples: 4,
  min_cpu_time: 20e6,
} as const;

/**
 * mitata warns where a function takes less than this multiple of an empty one: "likely optimized out". It compares means;
 * here medians, because one pause of a busy machine gives an empty function any mean.
 */
const OPTIMIZED_OUT = 1.42;

export async function measureWithMitata(cell: OpinionCell, cpuMs: number, memory: boolean): Promise<Opinion> {
  const empty = await measure(() => {}, { ...TIMING, min_cpu_time: 1e6 });
  const timing = { ...TIMING, min_cpu_time: cell.budgetMs(cpuMs) * 1e6 };
  const time = await measureBatches(cell, timing);
  const { batch } = cell;
  return {
    nsPerOperation: {
      mean: time.avg / batch,
      median: time.p50 / batch,
      min: time.min / batch,
      p75: time.p75 / batch,
      p99: time.p99 / batch,
      max: time.max / batch,
    },
    samples: time.samples.length,
    batch,
    ...(memory ? await measureMemory(cell) : {}),
    flags: time.p50 < OPTIMIZED_OUT * empty.p50 ? ["likely optimized out"] : [],
  };
}

/**
 * Reading the heap allocates, and collecting a heap that nothing was added to takes time. An empty function shows how
 * much of both is not the operations'.
 */
async function measureMemory(
  cell: OpinionCell,
): Promise<Pick<Opinion, "heapBytesPerOperation" | "gcNsPerOperation">> {
  // The first readings of the heap leave more behind than later ones.
  await measure(() => {}, { ...MEMORY, inner_gc: false, min_cpu_time: 1e6 });
  const empty = await measure(() => {}, { ...MEMORY });
  const seen = await measureBatches(cell, { ...MEMORY });
  const { batch } = cell;
  // mitata leaves out samples whose heap shrank, and has no average where all did.
  const heapBytes = ((seen.heap?.avg ?? Number.NaN) - (empty.heap?.avg ?? Number.NaN)) / batch;
  return {
    ...(Number.isFinite(heapBytes) ? { heapBytesPerOperation: Math.max(0, heapBytes) } : {}),
    ...(seen.gc === undefined || empty.gc === undefined
      ? {}
      : { gcNsPerOperation: beyondNoise(seen.gc, empty.gc) / batch }),
  };
}

/**
 * How much longer collections take, in ns; 0 unless each took longer than any after nothing. A full collection takes
 * milliseconds and moves by as much, and a batch makes only microseconds of work for it.
 */
function beyondNoise(seen: NonNullable<Stats["gc"]>, empty: NonNullable<Stats["gc"]>): number {
  return seen.min > empty.max ? seen.avg - empty.avg : 0;
}

type Stats = Awaited<ReturnType<typeof measure>>;
/** What a function without arguments of its own is measured with. */
type Options = Omit<NonNullable<Parameters<typeof measure>[1]>, "args">;

/** A generator, because only to these mitata gives computed parameters; what it yields for them its types leave out. */
function measureBatches(cell: OpinionCell, options: Options) {
  const prepare = () => cell.prepareBatch();
  const bench = (_prepared: unknown) => do_not_optimize(cell.runBatch());
  function* generator() {
    yield { 0: prepare, bench } as unknown as () => void;
  }
  return measure(generator, options);
}

/** As mitata's own runner reads it on Node.js. */
function heapBytes(): number {
  const { used_heap_size, malloced_memory } = getHeapStatistics();
  return used_heap_size + malloced_memory;
}
