import type { OwnershipCompetitor } from "../../../structures/ownership/ownership.contract.ts";
import { median } from "../../engine/statistics.ts";
import { survey } from "../../shared/vocabulary.ts";
import { capacityOf, fill, ORIGIN_MS, oldestEndsBy, secondIsUnderWayAt, tooLarge } from "../population.ts";

interface TrimParams {
  readonly resources: number;
  readonly ranges: number;
}

export default survey<OwnershipCompetitor, TrimParams>({
  scenario: "trim",
  title: "trims of 100,000 addresses with 4 ranges each: the oldest range of each, then nothing, then all",
  headline: false,
  baseline: "sorted-arrays",
  params: { full: { resources: 100_000, ranges: 4 }, smoke: { resources: 50, ranges: 4 } },
  metrics: {
    oldest: { title: "The oldest of four", unit: "ns/address", digits: 1 },
    nothing: { title: "Nothing", unit: "ns/address", digits: 1 },
    all: { title: "All that is left", unit: "ns/address", digits: 1 },
    forgotten: { title: "Lost by the first two", unit: "", digits: 0 },
    remembered: { title: "Found afterwards", unit: "", digits: 0 },
  },
  bytesPerWorker: (_competitor, { resources, ranges }) => resources * ranges * 1200,
  absent: (competitor, params) => tooLarge(competitor, capacityOf(params)),
  run(competitor, { resources, ranges }, seed, { nowNs }) {
    const end = oldestEndsBy();
    const { windowMs } = capacityOf({ resources, ranges });
    const taken: Record<"oldest" | "nothing" | "all", number[]> = { oldest: [], nothing: [], all: [] };
    let forgotten = 0;
    let remembered = 0;
    for (let turn = 0; turn < TRIM_TURNS; turn++) {
      const attribution = fill(competitor, resources, ranges, seed);
      const count = (t: number) => {
        let owned = 0;
        for (let resource = 0; resource < resources; resource++)
          if (attribution.ownerAt(resource, t) >= 0) owned++;
        return owned;
      };
      const trim = (step: keyof typeof taken, watermark: number) => {
        const begunNs = nowNs();
        attribution.trim(watermark);
        if (turn >= UNCOUNTED_TURNS) taken[step].push((nowNs() - begunNs) / resources);
      };
      const kept = count(secondIsUnderWayAt());
      trim("oldest", end);
      trim("nothing", end + 1);
      forgotten += kept - count(secondIsUnderWayAt());
      trim("all", ORIGIN_MS + windowMs);
      remembered += count(secondIsUnderWayAt());
      if (kept !== resources) throw new Error(`${kept} of ${resources} addresses had an owner to begin with`);
    }
    return {
      oldest: median(taken.oldest),
      nothing: median(taken.nothing),
      all: median(taken.all),
      forgotten,
      remembered,
    };
  },
  law: (_competitor, _params, { forgotten, remembered }) =>
    (forgotten === 0 ? undefined : `${forgotten} addresses lost an owner after the watermark`) ??
    (remembered === 0 ? undefined : `${remembered} addresses still had an owner before the watermark`),
});

/** The first turns are for the compiler. */
const TRIM_TURNS = 7;
const UNCOUNTED_TURNS = 2;
