import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: how is a random word turned into a number below a bound, fast and without favourites?
 * Workload: one worker draws as fast as it can below one bound, as behind a balancer's picks. A balancer's number of
 *   backends stays the same for long. The words come from a private sfc32 generator, whose cost is in every row alike.
 *   It hides what a mapping does while the generator waits for its own last step. The program has drawn below another
 *   bound before, as one with two balancers has. "only" is without that: there the engine may compile the bound in.
 * Not measured: bounds that change from draw to draw, as in a shuffle, where lemire has to compute a threshold. Other
 *   generators. More workers, because draws share nothing.
 * How to run: npm run bench -- draws
 */
export default {
  primitive: "draws",
  order: ["bound-7", "bound-8", "bound-1000", "bound-7-only"],
} satisfies SuiteModule;
