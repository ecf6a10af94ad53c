import type { OwnershipCompetitor } from "../../../structures/ownership/ownership.contract.ts";
import { type Instruments, type Metric, survey } from "../../shared/vocabulary.ts";
import { capacityOf, fill, tooLarge } from "../population.ts";

interface BytesParams {
  readonly resources: number;
}

const RANGE_COUNTS = [1, 4, 32] as const;

export default survey<OwnershipCompetitor, BytesParams>({
  scenario: "bytes",
  title: "bytes per range after the garbage collector, 1, 4 and 32 ranges per address",
  headline: false,
  baseline: "sorted-arrays",
  params: { full: { resources: 25_000 }, smoke: { resources: 50 } },
  metrics: Object.fromEntries(
    RANGE_COUNTS.map((count): [string, Metric] => [
      `bytes${count}`,
      { title: `${count} per address`, unit: "B/range", digits: 1 },
    ]),
  ),
  bytesPerWorker: (_competitor, { resources }) => resources * 32 * 1200,
  absent: (competitor, { resources }) => tooLarge(competitor, capacityOf({ resources, ranges: 32 })),
  run(competitor, { resources }, seed, instruments) {
    // Weighed once for nothing. What is compiled for the first time, and the megabyte or two that a process sheds after
    // its start, would be counted as bytes of ranges.
    weigh(competitor, resources, 1, seed, instruments);
    const metrics: Record<string, number> = {};
    for (const ranges of RANGE_COUNTS) {
      const { held, stated } = weigh(competitor, resources, ranges, seed, instruments);
      if (resources >= WEIGHED_RESOURCES && held < stated)
        throw new Error(`it says it holds ${stated} bytes, and ${held} were found`);
      metrics[`bytes${ranges}`] = held / (resources * ranges);
    }
    return metrics;
  },
  law: (_competitor, { resources }, metrics) => {
    // A start, an end and an owner; structures of one worker have no smaller way to separate ranges.
    const least = RANGE_COUNTS.find((count) => metrics[`bytes${count}`]! < LEAST_BYTES_PER_RANGE);
    return least === undefined || resources < WEIGHED_RESOURCES
      ? undefined
      : `${metrics[`bytes${least}`]!.toFixed(1)} bytes cannot hold a range`;
  },
});

/** Start, end and owner in 32 bits each, but for change logs, in which an owner's end is another one's beginning. */
const LEAST_BYTES_PER_RANGE = 8;
/** With fewer the heap's own comings and goings outweigh them. */
const WEIGHED_RESOURCES = 10_000;

/**
 * What a filling holds, in bytes, and what it says it does. In a function of its own, so that no garbage of one filling
 * is alive when the next is weighed.
 */
function weigh(
  competitor: OwnershipCompetitor,
  resources: number,
  ranges: number,
  seed: number,
  { heldBytes }: Instruments,
) {
  const before = heldBytes();
  const kept = fill(competitor, resources, ranges, seed);
  return { held: heldBytes() - before, stated: kept.bytes?.() ?? 0 };
}
