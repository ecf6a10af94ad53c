import type { OwnershipCompetitor } from "../../../structures/ownership/ownership.contract.ts";
import { CountedCopy, stepsIn } from "../../shared/counted-work.ts";
import { type Metric, survey } from "../../shared/vocabulary.ts";
import { MAIN } from "../lookup-races.ts";
import {
  capacityOf,
  isPrivate,
  type LookupParams,
  Lookups,
  lookupLaw,
  populate,
  prepareLookups,
  tooLarge,
} from "../population.ts";

type StepParams = Pick<LookupParams, "resources" | "lookups">;

/** Of an address. From 32 to 1,024 the logarithm doubles. */
const RANGE_COUNTS = [1, 32, 1_024] as const;
const MOST = RANGE_COUNTS.at(-1)!;
const WORKER = { index: 0, workers: 1, role: "worker" };

export default survey<OwnershipCompetitor, StepParams>({
  scenario: "steps-lookup",
  title: "a lookup among 1, 32 and 1,024 ranges of an address: steps counted",
  headline: false,
  baseline: "sorted-arrays",
  // Code of packages and WebAssembly is not counted.
  competitors: [
    ...["sorted-arrays", "flat-sorted-arrays", "flat-slots", "ring-of-ranges", "seqlock-slots"],
    ...["trailing-rule", "first-claim", "last-claim", "event-time-log"],
  ],
  params: { full: { resources: 64, lookups: 2 ** 13 }, smoke: { resources: 2, lookups: 2 ** 6 } },
  metrics: Object.fromEntries(
    RANGE_COUNTS.map((count): [string, Metric] => [
      `steps${count}`,
      { title: `Steps, ${count.toLocaleString("en")}`, unit: "/lookup", digits: 1 },
    ]),
  ),
  mostForks: 2,
  absent: (competitor, { resources }) => tooLarge(competitor, capacityOf({ resources, ranges: MOST })),

  async run(_competitor, { resources, lookups }, seed, { competitorUrl }) {
    const copy = await CountedCopy.of<OwnershipCompetitor>(competitorUrl);
    const worker = { ...WORKER, seed };
    const metrics: Record<string, number> = {};
    for (const ranges of RANGE_COUNTS) {
      const params: LookupParams = { ...MAIN, resources, ranges, lookups };
      const shared = prepareLookups(copy.competitor, { params, workers: 1, seed, fork: 0 });
      const attribution = isPrivate(copy.competitor, shared.capacity)
        ? populate(copy.competitor, shared, shared.capacity, worker, params)
        : copy.competitor.attach(shared.memory, shared.capacity, worker, shared.linear);
      const runner = new Lookups(attribution, shared, params, worker);
      let checksum = 0;
      const work = await copy.workOf(() => {
        checksum = runner.run(lookups);
      });
      const broken = lookupLaw([{ role: "worker", operations: lookups, checksum, counters: {} }]);
      if (broken !== undefined) throw new Error(broken);
      metrics[`steps${ranges}`] = stepsIn(work) / lookups;
    }
    copy.end();
    return metrics;
  },
  law: () => undefined,
});
