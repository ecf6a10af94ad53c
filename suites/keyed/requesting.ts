import type { Key, Keyed, KeyedCompetitor, KeyedSetup } from "../../structures/keyed/keyed.contract.ts";
import { nothingIsLost } from "../../structures/keyed/keyed.laws.ts";
import { allocateRegion, type Region, STRIDE_WORDS } from "../../structures/shared/layout.ts";
import { nextSfc32, SFC32_WORDS, seedSfc32 } from "../../structures/shared/sfc32.ts";
import { type AsyncRunner, CPU_TIME, type Runner, race, type WorkDone } from "../engine/race.ts";

export interface Params {
  /** A power of two. */
  readonly keys: number;
}

interface Shared {
  readonly memory: Region;
  /** One plain counter for each key, in a line of its own. */
  readonly counters: Region;
}

/** A hundred for each key that two workers hold, and few enough bytes for the nearest caches: 128 KiB. */
export const STRIPES = 1024;

export function setupOf(workers: number): KeyedSetup {
  return { stripes: STRIPES, workers };
}

/** As users have them: neither numbers nor of one length. */
export function namesOf({ keys }: Params): readonly Key[] {
  return Array.from({ length: keys }, (_, key) => `cart/${key}`);
}

const prepare = (competitor: KeyedCompetitor, { workers, params }: { workers: number; params: Params }) => {
  const memory = allocateRegion(competitor.words(setupOf(workers)));
  competitor.format(memory, setupOf(workers));
  return { memory, counters: allocateRegion(params.keys * STRIDE_WORDS) };
};

/** The body: one plain increment of the counter of the key. All of them count all requests, or the key was not held. */
function law(
  _competitor: KeyedCompetitor,
  { params }: { params: Params },
  { counters }: Shared,
  work: readonly WorkDone[],
): string | undefined {
  let counted = 0;
  for (let key = 0; key < params.keys; key++) counted = (counted + counters[key * STRIDE_WORDS]!) | 0;
  const requests = work.reduce((sum, { operations }) => (sum + operations) | 0, 0);
  return nothingIsLost({ requests, counted });
}

/** Workers that request keys one after the other, by requestSync, as often as they can. */
export function blocking(scenario: string, title: string, headline: boolean, params: Params) {
  return race<KeyedCompetitor, Params, Shared>({
    scenario,
    title,
    alike: "blocking",
    operation: "request",
    headline,
    // What the table of stripes is to be worth more than.
    baseline: "one-lock",
    params: { full: params, smoke: params },
    columns: { cpu: CPU_TIME },
    placement: () => "objects",
    absent: ({ blocks }) => (blocks ? undefined : "has no requestSync"),
    prepare,
    attach(competitor, { workers }, { memory, counters }, worker) {
      const locks = competitor.attach(memory, setupOf(workers), worker) as Required<Keyed>;
      return { run: rounds(locks, params, counters, worker.seed) };
    },
    law,
  });
}

function rounds(locks: Required<Keyed>, params: Params, counters: Region, seed: number): Runner["run"] {
  const names = namesOf(params);
  const draws = new Int32Array(SFC32_WORDS);
  seedSfc32(draws, 0, seed);
  // A process notes the code of `run` (engine/measure/machine/compiled-code.ts).
  return function run(operations) {
    let sum = 0;
    for (let done = 0; done < operations; done++) {
      const key = nextSfc32(draws, 0) & (params.keys - 1);
      sum = (sum + locks.requestSync(names[key]!, () => ++counters[key * STRIDE_WORDS]!)) | 0;
    }
    return sum;
  };
}

/** One thread that awaits each request before it makes the next, so that a key is always free. */
export function awaiting(scenario: string, title: string, headline: boolean, params: Params) {
  return race<KeyedCompetitor, Params, Shared>({
    scenario,
    title,
    operation: "request",
    headline,
    // What people write.
    baseline: "promise-chains",
    mostWorkers: 1,
    params: { full: params, smoke: params },
    columns: { cpu: CPU_TIME },
    placement: () => "objects",
    prepare,
    attach() {
      throw new Error("its requests return promises");
    },
    attachAsync: (competitor, { workers }, { memory, counters }, worker) =>
      awaited(competitor.attach(memory, setupOf(workers), worker), params, counters, worker.seed),
    law,
  });
}

function awaited(locks: Keyed, params: Params, counters: Region, seed: number): AsyncRunner {
  const names = namesOf(params);
  const draws = new Int32Array(SFC32_WORDS);
  seedSfc32(draws, 0, seed);
  return {
    async runAsync(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) {
        const key = nextSfc32(draws, 0) & (params.keys - 1);
        sum = (sum + (await locks.request(names[key]!, {}, () => ++counters[key * STRIDE_WORDS]!))) | 0;
      }
      return sum;
    },
  };
}
