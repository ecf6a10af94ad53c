import type { Lock, LockCompetitor, ScopedLock } from "../../structures/locks/locks.contract.ts";
import { allocated } from "../../structures/locks/locks.instance.ts";
import { acquisitionsAreConserved, mutualExclusion } from "../../structures/locks/locks.laws.ts";
import { CriticalSection, ENTRIES, SECTION_WORDS } from "../../structures/locks/parts/section.ts";
import { allocateRegion, type Region } from "../../structures/shared/layout.ts";
import { nextSfc32, SFC32_WORDS, seedSfc32 } from "../../structures/shared/sfc32.ts";
import { CPU_TIME, type Runner, race } from "../engine/race.ts";
import { type LOCAL_WORKS, workedOn } from "../shared/local-work.ts";

interface Params {
  /** How often the holder raises, and lowers again, each of the section's eight words; see structures/locks/parts/section.ts. */
  readonly passes: number;
  /** One less than a power of two: see MOST_THINKING_STEPS. */
  readonly mostThinkingSteps: number;
  /** Local work beside the thinking, in rounds; none if absent. */
  readonly rounds?: number;
}

interface Shared {
  readonly memory: Region;
  readonly section: Region;
  /** What the competitor shares besides its words. */
  readonly besides: unknown;
}

/** The section whose length is that of most that is done under a lock: where a lock both costs and contends. */
const HEADLINE = "short-section";

/**
 * 8 passes up and 8 down are 128 increments of shared words, and none waits for the one before. A count and not a time.
 * A clock inside the lock would cost as much as the work, and every competitor must do the same work.
 */
export const SHORT_PASSES = 8;
export const SHORT_TITLE = "128 increments of shared words inside the lock";
/**
 * Thinking time in steps of a linear congruential generator: 0 .. 127, uniform. A step is a multiply and an add that
 * wait for each other and touch no memory. The mean is somewhat longer than the short section. Two workers then ask for
 * the lock most of the time, and four leave it no rest. It is random, so that workers do not fall into step.
 */
export const MOST_THINKING_STEPS = 127;
/** The multiplier of Numerical Recipes' ranqd1, which has full period modulo 2^32 with any odd addend. */
const MULTIPLIER = 1_664_525;

/** Workers that take a lock, one after the other, as often as they can. */
export function contended(
  scenario: string,
  title: string,
  params: Params,
  slices: { readonly sliceMs?: number } = {},
) {
  return race<LockCompetitor, Params, Shared>({
    scenario,
    title,
    operation: "acquisition",
    headline: scenario === HEADLINE,
    baseline: "futex-three-state",
    params: { full: params, smoke: params },
    ...slices,
    columns: {
      spins: { title: "Spins", unit: "per acquisition", reduce: "per-op" },
      parks: { title: "Parks", unit: "per acquisition", reduce: "per-op" },
      cpu: CPU_TIME,
    },
    placement: ({ share }) => (share === undefined ? "arena" : "objects"),
    absent: ({ variantOf }, { rounds }) =>
      rounds !== undefined && variantOf !== undefined ? `a variant: see ${HEADLINE}` : undefined,

    prepare(competitor, { workers }) {
      const { memory, shared } = allocated(competitor, workers);
      competitor.format(memory, workers);
      return { memory, section: allocateRegion(SECTION_WORDS), besides: shared };
    },

    attach(competitor, { params }, { memory, section, besides }, worker) {
      const lock = competitor.attach(memory, worker, besides);
      const inside = new CriticalSection(section, params.passes);
      const thinker = new Thinker(worker.seed, params);
      return {
        run: "hold" in lock ? roundsHolding(lock, inside, thinker) : rounds(lock, inside, thinker),
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

/** The headline's section where each worker also works by itself before it comes back. */
export function afterWork({ label, title, rounds, ...slices }: (typeof LOCAL_WORKS)[number]) {
  return contended(
    `${HEADLINE}-after-${label}`,
    `${SHORT_TITLE}, after ${title} of the worker's own work`,
    { passes: SHORT_PASSES, mostThinkingSteps: MOST_THINKING_STEPS, rounds },
    slices,
  );
}

/** A process notes the code of `run` (engine/measure/machine/compiled-code.ts), so that is its name. */
function rounds(lock: Lock, inside: CriticalSection, thinker: Thinker): Runner["run"] {
  return function run(operations) {
    let sum = 0;
    for (let done = 0; done < operations; done++) {
      lock.lock();
      const entry = inside.enter();
      inside.leave();
      lock.unlock();
      thinker.think();
      sum = (sum + entry) | 0;
    }
    return sum;
  };
}

/** The same for a lock that calls back. */
function roundsHolding(lock: ScopedLock, inside: CriticalSection, thinker: Thinker): Runner["run"] {
  let entry = 0;
  const work = () => {
    entry = inside.enter();
    inside.leave();
  };
  return function run(operations) {
    let sum = 0;
    for (let done = 0; done < operations; done++) {
      lock.hold(work);
      thinker.think();
      sum = (sum + entry) | 0;
    }
    return sum;
  };
}

/** What a worker does between two acquisitions; its random lengths are its own. */
class Thinker {
  readonly #mostSteps: number;
  readonly #rounds: number;
  readonly #lengths = new Int32Array(SFC32_WORDS);
  /** In an array, because an engine boxes what an object keeps beyond the range of its small integers. */
  readonly #thought: Int32Array;

  constructor(seed: number, { mostThinkingSteps, rounds = 0 }: Params) {
    this.#mostSteps = mostThinkingSteps;
    this.#rounds = rounds;
    this.#thought = Int32Array.of(seed);
    seedSfc32(this.#lengths, 0, seed);
  }

  think(): void {
    let thought = this.#thought[0]!;
    for (let left = nextSfc32(this.#lengths, 0) & this.#mostSteps; left > 0; left--) {
      thought = (Math.imul(thought, MULTIPLIER) + 1) | 0;
    }
    this.#thought[0] = this.#rounds === 0 ? thought : workedOn(thought, this.#rounds);
  }
}
