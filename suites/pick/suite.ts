import type { SuiteModule } from "../shared/vocabulary.ts";

/**
 * Question: which backend takes the next request, when many workers ask at once?
 * Workload: every worker picks as fast as it can, for N backends that do not change. The exception is
 *   `members-changing`, where pickers that can take a change race pickers that are rebuilt for it. A real balancer does
 *   other work between picks, so this is the worst case of contention; its one-worker rows are the best case. `after`
 *   is in between. Each worker works by itself for 0.1, 1 or 10 us before it picks; the floor's row shows what the work
 *   alone costs. `cold`: before it picks, each worker reads as much memory of its own as it takes to clear the nearest
 *   cache of the picker. `wrapped`: counters start so that they wrap while crews warm up. `tail`: times of single picks that are due on a schedule, by pickers with a lock. The
 *   simulations ask what a clock cannot show. Which backend gets the heavy requests of a repeating pattern? What does a
 *   change of members break? How long do requests take on uneven backends, and while a cold one joins? On uneven ones requests come at random (Poisson), to 75 % of what
 *   the backends can do, and their work is heavy-tailed (bounded Pareto). Every second backend is 1.4 times as fast,
 *   which weights express. A load other than requests takes half of a backend's speed for a quarter of the time; only
 *   pickers that look can see it. A backend serves all its requests at once, each with an equal part of its speed.
 * Not measured: the work behind a pick. Caches that are cold to the last. What a probe costs on a network. Workers that
 *   pick at different rates.
 * How to run: npm run bench -- pick
 */

export default {
  primitive: "pick",
  order: [
    "uniform-8",
    "uniform",
    "uniform-7-of-two",
    "uniform-8-wrapped",
    "uniform-8-after",
    "uniform-8-cold",
    "uniform-1000-cold",
    "weighted-8",
    "rebuild-1000",
    "members-changing",
    "tail",
    "resonance",
    "membership",
    "uneven-backends",
    "cold-backend",
  ],
} satisfies SuiteModule;
