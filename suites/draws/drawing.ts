import type { Draws, DrawsCompetitor } from "../../structures/draws/draws.contract.ts";
import { drawsAreIndependent, meanIsUniform, sumsScatter } from "../../structures/draws/draws.laws.ts";
import { randomWords } from "../../structures/draws/parts/words.ts";
import { type Runner, race, type WorkDone } from "../engine/race.ts";

interface Params {
  readonly bound: number;
  /** Whether the program never draws below anything else. */
  readonly only: boolean;
}

/** One worker that draws as fast as it can. */
export function drawing(scenario: string, title: string, headline: boolean, params: Params) {
  return race<DrawsCompetitor, Params, null>({
    scenario,
    title,
    operation: "draw",
    headline,
    // What is written without thinking about it.
    baseline: "unsigned-modulo",
    mostWorkers: 1,
    params: { full: params, smoke: params },
    excerpt: DRAWS_IN_EXCERPT,
    absent: (competitor, { bound }) => competitor.refuses(bound),

    prepare: () => null,

    attach(competitor, { params: { bound, only }, seed }, _shared, identity) {
      const runnerBelow = (some: number) =>
        runnerOf(competitor.attach(randomWords(seed, identity.seed), some));
      const runner = runnerBelow(bound);
      // Twice the bound is served wherever the bound is. It has to be the same code that runs.
      if (!only) runnerBelow(2 * bound).run(OTHER_DRAWS);
      return runner;
    },

    law(_competitor, { params }, _shared, work) {
      const [{ operations, checksum, earlier = [], excerpt }] = work as [WorkDone];
      const looks = [...earlier, { operations, checksum }].map((look) => ({
        draws: look.operations,
        checksum: look.checksum,
      }));
      return (
        meanIsUniform(params.bound, operations, checksum) ??
        sumsScatter(params.bound, looks) ??
        (excerpt === undefined ? undefined : drawsAreIndependent(excerpt.results, params.bound))
      );
    },
  });
}

/** Enough of eight values to distinguish them from ones that come too evenly. */
const DRAWS_IN_EXCERPT = 2 ** 14;

/**
 * How often the other bound is drawn below before the race. An engine that has met one bound only takes it for a
 * constant, and divides by it with a multiplication. One look at another bound ends that; the rest make it certain.
 */
const OTHER_DRAWS = 1000;

function runnerOf(draws: Draws): Runner {
  return {
    run(operations) {
      let sum = 0;
      for (let done = 0; done < operations; done++) sum = (sum + draws.draw()) | 0;
      return sum;
    },
  };
}
