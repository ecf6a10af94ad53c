import type { LockCompetitor } from "../structures/locks/locks.contract.ts";
import { acquisitionsAreConserved, mutualExclusion } from "../structures/locks/locks.laws.ts";
import { CriticalSection, ENTRIES, SECTION_WORDS } from "../structures/locks/locks.section.ts";
import { allocateRegion, type Region } from "../structures/shared/layout.ts";
import { nextSfc32, SFC32_WORDS, seedSfc32 } from "../structures/shared/sfc32.ts";
import { race, type Suite } from "./engine/suite.ts";

/**
 * Question: which lock lets one worker at a time through at the least cost to all of them?
 * Workload: every worker takes the lock, works on shared words, releases it and thinks on words of its own before it
 *   comes back: a counter, a cache entry or a queue that all workers of a server share. Without the thinking the last
 *   holder would keep lock and data in its own cache and take it again before anyone else can. Lock and data lie in
 *   different lines, as they do where a lock is a library's.
 * Not measured: the lock alone, because an operation is one round, thinking included (the differences between
 *   competitors are the lock's); who waits how long; a holder that dies; tryLock.
 * How to run: npm run bench -- locks
 */
interface Params {
  /** How often the holder raises, and lowers again, each of the section's eight words; see locks.section.ts. */
  readonly passes: number;
}

interface Shared {
  readonly memory: Region;
  readonly section: Region;
}

export default {
  primitive: "locks",
  scenarios: [
    contended("empty-section", "one plain increment inside the lock", 0),
    // 8 passes up and 8 down are 128 increments of shared words, none of which waits for the one before: about 50 ns at
    // the increment or so per cycle that a core of 3 GHz retires. A count and not a time, because a clock inside the
    // lock would cost as much as the work, and because every competitor must do the same work.
    contended("short-section", "about 50 ns of work on shared words inside the lock", 8),
  ],
} satisfies Suite;

/**
 * Thinking time in steps of a linear congruential generator, which are a multiply and an add that wait for each other
 * and touch no memory: 0 .. 127, uniform. The mean is somewhat longer than the short section, so that two workers ask
 * for the lock most of the time and four leave it no rest; random, so that workers do not fall into step.
 */
const MOST_THINKING_STEPS = 127;
/** The multiplier of Numerical Recipes' ranqd1, which has full period modulo 2^32 with any odd addend. */
const MULTIPLIER = 1_664_525;

function contended(scenario: string, title: string, passes: number) {
  return race<LockCompetitor, Params, Shared>({
    scenario,
    title,
    operation: "acquisition",
    headline: true,
    baseline: "futex-three-state",
    params: { full: { passes }, smoke: { passes } },
    columns: {
      spins: { title: "Spins", unit: "per acquisition", reduce: "per-op" },
      parks: { title: "Parks", unit: "per acquisition", reduce: "per-op" },
    },

    prepare(competitor, { workers }) {
      const memory = allocateRegion(competitor.words(workers));
      competitor.format(memory, workers);
      return { memory, section: allocateRegion(SECTION_WORDS) };
    },

    attach(competitor, { params }, { memory, section }, seat) {
      const lock = competitor.attach(memory, seat);
      const inside = new CriticalSection(section, params.passes);
      const lengths = new Int32Array(SFC32_WORDS);
      seedSfc32(lengths, 0, seat.seed);
      const thoughts = Int32Array.of(seat.seed);
      return {
        run(operations) {
          let sum = 0;
          // A local while it runs: an engine boxes what a closure keeps beyond the range of its small integers.
          let thought = thoughts[0]!;
          for (let done = 0; done < operations; done++) {
            lock.lock();
            const entry = inside.enter();
            inside.leave();
            lock.unlock();
            for (let left = nextSfc32(lengths, 0) & MOST_THINKING_STEPS; left > 0; left--) {
              thought = (Math.imul(thought, MULTIPLIER) + 1) | 0;
            }
            sum = (sum + entry) | 0;
          }
          thoughts[0] = thought;
          return sum;
        },
        counters: () => ({ spins: lock.spins, parks: lock.parks, violations: inside.violations }),
      };
    },

    law(_competitor, _setup, { section }, work) {
      const acquisitions = work.reduce((sum, { operations }) => sum + operations, 0);
      const violations = work.reduce((sum, { counters }) => sum + counters.violations!, 0);
      return (
        mutualExclusion({ acquisitions, violations }) ??
        acquisitionsAreConserved({ acquisitions, entries: section[ENTRIES]! })
      );
    },
  });
}
