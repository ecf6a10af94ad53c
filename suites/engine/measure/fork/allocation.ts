import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import type { AsyncRunner, Runner } from "../../race.ts";
import { ascending, mean, sum } from "../../statistics.ts";
import type { Allocation } from "../plan/protocol.ts";

/**
 * What operations allocate on the heap of V8 that their thread has alone. It is measured when all slices have been timed.
 *
 * The heap's size is exact to a byte: V8 counts up to where the next object will lie. It grows by what is allocated, until
 * a collection takes away some of it. So blocks of operations count in which there was no collection. A reading allocates its
 * own result, and a batch that awaits its promises. So each block is followed by an empty one, whose growth is subtracted.
 *
 * From Node 26 on V8 also adds up all that was ever allocated. It counts whole buffers of up to a page when they are given out
 * (https://github.com/nodejs/node/pull/60429), which is too coarse for a block. So it serves where no block lacks a collection: the
 * operations allocate megabytes.
 */

/** How the size of a heap is read, and when there was a collection. */
export interface Heap {
  /** In bytes, of all objects. */
  read(): number;
  /** All that was ever allocated, in bytes; undefined where V8 does not add it up. */
  total(): number | undefined;
  /** Collections since the last call: when they began, by `performance.now()`, and how long they took, in ms. */
  collected(): Promise<readonly Pause[]>;
  end(): void;
}

export interface Pause {
  readonly startTime: number;
  readonly duration: number;
}

/** Blocks end after this time, in ns, once enough count; after that time, once there are a few; and after that many. */
const LEAST_NS = 10e6;
const MOST_NS = 40e6;
const FEWEST_BLOCKS = 4;
const MOST_BLOCKS = 400;
/** Of blocks without a collection: fewer show nothing. */
const FEWEST_COUNTED = 3;
const ENOUGH_COUNTED = 16;
/**
 * What a block may allocate, in bytes. A page of V8's has 256 kB, and an object that does not fit leaves its end empty, which
 * counts. So most blocks end in the page that they began in.
 */
const MOST_BYTES = 32_768;
/** A block has this many batches of a slice: a reading takes a fiftieth of that time. */
const BATCHES = 4;

/** About how long `allocationOf` takes, in ms, where operations are short. */
export const ALLOCATION_MS = 25;

/** Runs blocks of operations, `batch` of which take about 15 us. */
export async function allocationOf(
  runner: Runner | AsyncRunner,
  batch: number,
  heap: Heap = ownHeap(),
): Promise<Allocation> {
  let size = Math.max(1, Math.min(BATCHES * batch, runner.mostOperations ?? Number.POSITIVE_INFINITY));
  const all = { operations: 0, collections: 0, tookNs: 0, collectingNs: 0 };
  const counted: number[] = [];
  await heap.collected();
  const totalBefore = heap.total();
  const isEnough = (blocks: number) =>
    blocks >= FEWEST_BLOCKS && all.tookNs >= (counted.length < ENOUGH_COUNTED ? MOST_NS : LEAST_NS);
  for (let blocks = 0; blocks < MOST_BLOCKS && !isEnough(blocks); blocks++) {
    const { bytes, fromMs, toMs } = await block(runner, size, heap);
    const collections = await heap.collected();
    // V8 collects in turns of the event loop, too, what would otherwise be collected a little later.
    const between = collections.filter(({ startTime }) => startTime > toMs);
    all.operations += size;
    all.collections += collections.length;
    all.tookNs += 1e6 * (toMs - fromMs + timeIn(between));
    all.collectingNs += 1e6 * timeIn(collections);
    const isWhole = collections.length === between.length;
    if (isWhole) counted.push(bytes / size);
    const excess = isWhole ? bytes / MOST_BYTES : 1;
    if (excess > 1 || (!isWhole && counted.length <= blocks / 2)) {
      if (isWhole && size > 1) counted.length = 0;
      size = Math.max(1, Math.floor(size / (2 * excess)));
    }
  }
  heap.end();
  if (counted.length >= FEWEST_COUNTED) return { bytes: middleOf(counted), ...all };
  const total = heap.total();
  return total === undefined ? all : { bytes: (total - totalBefore!) / all.operations, ...all };
}

/** Runs a block of operations and an empty one; returns by how many bytes more the heap grew in the first. */
async function block(runner: Runner | AsyncRunner, operations: number, heap: Heap) {
  await runner.prepare?.(operations);
  const fromMs = performance.now();
  const before = heap.read();
  if ("runAsync" in runner) await runner.runAsync(operations);
  else runner.run(operations);
  const between = heap.read();
  if ("runAsync" in runner) await runner.runAsync(0);
  const after = heap.read();
  return { bytes: between - before - (after - between), fromMs, toMs: performance.now() };
}

/** The mean of the middle half: now and then V8 itself allocates, or sweeps what an earlier collection left. */
function middleOf(bytes: readonly number[]): number {
  const cut = bytes.length >> 2;
  return mean(bytes.toSorted(ascending).slice(cut, bytes.length - cut));
}

function timeIn(collections: readonly Pause[]): number {
  return sum(collections.map(({ duration }) => duration));
}

/** Of the thread that calls it. */
function ownHeap(): Heap {
  const entries: PerformanceEntry[] = [];
  const observer = new PerformanceObserver((list) => void entries.push(...list.getEntries()));
  observer.observe({ entryTypes: ["gc"] });
  return {
    read: () => getHeapStatistics().used_heap_size,
    total: () => (getHeapStatistics() as { readonly total_allocated_bytes?: number }).total_allocated_bytes,
    async collected() {
      // Node notes collections in a turn of the event loop.
      await setImmediate();
      return collectionsIn([...entries.splice(0), ...observer.takeRecords()]);
    },
    end: () => observer.disconnect(),
  };
}
/** Of entries of kind "gc": steps of marking between operations, and callbacks of weak references, free nothing. */
export function collectionsIn(entries: readonly PerformanceEntry[]): readonly Pause[] {
  return (entries as readonly Collected[]).filter(({ detail }) => COLLECTIONS.has(detail.kind));
}

interface Collected extends PerformanceEntry {
  readonly detail: { readonly kind: number };
}

const COLLECTIONS: ReadonlySet<number> = new Set([
  constants.NODE_PERFORMANCE_GC_MINOR,
  constants.NODE_PERFORMANCE_GC_MAJOR,
]);
