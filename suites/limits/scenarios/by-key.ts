import type { KeyBuckets, LimitsCompetitor } from "../../../structures/limits/limits.contract.ts";
import { allocateRegion, type Region } from "../../../structures/shared/layout.ts";
import { Random } from "../../../structures/shared/sfc32.ts";
import type { WorkerIdentity } from "../../../structures/shared/worker-identity.ts";
import { race, type Setup } from "../../engine/race.ts";

interface Params {
  readonly keys: number;
}

/** More than any crew takes of one user, and so slow to come that no bucket is full again. */
const LIMIT = { capacity: 1_000_000, perSecond: 1 };

/** By all workers, or by one, with the package that answers by promises. */
export default [byKey("by-key"), byKey("by-key-alone", 1)];

/** Takes of one token each of users that are drawn at random. */
function byKey(scenario: string, mostWorkers?: number) {
  return race<LimitsCompetitor, Params, Region>({
    scenario,
    ...(mostWorkers === undefined ? {} : { mostWorkers }),
    title: `takes of one token of 100,000 users${mostWorkers === undefined ? "" : " by one worker"}, each far from its limit`,
    operation: "take",
    headline: false,
    baseline: "gcra-table",
    params: { full: { keys: 100_000 }, smoke: { keys: 1_000 } },
    isLarge: ({ keys }) => keys > 1_000,
    placement: ({ scope }) => (scope === "split" ? "objects" : "arena"),
    absent({ byKey, scope }) {
      if (byKey === undefined) return "it has one bucket";
      return scope === "split" && mostWorkers !== 1 ? "it answers by promises: see by-key-alone" : undefined;
    },

    prepare(competitor, setup) {
      const memory = allocateRegion(competitor.byKey!.words(limitOf(setup)));
      competitor.byKey!.format(memory, limitOf(setup));
      return memory;
    },

    attach(competitor, setup, memory, worker) {
      const buckets = competitor.byKey!.attach(memory, limitOf(setup), worker) as KeyBuckets;
      const { next, seen } = usersOf(setup, worker);
      return {
        run(operations) {
          let granted = 0;
          for (let done = 0; done < operations; done++) if (buckets.tryTake(next())) granted++;
          seen.granted += granted;
          return granted;
        },
        counters: () => seen,
      };
    },

    attachAsync(competitor, setup, memory, worker) {
      const buckets = competitor.byKey!.attach(memory, limitOf(setup), worker);
      if (!("tryTakeAsync" in buckets)) return undefined;
      const { next, seen } = usersOf(setup, worker);
      return {
        async runAsync(operations) {
          let granted = 0;
          for (let done = 0; done < operations; done++) if (await buckets.tryTakeAsync(next())) granted++;
          seen.granted += granted;
          return granted;
        },
        counters: () => seen,
      };
    },

    /** All are granted, but those of users for whom the table has no room: one in a million. */
    law(_competitor, _setup, _memory, work) {
      const takes = work.reduce((sum, { operations }) => sum + operations, 0);
      const granted = work.reduce((sum, { counters }) => sum + counters.granted!, 0);
      return granted > takes || granted < takes * LEAST_GRANTED
        ? `asMuchAsTheRateAllows: ${granted} of ${takes} takes were granted`
        : undefined;
    },
  });
}

const LEAST_GRANTED = 0.999;

const limitOf = ({ params, workers }: Setup<Params>) => ({ ...LIMIT, ...params, workers });

/** Users as a server knows them, drawn by this worker. */
function usersOf({ params, seed }: Setup<Params>, { index }: WorkerIdentity) {
  const names = Array.from({ length: params.keys }, (_, user) => `user/${user}`);
  const random = new Random(seed, index);
  return { next: () => names[random.below(names.length)]!, seen: { granted: 0 } };
}
