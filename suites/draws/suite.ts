import type { Draws, DrawsCompetitor } from "../../structures/draws/draws.contract.ts";
import { meanIsUniform } from "../../structures/draws/draws.laws.ts";
import { randomWords } from "../../structures/draws/parts/words.ts";
import { type Runner, race, type Suite } from "../engine/suite.ts";

/**
 * Question: how is a random word turned into a number below a bound, fast and without favourites?
 * Workload: one worker draws as fast as it can below one bound, as behind a balancer's picks: its number of backends
 *   stays the same for long. The words are those of a private sfc32 generator, whose cost is in every row alike, and
 *   hides what a mapping does while the generator waits for its own last step. The program has drawn below another
 *   bound before, as one with two balancers has; "only" is without that, where the engine may compile the bound in.
 * Not measured: bounds that change from draw to draw, as in a shuffle, where lemire has a threshold to work out; other
 *   generators; more workers, because draws share nothing.
 * How to run: npm run bench -- draws
 */
interface Params {
  readonly bound: number;
  /** Whether the program never draws below anything else. */
  readonly only: boolean;
}

export default {
  primitive: "draws",
  scenarios: [
    scenario("bound-7", "a number below 7", true, { bound: 7, only: false }),
    scenario("bound-8", "a number below 8, a power of two", false, { bound: 8, only: false }),
    scenario("bound-1000", "a number below 1,000", false, { bound: 1000, only: false }),
    scenario("bound-7-only", "a number below 7, the only bound in the program", false, {
      bound: 7,
      only: true,
    }),
  ],
} satisfies Suite;

function scenario(name: string, title: string, headline: boolean, params: Params) {
  return race<DrawsCompetitor, Params, null>({
    scenario: name,
    title,
    operation: "draw",
    headline,
    // What is written without thinking about it.
    baseline: "unsigned-modulo",
    mostWorkers: 1,
    params: { full: params, smoke: params },
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
      const operations = work.reduce((sum, worker) => sum + worker.operations, 0);
      const checksum = work.reduce((sum, worker) => (sum + worker.checksum) | 0, 0);
      return meanIsUniform(params.bound, operations, checksum);
    },
  });
}

/**
 * How often the other bound is drawn below before the race. An engine that has met one bound only takes it for a
 * constant, and divides by it with a multiplication; one look at another ends that, the rest makes it sure.
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
