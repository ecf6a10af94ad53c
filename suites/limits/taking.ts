import {
  type AsyncTokenBucket,
  type LimitsCompetitor,
  type LimitsSetup,
  MOST_CAPACITY,
  MOST_PER_SECOND,
  type TokenBucket,
} from "../../structures/limits/limits.contract.ts";
import { totalsKeepLimit } from "../../structures/limits/limits.laws.ts";
import { shareOf } from "../../structures/limits/parts/share.ts";
import { makeCrewClock, readCrewClock } from "../../structures/shared/crew-clock.ts";
import { allocateRegion, type Region } from "../../structures/shared/layout.ts";
import { workerIdentity } from "../../structures/shared/worker-identity.ts";
import { CPU_TIME, type Race, race, type WorkDone } from "../engine/race.ts";

type Params = Omit<LimitsSetup, "workers">;

interface Shared {
  readonly memory: Region;
  /** When the bucket was full, by the process's clock. */
  readonly beganNs: number;
}

/** More than any crew takes: no take is refused. */
const FAR: Params = { capacity: MOST_CAPACITY, perSecond: MOST_PER_SECOND };
/** Less than any crew takes, by far. */
const REACHED: Params = { capacity: 100, perSecond: 10_000 };

type Described = Pick<
  Race<LimitsCompetitor, Params, Shared>,
  "scenario" | "alike" | "title" | "headline" | "mostWorkers"
>;

/** Workers that take one token after the other from a bucket that always holds some, or that hardly ever does. */
export function taking({ isReached, ...described }: Described & { readonly isReached: boolean }) {
  const params = isReached ? REACHED : FAR;
  return race<LimitsCompetitor, Params, Shared>({
    ...described,
    operation: "take",
    baseline: "locked-bucket",
    params: { full: params, smoke: params },
    columns: { granted: { title: "Granted", unit: "per take", reduce: "per-op" }, cpu: CPU_TIME },
    placement: ({ scope }) => (scope === "split" ? "objects" : "arena"),
    absent: (competitor) =>
      described.mostWorkers !== 1 && isAsync(handleOf(competitor, REACHED))
        ? "it answers by promises: see granted-alone"
        : undefined,

    prepare(competitor, { params, workers }) {
      const setup = { ...params, workers };
      const memory = allocateRegion(competitor.words(setup));
      competitor.format(memory, setup);
      return { memory, beganNs: nowNs() };
    },

    attach(competitor, { params, workers }, { memory }, worker) {
      const bucket = competitor.attach(memory, { ...params, workers }, worker) as TokenBucket;
      let granted = 0;
      return {
        run(operations) {
          let taken = 0;
          for (let done = 0; done < operations; done++) if (bucket.tryTake()) taken++;
          granted += taken;
          return taken;
        },
        counters: () => ({ granted }),
      };
    },

    attachAsync(competitor, { params, workers }, { memory }, worker) {
      const bucket = competitor.attach(memory, { ...params, workers }, worker);
      if (!isAsync(bucket)) return undefined;
      let granted = 0;
      return {
        async runAsync(operations) {
          let taken = 0;
          for (let done = 0; done < operations; done++) if (await bucket.tryTakeAsync()) taken++;
          granted += taken;
          return taken;
        },
        counters: () => ({ granted }),
      };
    },

    law(competitor, { params, workers }, { beganNs }, work) {
      const setup = { ...params, workers };
      const granted = work.reduce((sum, { counters }) => sum + counters.granted!, 0);
      const least = leastGranted(competitor, setup, isReached, work);
      return totalsKeepLimit(competitor, setup, { granted, least, passedNs: nowNs() - beganNs });
    },
  });
}

/** Each take where the limit is far off; else those of a bucket that was full at first. */
function leastGranted(
  { scope }: LimitsCompetitor,
  setup: LimitsSetup,
  isReached: boolean,
  work: readonly WorkDone[],
): number {
  const takes = work.reduce((sum, { operations }) => sum + operations, 0);
  if (!isReached) return takes;
  if (scope === "one") return Math.min(takes, setup.capacity);
  return work.reduce(
    (sum, { operations }, index) => sum + Math.min(operations, shareOf(setup, { index }).tokens),
    0,
  );
}

const nowNs = readCrewClock(makeCrewClock());

function handleOf(competitor: LimitsCompetitor, params: Params): TokenBucket | AsyncTokenBucket {
  const setup = { ...params, workers: 1 };
  const memory = allocateRegion(competitor.words(setup));
  competitor.format(memory, setup);
  return competitor.attach(memory, setup, workerIdentity(0, 1, 0));
}

function isAsync(bucket: TokenBucket | AsyncTokenBucket): bucket is AsyncTokenBucket {
  return "tryTakeAsync" in bucket;
}
