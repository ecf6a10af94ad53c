import { createHistogram, type Histogram, type RecordableHistogram } from "node:perf_hooks";
import type { TailMetric } from "../../../shared/vocabulary.ts";

/** Times of single operations as histograms with three digits, and what is read off them. Times are in ns. */
export function newTimes(): RecordableHistogram {
  return createHistogram({ lowest: 1, figures: 3 });
}

export function mergedTimes(parts: readonly RecordableHistogram[]): Histogram {
  const merged = newTimes();
  for (const part of parts) merged.add(part);
  return merged;
}

/** What a tail saw in one process. */
export interface TailSeen {
  readonly response: Histogram;
  readonly service: Histogram;
  /** Response times of the empty operation. */
  readonly empty: Histogram;
}

/** The fewest operations that must lie beyond a percentile: each of fewer would move it. */
const FEWEST_BEYOND = 10;

/** The time that this share of the operations took longer than; undefined where they are too few to say. */
export function timeBeyond(times: Histogram, share: number): number | undefined {
  // Rounded, because 0.001 of 10,000 is not quite 10 in binary.
  if (Math.round(times.count * share * 1e6) / 1e6 < FEWEST_BEYOND) return undefined;
  return times.percentile(100 * (1 - share));
}

/** The figures of a tail: times in us, without the ones that there are too few operations for. */
export function tailFigures({ response, service, empty }: TailSeen): Partial<Record<TailMetric, number>> {
  const inUs = (key: TailMetric, ns: number | undefined) =>
    ns === undefined ? {} : { [key]: Math.round(ns) / 1000 };
  return {
    ...inUs("p50", timeBeyond(response, 0.5)),
    ...inUs("p99", timeBeyond(response, 0.01)),
    ...inUs("p999", timeBeyond(response, 0.001)),
    ...inUs("max", response.max),
    ...inUs("serviceP999", timeBeyond(service, 0.001)),
    ...inUs("emptyP50", timeBeyond(empty, 0.5)),
    ...inUs("emptyP999", timeBeyond(empty, 0.001)),
    unserved: (100 * (response.count - service.count)) / response.count,
    operations: response.count,
  };
}
