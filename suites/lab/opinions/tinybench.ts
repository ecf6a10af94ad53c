import { Bench } from "tinybench";
import type { Opinion } from "../schema/opinion.ts";
import type { OpinionCell } from "./cell.ts";

/**
 * How tinybench is used: one task, whose function is a batch of the lab's (tinybench reads its clock around every
 * call). A `beforeEach` hook prepares it, which tinybench leaves out of the time. Synchronous, so that no sample holds
 * a turn of the microtask queue.
 */

/** Least samples, and part of the time that goes to warming up the library's own loop: the batch is warm already. */
const LEAST_SAMPLES = 12;
const WARM_UP_PART = 0.1;

const NS_PER_MS = 1e6;

export function measureWithTinybench(cell: OpinionCell, cpuMs: number): Opinion {
  const time = cell.budgetMs(cpuMs);
  const bench = new Bench({
    time,
    iterations: LEAST_SAMPLES,
    warmupTime: WARM_UP_PART * time,
    warmupIterations: 1,
    throws: true,
  });
  let saturated: string | undefined;
  bench.addEventListener("warning", ({ reason }) => {
    saturated = `timer saturated: ${reason ?? "unknown"}`;
  });
  // What each batch returns depends on all before it, so the last of them keeps every one alive.
  let sink = 0;
  bench.add(
    "batch",
    () => {
      sink = cell.runBatch();
    },
    {
      async: false,
      beforeEach: () => cell.prepareBatch(),
    },
  );
  const { result } = bench.runSync()[0]!;
  if (!("latency" in result)) throw new Error(`tinybench has no statistics: its task is ${result.state}`);
  if (!Number.isInteger(sink)) throw new Error(`its checksum is ${sink}`);
  const { latency } = result;
  const ns = (ms: number) => (ms * NS_PER_MS) / cell.batch;
  return {
    nsPerOperation: {
      mean: ns(latency.mean),
      low: ns(latency.mean - latency.moe),
      high: ns(latency.mean + latency.moe),
      median: ns(latency.p50),
      min: ns(latency.min),
      p75: ns(latency.p75),
      p99: ns(latency.p99),
      max: ns(latency.max),
      standardDeviation: ns(latency.sd),
    },
    samples: latency.samplesCount,
    batch: cell.batch,
    flags: saturated === undefined ? [] : [saturated],
  };
}
