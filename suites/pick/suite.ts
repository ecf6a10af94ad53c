import type { SuiteModule } from "../engine/suite.ts";

/**
 * Question: which backend takes the next request, when many workers ask at once?
 * Workload: every worker picks as fast as it can, for N backends that do not change but in `members-changing`, where
 *   pickers that can take a change race those that are rebuilt for it. A real balancer does other work
 *   between picks, so this is the worst case of contention; its one-worker rows are the best case. `after` is in between:
 *   each worker works by itself for 0.1, 1 or 10 us before it picks; the floor's row shows what the work alone costs.
 *   `cold`: before it picks, each reads so much memory of its own that the nearest cache holds nothing of the picker.
 *   `tail`: times of single picks that are due on a schedule, by pickers with a lock. The simulations ask what a clock
 *   cannot show: which backend gets the heavy requests of a repeating pattern, what a change of members breaks, how many requests
 *   a backend gets that fails them at once, what a counter does when it wraps, and how long requests take that are
 *   served by uneven backends.
 *   There requests come at random (Poisson), to 75 % of what the backends can do; their work is heavy-tailed (bounded
 *   Pareto); every second backend is 1.4 times as fast, which weights tell, and something else takes half of a backend's
 *   speed for a quarter of the time, which only those see who look. A backend serves all its requests at once, each with
 *   an equal part of its speed.
 * Not measured: the work behind a pick; caches that are cold to the last; what a probe costs on a network; workers that
 *   pick at different rates.
 * How to run: npm run bench -- pick
 */

export default {
  primitive: "pick",
  order: [
    "uniform-8",
    "uniform",
    "uniform-7-of-two",
    "uniform-8-after",
    "uniform-8-cold",
    "uniform-1000-cold",
    "weighted-8",
    "rebuild-1000",
    "members-changing",
    "tail",
    "resonance",
    "membership",
    "failing-backend",
    "long-run",
    "uneven-backends",
  ],
} satisfies SuiteModule;
